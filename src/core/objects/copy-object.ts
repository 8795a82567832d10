// CopyObject moves no bytes: the copy is a new row with the same segments. Blobs stay in the bucket that wrote them;
// a copy into another bucket first takes a hold there, so that the home keeps the bytes as long as the copy lives.
import { createDigestSet } from '../../crypto/digest-set.ts';
import type {
  BucketAddress,
  BucketRecord,
  ChecksumAlgorithm,
  ObjectAttributes,
  ObjectKey,
  ObjectVersion,
  Segment,
  WriteCondition,
} from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import type { BlobArrival } from '../../ports/metadata-index.ts';
import { NO_FACTS, type ObjectFacts } from '../../ports/object-facts.ts';
import { blobsOf, homeOfBlob } from '../buckets/blob-home.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';
import { openBody, type ReadableVersion } from './read-object.ts';

export type CopyObjectInput = {
  /** As read, and checked against the copy-source conditions, by the caller. */
  readonly source: ObjectVersion;
  readonly key: ObjectKey;
  readonly attributes: ObjectAttributes;
  /** Of the copy; what is not given is as nobody said anything of it. */
  readonly facts?: Partial<ObjectFacts>;
  /** The checksum that the copy shall have; null keeps the source's. */
  readonly checksumAlgorithm: ChecksumAlgorithm | null;
  readonly condition: WriteCondition | null;
};

/**
 * Copies an object. The bytes are read only when a checksum is asked for that the source does not have.
 * Errors: PreconditionFailed, NoSuchKey, ServiceUnavailable (the source went away meanwhile; try again).
 */
export async function copyObject(core: Core, target: BucketHandle, input: CopyObjectInput): Promise<ObjectVersion> {
  const { source, key } = input;
  const digests = await digestsOfCopy(core, input);
  const arrivals = await holdForeignBlobs(core, target.record(), source.segments);
  const { segments, inlineBytes, sizeBytes } = source;
  const object = {
    ...NO_FACTS,
    ...input.facts,
    ...input.attributes,
    ...digests,
    segments,
    inlineBytes,
    sizeBytes,
    key,
    versionId: core.ports.ids.versionId(),
    isNull: true,
    lastModifiedMs: core.ports.clock.nowMs(),
  } as ObjectVersion;
  try {
    const placed = await target.call('commitObject', { object, condition: input.condition, arrivals });
    return { ...object, ...placed };
  } catch (error) {
    throw asGoneMeanwhile(error);
  }
}

/** Entity tag, checksum and parts of the copy: the source's, or computed afresh for another checksum algorithm. */
async function digestsOfCopy(
  core: Core,
  { source, checksumAlgorithm }: CopyObjectInput,
): Promise<Pick<ObjectVersion, 'etag' | 'checksum' | 'parts'>> {
  const { etag, checksum, parts } = source;
  const isAsWanted =
    checksumAlgorithm === null || (checksum?.algorithm === checksumAlgorithm && checksum.type === 'FULL_OBJECT');
  if (isAsWanted) return { etag, checksum, parts };
  const { checksumBase64 } = await digestRange(
    core,
    source,
    { offsetBytes: 0, lengthBytes: source.sizeBytes },
    checksumAlgorithm,
  );
  return { etag, parts, checksum: { algorithm: checksumAlgorithm, type: 'FULL_OBJECT', value: checksumBase64 ?? '' } };
}

/** Reads a range to compute its MD5 and, if asked, a checksum. Nothing is written. */
export async function digestRange(
  core: Core,
  version: ReadableVersion,
  range: { offsetBytes: number; lengthBytes: number },
  checksumAlgorithm: ChecksumAlgorithm | null,
): Promise<{ md5Hex: string; checksumBase64: string | null }> {
  const digests = createDigestSet({ md5: true, sha256: false, checksum: checksumAlgorithm });
  const { body } = await openBody(core, version, range);
  if (body instanceof Uint8Array) digests.update(body);
  else if (body !== null) for await (const chunk of body) digests.update(chunk);
  const { md5Hex, checksumBase64 } = digests.finish();
  return { md5Hex: md5Hex ?? '', checksumBase64 };
}

/** Takes holds on the blobs whose home is another bucket and lists them as arrivals. ServiceUnavailable. */
export async function holdForeignBlobs(
  core: Core,
  holder: Pick<BucketRecord, 'id' | 'name'>,
  segments: readonly Segment[],
): Promise<BlobArrival[]> {
  const { clock, metadataIndex } = core.ports;
  const holderAddress: BucketAddress = { id: holder.id, name: holder.name };
  const arrivals: BlobArrival[] = [];
  const blobIdsByHome = new Map<string, { home: BucketAddress; blobIds: BlobArrival['blobId'][] }>();
  for (const blobId of blobsOf(segments)) {
    const home = homeOfBlob(blobId);
    if (home.id === holder.id) continue;
    const group = blobIdsByHome.get(home.id) ?? { home, blobIds: [] };
    group.blobIds.push(blobId);
    blobIdsByHome.set(home.id, group);
    const sizeBytes = segments.reduce(
      (sum, segment) => (segment.blobId === blobId ? sum + segment.lengthBytes : sum),
      0,
    );
    arrivals.push({ blobId, sizeBytes, home });
  }
  for (const { home, blobIds } of blobIdsByHome.values()) {
    try {
      await metadataIndex.call(home.name, 'holdBlobs', { home, blobIds, holder: holderAddress, nowMs: clock.nowMs() });
    } catch (error) {
      throw asGoneMeanwhile(error);
    }
  }
  return arrivals;
}

/** A blob that was condemned between the read and the commit: rare (the grace lies between), so the client retries. */
export function asGoneMeanwhile(error: unknown): unknown {
  const isGone = error instanceof StorageError && error.code === 'NoSuchBlob';
  return isGone
    ? new StorageError('ServiceUnavailable', { detail: 'The source changed. Please try again.', cause: error })
    : error;
}
