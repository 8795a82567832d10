// Lists blob files in the byte order of their ids: one page at a time, reading only
// the folders that the page needs, or all of them, reading each folder once.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BlobId } from '../../../domain/nouns.ts';
import type { BlobListPage } from '../../../ports/blob-store.ts';
import { readFolder } from './file-calls.ts';
import { errnoOf } from './fs-errors.ts';

type Page = { readonly prefix: string; readonly after: string; readonly limit: number };

/**
 * Folder levels below a bucket's: outer and inner time folder, see blob-path.ts.
 */
const TIME_LEVELS = 2;

/**
 * Lists ids under `prefix` greater than `after`. Cost: one readdir for each folder
 * of the page.
 */
export async function listBlobs(root: string, page: Page): Promise<BlobListPage> {
  const ids: string[] = [];
  // One more than the limit says whether there are more.
  const isFull = () => ids.length > page.limit;

  async function walk(folder: string, idStart: string, level: number): Promise<void> {
    const names = await namesIn(folder);
    if (level === TIME_LEVELS + 1) {
      const bucketPart = idStart.slice(0, idStart.indexOf('/') + 1);
      for (const name of names.sort()) {
        const id = bucketPart + name;
        if (id > page.after && id.startsWith(page.prefix)) ids.push(id);
        if (isFull()) return;
      }
      return;
    }
    // Ids go on with a slash after the bucket, and that sorts after `-` and `..`,
    // so the names alone would sort wrongly.
    const starts = names.map((name) => ({
      name,
      start: idStart + name + (level === 0 ? '/' : ''),
    }));
    for (const { name, start } of starts.sort((a, b) => (a.start < b.start ? -1 : 1))) {
      if (!mayHold(start, page)) continue;
      await walk(join(folder, name), start, level + 1);
      if (isFull()) return;
    }
  }

  if (page.limit > 0) await walk(root, '', 0);
  const isTruncated = isFull();
  return { blobIds: (isTruncated ? ids.slice(0, page.limit) : ids) as BlobId[], isTruncated };
}

/**
 * Walks over all ids below `root`, one folder of files after the other. Blocks: for
 * commands that look at every blob, where pages would read and sort a large folder
 * again and again. A file in a folder of other ids is left out: no read would find
 * it there.
 */
export function* walkBlobs(root: string): Generator<BlobId[], undefined> {
  for (const bucket of namesNow(root).sort(byIdStart)) {
    for (const outer of namesNow(`${root}/${bucket}`).sort()) {
      for (const inner of namesNow(`${root}/${bucket}/${outer}`).sort()) {
        const names = namesNow(`${root}/${bucket}/${outer}/${inner}`).sort();
        const own = names.filter((name) => name.startsWith(outer + inner));
        yield own.map((name) => `${bucket}/${name}` as BlobId);
      }
    }
  }
}

/**
 * Orders names of bucket folders as the ids below them, which go on with a slash.
 */
function byIdStart(left: string, right: string): number {
  return `${left}/` < `${right}/` ? -1 : 1;
}

/**
 * Whether an id that starts with `start` can be under the prefix and after the
 * marker.
 */
function mayHold(start: string, { prefix, after }: Page): boolean {
  const isUnderPrefix = start.startsWith(prefix) || prefix.startsWith(start);
  const isPast = start > after || after.startsWith(start);
  return isUnderPrefix && isPast;
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readFolder(folder);
  } catch (error) {
    return noNames(error);
  }
}

function namesNow(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    return noNames(error);
  }
}

/**
 * No names for a folder that vanished since its parent was read, or for a stray
 * file.
 */
function noNames(error: unknown): string[] {
  const errno = errnoOf(error);
  if (errno === 'ENOENT' || errno === 'ENOTDIR') return [];
  throw error;
}
