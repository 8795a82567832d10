// Re-packing: of a pack of which more than half is dead, what lives is written as
// another pack, and one commit lets its versions lie there. The old one has no
// reference then, and goes after the sweeper's grace, like every blob that somebody
// with an old pointer may be reading. Called by the sweep.
//
// A crash before the commit leaves a blob that nothing refers to, for the sweeper.
import { StorageError } from '../../domain/errors.ts';
import type { BucketName, ObjectKey } from '../../domain/nouns.ts';
import { goneUntilSparse, isSparse } from '../../domain/packs/sparse-packs.ts';
import type { PackedVersion, SparsePack } from '../../ports/index-calls/pack-calls.ts';
import type { Core } from '../core.ts';
import { commitOrDiscard, discard, isTooOldToCommit } from '../objects/commit-or-discard.ts';
import { type BucketHandle, openBucket } from '../opened-bucket/bucket-handle.ts';
import {
  type DirectoryEntry,
  decodeDirectory,
  encodePack,
  identityOfPack,
  type PackedBody,
  spaceOf,
} from '../packs/pack-bytes.ts';

/** Versions that one commit moves at most: a pack has 1,024 bodies, and perhaps copies. */
const VERSIONS_MAX = 2048;

/** How many packs the sweeps of several buckets may still look at together. */
export type RepackBudget = { packs: number; readonly stopping: AbortSignal | null };

/**
 * Writes the sparse packs of a bucket anew, with at most half of what is left of the
 * budget, so that other buckets get their turn. A pack that fails is logged and does
 * not stop the others. Cost: two index calls; and for each pack that of `repack`.
 */
export async function repackSparse(
  core: Core,
  name: BucketName,
  budget: RepackBudget,
): Promise<void> {
  const limit = Math.ceil(budget.packs / 2);
  if (limit === 0) return;
  const bucket = await openBucket(core, name, () => undefined);
  const packs = await bucket.call('findSparsePacks', { limit });
  for (const pack of packs) {
    if (budget.stopping?.aborted === true) return;
    budget.packs -= 1;
    try {
      await repack(core, bucket, pack);
    } catch (cause) {
      core.ports.log.error('repack-failed', { bucket: name, blobId: pack.blobId, cause });
      // What is damaged must not be in the way of others in each sweep.
      if (cause instanceof StorageError && cause.code === 'ObjectDamaged')
        await leave(bucket, pack);
    }
  }
}

/**
 * Writes a pack anew with what lives of it. It is left where too much lives, or where not
 * all references to it are found: by the keys in its directory, then among some 20,000
 * rows. Cost: one read and one write of the store, two or three index calls; 7 MiB in memory.
 */
async function repack(core: Core, bucket: BucketHandle, pack: SparsePack): Promise<void> {
  if (pack.isHeld || pack.references > VERSIONS_MAX) return leave(bucket, pack);
  const { blobStore, clock, ids } = core.ports;
  const record = bucket.record();
  const startedAtMs = clock.nowMs();
  const { blobId: from, sizeBytes, endBytes } = pack;
  const bytes = await blobStore.read(from, { offsetBytes: 0, lengthBytes: sizeBytes });
  const directory = decodeDirectory(bytes.subarray(endBytes));
  const find = (keys: readonly ObjectKey[] | null) =>
    bucket.call('findPackedVersions', { blobId: from, keys });
  let versions = await find(directory.map(({ key }) => key));
  // Keys were renamed, or bodies copied to others.
  if (versions.length !== pack.references) versions = await find(null);
  if (versions.length !== pack.references) return leave(bucket, pack);

  const ranges = livingRanges(bytes, directory, versions);
  const bodies = [...ranges.values()];
  const sizes = bodies.map(spaceOf);
  // Brackets of the directory.
  const newSizeBytes = sizes.reduce((sum, size) => sum + size, 2);
  if (!isSparse(newSizeBytes, sizeBytes)) {
    const gone = goneUntilSparse(sizes, sizeBytes);
    return leave(bucket, pack, pack.references - gone);
  }

  const to = {
    blobId: ids.blobId(record.id),
    sizeBytes: newSizeBytes,
    endBytes: bodies.reduce((sum, body) => sum + body.bytes.length, 0),
    sparseReferences: versions.length - goneUntilSparse(sizes, newSizeBytes),
  };
  const content = { ...to, bodies };
  await blobStore.put(to.blobId, encodePack(content), identityOfPack(record.name, content));
  const written = {
    segments: [],
    newReferences: [{ blobId: to.blobId, sizeBytes: newSizeBytes, ownerBucket: null }],
  };
  if (isTooOldToCommit(core, startedAtMs)) return discard(core, written);
  const moves = versions.map((version) => ({
    ...version,
    newOffsetBytes: ranges.get(rangeOf(version))?.offsetBytes ?? 0,
  }));
  const { isMoved } = await commitOrDiscard(core, written, async () => ({
    isMoved: await bucket.call('repack', {
      from,
      to,
      bodies: moves,
      nowMs: clock.nowMs(),
    }),
    storedAs: null,
  }));
  if (!isMoved) discard(core, written);
}

/** Leaves a pack until some more of it is gone. */
async function leave(
  bucket: BucketHandle,
  { blobId, references }: SparsePack,
  sparseReferences = references - Math.ceil(references / 8),
): Promise<void> {
  await bucket.call('leavePack', { blobId, sparseReferences });
}

const rangeOf = ({ offsetBytes, lengthBytes }: PackedVersion): string =>
  `${offsetBytes}+${lengthBytes}`;

/** What lives of a pack, each range once, with its place in the new one. */
function livingRanges(
  bytes: Uint8Array,
  directory: readonly DirectoryEntry[],
  versions: readonly PackedVersion[],
): Map<string, PackedBody> {
  const entries = new Map(directory.map((entry) => [entry.offsetBytes, entry]));
  const ranges = new Map<string, PackedBody>();
  let endBytes = 0;
  for (const version of versions.toSorted((a, b) => a.offsetBytes - b.offsetBytes)) {
    if (ranges.has(rangeOf(version))) continue;
    const { key, offsetBytes, lengthBytes } = version;
    ranges.set(rangeOf(version), {
      offsetBytes: endBytes,
      bytes: bytes.subarray(offsetBytes, offsetBytes + lengthBytes),
      subject: subjectOf(key, entries.get(offsetBytes)),
    });
    endBytes += lengthBytes;
  }
  return ranges;
}

/** What the directory says of a body, under the key that it has now. */
function subjectOf(key: ObjectKey, entry: DirectoryEntry | undefined): string {
  if (entry === undefined) return JSON.stringify([key, {}, {}]);
  if (entry.key === key) return entry.subject;
  const [, ...attributes] = JSON.parse(entry.subject) as unknown[];
  return JSON.stringify([key, ...attributes]);
}
