// Look-ups by name in a split bucket, for readers who know no record: bucket and current
// objects in one call. Called by shard-router.ts, which has read the record by then.
import { hasCode } from '../../domain/errors.ts';
import { siteFileKeys } from '../../domain/hosting.ts';
import type { BucketName, BucketRecord, ObjectKey, ObjectVersion } from '../../domain/nouns.ts';
import { isSplit } from '../../ports/index-calls/shard-calls.ts';
import type { MetadataIndex } from '../../ports/metadata-index.ts';
import { callByKey, type KeyCallParts } from './by-key.ts';

/** The bucket and the current versions of some keys, at one record. */
export type Resolved = {
  readonly bucket: BucketRecord;
  readonly objects: readonly (ObjectVersion | null)[];
};

/** How often a reader begins again since the record was changed meanwhile. */
const READS_MAX = 64;

/**
 * The keys of a split bucket, with its record and the rule files of its site. Null: the
 * bucket of that name is not split. Cost: a call of each owner, and one for a record that
 * is not remembered.
 */
export async function resolveByKey(
  parts: KeyCallParts,
  index: Pick<MetadataIndex, 'call'>,
  name: BucketName,
  keys: readonly ObjectKey[],
): Promise<Resolved | null> {
  for (let reads = 1; ; reads++) {
    const bucket = await index.call(name, 'getBucket', { name });
    if (bucket === null || !isSplit(bucket)) return null;
    const { isIndexCrowded: _isIndexCrowded, ...record } = bucket;
    try {
      const objects = await readCurrent(parts, record, keys);
      return { bucket: await withSiteFiles(parts, record), objects };
    } catch (error) {
      if (!hasCode(error, 'BucketChanged') || reads === READS_MAX) throw error;
    }
  }
}

async function readCurrent(
  parts: KeyCallParts,
  { id, name, revision }: BucketRecord,
  keys: readonly ObjectKey[],
): Promise<readonly (ObjectVersion | null)[]> {
  const input = { bucket: { id, name, revision }, keys };
  return (await callByKey(parts, 'getObjects', input)) as readonly (ObjectVersion | null)[];
}

async function withSiteFiles(parts: KeyCallParts, bucket: BucketRecord): Promise<BucketRecord> {
  const { hosting } = bucket.settings;
  if (hosting?.ruleFiles !== true) return bucket;
  const keys = siteFileKeys(hosting) as ObjectKey[];
  const found = await readCurrent(parts, bucket, keys);
  const siteFiles = found.flatMap((object) =>
    object === null ? [] : [{ key: object.key, versionId: object.versionId }],
  );
  return siteFiles.length === 0 ? bucket : { ...bucket, siteFiles };
}
