// What the form of a share link sends, and where a link stands.
import type { ShareLink } from 'quayside/client';
import { describe, expect, it } from 'vitest';
import { links as texts } from '../../../src/console/i18n/en/links.ts';
import { stateOf } from '../../../src/console/views/links/link-state.ts';
import { topOf } from '../../../src/console/views/links/link-sums.ts';
import {
  bodyOf,
  draftOf,
  endOf,
  errorsOf,
  KEYS_MAX,
  targetOf,
} from '../../../src/console/views/links/share-draft.ts';

const NOW_MS = Date.parse('2026-11-23T12:00:00Z');
const row = (key: string) => ({
  key,
  isFolder: key.endsWith('/'),
  bytes: null,
  objects: null,
});
const selection = (...keys: string[]) => ({
  bucket: 'b',
  prefix: 'p/',
  rows: keys.map(row),
  isAll: false,
});
const LINK: ShareLink = {
  id: 'x'.repeat(22),
  url: 'https://example.org/-/s/x',
  createdAt: '2026-11-01T00:00:00Z',
  target: { kind: 'object', key: 'p/a', versionId: null },
  notBefore: null,
  expiresAt: null,
  revokedAt: null,
  hasPassword: true,
  limits: { downloads: 10, bytes: '5000000000', moneyMicro: '2500000' },
  audience: { addresses: ['192.0.2.0/24'], countries: ['DE'] },
  page: { title: 'T', text: null, logoKey: 'logo.png', colour: '#aabbcc', mode: 'view' },
  note: 'n',
  cutsRunning: true,
  usage: { downloads: 0, bytes: '0' },
};

describe('the target of a link', () => {
  it('is one object, one folder, all of a folder, or some objects', () => {
    expect(targetOf(selection('p/a'))).toEqual({ kind: 'object', key: 'p/a', versionId: null });
    expect(targetOf(selection('p/f/'))).toEqual({ kind: 'folder', prefix: 'p/f/' });
    expect(targetOf({ ...selection(), isAll: true })).toEqual({ kind: 'folder', prefix: 'p/' });
    expect(targetOf(selection('p/a', 'p/b'))).toEqual({ kind: 'keys', keys: ['p/a', 'p/b'] });
  });

  it('is not a folder and something else, nothing, or too many objects', () => {
    const keys = Array.from({ length: KEYS_MAX + 1 }, (_, at) => `p/${at}`);
    expect(targetOf(selection('p/f/', 'p/a'))).toBeNull();
    expect(targetOf(selection('p/f/', 'p/g/'))).toBeNull();
    expect(targetOf(selection())).toBeNull();
    expect(targetOf(selection(...keys.slice(1)))?.kind).toBe('keys');
    expect(targetOf(selection(...keys))).toBeNull();
  });
});

describe('the form of a link', () => {
  it('sends back what the link has, and no password where none is typed', () => {
    const body = bodyOf(draftOf(LINK), LINK);
    const { limits, audience, note, cutsRunning } = LINK;
    expect(body).toEqual({
      expiresAt: null,
      limits,
      audience,
      page: { ...LINK.page, fileName: null },
      note,
      cutsRunning,
    });
    expect(bodyOf({ ...draftOf(LINK), removesPassword: true }, LINK).password).toBeNull();
    expect(bodyOf({ ...draftOf(LINK), password: 'abcd' }, LINK).password).toBe('abcd');
  });

  it('begins with thirty days and no limit', () => {
    const body = bodyOf(draftOf(null), null);
    expect(body.limits).toEqual({ downloads: null, bytes: null, moneyMicro: null });
    expect(body.audience).toEqual({ addresses: null, countries: null });
    expect(endOf(draftOf(null), NOW_MS)).toBe('2026-12-23T12:00:00.000Z');
  });

  it.each([
    [{ end: 'date', day: '2026-11-22' }, ['day']],
    [{ end: 'date', day: '2026-11-24' }, []],
    [{ end: 'date', day: '' }, ['day']],
    [{ password: 'abc' }, ['password']],
    [{ password: 'abcd' }, []],
    [{ downloads: '0' }, ['downloads']],
    [{ downloads: '1' }, []],
    [{ downloads: '1.5' }, ['downloads']],
    [{ gigabytes: '0.5', money: '0.01' }, []],
    [{ gigabytes: '-1' }, ['gigabytes']],
    [{ gigabytes: '1000000' }, ['gigabytes']],
    [{ money: '0' }, ['money']],
  ] as const)('names what is wrong with %j', (change, wrong) => {
    const draft = { ...draftOf(null), ...change };
    expect(Object.keys(errorsOf(draft, texts, NOW_MS))).toEqual(wrong);
  });
});

describe('the state of a link', () => {
  const usedUp = { ...LINK, usage: { downloads: 10, bytes: '0' } };
  it.each([
    ['open', LINK],
    ['revoked', { ...usedUp, revokedAt: '2026-11-02T00:00:00Z' }],
    ['ended', { ...LINK, expiresAt: '2026-11-23T12:00:00Z' }],
    ['open', { ...LINK, expiresAt: '2026-11-23T12:00:01Z' }],
    ['early', { ...LINK, notBefore: '2026-11-23T12:00:01Z' }],
    ['used-up', usedUp],
    ['used-up', { ...LINK, usage: { downloads: 0, bytes: '5000000000' } }],
    ['open', { ...LINK, limits: {}, usage: { downloads: 99, bytes: '9' } }],
  ] as const)('is %s', (state, link) => {
    expect(stateOf(link, NOW_MS)).toBe(state);
  });
});

it('visitors of a link came from somewhere: the most frequent are named', () => {
  const day = {
    ...{ day: '2026-11-21', labelId: null, opened: 1, started: 0, completed: 0, aborted: 0 },
    ...{ bytes: '0', referrers: {} },
  };
  const days = [
    { ...day, countries: { DE: 1 } },
    { ...day, countries: { DE: 1, CH: 3 } },
  ];
  expect(topOf(days, 'countries', 1)).toEqual([['CH', 3]]);
  expect(topOf(days, 'countries', 2)).toEqual([
    ['CH', 3],
    ['DE', 2],
  ]);
});
