// Copies into another bucket, by remote references, so that no byte moves. For a move
// they are the first half: the second, the deletion here, is a commit of the caller;
// between the two the object is in both buckets. A copy that a driver left when it
// died behind it is recognised as one. Called by plan-step.ts and plan-undo.ts.
import type { BucketSettings } from '../../domain/bucket-settings.ts';
import { StorageError } from '../../domain/errors.ts';
import type { KeyJobFailure, RelocationTask } from '../../domain/keys/key-jobs.ts';
import type { BlobId, BucketId, ObjectKey, ObjectVersion, VersionId } from '../../domain/nouns.ts';
import { isLocked } from '../../domain/object-facts.ts';
import type { NewBlobReference } from '../../ports/metadata-index.ts';
import type { Core } from '../core.ts';
import { asGoneMeanwhile, referenceForeignBlobsOf } from '../objects/copy-object.ts';
import { type BucketHandle, openBucket } from '../opened-bucket/bucket-handle.ts';

/** One key to copy. */
export type CopyAcross = {
  readonly key: ObjectKey;
  /**
   * The candidates for its new key, of which the first free one counts. None: it
   * can't be copied.
   */
  readonly toKeys: readonly ObjectKey[];
  /** Copies the key only while this version is current; null: always. */
  readonly onlyVersionId: VersionId | null;
  readonly mayReplace: boolean;
};

/** The outcome for one key. */
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

/**
 * Keys of one step between buckets: as many as the index returns whole objects at
 * once.
 */
export const ACROSS_STEP = 100;

/**
 * Bytes of all copies of one commit, which are sent in one call. Estimated by the
 * two below.
 */
const COMMIT_MAX_BYTES = 4 * 1024 * 1024;
/** Bytes of one copy, besides its inline body, segments and parts. Estimate. */
const COPY_BYTES = 2048;
/** Bytes of one segment or part. Estimate. */
const PIECE_BYTES = 160;

/** A copy made before the job, less this, is another's. Clocks differ by less. */
const CLOCKS_APART_MS = 60_000;

/** What the copies are for. */
export type HowAcross = {
  /** Whether the source goes when the copy is there. */
  readonly isMove: boolean;
  /** When the job began: a copy that is older is none of its own. */
  readonly startedAtMs: number;
};

/** What a copy has not of its source, as with CopyObject. */
const NOT_COPIED = { ownerId: null, acl: null, lock: null } as const;

/** A key that can be copied, with its current version. */
type Movable = { readonly move: CopyAcross; readonly source: ObjectVersion };

/**
 * Copies current objects into another bucket, each by itself, at most 100. Cost: an
 * index read, remote references and a commit for all, more commits for large bodies
 * in rows. ServiceUnavailable (a source was swept meanwhile).
 */
export async function copyAcross(
  core: Core,
  from: BucketHandle,
  to: BucketHandle,
  moves: readonly CopyAcross[],
  how: HowAcross,
): Promise<readonly CopiedAcross[]> {
  if (moves.length === 0) return [];

  const sources = await from.call('getObjects', { keys: moves.map(({ key }) => key) });
  const nowMs = core.ports.clock.nowMs();
  const isUnversioned = (from.record().settings.versioning ?? null) === null;
  const refusalOf = (move: CopyAcross, source: ObjectVersion | null) => {
    if (source === null) return 'missing';
    if (move.onlyVersionId !== null && source.versionId !== move.onlyVersionId) return 'missing';
    if (move.toKeys.length === 0) return 'conflict';
    return how.isMove && isUnversioned && isLocked(source.lock, nowMs, false) ? 'locked' : null;
  };

  const outcomes: CopiedAcross[] = [];
  const movable: Movable[] = [];
  for (const [i, move] of moves.entries()) {
    const source = sources[i] ?? null;
    const refusal = refusalOf(move, source);
    if (refusal !== null) outcomes.push({ outcome: refusal, key: move.key });
    else if (source !== null) movable.push({ move, source });
  }

  const bodies = movable.map(({ source }) => source.segments);
  const newReferences = await referenceForeignBlobsOf(core, to.record(), bodies);
  const planned = movable.map((each, i) => ({ ...each, newReferences: newReferences[i] ?? [] }));
  for (const batch of batches(planned))
    outcomes.push(...(await commitBatch(core, from, to, batch, how)));
  return outcomes;
}

