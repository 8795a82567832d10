// The files of a share link: which object an address below it names, and what the
// page of a folder lists. Called by answer-share.ts. Nothing outside of the link's
// target is ever named: a path is put behind the target's prefix, or looked for
// among the keys of a set.
import type { Core } from '../../../core/core.ts';
import { findCurrent } from '../../../core/objects/find-current.ts';
import { type BucketHandle, openBucket } from '../../../core/opened-bucket/bucket-handle.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { LinkEntry } from '../../../domain/links/link-ids.ts';
import { LINK_PAGE_FILES, LINK_PICKS_MAX } from '../../../domain/links/link-limits.ts';
import type { ObjectKey, ObjectSummary } from '../../../domain/nouns.ts';
import { toPointer, toReadPolicy } from '../../../domain/pointer.ts';
import type { MetadataLookup } from '../../../ports/caches/hot-metadata.ts';
import { describeFile } from './describe-share.ts';
import { fileNameOf } from './named-object.ts';
import type { OpenShare } from './open-share.ts';
import { readExcerpt } from './share-excerpt.ts';
import { createShareHref } from './share-hrefs.ts';
import type { ShareContent, ShareFile, ShareFolder, ZipRefusal } from './share-view.ts';

const noSuchKey = () => new StorageError('NoSuchKey');
const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Read policy and pointer of the version that a key stands for now. NoSuchResource. */
export async function findNewest(
  core: Core,
  { bucket }: LinkEntry,
  key: ObjectKey,
): Promise<MetadataLookup> {
  const found = await findCurrent(core, bucket.name, key, true);
  if (found.readPolicy?.bucketId !== bucket.id) throw new StorageError('NoSuchResource');
  return found;
}

/** Read policy and pointer of an object of the link. NoSuchResource: the bucket is gone. */
export async function findShared(
  core: Core,
  { entry, link }: OpenShare,
  key: ObjectKey,
): Promise<MetadataLookup> {
  const { target } = link;
  const versionId = target.kind === 'object' ? target.versionId : null;
  if (versionId !== null) {
    const bucket = await openLinkBucket(core, entry);
    const stored = await bucket.call('getVersion', { key, versionId });
    const pointer = stored?.kind === 'object' ? toPointer(stored.object) : null;
    return { readPolicy: toReadPolicy(bucket.record()), pointer, tier: 'index', stale: null };
  }
  return findNewest(core, entry, key);
}

/** The bucket of a link, for calls of the index. NoSuchResource. */
export function openLinkBucket(core: Core, { bucket }: LinkEntry): Promise<BucketHandle> {
  return openBucket(core, bucket.name, ({ id }) => {
    if (id !== bucket.id) throw new StorageError('NoSuchResource');
  });
}

/** Where a page of a folder begins, and what it is narrowed to. */
export type FolderQuery = {
  /** Below the link: '' or with a slash at its end. */
  readonly path: string;
  readonly after: string;
  /** Null: all is listed. */
  readonly search: string | null;
  /** Whether a ZIP was asked for that can't be made. */
  readonly isZipRefused: boolean;
};

/** What the page of a link shows. NoSuchKey where its object is gone. */
export async function shareContent(
  core: Core,
  open: OpenShare,
  query: FolderQuery,
): Promise<ShareContent> {
  const { link } = open;
  const { target } = link;
  if (target.kind === 'object') {
    const { pointer } = await findShared(core, open, target.key);
    if (pointer === null) throw noSuchKey();
    const { sizeBytes, lastModifiedMs, headers } = pointer;
    const name = fileNameOf(link);
    const contentType = headers.contentType ?? null;
    const contentEncoding = headers.contentEncoding ?? null;
    return {
      kind: 'file',
      file: describeFile(open, { path: name, name, sizeBytes, lastModifiedMs, contentType }),
      excerpt: await readExcerpt(core, link, { version: pointer, name, contentEncoding }),
    };
  }
  return target.kind === 'folder'
    ? folderOf(core, open, query, target.prefix)
    : setOf(core, open, query, target);
}

/** How many keys a search of a folder looks at before it gives up. */
const SEARCHED_KEYS_MAX = 10_000;
/** Keys of one call of the index. */
const KEYS_AT_ONCE = 1000;

async function folderOf(
  core: Core,
  open: OpenShare,
  query: FolderQuery,
  prefix: string,
): Promise<ShareFolder> {
  const bucket = await openLinkBucket(core, open.entry);
  const base = prefix + query.path;
  if (query.search !== null) {
    const { hits, isCut } = await searchFolder(bucket, base, query.search);
    const listed = { folders: [], objects: hits, next: null, isSearchCut: isCut };
    return folderView(open, query, prefix, listed);
  }
  const page = await bucket.call('listObjects', {
    prefix: base,
    delimiter: '/',
    after: query.after === '' ? '' : prefix + query.after,
    maxKeys: LINK_PAGE_FILES,
  });
  const objects = page.objects.filter(({ key }) => key !== base);
  const folders = page.commonPrefixes;
  if (objects.length === 0 && folders.length === 0 && query.path !== '') throw noSuchKey();
  const isMore = page.isTruncated || folders.length > 0;
  return folderView(open, query, prefix, {
    folders,
    objects,
    next: page.isTruncated ? page.lastName : null,
    isSearchCut: false,
    tooManyFiles: isMore ? await findTooMany(core, bucket, base) : null,
  });
}

