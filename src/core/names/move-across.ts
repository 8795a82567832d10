// The first half of a move into another bucket: a copy there with references, so no byte moves. The second half, the
// deletion here, is the caller's, in a commit of its own; between the two the object is in both. A copy that is there
// already, because a driver died between the halves, is taken for what it is.
import type { ObjectKey, ObjectVersion, VersionId } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import { isLocked } from '../../ports/object-facts.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';
import { holdForeignBlobs } from '../objects/copy-object.ts';

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

/** Copies under way at once. */
const PARALLEL = 16;

/**
 * Copies the current objects; each by itself. At most 100. Cost: an index read for all, then one or two calls each.
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
  const results: CopiedAcross[] = [];
  for (let at = 0; at < moves.length; at += PARALLEL) {
    const group = moves.slice(at, at + PARALLEL);
    results.push(
      ...(await Promise.all(group.map((move, place) => copyOne(core, from, to, move, sources[at + place])))),
    );
  }
  return results;
}

async function copyOne(
  core: Core,
  from: BucketHandle,
  to: BucketHandle,
  { key, toKeys, onlyVersionId, mayReplace }: MoveAcross,
  source: ObjectVersion | null | undefined,
): Promise<CopiedAcross> {
  if (source === null || source === undefined) return { outcome: 'missing', key };
  if (onlyVersionId !== null && source.versionId !== onlyVersionId) return { outcome: 'missing', key };
  const keepsNothing = (from.record().settings.versioning ?? null) === null;
  if (keepsNothing && isLocked(source.lock, core.ports.clock.nowMs(), false)) return { outcome: 'locked', key };
  const arrivals = await holdForeignBlobs(core, to.record(), source.segments);
  for (const toKey of toKeys) {
    const found = await to.call('getVersion', { key: toKey, versionId: null });
    const target = found?.kind === 'object' ? found.object : null;
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
