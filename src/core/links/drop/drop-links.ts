// Drop links as their owner sees them: made, changed, closed and removed. Called by
// the JSON API, which decides who may; senders come in by open-drop-link.ts.
import { StorageError } from '../../../domain/errors.ts';
import type { DropLink, DropSettings } from '../../../domain/links/drop-link.ts';
import type { LinkEntry, LinkId } from '../../../domain/links/link-ids.ts';
import { LINKS_PER_BUCKET_MAX } from '../../../domain/links/link-limits.ts';
import type { DropLinkState } from '../../../ports/index-calls/drop-link-calls.ts';
import type { Core } from '../../core.ts';
import type { BucketHandle } from '../../opened-bucket/bucket-handle.ts';
import { newLinkId } from '../new-link-ids.ts';

/** Attempts of a change that collides with others (optimistic concurrency). */
const CHANGE_ATTEMPTS = 8;

/**
 * Makes a link. The directory knows it first: an id without a link answers as one
 * that nobody has. InvalidRequest beyond LINKS_PER_BUCKET_MAX. Cost: two commits.
 */
export async function createDropLink(
  core: Core,
  bucket: BucketHandle,
  settings: DropSettings,
): Promise<DropLinkState> {
  const { id: bucketId, name, ownerId: accountId } = bucket.record();
  const createdAtMs = core.ports.clock.nowMs();
  const link: DropLink = { ...settings, id: newLinkId(), createdAtMs, revision: 1 };
  const entry: LinkEntry = {
    id: link.id,
    kind: 'drop',
    bucket: { id: bucketId, name },
    accountId,
    createdAtMs,
  };
  await core.ports.directory.call('addLinkId', { entry });
  try {
    await bucket.call('addDropLink', { link, max: LINKS_PER_BUCKET_MAX });
  } catch (error) {
    await core.ports.directory.call('removeLinkId', { id: link.id, bucketId });
    throw error;
  }
  return { link, usage: { files: 0, bytes: 0, senders: 0 } };
}

/** The link of an id. NoSuchResource. */
export async function getDropLink(bucket: BucketHandle, id: LinkId): Promise<DropLinkState> {
  const state: DropLinkState | null = await bucket.call('getDropLink', { id });
  if (state === null) throw new StorageError('NoSuchResource');
  return state;
}

/**
 * Changes a link; `change` is called with the settings of now, again when somebody
 * else was first. `onlyRevision`: PreconditionFailed for any other; null: whichever
 * there is. NoSuchResource. What comes from then on is decided by the new settings.
 */
export async function changeDropLink(
  bucket: BucketHandle,
  id: LinkId,
  onlyRevision: number | null,
  change: (settings: DropSettings) => DropSettings,
): Promise<DropLinkState> {
  for (let attempt = 1; ; attempt++) {
    const { link } = await getDropLink(bucket, id);
    const revision = onlyRevision ?? link.revision;
    try {
      return await bucket.call('changeDropLink', { id, revision, settings: change(link) });
    } catch (error) {
      const isRace = error instanceof StorageError && error.code === 'PreconditionFailed';
      if (!isRace || onlyRevision !== null || attempt === CHANGE_ATTEMPTS) throw error;
    }
  }
}

/** Removes a link, with what is unfinished; objects stay. Nothing where it is gone. */
export async function removeDropLink(core: Core, bucket: BucketHandle, id: LinkId): Promise<void> {
  const { clock, directory } = core.ports;
  const state: DropLinkState | null = await bucket.call('getDropLink', { id });
  // Closed first: nothing new may come while the rows go.
  if (state !== null && state.link.revokedAtMs === null) {
    const revokedAtMs = clock.nowMs();
    await changeDropLink(bucket, id, null, (settings) => ({ ...settings, revokedAtMs }));
  }
  for (let isDone = false; !isDone; )
    ({ isDone } = await bucket.call('removeDropLink', { id, nowMs: clock.nowMs() }));
  await directory.call('removeLinkId', { id, bucketId: bucket.record().id });
}
