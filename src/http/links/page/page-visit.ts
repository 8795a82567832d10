// What a request says of how its page is to look: the language, and the query that
// the page's own addresses keep. Pure. The surfaces of links call it.

import type { HttpRequest } from '../../request.ts';
import {
  isPageLanguage,
  otherLanguage,
  type PageLanguage,
  preferredLanguage,
} from '../../semantics/accept-html.ts';
import type { PageFiles } from './link-files.ts';

/** The query parameter that chooses the language. */
const LANGUAGE = 'lang';

export type PageVisit = {
  readonly language: PageLanguage;
  /** Whether the address says the language: then its links keep it. */
  readonly isLanguageChosen: boolean;
  /** The query of the page, without its `?`. */
  readonly rawQuery: string;
  readonly files: PageFiles;
  readonly requestId: string;
};

/** Reads it from the request. Never throws. */
export function pageVisit(
  request: Pick<HttpRequest, 'rawQuery' | 'header'>,
  files: PageFiles,
  requestId: string,
): PageVisit {
  const chosen = new URLSearchParams(request.rawQuery).get(LANGUAGE);
  const isLanguageChosen = isPageLanguage(chosen);
  return {
    language: isLanguageChosen ? chosen : preferredLanguage(request.header('accept-language')),
    isLanguageChosen,
    rawQuery: request.rawQuery,
    files,
    requestId,
  };
}

/** This page with other values of its query, relative to its address; null takes one away. */
export function withQuery(
  { rawQuery }: Pick<PageVisit, 'rawQuery'>,
  changes: Readonly<Record<string, string | null>>,
): string {
  const query = new URLSearchParams(rawQuery);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  return `?${query}`;
}

/** This page in the other language. */
export const otherLanguageHref = (visit: PageVisit): string =>
  withQuery(visit, { [LANGUAGE]: otherLanguage(visit.language) });

/** An address of another page under the link, in the language that was chosen. */
export function keepLanguage(visit: PageVisit, href: string): string {
  if (!visit.isLanguageChosen) return href;
  return `${href}${href.includes('?') ? '&' : '?'}${LANGUAGE}=${visit.language}`;
}

/**
 * The parameters of an address as fields of a form, which would drop them: a GET form
 * writes its own query.
 */
export function queryFields(href: string): {
  readonly path: string;
  readonly fields: readonly (readonly [name: string, value: string])[];
} {
  const at = href.indexOf('?');
  if (at === -1) return { path: href, fields: [] };
  return { path: href.slice(0, at), fields: [...new URLSearchParams(href.slice(at + 1))] };
}
