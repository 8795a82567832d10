// Lists blob files in the byte order of their ids: one page at a time, reading only the folders
// that the page needs, or all of them, reading each folder once.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { BlobId } from '../../../domain/nouns.ts';
import type { BlobListPage } from '../../../ports/blob-store.ts';
import { readFolder } from './file-calls.ts';
import { errnoOf } from './fs-errors.ts';

type Page = { readonly prefix: string; readonly after: string; readonly limit: number };

/**
 * Levels below a bucket's folder: outer and inner time folder, then the files. See blob-path.ts.
 */
const TIME_LEVELS = 2;

/**
 * Ids under `prefix` greater than `after`. Cost: one readdir for each folder that has an id of the
 * page.
 */
export async function listBlobs(root: string, page: Page): Promise<BlobListPage> {
  const found: string[] = [];
  // One more than wanted says whether there are more.
  const isFull = () => found.length > page.limit;

  async function walk(folder: string, idStart: string, level: number): Promise<void> {
    const names = await namesIn(folder);
    if (level === TIME_LEVELS + 1) {
      const bucketPart = idStart.slice(0, idStart.indexOf('/') + 1);
      for (const name of names.sort()) {
        const id = bucketPart + name;
        if (id > page.after && id.startsWith(page.prefix)) found.push(id);
        if (isFull()) return;
      }
      return;
    }
    // Ids go on with a slash after the bucket, and that sorts after `-` and `..`, so the names
    // alone would sort wrongly.
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
  return { blobIds: (isTruncated ? found.slice(0, page.limit) : found) as BlobId[], isTruncated };
}

/**
 * All ids below `root`, one folder of files after the other. Blocks: for commands that look at
 * every blob. A page at a time would read and sort a folder of many files again for each page. A
 * file in a folder of other ids is left out: nobody would find it there.
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

/** Orders names of bucket folders as the ids below them, which go on with a slash. */
function byIdStart(left: string, right: string): number {
  return `${left}/` < `${right}/` ? -1 : 1;
}

/** Whether an id that starts with `start` can be under the prefix and after the marker. */
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
 * A folder may vanish between the readdir above it and its own; a stray file among the folders is
 * not ours.
 */
function noNames(error: unknown): string[] {
  const errno = errnoOf(error);
  if (errno === 'ENOENT' || errno === 'ENOTDIR') return [];
  throw error;
}
