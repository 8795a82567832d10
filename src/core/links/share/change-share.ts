// Makes, changes, revokes and deletes share links. Called by the JSON API, which
// has let the caller in. Each change is noted in the link's history, and no reader
// of this process sees the link as it was once the change is answered.
import { hasCode, StorageError } from '../../../domain/errors.ts';
import type { LinkEntry, LinkId } from '../../../domain/links/link-ids.ts';
import { LINKS_PER_PAGE_MAX } from '../../../domain/links/link-limits.ts';
import { revokedAt } from '../../../domain/links/revoked-at.ts';
import type { ShareLabel, ShareLink } from '../../../domain/links/share-links.ts';
import type {
  ShareChanger,
  ShareHistoryEntry,
  StoredShare,
} from '../../../domain/links/share-records.ts';
import type {
  ShareLinkCommands,
  SharePosition,
} from '../../../ports/index-calls/share-link-calls.ts';
import type { Core } from '../../core.ts';
import type { BucketHandle } from '../../opened-bucket/bucket-handle.ts';
import { newLabelId, newLinkId } from '../new-link-ids.ts';
import {
  hashOf,
  readAudience,
  readLimits,
  readPage,
  readTarget,
  requireOrder,
  type ShareInput,
  type ShareTargetInput,
} from './share-input.ts';

/** What is absent stays as it is. */
export type ShareChange = Partial<ShareInput> & {
  /** Whether the link is withdrawn; false revives it. */
  readonly isRevoked?: boolean;
};

/** How often a change is made anew that another one overtook. */
const TRIES = 5;

/** Runs a change of links with their hot entries blocked. */
async function whileBlocked<Result>(
  { ports: { hotShares } }: Core,
  ids: readonly LinkId[],
  change: () => Promise<Result>,
): Promise<Result> {
  for (const id of ids) hotShares.block(id);
  try {
    return await change();
  } finally {
    for (const id of ids) hotShares.unblock(id);
  }
}

/**
 * Makes a link. Errors: those of share-input.ts; QuotaExceeded beyond 10,000 links
 * of the bucket. Cost: a commit of the directory and one of the index.
 */
export async function makeShare(
  core: Core,
  bucket: BucketHandle,
  { target, ...input }: ShareInput & { readonly target: ShareTargetInput },
  changer: ShareChanger,
): Promise<ShareLink> {
  requireOrder(input);
  const { clock, directory } = core.ports;
  const { id: bucketId, name, ownerId: accountId } = bucket.record();
  const passwordHash = await hashOf(input.password);
  const link: ShareLink = {
    id: newLinkId(),
    createdAtMs: clock.nowMs(),
    revision: 1,
    target: await readTarget(bucket, target),
    notBeforeMs: input.notBeforeMs,
    expiresAtMs: input.expiresAtMs,
    revokedAtMs: null,
    passwordHash,
    passwordRevision: passwordHash === null ? 0 : 1,
    limits: await readLimits(core, bucket, input.limits),
    audience: readAudience(input.audience),
    page: readPage(input.page),
    note: input.note,
    cutsRunning: input.cutsRunning,
  };
  const { id, createdAtMs } = link;
  const address: LinkEntry = {
    id,
    kind: 'share',
    bucket: { id: bucketId, name },
    accountId,
    createdAtMs,
  };
  // First the address, then the link: a crash in between leaves an address without one.
  await directory.call('addLinkId', { entry: address });
  try {
    await bucket.call('addShareLink', {
      link,
      entry: { ...changer, atMs: createdAtMs, action: 'created', changes: {} },
    });
  } catch (error) {
    if (error instanceof StorageError) await directory.call('removeLinkId', { id, bucketId });
    throw error;
  }
  return link;
}

/** A link of the bucket with its labels and use. NoSuchResource. */
export async function readShare(
  core: Core,
  bucket: BucketHandle,
  id: LinkId,
): Promise<StoredShare> {
  const { id: bucketId, name } = bucket.record();
  const stored = await core.ports.metadataIndex.call(name, 'getShareLink', {
    bucket: { id: bucketId, name },
    id,
  });
  if (stored === null) throw new StorageError('NoSuchResource');
  return stored;
}

/**
 * Changes a link; `check` throws where the caller meant another state of it. Gives
 * the link as it is then. NoSuchResource, PreconditionFailed, and the errors of
 * share-input.ts.
 */
export async function changeShare(
  core: Core,
  bucket: BucketHandle,
  { id, change }: { readonly id: LinkId; readonly change: ShareChange },
  changer: ShareChanger,
  check: (link: ShareLink) => void = () => undefined,
): Promise<ShareLink> {
  const passwordHash = change.password === undefined ? undefined : await hashOf(change.password);
  for (let tries = 0; ; tries++) {
    const { link: before } = await readShare(core, bucket, id);
    check(before);
    const after = await changedShare(core, bucket, before, change, passwordHash);
    const entry = entryOf(before, after, changer, core.ports.clock.nowMs());
    if (Object.keys(entry.changes).length === 0) return before;
    try {
      await whileBlocked(core, [id], () => bucket.call('changeShareLink', { link: after, entry }));
      return after;
    } catch (error) {
      if (!hasCode(error, 'PreconditionFailed') || tries >= TRIES) throw error;
    }
  }
}

