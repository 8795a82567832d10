// Whether a request comes from a browser that would show a page, and in which
// language its reader would rather have it. Pure. Source: RFC 9110 section 12.5,
// https://www.w3.org/TR/fetch-metadata/
import type { HttpRequest } from '../request.ts';

/** No browser sends more; a longer header is as if not sent. */
const HEADER_MAX_LENGTH = 1000;

/**
 * What a browser does with a document: shows it in a tab or in a frame. Scripts,
 * images and downloads have other destinations.
 */
const SHOWN: ReadonlySet<string | null> = new Set([null, 'document', 'iframe']);

/**
 * Whether somebody looks at the response of this request in a browser: a GET without
 * a signed header, for a document, by a client that names HTML and likes it better
 * than XML. No S3 client does.
 */
export function isBrowserVisit(request: Pick<HttpRequest, 'method' | 'header'>): boolean {
  return (
    request.method === 'GET' &&
    request.header('authorization') === null &&
    SHOWN.has(request.header('sec-fetch-dest')) &&
    prefersHtml(request.header('accept'))
  );
}

const HTML = /text\/html/i;

/** Whether HTML is named at all: without it nobody looks at a page. Cost: 20 ns. */
export function namesHtml(accept: string | null): boolean {
  return accept !== null && HTML.test(accept);
}

/** Whether HTML is named, and liked better than XML where that is named too. */
export function prefersHtml(accept: string | null): boolean {
  const qualities = readQualities(accept);
  const html = qualities.get('text/html') ?? 0;
  const xml = Math.max(qualities.get('application/xml') ?? 0, qualities.get('text/xml') ?? 0);
  return html > 0 && html > xml;
}

/**
 * The languages of pages. `tag`: of `lang` attributes and Content-Language. `formatTag`:
 * of numbers and times, whose months are written so.
 */
export const PAGE_LANGUAGES = {
  en: { tag: 'en', formatTag: 'en-GB', month: 'short' },
  zh: { tag: 'zh-CN', formatTag: 'zh-CN', month: 'long' },
} as const;

export type PageLanguage = keyof typeof PAGE_LANGUAGES;

const LANGUAGES = Object.keys(PAGE_LANGUAGES) as readonly PageLanguage[];

export function isPageLanguage(text: string | null | undefined): text is PageLanguage {
  return LANGUAGES.some((language) => language === text);
}

/** The one that a page's switch leads to: the next of all. */
export function otherLanguage(language: PageLanguage): PageLanguage {
  return LANGUAGES[(LANGUAGES.indexOf(language) + 1) % LANGUAGES.length] ?? language;
}

/** Which language the reader likes best; English if none is named. */
export function preferredLanguage(acceptLanguage: string | null): PageLanguage {
  let preferred: PageLanguage = 'en';
  let most = 0;
  for (const [range, quality] of readQualities(acceptLanguage)) {
    const language = range.split('-', 1)[0];
    if (!isPageLanguage(language) || quality < most) continue;
    // Where two are liked as well, English is taken.
    if (quality > most || language === 'en') preferred = language;
    most = quality;
  }
  return preferred;
}

/**
 * Members of a list by name in lower case, with their qualities, in order. What is
 * none is left out.
 */
function readQualities(header: string | null): ReadonlyMap<string, number> {
  const qualities = new Map<string, number>();
  if (header === null || header.length > HEADER_MAX_LENGTH) return qualities;
  for (const member of header.split(',')) {
    const [name = '', ...parameters] = member.split(';').map((part) => part.trim().toLowerCase());
    const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2) ?? '1';
    if (name !== '' && /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(quality))
      qualities.set(name, Number(quality));
  }
  return qualities;
}
