// The headers of a link page: what a browser may load there, run, frame and remember.
// send-page.ts calls it.
import { sha256Base64 } from '../../../crypto/hash.ts';
import { PAGE_LANGUAGES, type PageLanguage } from '../../semantics/accept-html.ts';
import { hostSource } from '../../semantics/host-source.ts';
import type { HeaderRecord } from '../../semantics/object-headers.ts';
import type { PageFiles } from './link-files.ts';

/** What a page does beside being read. */
export type PageNeed =
  /** Shows pictures of this origin. */
  | 'images'
  /** Plays sound and films of this origin. */
  | 'media'
  /** Its script sends requests to this origin: uploads. */
  | 'requests';

export type PagePolicy = {
  readonly files: PageFiles;
  /** The text of the style element; null: there is none. */
  readonly ownStyle: string | null;
  readonly needs: readonly PageNeed[];
};

const DIRECTIVES: Readonly<Record<PageNeed, string>> = {
  images: "img-src 'self'",
  media: "media-src 'self'",
  requests: "connect-src 'self'",
};

/**
 * The page's own two files alone are style and script: stored objects are of this
 * origin, too. Forms go nowhere else, and nothing may become HTML there. Source:
 * https://www.w3.org/TR/CSP3/, https://www.w3.org/TR/trusted-types/
 */
export function pagePolicy(host: string, { files, ownStyle, needs }: PagePolicy): string {
  const own = ownStyle === null ? [] : [`'sha256-${sha256Base64(ownStyle)}'`];
  const style = files.style === null ? [] : [hostSource(host, files.style)];
  const script = files.script === null ? [] : [hostSource(host, files.script)];
  const icon = files.icon === null ? [] : [hostSource(host, files.icon)];
  return [
    "default-src 'none'",
    ...sourcesOf('style-src', [...style, ...own]),
    ...sourcesOf('script-src', script),
    ...(needs.includes('images') ? [] : sourcesOf('img-src', [...icon, 'data:'])),
    ...needs.map((need) => DIRECTIVES[need]),
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

const sourcesOf = (directive: string, sources: readonly string[]): readonly string[] =>
  sources.length === 0 ? [] : [`${directive} ${sources.join(' ')}`];

/** Headers of every link page. `isSecret`: it carries what lets in. */
export function linkPageHeaders(language: PageLanguage, isSecret: boolean): HeaderRecord {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-language': PAGE_LANGUAGES[language].tag,
    'cache-control': isSecret ? 'private, no-store' : 'private, no-cache',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'x-robots-tag': 'noindex',
    vary: 'Accept, Accept-Language, Authorization, Sec-Fetch-Dest',
  };
}
