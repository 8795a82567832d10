// What the form of an edit makes of its fields: only what was changed, null where it is taken away.
import { expect, it } from 'vitest';
import {
  changeOfMany,
  changeOfOne,
  EMPTY,
  fromLines,
  toLines,
} from '../../src/console/views/change/attributes.ts';

it('77: changes of one object what is unlike before, and takes away what was emptied', () => {
  const before = { ...EMPTY, contentType: 'text/plain', expires: 'x', tags: 'a: 1\nb: 2' };
  const after = { ...before, contentType: 'text/html', expires: '', tags: 'b: 3' };
  expect(changeOfOne(before, before)).toEqual({});
  expect(changeOfOne(before, after)).toEqual({
    contentType: 'text/html',
    expires: null,
    tags: { a: null, b: '3' },
  });
});

it('77: changes of many only what is switched on', () => {
  const values = { ...EMPTY, cacheControl: 'no-cache', metadata: 'owner: ada\nold:' };
  expect(changeOfMany(values, new Set())).toEqual({});
  expect(changeOfMany(values, new Set(['cacheControl', 'expires', 'metadata']))).toEqual({
    cacheControl: 'no-cache',
    expires: null,
    metadata: { owner: 'ada', old: null },
  });
});

it('77: reads pairs a line each, with colons in values', () => {
  expect(fromLines('url: http://a/b\n\n  x :  y  \nlone')).toEqual({
    url: 'http://a/b',
    x: 'y',
    lone: '',
  });
  expect(toLines({ b: '2', a: '1' })).toBe('a: 1\nb: 2');
});
