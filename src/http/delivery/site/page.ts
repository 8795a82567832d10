// Which object a path of a site means. Pure.

/**
 * What most websites have; looked up at once with the bucket, so that it costs no
 * second look.
 */
export const USUAL_INDEX = 'index.html';

/** Whether a key stands for the index document in it. */
export function isFolder(key: string): boolean {
  return key === '' || key.endsWith('/');
}

/** What the visitor means by a key. */
export function pageKey(key: string, indexSuffix: string): string {
  return isFolder(key) ? `${key}${indexSuffix}` : key;
}

/**
 * Whether the last part of a path has an extension, as files have and clean
 * addresses of pages have not.
 */
export function hasExtension(path: string): boolean {
  return path.lastIndexOf('.') > path.lastIndexOf('/') + 1;
}
