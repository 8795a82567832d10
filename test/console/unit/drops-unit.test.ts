// What the form of a drop link sends, and what it says is wrong.
import type { DropLink } from 'quayside/client';
import { describe, expect, it } from 'vitest';
import { links as texts } from '../../../src/console/i18n/en/links.ts';
import {
  dropBodyOf,
  dropDraftOf,
  dropErrorsOf,
  exampleOf,
} from '../../../src/console/views/links/drop-draft.ts';

const NOW_MS = Date.parse('2026-11-23T12:00:00Z');
const LINK: DropLink = {
  id: 'x'.repeat(22),
  url: 'https://example.org/-/d/x',
  state: 'open',
  createdAt: '2026-11-01T00:00:00Z',
  prefix: 'in/',
  quarantine: 'wait/',
  template: '{mail}/{file}',
  limits: {
    fileBytes: 2_500_000_000,
    files: 7,
    totalBytes: null,
    senderFiles: 3,
    senderBytes: 1_000_000_000,
    types: ['image/*', 'text/plain'],
  },
  page: {
    title: 'T',
    text: null,
    colour: '#aabbcc',
    name: 'none',
    mail: 'required',
    note: 'optional',
  },
  note: 'n',
  expiresAt: null,
  revokedAt: null,
  usage: { files: 0, bytes: '0', senders: 0 },
};

describe('the form of a drop link', () => {
  it('sends what a link has, and leaves its colour alone', () => {
    const { colour: _, ...page } = LINK.page;
    const { prefix, quarantine, template, limits, note, expiresAt } = LINK;
    expect(dropBodyOf(dropDraftOf(LINK), LINK)).toEqual({
      ...{ prefix, quarantine, template, limits, note, expiresAt },
      page,
    });
  });

  it('bounds a new link, which waits in a quarantine of its own where it shall', () => {
    const draft = { ...dropDraftOf(null, 'in/'), quarantine: true };
    const [one, other] = [dropBodyOf(draft, null), dropBodyOf(draft, null)];
    expect(one).toMatchObject({
      prefix: 'in/',
      limits: { fileBytes: 5e9, files: 1000, totalBytes: 50e9, senderFiles: null, types: null },
    });
    expect(one.quarantine).toMatch(/^quarantine\/[0-9a-f]{8}\/$/);
    expect(other.quarantine).not.toBe(one.quarantine);
    expect(dropBodyOf({ ...draft, quarantine: false }, null).quarantine).toBeNull();
    expect(dropBodyOf({ ...draft, files: '', prefix: ' a/b ' }, null)).toMatchObject({
      prefix: 'a/b/',
      limits: { files: 10_000 },
    });
  });

  it.each([
    [{}, []],
    [{ prefix: '' }, []],
    [{ prefix: '/a' }, ['prefix']],
    [{ prefix: 'a/../b/' }, ['prefix']],
    [{ prefix: 'a//b' }, ['prefix']],
    [{ template: '{date}' }, ['template']],
    [{ template: '{who}/{name}' }, ['template']],
    [{ template: '../{name}' }, ['template']],
    [{ types: 'image/*, Text/plain' }, ['types']],
    [{ types: 'image' }, ['types']],
    [{ fileGigabytes: '-1', senderGigabytes: '0.5' }, ['fileGigabytes']],
    [{ files: '0', senderFiles: '1.5' }, ['files', 'senderFiles']],
    [{ end: 'date', day: '2026-11-22' }, ['day']],
  ] as const)('names what is wrong with %j', (change, wrong) => {
    const draft = { ...dropDraftOf(null), ...change };
    expect(Object.keys(dropErrorsOf(draft, texts, NOW_MS))).toEqual(wrong);
  });

  it('shows the key that a file would get', () => {
    const now = new Date(NOW_MS);
    const draft = { prefix: 'in', template: '{date}/{sender}/{name}' };
    expect(exampleOf(draft, now)).toBe('in/2026-11-23/Ada/photos/1.jpg');
    expect(exampleOf({ prefix: '', template: '{mail}-{file}' }, now)).toBe('ada@example.org-1.jpg');
  });
});
