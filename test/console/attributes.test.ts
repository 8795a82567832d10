// What the form of an edit makes of its fields: only what was changed, null where it is taken away.
import { expect, it } from 'vitest';
import {
  changeOfMany,
  changeOfOne,
  EMPTY,
  fromLines,
  KEEP_LOCK,
  lockChangeOf,
  toLines,
} from '../../src/console/views/change/attributes.ts';

it('77: an edit of one object changes what is unlike before, and removes what is empty', () => {
  const before = { ...EMPTY, contentType: 'text/plain', expires: 'x', tags: 'a: 1\nb: 2' };
  const after = { ...before, contentType: 'text/html', expires: '', tags: 'b: 3' };
  expect(changeOfOne(before, before)).toEqual({});
  expect(changeOfOne(before, after)).toEqual({
    contentType: 'text/html',
    expires: null,
    tags: { a: null, b: '3' },
  });
});

it('77: an edit of many objects changes only what is switched on', () => {
  const values = { ...EMPTY, cacheControl: 'no-cache', metadata: 'owner: ada\nold:' };
  expect(changeOfMany(values, new Set())).toEqual({});
  expect(changeOfMany(values, new Set(['cacheControl', 'expires', 'metadata']))).toEqual({
    cacheControl: 'no-cache',
    expires: null,
    metadata: { owner: 'ada', old: null },
  });
});

it('77: the field of tags reads pairs a line each, with colons in values', () => {
  expect(fromLines('url: http://a/b\n\n  x :  y  \nlone')).toEqual({
    url: 'http://a/b',
    x: 'y',
    lone: '',
  });
  expect(toLines({ b: '2', a: '1' })).toBe('a: 1\nb: 2');
});

it('78: a change of a lock has only what is chosen, up to the end of a day to come', () => {
  const nowMs = new Date('2026-05-01T12:00:00').getTime();
  const change = (draft: object) => lockChangeOf({ ...KEEP_LOCK, ...draft }, true, nowMs);
  const until = (day: string) => new Date(`${day}T23:59:59`).toISOString();
  expect(change({})).toBeNull();
  expect(change({ day: '2026-05-02' })).toBeNull();
  expect([change({ hold: 'yes' }), change({ hold: 'no' })]).toEqual([
    { legalHold: true },
    { legalHold: false },
  ]);
  expect(change({ mode: 'none' })).toEqual({
    retention: null,
    bypassGovernance: true,
  });
  expect(change({ mode: 'GOVERNANCE', day: '2026-05-01', hold: 'yes' })).toEqual({
    legalHold: true,
    retention: { mode: 'GOVERNANCE', until: until('2026-05-01') },
  });
  for (const day of ['', '2026-04-30']) expect(change({ mode: 'COMPLIANCE', day })).toBeUndefined();
});
