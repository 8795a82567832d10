// Drop links as their owner sees them: made, changed, closed and removed. Called by
// the JSON API, which decides who may; senders come in by open-drop-link.ts.
import { StorageError } from '../../../domain/errors.ts';
import type { DropLink, DropSettings } from '../../../domain/links/drop-link.ts';
import type { LinkEntry, LinkId } from '../../../domain/links/link-ids.ts';
import { LINKS_PER_BUCKET_MAX } from '../../../domain/links/link-limits.ts';
import type { ShareChanger, ShareHistoryEntry } from '../../../domain/links/share-records.ts';
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
  changer: ShareChanger,
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
    await bucket.call('addDropLink', {
      link,
      max: LINKS_PER_BUCKET_MAX,
      entry: { ...changer, atMs: createdAtMs, action: 'created', changes: {} },
    });
  } catch (error) {
    // After any other error the link may have been made all the same.
    if (error instanceof StorageError)
      await core.ports.directory.call('removeLinkId', { id: link.id, bucketId });
    throw error;
  }
  return { link, usage: { files: 0, bytes: 0, senders: 0 } };
}

/** The link of an id. NoSuchResource. */
export async function getDropLink(
  core: Core,
  bucket: BucketHandle,
  id: LinkId,
): Promise<DropLinkState> {
  const nowMs = core.ports.clock.nowMs();
  const state: DropLinkState | null = await bucket.call('getDropLink', { id, nowMs });
  if (state === null) throw new StorageError('NoSuchResource');
  return state;
}

/** Who changes which state of a link: `revision` null means whichever there is. */
export type DropChange = {
  readonly id: LinkId;
  readonly revision: number | null;
  readonly changer: ShareChanger;
  readonly change: (settings: DropSettings) => DropSettings;
};

/**
 * Changes a link, and notes it; `change` is called with the settings of now, again
 * when somebody else was first. PreconditionFailed for another revision than the one
 * that is meant, NoSuchResource. What comes from then on is decided by the new settings.
 */
export async function changeDropLink(
  core: Core,
  bucket: BucketHandle,
  { id, revision: onlyRevision, changer, change }: DropChange,
): Promise<DropLinkState> {
  for (let attempt = 1; ; attempt++) {
    const state = await getDropLink(core, bucket, id);
    const { link } = state;
    const revision = onlyRevision ?? link.revision;
    const settings = change(link);
    const entry = entryOf(link, settings, changer, core.ports.clock.nowMs());
    const isSame = Object.keys(entry.changes).length === 0;
    if (isSame && link.revision === revision) return state;
    try {
      return await bucket.call('changeDropLink', { id, revision, settings, entry });
    } catch (error) {
      const isRace = error instanceof StorageError && error.code === 'PreconditionFailed';
      if (!isRace || onlyRevision !== null || attempt === CHANGE_ATTEMPTS) throw error;
    }
  }
}

/** What the history shows of a change. */
function entryOf(
  before: DropSettings,
  after: DropSettings,
  changer: ShareChanger,
  atMs: number,
): ShareHistoryEntry {
  const names = Object.keys(after) as (keyof DropSettings)[];
  const changed = names.filter(
    (name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  );
  const changes = Object.fromEntries(
    changed.map((name) => [name, [before[name], after[name]] as const]),
  );
  const wasRevoked = before.revokedAtMs !== null;
  const isRevoked = after.revokedAtMs !== null;
  const action = wasRevoked === isRevoked ? 'changed' : isRevoked ? 'revoked' : 'revived';
  return { ...changer, atMs, action, changes };
}

/** Removes a link, with what is unfinished; objects stay. Nothing where it is gone. */
export async function removeDropLink(
  core: Core,
  bucket: BucketHandle,
  id: LinkId,
  changer: ShareChanger,
): Promise<void> {
  const { clock, directory } = core.ports;
  const nowMs = clock.nowMs();
  const state: DropLinkState | null = await bucket.call('getDropLink', { id, nowMs });
  // Closed first: nothing new may come while the rows go.
  if (state !== null && state.link.revokedAtMs === null) {
    await changeDropLink(core, bucket, {
      id,
      revision: null,
      changer,
      change: (settings) => ({ ...settings, revokedAtMs: nowMs }),
    });
  }
  for (let isDone = false; !isDone; )
    ({ isDone } = await bucket.call('removeDropLink', { id, nowMs: clock.nowMs() }));
  await directory.call('removeLinkId', { id, bucketId: bucket.record().id });
}
