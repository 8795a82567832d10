// Locks of versions: defaults of buckets, and which change is allowed.
import { describe, expect, it } from 'vitest';
import {
  isLocked,
  lockAfter,
  lockOfNew,
  mayReplaceRetention,
  type ObjectLock,
  type RetentionMode,
} from '../../src/domain/object-facts.ts';

const NOW = Date.UTC(2026, 1, 28, 12);
const until = (untilMs: number, mode: RetentionMode = 'GOVERNANCE') => ({ mode, untilMs });
const lock = (retention: ObjectLock['retention'], hasLegalHold: boolean | null = null) => ({
  retention,
  hasLegalHold,
});

describe('whether a version is locked', () => {
  it.each<[string, ObjectLock | null, boolean, boolean]>([
    ['nothing said', null, false, false],
    ['a hold', lock(null, true), true, true],
    ['a hold that was taken away', lock(null, false), false, false],
    ['a retention that is over', lock(until(NOW, 'COMPLIANCE')), false, false],
    ['governance', lock(until(NOW + 1)), true, false],
    ['compliance', lock(until(NOW + 1, 'COMPLIANCE')), true, true],
    ['governance and a hold', lock(until(NOW + 1), true), true, true],
  ])('is decided by its lock: %s', (_, given, plain, bypassed) => {
    expect([isLocked(given, NOW, false), isLocked(given, NOW, true)]).toEqual([plain, bypassed]);
  });
});

describe('which retention may take the place of which', () => {
  const G = until(NOW + 1000);
  const C = until(NOW + 1000, 'COMPLIANCE');
  it.each<[string, ObjectLock['retention'], ObjectLock['retention'], boolean, boolean]>([
    ['any after none', null, C, true, true],
    ['any after one that is over', until(NOW, 'COMPLIANCE'), null, true, true],
    ['the same again', G, G, true, true],
    ['longer governance', G, until(NOW + 1001), true, true],
    ['shorter governance', G, until(NOW + 999), false, true],
    ['no governance any more', G, null, false, true],
    ['compliance after governance', G, until(NOW + 2000, 'COMPLIANCE'), false, true],
    ['longer compliance', C, until(NOW + 1001, 'COMPLIANCE'), true, true],
    ['shorter compliance', C, until(NOW + 999, 'COMPLIANCE'), false, false],
    ['governance after compliance', C, until(NOW + 2000), false, false],
    ['no compliance any more', C, null, false, false],
  ])('is decided by date and mode: %s', (_, old, next, plain, bypassed) => {
    expect([
      mayReplaceRetention(old, next, NOW, false),
      mayReplaceRetention(old, next, NOW, true),
    ]).toEqual([plain, bypassed]);
  });
});

describe('the lock after a change', () => {
  const G = until(NOW + 1000);
  it.each<[string, ObjectLock | null, Partial<ObjectLock>, ObjectLock | null | 'refused']>([
    ['a hold beside nothing', null, { hasLegalHold: true }, lock(null, true)],
    ['a hold beside a retention', lock(G), { hasLegalHold: true }, lock(G, true)],
    ['a retention beside a hold', lock(null, true), { retention: G }, lock(G, true)],
    ['neither any more', lock(null, false), { hasLegalHold: null }, null],
    ['nothing', lock(G, true), {}, lock(G, true)],
    ['a retention less', lock(G, true), { retention: null, hasLegalHold: false }, 'refused'],
  ])('keeps what the change did not name: %s', (_, old, change, after) => {
    expect(lockAfter(old, change, NOW, false)).toEqual(after);
  });
});

describe('the lock of a new version', () => {
  const rule = (days: number | null, years: number | null) =>
    ({ mode: 'COMPLIANCE', days, years }) as const;

  it('is its own, or its bucket’s, counted by the calendar', () => {
    expect(lockOfNew(null, null, NOW)).toBeNull();
    expect(lockOfNew(null, rule(2, null), NOW)).toEqual(
      lock(until(Date.UTC(2026, 2, 2, 12), 'COMPLIANCE')),
    );
    expect(lockOfNew(null, rule(null, 1), NOW)).toEqual(
      lock(until(Date.UTC(2027, 1, 28, 12), 'COMPLIANCE')),
    );
    expect(lockOfNew(lock(until(NOW + 5)), rule(2, null), NOW)).toEqual(lock(until(NOW + 5)));
    expect(lockOfNew(lock(null, true), rule(1, null), NOW)).toEqual(
      lock(until(Date.UTC(2026, 2, 1, 12), 'COMPLIANCE'), true),
    );
  });
});
