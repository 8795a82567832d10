import { expect, it } from 'vitest';
import { createUsageLimit } from '../../../src/adapters/node/index/usage-limit.ts';
import type { SeenTime } from '../../../src/domain/trusted-time.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 10, 30);

function start(seen: SeenTime | null = null) {
  const at = { clock: START, steady: 7 * DAY, awake: 0, seen };
  const steadyClock = { awakeMs: () => at.awake, read: () => ({ epoch: 'boot', ms: at.steady }) };
  const limit = createUsageLimit({ nowMs: () => at.clock }, steadyClock, () => at.seen);
  const pass = (ms: number) => {
    at.clock += ms;
    at.steady += ms;
    at.awake += ms;
  };
  return { at, pass, limit: () => (limit() - START) / HOUR };
}

it('usage goes by the clock, also after a sleep, and by steady time after a jump', () => {
  const { at, pass, limit } = start();
  expect(limit()).toBe(0);
  pass(HOUR);
  expect(limit()).toBe(1);
  at.clock += 40 * DAY;
  expect(limit()).toBe(1);
  pass(HOUR);
  expect(limit()).toBe(2);
  at.clock -= 40 * DAY;
  expect(limit()).toBe(2);
  at.clock += 30 * HOUR;
  at.steady += 30 * HOUR;
  expect(limit()).toBe(32);
  at.clock -= DAY;
  pass(HOUR);
  expect(limit()).toBe(33);
});

it('a start after weeks off goes on from where the clock was seen, until it is confirmed', () => {
  const seen = { atMs: START - 21 * DAY, steady: { epoch: 'boot before', ms: 5 } };
  const { at, pass, limit } = start(seen);
  expect(limit()).toBe(-21 * 24);
  pass(2 * HOUR);
  expect(limit()).toBe(-21 * 24 + 2);
  at.seen = { atMs: at.clock, steady: { epoch: 'boot', ms: at.steady } };
  pass(HOUR);
  expect(limit()).toBe(3);
});

it('a start after a night off, or in the same boot, goes by the clock', () => {
  expect(start({ atMs: START - 12 * HOUR, steady: { epoch: 'boot before', ms: 5 } }).limit()).toBe(
    0,
  );
  const sameBoot = { atMs: START - 5 * DAY, steady: { epoch: 'boot', ms: 2 * DAY } };
  expect(start(sameBoot).limit()).toBe(0);
});
