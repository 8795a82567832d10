// The list of a folder of a site: which part of it is asked for, and what the index
// says of it. listing-page.ts and listing-json.ts show it. Only called where the
// owner wants lists, and shows only what everyone may read.

import type { Core } from '../../../core/core.ts';
import { openBucket } from '../../../core/opened-bucket/bucket-handle.ts';
import { hasCode, StorageError } from '../../../domain/errors.ts';
import { SITE_FILE_NAMES } from '../../../domain/hosting.ts';
import type { BucketName } from '../../../domain/nouns.ts';
import { isOpenFolder } from '../../../domain/pointer.ts';
import { parseQuery } from '../../semantics/raw-path.ts';

/** Rows of one page. 500 are about 100 KB of HTML. */
export const LISTING_PAGE_ROWS = 500;

export type ListingSort = {
  readonly by: 'name' | 'size' | 'modified';
  readonly isDescending: boolean;
};

/** What a visitor asks for. `after`: a name of this folder. */
export type ListingQuery = {
  readonly after: string;
  readonly sort: ListingSort;
  readonly isJson: boolean;
};

export type ListedFile = {
  readonly name: string;
  readonly sizeBytes: number;
  readonly lastModifiedMs: number;
  readonly etag: string;
};

/**
 * Names are relative to the folder; those of folders end in a slash. `nextAfter`
 * null: this was the last page.
 */
export type Listing = {
  readonly folders: readonly string[];
  readonly files: readonly ListedFile[];
  readonly nextAfter: string | null;
};

const SORTS = ['name', 'size', 'modified'] as const;

/** InvalidURI. `accept`: as the request has it. */
export function readListingQuery(rawQuery: string, accept: string | null): ListingQuery {
  const query = parseQuery(rawQuery);
  const by = SORTS.find((sort) => sort === query.get('sort')) ?? 'name';
  const format = query.get('format');
  const wantsJson =
    accept !== null && /\bapplication\/json\b/i.test(accept) && !/\btext\/html\b/i.test(accept);
  return {
    after: query.get('after') ?? '',
    sort: { by, isDescending: query.get('order') === 'desc' },
    isJson: format === 'json' || (format === null && wantsJson),
  };
}

/** Whether the query alone asks for a list, whatever page there is. */
export function wantsList(rawQuery: string): boolean {
  return rawQuery !== '' && /(?:^|&)format=json(?:&|$)/.test(rawQuery);
}

/**
 * One page of a folder, in byte order of names; null when nothing has the prefix,
 * or not everyone may read what has it. `rows` 0 only looks. Cost: one index read
 * of the rows.
 */
export async function readListing(
  core: Core,
  bucketName: BucketName,
  folder: {
    readonly prefix: string;
    readonly root: string;
    readonly after: string;
    readonly rows: number;
  },
): Promise<Listing | null> {
  const { prefix, root, after, rows } = folder;
  let isPublic = false;
  try {
    const bucket = await openBucket(core, bucketName, ({ access }) => {
      isPublic = isOpenFolder(access, prefix);
      if (!isPublic) throw new StorageError('AccessDenied');
    });
    const page = await bucket.call('listObjects', {
      prefix,
      delimiter: '/',
      after: after === '' ? '' : prefix + after,
      maxKeys: Math.max(rows, 1),
    });
    if (page.objects.length + page.commonPrefixes.length === 0) return null;
    const isShown = (key: string) =>
      key !== prefix && !SITE_FILE_NAMES.some((name) => key === root + name);
    return {
      folders: page.commonPrefixes.map((key) => key.slice(prefix.length)),
      files: page.objects
        // A policy does not open what others own.
        .filter(({ key, ownerId }) => isShown(key) && ownerId === null)
        .map(({ key, sizeBytes, lastModifiedMs, etag }) => ({
          name: key.slice(prefix.length),
          sizeBytes,
          lastModifiedMs,
          etag,
        })),
      nextAfter:
        page.isTruncated && page.lastName !== null ? page.lastName.slice(prefix.length) : null,
    };
  } catch (error) {
    if (hasCode(error, 'AccessDenied') && !isPublic) return null;
    throw error;
  }
}

/** The rows in the order that is asked for; folders come first and by name. */
export function sorted(
  { folders, files, nextAfter }: Listing,
  { by, isDescending }: ListingSort,
): Listing {
  const sign = isDescending ? -1 : 1;
  const order: Record<ListingSort['by'], (a: ListedFile, b: ListedFile) => number> = {
    name: () => 0,
    size: (a, b) => a.sizeBytes - b.sizeBytes,
    modified: (a, b) => a.lastModifiedMs - b.lastModifiedMs,
  };
  const inOrder = [...files].sort((a, b) => sign * order[by](a, b));
  if (by !== 'name' || !isDescending) return { folders, files: inOrder, nextAfter };
  return { folders: folders.toReversed(), files: files.toReversed(), nextAfter };
}
