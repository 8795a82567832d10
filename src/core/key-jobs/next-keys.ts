// Which keys a job comes to next: those it lists first, then those below each of its
// prefixes. The cursor counts listed keys and, behind them, prefixes that are done. A
// job over what came by a drop link goes by the ids of these files. Called by
// plan-step.ts.
import {
  type KeyJob,
  type KeyJobTask,
  type KeySelection,
  listedKeys,
} from '../../domain/keys/key-jobs.ts';
import type { ListedDropFile } from '../../domain/links/drop-link.ts';
import type { LinkId } from '../../domain/links/link-ids.ts';
import type { ObjectKey } from '../../domain/nouns.ts';
import type { BucketHandle } from '../opened-bucket/bucket-handle.ts';
import { isDeleted } from './list-trash.ts';

/** Listings of one step: small folders share it. Each is a call of the index. */
const LISTINGS_MAX = 10;

export type KeyCursor = Pick<KeyJob, 'after' | 'at'>;

/** Keys of one step, the cursor behind each, and the one behind them all. */
export type NextKeys = {
  readonly keys: readonly ObjectKey[];
  readonly cursors: readonly KeyCursor[];
  /** The new keys that the job lists with them; absent: it lists none. */
  readonly toKeys?: readonly (ObjectKey | null)[];
  readonly next: KeyCursor;
  readonly isLast: boolean;
};

export type SelectingTask = Exclude<KeyJobTask, { kind: 'undo' }>;

/** Reads the keys behind the cursor of the job. Cost: up to ten index reads. */
export async function nextKeys(
  bucket: BucketHandle,
  job: KeyJob,
  { kind, selection }: SelectingTask,
  limit: number,
): Promise<NextKeys> {
  if (selection.dropLink !== undefined)
    return nextDropped(bucket, job, selection.prefix, selection.dropLink, limit);
  const listed = listedKeys(selection);
  if (job.at < listed) return nextListed(bucket, job, selection, limit);

  if (selection.prefixes === undefined) {
    const page = await readKeys(bucket, kind, selection.prefix, job.after, limit);
    const cursors = page.keys.map((after) => ({ after, at: job.at }));
    const next = { after: page.after, at: job.at };
    return { keys: page.keys, cursors, next, isLast: page.isLast };
  }

  const cursors: KeyCursor[] = [];
  const end = listed + selection.prefixes.length;
  let next: KeyCursor = { after: job.after, at: job.at };
  for (let listing = 0; listing < LISTINGS_MAX && next.at < end; listing++) {
    const { at, after } = next;
    const prefix = selection.prefixes[at - listed] ?? '';
    const page = await readKeys(bucket, kind, prefix, after, limit - cursors.length);
    cursors.push(...page.keys.map((key) => ({ after: key, at })));
    next = page.isLast ? { after: '', at: at + 1 } : { after: page.after, at };
    if (cursors.length >= limit) break;
  }
  const keys = cursors.map(({ after }) => after as ObjectKey);
  return { keys, cursors, next, isLast: next.at >= end };
}

/** Reads listed keys: a job of before they were stored apart has them itself. */
async function nextListed(
  bucket: BucketHandle,
  { id, at }: KeyJob,
  selection: KeySelection,
  limit: number,
): Promise<NextKeys> {
  const page =
    selection.keys?.slice(at, at + limit).map((key) => ({ key, toKey: null })) ??
    (await bucket.call('listKeyJobKeys', { id, at, limit }));
  const keys = page.map(({ key }) => key);
  const listed = listedKeys(selection);
  const next = { after: '', at: keys.length === 0 ? listed : at + keys.length };
  return {
    keys,
    toKeys: page.map(({ toKey }) => toKey),
    cursors: keys.map((_, i) => ({ after: '', at: at + i + 1 })),
    next,
    isLast: next.at >= listed && selection.prefixes === undefined,
  };
}

/** Reads keys of objects that came by a drop link; the cursor is the id of the last file. */
async function nextDropped(
  bucket: BucketHandle,
  { after, at }: KeyJob,
  prefix: string,
  linkId: LinkId,
  limit: number,
): Promise<NextKeys> {
  const page = { linkId, senderId: null, after, limit };
  const files: readonly ListedDropFile[] = await bucket.call('listDropFiles', page);
  const idsByKey = new Map(
    files
      .filter((file) => file.finishedAtMs !== null && file.isStored && file.key.startsWith(prefix))
      .map(({ key, id }) => [key, id]),
  );
  return {
    keys: [...idsByKey.keys()],
    cursors: [...idsByKey.values()].map((id) => ({ after: id, at })),
    next: { after: files.at(-1)?.id ?? after, at },
    isLast: files.length < limit,
  };
}

/** Keys of a page; `after`: the key at which the walk ended. */
type WalkedKeys = {
  readonly keys: readonly ObjectKey[];
  readonly after: string;
  readonly isLast: boolean;
};

/** Reads keys below a prefix: deleted ones where the kind of job is about these. */
async function readKeys(
  bucket: BucketHandle,
  kind: SelectingTask['kind'],
  prefix: string,
  after: string,
  limit: number,
): Promise<WalkedKeys> {
  if (kind === 'restore' || kind === 'purge') {
    const hidden = await bucket.call('listHidden', { prefix, after, limit });
    const keys = hidden.filter(isDeleted).map(({ key }) => key);
    return { keys, after: hidden.at(-1)?.key ?? after, isLast: hidden.length < limit };
  }
  if (kind === 'erase') {
    const page = await bucket.call('listVersions', {
      prefix,
      delimiter: '',
      afterKey: after,
      afterVersionId: '',
      maxKeys: limit,
    });
    const keys = new Set(page.versions.map(({ key }) => key));
    return walkedKeys([...keys], after, !page.isTruncated);
  }
  const page = await bucket.call('listObjects', { prefix, delimiter: '', after, maxKeys: limit });
  return walkedKeys(
    page.objects.map(({ key }) => key),
    after,
    !page.isTruncated,
  );
}

const walkedKeys = (keys: readonly ObjectKey[], after: string, isLast: boolean): WalkedKeys => ({
  keys,
  after: keys.at(-1) ?? after,
  isLast,
});
