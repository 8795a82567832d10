import { expect, it } from 'vitest';
import { commonFolder, isUsedUp, stateByTime } from '../../../src/domain/links/share-links.ts';

it('commonFolder finds the folder that all keys are in', () => {
  expect(commonFolder([])).toBe('');
  expect(commonFolder(['a'])).toBe('');
  expect(commonFolder(['a/b'])).toBe('a/');
  expect(commonFolder(['a/b/c', 'a/b/d', 'a/b/e/f'])).toBe('a/b/');
  expect(commonFolder(['a/b/c', 'a/bb/c'])).toBe('a/');
  expect(commonFolder(['a/b', 'b/a'])).toBe('');
  expect(commonFolder(['/a', '/b'])).toBe('/');
  expect(commonFolder(['/a', 'b'])).toBe('');
  expect(commonFolder(['//a', 'b'])).toBe('');
  expect(commonFolder(['//a', '/b'])).toBe('/');
});

it('a share link ends and begins by time, to the millisecond', () => {
  const times = { notBeforeMs: 10, expiresAtMs: 20, revokedAtMs: null };
  expect([9, 10, 19, 20].map((nowMs) => stateByTime(times, nowMs))).toEqual([
    'not-yet',
    null,
    null,
    'expired',
  ]);
  expect(stateByTime({ ...times, revokedAtMs: 1 }, 15)).toBe('revoked');
});

it('a share link is used up by downloads or by bytes', () => {
  const usage = { downloads: 3, bytes: 100 };
  expect(isUsedUp({ downloads: 3 }, null, usage)).toBe(true);
  expect(isUsedUp({ downloads: 4 }, 101, usage)).toBe(false);
  expect(isUsedUp({ downloads: null }, 100, usage)).toBe(true);
  expect(isUsedUp({ downloads: null }, null, usage)).toBe(false);
});