async function changedShare(
  core: Core,
  bucket: BucketHandle,
  before: ShareLink,
  change: ShareChange,
  passwordHash: string | null | undefined,
): Promise<ShareLink> {
  const { notBeforeMs, expiresAtMs, limits, audience, page, isRevoked } = change;
  const after: ShareLink = {
    ...before,
    revision: before.revision + 1,
    notBeforeMs: notBeforeMs === undefined ? before.notBeforeMs : notBeforeMs,
    expiresAtMs: expiresAtMs === undefined ? before.expiresAtMs : expiresAtMs,
    revokedAtMs: revokedAt(before, isRevoked, core.ports.clock.nowMs()),
    limits: limits === undefined ? before.limits : await readLimits(core, bucket, limits),
    audience: audience === undefined ? before.audience : readAudience(audience),
    page: page === undefined ? before.page : readPage(page),
    note: change.note ?? before.note,
    cutsRunning: change.cutsRunning ?? before.cutsRunning,
    passwordHash: passwordHash === undefined ? before.passwordHash : passwordHash,
    passwordRevision: before.passwordRevision + (passwordHash === undefined ? 0 : 1),
  };
  requireOrder(after);
  return after;
}

/** What a change shows in the history: never a password or its hash. */
function entryOf(
  before: ShareLink,
  after: ShareLink,
  changer: ShareChanger,
  atMs: number,
): ShareHistoryEntry {
  const shown = ({ passwordHash: _hash, revision: _revision, ...rest }: ShareLink) => rest;
  const [old, now] = [shown(before), shown(after)] as const;
  const names = Object.keys(now) as (keyof typeof now)[];
  const changes = Object.fromEntries(
    names
      .filter((name) => JSON.stringify(old[name]) !== JSON.stringify(now[name]))
      .map((name) => [name, [old[name], now[name]] as const]),
  );
  return { ...changer, atMs, action: actionOf(before, after), changes };
}

function actionOf(before: ShareLink, after: ShareLink): ShareHistoryEntry['action'] {
  if (before.revokedAtMs === null && after.revokedAtMs !== null) return 'revoked';
  if (before.revokedAtMs !== null && after.revokedAtMs === null) return 'revived';
  return 'changed';
}

/** Deletes a link for good. Idempotent. Cost: two commits. */
export async function deleteShare(core: Core, bucket: BucketHandle, id: LinkId): Promise<void> {
  await whileBlocked(core, [id], () => bucket.call('deleteShareLink', { id }));
  await core.ports.directory.call('removeLinkId', { id, bucketId: bucket.record().id });
}

/** Adds a recipient. NoSuchResource; QuotaExceeded beyond 500 of the link. */
export async function addLabel(
  core: Core,
  bucket: BucketHandle,
  { linkId, name }: { readonly linkId: LinkId; readonly name: string },
  changer: ShareChanger,
): Promise<ShareLabel> {
  const atMs = core.ports.clock.nowMs();
  const label: ShareLabel = { id: newLabelId(), name, createdAtMs: atMs, revokedAtMs: null };
  const changes = { label: [null, { id: label.id, name }] as const };
  await putLabel(core, bucket, linkId, label, { ...changer, atMs, action: 'label-added', changes });
  return label;
}

/** Renames, revokes or revives a recipient's copy. NoSuchResource. */
export async function changeLabel(
  core: Core,
  bucket: BucketHandle,
  {
    linkId,
    labelId,
    change,
  }: {
    readonly linkId: LinkId;
    readonly labelId: string;
    readonly change: {
      readonly name?: string | undefined;
      readonly isRevoked?: boolean | undefined;
    };
  },
  changer: ShareChanger,
): Promise<ShareLabel> {
  const { labels } = await readShare(core, bucket, linkId);
  const before = labels.find(({ id }) => id === labelId);
  if (before === undefined) throw new StorageError('NoSuchResource');
  const atMs = core.ports.clock.nowMs();
  const after: ShareLabel = {
    ...before,
    name: change.name ?? before.name,
    revokedAtMs: revokedAt(before, change.isRevoked, atMs),
  };
  const action = after.revokedAtMs === null ? 'label-revived' : 'label-revoked';
  const changes = { label: [before, after] as const };
  await putLabel(core, bucket, linkId, after, { ...changer, atMs, action, changes });
  return after;
}

function putLabel(
  core: Core,
  bucket: BucketHandle,
  linkId: LinkId,
  label: ShareLabel,
  entry: ShareHistoryEntry,
): Promise<void> {
  return whileBlocked(core, [linkId], () => bucket.call('putShareLabel', { linkId, label, entry }));
}

/**
 * Revokes all links to what lies below a prefix; gives how many. A set of keys is
 * revoked when one of its keys lies there. Cost: a commit per 100 links of the bucket.
 */
export async function revokeBelow(
  { ports }: Core,
  bucket: BucketHandle,
  prefix: string,
  changer: ShareChanger,
): Promise<number> {
  const { clock, hotShares } = ports;
  const atMs = clock.nowMs();
  let count = 0;
  for (let before: SharePosition | null = null; ; ) {
    const page: RevokedPage = await bucket.call('revokeShareLinks', {
      prefix,
      changer,
      atMs,
      before,
      limit: LINKS_PER_PAGE_MAX,
    });
    for (const id of page.revoked) {
      hotShares.block(id);
      hotShares.unblock(id);
    }
    count += page.revoked.length;
    before = page.last;
    if (before === null) return count;
  }
}

type RevokedPage = ReturnType<ShareLinkCommands['revokeShareLinks']>;
