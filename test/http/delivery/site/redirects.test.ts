import { describe, expect, it } from 'vitest';
import type { RoutingRedirect, RoutingRule } from '../../../../src/domain/bucket-settings.ts';
import {
  findRoutingRule,
  followAll,
  followRule,
  followToFolder,
  type Visit,
} from '../../../../src/http/delivery/site/redirects.ts';

const visit = (key: string, changes: Partial<Visit> = {}): Visit => ({
  key,
  rawQuery: '',
  host: 'site.web.example:8080',
  isSecure: false,
  knownProtocol: null,
  ...changes,
});
const rule = (
  redirect: Partial<RoutingRedirect>,
  changes: Partial<RoutingRule> = {},
): RoutingRule => ({
  keyPrefix: null,
  errorCode: null,
  ...changes,
  redirect: {
    hostName: null,
    protocol: null,
    statusCode: null,
    replaceKeyPrefixWith: null,
    replaceKeyWith: null,
    ...redirect,
  },
});

describe('which rule applies', () => {
  const rules = [
    rule({}, { keyPrefix: 'docs/' }),
    rule({}, { keyPrefix: 'old/', errorCode: 404 }),
    rule({}, { errorCode: 403 }),
    rule({}, { keyPrefix: 'docs/x' }),
  ];
  const table: [key: string, errorCode: number | null, at: number][] = [
    ['docs/', null, 0],
    ['docs/x', null, 0],
    ['doc', null, -1],
    ['old/a', null, -1],
    ['old/a', 404, 1],
    ['docs/a', 404, -1],
    ['docs/a', 403, 2],
    ['', 403, 2],
  ];
  it.each(table)('%s after %s: %i', (key, errorCode, at) => {
    expect(findRoutingRule(rules, key, errorCode)).toBe(rules[at] ?? null);
  });
});

describe('where a rule leads', () => {
  const table: [name: string, rule: RoutingRule, visit: Visit, location: string][] = [
    [
      'another prefix',
      rule({ replaceKeyPrefixWith: 'new/' }, { keyPrefix: 'old/' }),
      visit('old/ä b?'),
      '/new/%C3%A4%20b%3F',
    ],
    ['a prefix before all', rule({ replaceKeyPrefixWith: 'v2/' }), visit('a'), '/v2/a'],
    [
      'a fragment, for an app',
      rule({ replaceKeyPrefixWith: '#!/' }),
      visit('a', { rawQuery: 'x=1' }),
      '/#!/a',
    ],
    ['one page', rule({ replaceKeyWith: 'ü "x".html' }), visit('a/b'), '/%C3%BC%20%22x%22.html'],
    [
      'one page with a query',
      rule({ replaceKeyWith: 'a?b=c' }),
      visit('a/b', { rawQuery: 'd' }),
      '/a?b=c',
    ],
    ['another host', rule({ hostName: 'b.example' }), visit('a'), 'http://b.example/a'],
    [
      'another protocol',
      rule({ protocol: 'https' }),
      visit('a'),
      'https://site.web.example:8080/a',
    ],
    [
      'the protocol of the visit',
      rule({ hostName: 'b.example' }),
      visit('a', { isSecure: true }),
      'https://b.example/a',
    ],
    [
      'the query along',
      rule({ hostName: 'b.example' }),
      visit('a', { rawQuery: 'x=%20' }),
      'http://b.example/a?x=%20',
    ],
    [
      'no other host by slashes',
      rule({ replaceKeyPrefixWith: '' }),
      visit('/evil.example/a'),
      '/%2Fevil.example/a',
    ],
    [
      'nor by a replacement of slashes',
      rule({ replaceKeyPrefixWith: '/' }),
      visit('/evil.example'),
      '/%2F/evil.example',
    ],
    [
      'nor by a backslash',
      rule({ replaceKeyWith: '\\evil.example' }),
      visit('a'),
      '/%5Cevil.example',
    ],
    [
      'no second header',
      rule({ replaceKeyWith: 'a\r\nset-cookie: b' }),
      visit('a'),
      '/a%0D%0Aset-cookie:%20b',
    ],
  ];
  it.each(table)('is where it says: %s', (_, followed, visited, location) => {
    expect(followRule(followed, visited)).toEqual({ status: 301, location });
  });

  it('has the status of the rule', () => {
    expect(followRule(rule({ statusCode: 307 }), visit('a')).status).toBe(307);
  });
});

it('a whole website moves with path and query', () => {
  const to = { hostName: 'b.example', protocol: 'https' } as const;
  expect(followAll(to, visit('a/b', { rawQuery: 'q' }))).toEqual({
    status: 301,
    location: 'https://b.example/a/b?q',
  });
  expect(followAll({ ...to, protocol: null }, visit(''))).toEqual({
    status: 301,
    location: 'http://b.example/',
  });
});

it('a folder is named with its slash', () => {
  expect(followToFolder(visit('a b', { rawQuery: 'q' }))).toEqual({
    status: 302,
    location: '/a%20b/?q',
  });
  expect(followToFolder(visit('/evil.example')).location).toBe('/%2Fevil.example/');
});
