// Whether a request wants a page to look at or a part of one (a script, an image,
// data). Asked by the full path and the fast path, which read the headers only
// where a site has a fallback for pages.
import { hasExtension } from './page.ts';

/**
 * By Sec-Fetch-Mode where the browser sends it, else by Accept; a client that takes
 * anything gets the page for a path without an extension. Source:
 * https://w3c.github.io/webappsec-fetch-metadata/#sec-fetch-mode-header
 */
export function isNavigation(
  path: string,
  header: (name: 'accept' | 'sec-fetch-mode') => string | null,
): boolean {
  const mode = header('sec-fetch-mode');
  if (mode !== null) return mode === 'navigate';
  const accept = header('accept');
  if (accept !== null && /\btext\/html\b/i.test(accept)) return true;
  return (accept === null || accept.includes('*/*')) && !hasExtension(path);
}