type Planned = Movable & { readonly newReferences: readonly NewBlobReference[] };

/** Groups copies so that each commit stays below its bound. */
function batches(planned: readonly Planned[]): readonly (readonly Planned[])[] {
  const groups: Planned[][] = [];
  let leftBytes = 0;
  for (const each of planned) {
    const { inlineBytes, segments, parts } = each.source;
    const pieces = segments.length + (parts?.length ?? 0);
    leftBytes -= COPY_BYTES + (inlineBytes?.length ?? 0) + pieces * PIECE_BYTES;
    if (leftBytes < 0 || groups.length === 0) {
      groups.push([]);
      leftBytes = COMMIT_MAX_BYTES;
    }
    groups.at(-1)?.push(each);
  }
  return groups;
}

/** What a moved object takes along besides what every copy has. */
function keptByMove(
  from: BucketHandle,
  { objectLock }: BucketSettings,
  source: ObjectVersion,
): Pick<ObjectVersion, 'ownerId' | 'lock'> {
  return {
    // The owner of the bucket owned the object; the target bucket may have another
    // owner.
    ownerId: source.ownerId ?? from.record().ownerId,
    // A bucket where nothing can be locked can't keep a lock either.
    lock: objectLock === null ? null : source.lock,
  };
}

async function commitBatch(
  core: Core,
  from: BucketHandle,
  to: BucketHandle,
  batch: readonly Planned[],
  { isMove, startedAtMs }: HowAcross,
): Promise<readonly CopiedAcross[]> {
  const { clock, ids } = core.ports;
  const committed = await to
    .call('commitCopies', ({ id, settings }) => ({
      packIds: newPackIds(core, id),
      copies: batch.map(({ source, move, newReferences }) => ({
        object: {
          ...source,
          versionId: ids.versionId(),
          isNull: true,
          lastModifiedMs: clock.nowMs(),
          ...(isMove ? keptByMove(from, settings, source) : NOT_COPIED),
        },
        toKeys: move.toKeys,
        mayReplace: move.mayReplace,
        newReferences,
      })),
      sinceMs: startedAtMs - CLOCKS_APART_MS,
    }))
    .catch((error: unknown) => {
      throw asGoneMeanwhile(error);
    });

  return batch.map(({ source, move: { key } }, i): CopiedAcross => {
    const copy = committed[i] ?? null;
    if (copy === null) return { outcome: 'conflict', key };
    const { etag, sizeBytes, versionId: sourceVersionId } = source;
    return { outcome: 'done', key, sourceVersionId, etag, sizeBytes, ...copy };
  });
}

/** Packs that one commit of many copies may begin, at some 4 MiB each. */
const PACKS_PER_COMMIT = 3;

/** Ids for the packs that a commit may begin. */
export const newPackIds = ({ ports }: Core, bucketId: BucketId): readonly BlobId[] =>
  Array.from({ length: PACKS_PER_COMMIT }, () => ports.ids.blobId(bucketId));

type DoneAcross = Extract<CopiedAcross, { outcome: 'done' }>;

/** The keys that were copied. */
export const doneOf = (outcomes: readonly CopiedAcross[]): readonly DoneAcross[] =>
  outcomes.flatMap((copy) => (copy.outcome === 'done' ? [copy] : []));

/** The keys that were not copied, each with its reason. */
export const refusedOf = (outcomes: readonly CopiedAcross[]): readonly KeyJobFailure[] =>
  outcomes.flatMap(({ key, outcome }) => (outcome === 'done' ? [] : [{ key, reason: outcome }]));

/**
 * Opens the other bucket of a task. NoSuchBucket also when the name belongs to
 * another bucket by now, since nobody was authorised to write to that one.
 */
export async function openTarget(
  core: Core,
  { toBucket, toBucketId }: Pick<RelocationTask, 'toBucket' | 'toBucketId'>,
): Promise<BucketHandle> {
  if (toBucket === null)
    throw new StorageError('InternalError', { cause: 'a job between buckets without a target' });
  return openBucket(core, toBucket, ({ id }) => {
    if (id !== toBucketId)
      throw new StorageError('NoSuchBucket', { fields: { BucketName: toBucket } });
  });
}
