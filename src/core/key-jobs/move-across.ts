// The first half of a move into another bucket: a copy there with references, so no byte moves. The
// second half, the deletion here, is the caller's, in a commit of its own; between the two the
// object is in both. A copy that is there already, because a driver died between the halves, is
// taken for what it is.
import type { ObjectKey, ObjectVersion, VersionId } from '../../domain/nouns.ts';
import { isLocked } from '../../domain/object-facts.ts';
import type { NewBlobReference } from '../../ports/metadata-index.ts';
import type { BucketHandle } from '../buckets/bucket-handle.ts';
import type { Core } from '../core.ts';
import { asGoneMeanwhile, referenceForeignBlobsOf } from '../objects/copy-object.ts';

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

/** What copies of one commit may take together, bytes as estimated: a call carries them all. */
const COMMIT_MAX_BYTES = 4 * 1024 * 1024;
/** What one takes besides its inline body, and each of its pieces. */
const COPY_BYTES = 2048;
const PIECE_BYTES = 160;

/** A copy that is to be made. */
type Found = { readonly move: MoveAcross; readonly source: ObjectVersion };

/**
 * Copies the current objects; each by itself. At most 100. Cost: an index read, a hold and a commit
 * for all, more commits for large bodies in rows. ServiceUnavailable (a source was swept
 * meanwhile).
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
  const copied: CopiedAcross[] = [];
  const found = moves.flatMap((move, at): Found[] => {
    const source = sources[at] ?? null;
    const { key, onlyVersionId, toKeys } = move;
    const isMeant =
      source !== null && (onlyVersionId === null || source.versionId === onlyVersionId);
    if (isMeant && toKeys.length > 0 && !(keepsNothing && isLocked(source.lock, nowMs, false)))
      return [{ move, source }];
    copied.push({
      outcome: !isMeant ? 'missing' : toKeys.length === 0 ? 'conflict' : 'locked',
      key,
    });
    return [];
  });
  const bodies = found.map(({ source }) => source.segments);
  const newReferences = await referenceForeignBlobsOf(core, to.record(), bodies);
  const planned = found.map((each, at) => ({ ...each, newReferences: newReferences[at] ?? [] }));
  for (const batch of batches(planned)) copied.push(...(await commitBatch(core, from, to, batch)));
  return copied;
}

type Planned = Found & { readonly newReferences: readonly NewBlobReference[] };

function batches(planned: readonly Planned[]): readonly (readonly Planned[])[] {
  const made: Planned[][] = [];
  let left = 0;
  for (const each of planned) {
    const { inlineBytes, segments, parts } = each.source;
    const pieces = segments.length + (parts?.length ?? 0);
    left -= COPY_BYTES + (inlineBytes?.length ?? 0) + pieces * PIECE_BYTES;
    if (left < 0 || made.length === 0) {
      made.push([]);
      left = COMMIT_MAX_BYTES;
    }
    made.at(-1)?.push(each);
  }
  return made;
}

async function commitBatch(
  core: Core,
  from: BucketHandle,
  to: BucketHandle,
  batch: readonly Planned[],
): Promise<readonly CopiedAcross[]> {
  const { clock, ids } = core.ports;
  const placed = await to
    .call('commitCopies', ({ settings }) => ({
      copies: batch.map(({ source, move, newReferences }) => ({
        object: {
          ...source,
          versionId: ids.versionId(),
          isNull: true,
          // Who owned the bucket owned the object: its new home has an owner of its own.
          ownerId: source.ownerId ?? from.record().ownerId,
          lastModifiedMs: clock.nowMs(),
          // A bucket where nothing can be locked can't keep a lock either.
          lock: settings.objectLock === null ? null : source.lock,
        },
        toKeys: move.toKeys,
        mayReplace: move.mayReplace,
        newReferences,
      })),
    }))
    .catch((error: unknown) => {
      throw asGoneMeanwhile(error);
    });
  return batch.map(({ source, move: { key } }, at): CopiedAcross => {
    const place = placed[at] ?? null;
    if (place === null) return { outcome: 'conflict', key };
    const { etag, sizeBytes, versionId: sourceVersionId } = source;
    return { outcome: 'done', key, sourceVersionId, etag, sizeBytes, ...place };
  });
}
