// Which times of a clock are believed.
import { describe, expect, it } from 'vitest';
import { JUMP_MAX_MS, jumpSince } from '../../src/domain/trusted-time.ts';

const HOUR_MS = 3_600_000;
const SEEN = { atMs: 1_000_000 * HOUR_MS, steady: { epoch: 'boot', ms: 5 * HOUR_MS } };

/**
 * The jump that is found `passed` hours later by the clock, `steady` hours later by steady time.
 */
const jumpAfter = (passedHours: number, steadyHours: number | null, epoch = 'boot') =>
  jumpSince(
    SEEN,
    SEEN.atMs + passedHours * HOUR_MS,
    steadyHours === null ? null : { epoch, ms: (5 + steadyHours) * HOUR_MS },
  ) / HOUR_MS;

describe('a time of the clock', () => {
  it('is believed where there is nothing to compare it with', () => {
    expect(jumpSince(null, SEEN.atMs, SEEN.steady)).toBe(0);
  });

  it('is believed as far as steady time supports it, however long that is', () => {
    expect([jumpAfter(1, 1), jumpAfter(5_000, 5_000), jumpAfter(0, 0)]).toEqual([0, 0, 0]);
    expect([jumpAfter(41, 1), jumpAfter(-1, 1), jumpAfter(1, 41), jumpAfter(0.1, 0)]).toEqual([
      40, -2, -40, 0.1,
    ]);
    const within = { epoch: 'boot', ms: SEEN.steady.ms };
    for (const ms of [JUMP_MAX_MS, -JUMP_MAX_MS])
      expect(jumpSince(SEEN, SEEN.atMs + ms, within)).toBe(0);
    expect(jumpSince(SEEN, SEEN.atMs + JUMP_MAX_MS + 1, within)).toBe(JUMP_MAX_MS + 1);
  });

  it.each<[string, number | null]>([
    ['another boot', 0],
    ['no steady time', null],
  ])('is believed for a day ahead after %s, and not back', (_, steady) => {
    expect([
      jumpAfter(0, steady, 'next'),
      jumpAfter(24, steady, 'next'),
      jumpAfter(24.1, steady, 'next'),
    ]).toEqual([0, 0, 24.1]);
    expect(jumpAfter(-1, steady, 'next')).toBe(-1);
  });
});
