// What becomes of written bytes: a commit that names them, or their end when the index refuses it.
// A commit whose outcome is unknown leaves them to the sweeper, as it may have landed. Called by
// whoever writes blobs; write-body.ts writes them.

import { StorageError } from '../../domain/errors.ts';
import type { Segment } from '../../domain/nouns.ts';
import type { NewBlobReference, StoredAs } from '../../ports/metadata-index.ts';
import type { Core } from '../core.ts';

/**
 * Whether a blob that was begun then may not be committed any more: the sweeper takes an
 * uncommitted one for the trace of a crash once it is older than the grace, of which the half is
 * left for the commit.
 */
export function isTooOldToCommit({ ports, settings }: Core, startedAtMs: number): boolean {
  return ports.clock.nowMs() - startedAtMs > settings.graceSeconds * 500;
}

/**
 * Deletes fresh blobs, after the index refused them or needs none of them. In the background; the
 * sweeper is the second net.
 */
export function discard(
  core: Core,
  written: { readonly newReferences: readonly NewBlobReference[] },
): void {
  const fresh = written.newReferences
    .filter((newReference) => newReference.home === null)
    .map((newReference) => newReference.blobId);
  if (fresh.length > 0)
    core.ports.background.run('discard-blob', () => core.ports.blobStore.delete(fresh));
}

/**
 * Codes after which a commit may have landed all the same; its blobs must stay for the sweeper to
 * judge.
 */
const UNKNOWN_OUTCOMES: ReadonlySet<string> = new Set([
  'InternalError',
  'ServiceUnavailable',
  'SlowDown',
]);

/**
 * Commits with `commit`; when the index refuses for sure, or has the same bytes already, what was
 * written is deleted. Gives where the bytes of `segments` are then.
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
    return {
      ...result,
      segments: written.segments.map((segment) => ({ ...segment, blobId: storedAs })),
    };
  } catch (error) {
    if (error instanceof StorageError && !UNKNOWN_OUTCOMES.has(error.code)) discard(core, written);
    throw error;
  }
}
