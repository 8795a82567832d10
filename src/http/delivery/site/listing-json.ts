// The list of a folder as JSON. Called by site-responses.ts. Pure.
import type { Listing } from './listing.ts';

/**
 * The list of a folder for programs. `path` is that of the folder; `next` a query
 * to go on with, or null.
 */
export function listingJson(path: string, { folders, files, nextAfter }: Listing): string {
  const document = {
    path,
    folders: folders.map((name) => ({ name })),
    files: files.map(({ name, sizeBytes, lastModifiedMs, etag }) => ({
      name,
      sizeBytes,
      lastModified: new Date(lastModifiedMs).toISOString(),
      etag,
    })),
    next: nextAfter === null ? null : `?format=json&after=${encodeURIComponent(nextAfter)}`,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}
