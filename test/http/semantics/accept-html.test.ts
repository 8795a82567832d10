// Which requests are somebody looking at a page, and in which language.
import { describe, expect, it } from 'vitest';
import {
  isBrowserVisit,
  isPageLanguage,
  otherLanguage,
  PAGE_LANGUAGES,
  preferredLanguage,
  prefersHtml,
} from '../../../src/http/semantics/accept-html.ts';
import { makeRequest } from '../s3/kit/make-request.ts';

const CHROME =
  'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';

it('the switch of a page leads through all languages and back', () => {
  const all = Object.keys(PAGE_LANGUAGES).filter(isPageLanguage);
  expect([all.map(otherLanguage).toSorted(), isPageLanguage('constructor')]).toEqual([
    all.toSorted(),
    false,
  ]);
});

describe('HTML is preferred', () => {
  it.each([CHROME, 'text/html', 'TEXT/HTML; charset=utf-8', 'text/html;q=0.5, text/xml;q=0.4'])(
    'by %s',
    (accept) => expect(prefersHtml(accept)).toBe(true),
  );

  it.each([
    null,
    '',
    '*/*',
    'text/*',
    'application/xml',
    'text/html;q=0',
    'text/html;q=2',
    'text/html, application/xml',
    'text/html;q=0.3, text/xml;q=0.4',
    `text/html, ${'a/b,'.repeat(300)}`,
  ])('not by %s', (accept) => expect(prefersHtml(accept)).toBe(false));
});

describe('a visit by a browser', () => {
  const visit = (headers: Record<string, string>, method = 'GET') =>
    isBrowserVisit(makeRequest({ method, target: '/', headers }));

  it.each([{}, { 'sec-fetch-dest': 'document' }, { 'sec-fetch-dest': 'iframe' }])(
    'is a GET of a page, with %j',
    (headers) => expect(visit({ accept: CHROME, ...headers })).toBe(true),
  );

  it.each([
    { 'sec-fetch-dest': 'empty' },
    { 'sec-fetch-dest': 'image' },
    { authorization: 'AWS4-HMAC-SHA256 …' },
  ])('is none with %j', (headers) => expect(visit({ accept: CHROME, ...headers })).toBe(false));

  it('is none by HEAD', () => expect(visit({ accept: CHROME }, 'HEAD')).toBe(false));
});

describe('the language', () => {
  it.each<[string | null, 'en' | 'zh']>([
    [null, 'en'],
    ['zh-CN,zh;q=0.9,en;q=0.8', 'zh'],
    ['en-US,en;q=0.9,zh;q=0.8', 'en'],
    ['de-DE,zh-Hant;q=0.2', 'zh'],
    ['fr, *;q=0.5', 'en'],
    ['zh;q=0', 'en'],
    ['zho-x', 'en'],
  ])('of %s is %s', (header, language) => expect(preferredLanguage(header)).toBe(language));
});