/**
 * How many files stand below a prefix where that is too many for one ZIP; null: it is
 * not, or nobody has counted them, which a visitor does not begin. Cost: an index read.
 */
async function findTooMany(
  core: Core,
  bucket: BucketHandle,
  base: string,
): Promise<TooManyFiles | null> {
  const { zipMaxObjects: filesMax } = core.settings;
  const { sizes } = await bucket.call('measurePrefixes', { prefixes: [base] });
  const files = sizes[0]?.objects ?? 0;
  return files > filesMax ? { files, filesMax } : null;
}

/**
 * Objects below a prefix whose rest holds the text, by letters without case; `isCut`:
 * there may be more than it shows or has looked at.
 */
async function searchFolder(
  bucket: BucketHandle,
  base: string,
  text: string,
): Promise<{ readonly hits: readonly ObjectSummary[]; readonly isCut: boolean }> {
  const wanted = text.toLowerCase();
  const hits: ObjectSummary[] = [];
  let after = '';
  for (let seen = 0; seen < SEARCHED_KEYS_MAX; seen += KEYS_AT_ONCE) {
    const input = { prefix: base, delimiter: '', after, maxKeys: KEYS_AT_ONCE };
    const page = await bucket.call('listObjects', input);
    for (const object of page.objects) {
      if (!object.key.slice(base.length).toLowerCase().includes(wanted)) continue;
      if (hits.length >= LINK_PAGE_FILES) return { hits, isCut: true };
      hits.push(object);
    }
    if (!page.isTruncated || page.lastName === null) return { hits, isCut: false };
    after = page.lastName;
  }
  return { hits, isCut: true };
}

async function setOf(
  core: Core,
  open: OpenShare,
  query: FolderQuery,
  { keys, prefix }: { readonly keys: readonly ObjectKey[]; readonly prefix: string },
): Promise<ShareFolder> {
  if (query.path !== '') throw noSuchKey();
  const wanted = query.search?.toLowerCase() ?? '';
  const behind = query.after === '' ? '' : prefix + query.after;
  const from = keys.filter(
    (key) => key.slice(prefix.length).toLowerCase().includes(wanted) && key > behind,
  );
  const bucket = await openLinkBucket(core, open.entry);
  const shown = from.slice(0, LINK_PAGE_FILES);
  const found = shown.length === 0 ? [] : await bucket.call('getObjects', { keys: shown });
  const objects = found.filter((object) => object !== null);
  const next = from.length > shown.length ? (shown.at(-1) ?? null) : null;
  return folderView(open, query, prefix, { folders: [], objects, next, isSearchCut: false });
}

type TooManyFiles = Exclude<ZipRefusal, 'refused'>;

type Listed = {
  readonly folders: readonly string[];
  readonly objects: readonly Pick<ObjectSummary, 'key' | 'sizeBytes' | 'lastModifiedMs'>[];
  readonly next: string | null;
  readonly isSearchCut: boolean;
  readonly tooManyFiles?: TooManyFiles | null;
};

function folderView(
  open: OpenShare,
  { path, after, search, isZipRefused }: FolderQuery,
  prefix: string,
  { folders, objects, next, isSearchCut, tooManyFiles = null }: Listed,
): ShareFolder {
  const { link } = open;
  const href = createShareHref(open.name, open.ticket);
  const mayTake = link.page.mode !== 'view';
  const zipRefusal = tooManyFiles ?? (isZipRefused ? 'refused' : null);
  const steps = path.split('/').slice(0, -1);
  const crumbs = steps.map((name, at) => ({
    name,
    href: href(`${steps.slice(0, at + 1).join('/')}/`),
  }));
  const folderName = lastPart(prefix.slice(0, -1));
  return {
    kind: 'folder',
    name: steps.at(-1) ?? folderName,
    crumbs: [{ name: link.page.title ?? folderName, href: href('') }, ...crumbs],
    folders: folders.map((folder) => ({
      name: lastPart(folder.slice(0, -1)),
      href: href(folder.slice(prefix.length)),
      pick: folder.slice(prefix.length),
    })),
    files: objects.map(({ key, sizeBytes, lastModifiedMs }): ShareFile => {
      const below = key.slice(prefix.length);
      const name = search === null ? null : below;
      return describeFile(open, {
        path: below,
        name,
        sizeBytes,
        lastModifiedMs,
        contentType: null,
      });
    }),
    search,
    isSearchCut,
    searchHref: href(path),
    nextHref: next === null ? null : href(path, { after: next.slice(prefix.length) }),
    isContinued: after !== '',
    zipHref: mayTake && zipRefusal === null ? href(path, { zip: '1' }) : null,
    zipRefusal: mayTake ? zipRefusal : null,
    pickHref: mayTake ? href('', { zip: '1' }) : null,
    picksMax: LINK_PICKS_MAX,
  };
}
