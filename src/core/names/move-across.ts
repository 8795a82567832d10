// The first half of a move into another bucket: a copy there with references, so no byte moves. The second half, the
// deletion here, is the caller's, in a commit of its own; between the two the object is in both. A copy that is there
// already, because a driver died between the halves, is taken for what it is.
import type { ObjectKey, ObjectVersion, VersionId } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import type { BlobArrival } from '../../ports/metadata-index.ts';
import { isLocked } from '../../ports/object-facts.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';
import { holdForeignBlobsOf } from '../objects/copy-object.ts';

export type MoveAcross = {
  readonly key: ObjectKey;
  /** The first of them that is free. None: the key can't be moved. */
  readonly toKeys: readonly ObjectKey[];
  /** Only if that one is current; null: whatever is. */
  readonly onlyVersionId: VersionId | null;
  readonly mayReplace: boolean;
};

export type CopiedAcross =
  | { readonly outcome: 'missing' | 'conflict' | 'locked'; readonly key: ObjectKey }
  | {
      readonly outcome: 'done';
      readonly key: ObjectKey;
      readonly sourceVersionId: VersionId;
      readonly etag: string;
      readonly sizeBytes: number;
      readonly toKey: ObjectKey;
      readonly versionId: VersionId;
    };

/** A copy that is to be made, with all that could be looked up for many at once. */
type Planned = {
  readonly move: MoveAcross;
  readonly source: ObjectVersion;
  readonly arrivals: readonly BlobArrival[];
  /** What has the first of its names; null: nothing. */
  readonly target: ObjectVersion | null;
};

/**
 * Copies the current objects; each by itself. At most 100. Cost: two index reads and a hold for all, then a commit each.
 * ServiceUnavailable (a source was swept meanwhile).
 */
export async function moveAcross(
  core: Core,
  from: BucketHandle,
  to: BucketHandle,
  moves: readonly MoveAcross[],
): Promise<readonly CopiedAcross[]> {
  if (moves.length === 0) return [];
  const sources = await from.call('getObjects', { keys: moves.map(({ key }) => key) });
  const nowMs = core.ports.clock.nowMs();
  const keepsNothing = (from.record().settings.versioning ?? null) === null;
  const refused: CopiedAcross[] = [];
  const found = moves.flatMap((move, at) => {
    const source = sources[at] ?? null;
    const { key, onlyVersionId, toKeys } = move;
    const isMeant = source !== null && (onlyVersionId === null || source.versionId === onlyVersionId);
    if (isMeant && toKeys.length > 0 && !(keepsNothing && isLocked(source.lock, nowMs, false)))
      return [{ move, source }];
    refused.push({ outcome: !isMeant ? 'missing' : toKeys.length === 0 ? 'conflict' : 'locked', key });
    return [];
  });
  if (found.length === 0) return refused;
  const bodies = found.map(({ source }) => source.segments);
  const arrivals = await holdForeignBlobsOf(core, to.record(), bodies);
  const firstKeys = found.flatMap(({ move }) => move.toKeys.slice(0, 1));
  const targets = await to.call('getObjects', { keys: firstKeys });
  const planned = found.map(
    (each, at): Planned => ({ ...each, arrivals: arrivals[at] ?? [], target: targets[at] ?? null }),
  );
  // All at once: on Node they are then few groups for the disk.
  return [...refused, ...(await Promise.all(planned.map((each) => copyOne(core, from, to, each))))];
}

async function copyOne(core: Core, from: BucketHandle, to: BucketHandle, planned: Planned): Promise<CopiedAcross> {
  const { source, arrivals, move } = planned;
  const { key, toKeys, mayReplace } = move;
  for (const [at, toKey] of toKeys.entries()) {
    const target = at === 0 ? planned.target : await currentOf(to, toKey);
    const done = { outcome: 'done', key, toKey, sourceVersionId: source.versionId, ...factsOf(source) } as const;
    if (target !== null && isSameObject(source, target)) return { ...done, versionId: target.versionId };
    if (target !== null && !mayReplace) continue;
    const object = {
      ...source,
      key: toKey,
      versionId: core.ports.ids.versionId(),
      isNull: true,
      // Who owned the bucket owned the object: its new home has an owner of its own.
      ownerId: source.ownerId ?? from.record().ownerId,
      lastModifiedMs: core.ports.clock.nowMs(),
      // A bucket where nothing can be locked can't keep a lock either.
      lock: to.record().settings.objectLock === null ? null : source.lock,
    };
    const condition = target === null ? { ifMatch: null, ifNoneMatch: '*' } : null;
    try {
      const placed = await to.call('commitObject', { object, condition, arrivals });
      return { ...done, versionId: placed.versionId };
    } catch (error) {
      // Somebody took the name meanwhile.
      if (!(error instanceof StorageError) || error.code !== 'PreconditionFailed') throw error;
    }
  }
  return { outcome: 'conflict', key };
}

async function currentOf(bucket: BucketHandle, key: ObjectKey): Promise<ObjectVersion | null> {
  const [found = null] = await bucket.call('getObjects', { keys: [key] });
  return found;
}

const factsOf = ({ etag, sizeBytes }: ObjectVersion) => ({ etag, sizeBytes });

/** Whether one is the copy of the other that a step made before it died. Equal bytes alone don't say so: others may share them. */
function isSameObject(a: ObjectVersion, b: ObjectVersion): boolean {
  const told = ({ headers, userMetadata, tags }: ObjectVersion) => JSON.stringify([headers, userMetadata, tags]);
  if (told(a) !== told(b)) return false;
  if (a.etag !== b.etag || a.sizeBytes !== b.sizeBytes || a.segments.length !== b.segments.length) return false;
  if (a.inlineBytes !== null) return b.inlineBytes !== null;
  return a.segments.every(({ blobId, offsetBytes }, at) => {
    const other = b.segments[at];
    return other?.blobId === blobId && other.offsetBytes === offsetBytes;
  });
}
