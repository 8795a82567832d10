// The end of a write: a commit that references the written blobs, or their deletion
// when the index refuses it. A commit of unknown outcome may have landed, so its
// blobs are left to the sweeper. Called by whoever writes blobs, or commits versions;
// write-body.ts writes bodies.

import { PUT_TOTALS } from '../../domain/billing/put-totals.ts';
import { StorageError } from '../../domain/errors.ts';
import type { Segment } from '../../domain/nouns.ts';
import type {
  CommitObjectInput,
  FilledPack,
  IndexApi,
  NewBlobReference,
  StoredAs,
} from '../../ports/metadata-index.ts';
import type { Core } from '../core.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { writePack } from '../packs/write-pack.ts';

/**
 * Whether a blob that was begun at that time may no longer be committed. The
 * sweeper deletes an uncommitted blob once it is older than the grace; half of the
 * grace is left for the commit.
 */
export function isTooOldToCommit({ ports, settings }: Core, startedAtMs: number): boolean {
  const halfGraceMs = settings.graceSeconds * 500;
  return ports.clock.nowMs() - startedAtMs > halfGraceMs;
}

/**
 * Deletes fresh blobs in the background, after the index refused them or needs none
 * of them. What fails is left to the sweeper.
 */
export function discard(
  core: Core,
  written: { readonly newReferences: readonly NewBlobReference[] },
): void {
  const fresh = written.newReferences
    .filter((newReference) => newReference.ownerBucket === null)
    .map((newReference) => newReference.blobId);
  if (fresh.length > 0)
    core.ports.background.run('discard-blob', () => core.ports.blobStore.delete(fresh));
}

/**
 * Codes after which a commit may have landed all the same, so that its blobs must
 * stay.
 */
const UNKNOWN_OUTCOMES: ReadonlySet<string> = new Set([
  'InternalError',
  'ServiceUnavailable',
  'SlowDown',
]);

/** Whether a write that failed so may have landed all the same. */
export function mayHaveLanded(error: unknown): boolean {
  return !(error instanceof StorageError) || UNKNOWN_OUTCOMES.has(error.code);
}

/**
 * Calls `commit`, and deletes the written blobs when the index surely refuses or
 * has the same bytes already (deduplication). Returns the segments that the bytes
 * have then.
 */
export async function commitOrDiscard<Result extends StoredAs>(
  core: Core,
  written: {
    readonly segments: readonly Segment[];
    readonly newReferences: readonly NewBlobReference[];
  },
  commit: () => Promise<Result>,
): Promise<Omit<Result, 'storedAs'> & { readonly segments: readonly Segment[] }> {
  try {
    const { storedAs, ...result } = await commit();
    if (storedAs === null) return { ...result, segments: written.segments };

    discard(core, written);
    const segments = written.segments.map((segment) => ({ ...segment, blobId: storedAs }));
    return { ...result, segments };
  } catch (error) {
    if (!mayHaveLanded(error)) discard(core, written);
    throw error;
  }
}

/**
 * Commits a version. A body that it brings inline gets a place in a pack to come;
 * whoever fills the pack writes it behind the response. Errors and cost as of
 * `IndexCommands.commitObject`; behind one of some hundred inline bodies also as of
 * `writePack`.
 */
export async function commitVersion(
  core: Core,
  bucket: BucketHandle,
  version: Omit<CommitObjectInput, 'bucket' | 'packId' | 'mayCountLate'>,
): Promise<Omit<ReturnType<IndexApi['commitObject']>, keyof FilledPack>> {
  const { background, ids } = core.ports;
  const isInline = version.object.inlineBytes !== null;
  const mayCountLate = !isInline && (core.settings.putTotals ?? PUT_TOTALS) === 'late';
  const input = mayCountLate ? { ...version, mayCountLate } : version;
  const { fullPack, packOwner, ...committed } = await bucket.call('commitObject', ({ id }) =>
    isInline ? { ...input, packId: ids.blobId(id) } : input,
  );
  if (fullPack !== undefined) {
    const { id, name } = bucket.record();
    const pack = { bucket: packOwner ?? { id, name }, blobId: fullPack };
    background.run('write-pack', () => writePack(core, pack));
  }
  return committed;
}
