// Decisions of lifecycle rules on single subjects.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  decideLifecycle,
  type LifecycleMoment,
} from '../../../src/core/lifecycle/decide-lifecycle.ts';
import { dueAfter } from '../../../src/core/lifecycle/due-time.ts';
import { coldnessOf } from '../../../src/core/lifecycle/storage-classes.ts';
import type { LifecycleRule, LifecycleSubject } from '../../../src/domain/lifecycle.ts';
import { isLocked } from '../../../src/domain/object-facts.ts';
import {
  afterDays,
  anyRules,
  anySubject,
  asKey,
  current,
  DAY_MS,
  LONE_MARKERS,
  loneMarker,
  NOW_MS,
  noncurrent,
  onDate,
  rule,
  upload,
} from './samples.ts';

const MOMENT: LifecycleMoment = {
  nowMs: NOW_MS,
  dayMs: DAY_MS,
  keepsVersions: false,
  moveMinBytes: 131_072,
};
const KEEPING = { ...MOMENT, keepsVersions: true };
const decide = (rules: LifecycleRule[], subject: LifecycleSubject, moment = MOMENT) =>
  decideLifecycle({ rules }, subject, moment);
const to = (storageClass: string, days: number, id = 'r') =>
  rule({ id, transitions: [{ days, dateMs: null, storageClass }] });
const older = (noncurrentDays: number, newerVersions: number | null = null) =>
  rule({ noncurrentExpiration: { noncurrentDays, newerVersions } });
const HELD = { retention: null, hasLegalHold: true };
const END = { kind: 'expire', ruleId: 'r' };
const GONE = { kind: 'remove', ruleId: 'r' };
const MOVED = { kind: 'transition', ruleId: 'r', storageClass: 'GLACIER_IR' };

it.each([
  [NOW_MS, MOVED],
  [NOW_MS + 1, null],
])('a move at a date begins with that moment: %d', (dateMs, expected) => {
  const dated = rule({ transitions: [{ days: null, dateMs, storageClass: 'GLACIER_IR' }] });
  expect(decide([dated], current())).toEqual(expected);
});

it.each([
  [{ sizeLessThan: 200_000 }, 199_999, MOVED],
  [{ sizeLessThan: 200_000 }, 200_000, null],
  [{ sizeGreaterThan: 10 }, 11, MOVED],
  [{ sizeGreaterThan: 10 }, 10, null],
  [{ sizeLessThan: 50 }, 49, MOVED],
  [{}, 131_072, MOVED],
  [{}, 131_071, null],
])('a rule of %j looks at %d bytes so: %j', (filter, sizeBytes, expected) => {
  const sized = rule({
    filter,
    transitions: [{ days: 1, dateMs: null, storageClass: 'GLACIER_IR' }],
  });
  expect(decide([sized], current({ sizeBytes }))).toEqual(expected);
});

describe('the decision on one subject', () => {
  const TEN = NOW_MS - 10 * DAY_MS;
  const table: [string, LifecycleRule[], LifecycleSubject, LifecycleMoment, object | null][] = [
    ['an object of that age', [rule({ expiration: afterDays(9) })], current(), MOMENT, END],
    [
      'one day younger, as it began at noon',
      [rule({ expiration: afterDays(10) })],
      current(),
      MOMENT,
      null,
    ],
    [
      'a rule that is off',
      [rule({ isEnabled: false, expiration: afterDays(1) })],
      current(),
      MOMENT,
      null,
    ],
    [
      'another prefix',
      [rule({ filter: { prefix: 'tmp/' }, expiration: afterDays(1) })],
      current(),
      MOMENT,
      null,
    ],
    [
      'its prefix',
      [rule({ filter: { prefix: 'logs/' }, expiration: afterDays(1) })],
      current(),
      MOMENT,
      END,
    ],
    [
      'a tag it has',
      [rule({ filter: { tags: { a: '1' } }, expiration: afterDays(1) })],
      current({ tags: { a: '1', b: '2' } }),
      MOMENT,
      END,
    ],
    [
      'a tag of another value',
      [rule({ filter: { tags: { a: '1' } }, expiration: afterDays(1) })],
      current({ tags: { a: '2' } }),
      MOMENT,
      null,
    ],
    [
      'a size it exceeds',
      [rule({ filter: { sizeGreaterThan: 999_999 }, expiration: afterDays(1) })],
      current(),
      MOMENT,
      END,
    ],
    [
      'just that size',
      [rule({ filter: { sizeGreaterThan: 1_000_000 }, expiration: afterDays(1) })],
      current(),
      MOMENT,
      null,
    ],
    [
      'below a size',
      [rule({ filter: { sizeLessThan: 1_000_001 }, expiration: afterDays(1) })],
      current(),
      MOMENT,
      END,
    ],
    [
      'a date that came',
      [rule({ expiration: onDate(Date.UTC(2026, 5, 15)) })],
      current({ lastModifiedMs: NOW_MS }),
      MOMENT,
      END,
    ],
    [
      'a date to come',
      [rule({ expiration: onDate(Date.UTC(2026, 5, 16)) })],
      current(),
      MOMENT,
      null,
    ],
    [
      'a locked object without versions',
      [rule({ expiration: afterDays(1) })],
      current({ lock: HELD }),
      MOMENT,
      null,
    ],
    [
      'a locked object that is only hidden',
      [rule({ expiration: afterDays(1) })],
      current({ lock: HELD }),
      KEEPING,
      END,
    ],
    ['a change of class', [to('GLACIER_IR', 1)], current(), MOMENT, MOVED],
    [
      'the class it has',
      [to('GLACIER_IR', 1)],
      current({ storageClass: 'GLACIER_IR' }),
      MOMENT,
      null,
    ],
    [
      'a warmer class',
      [to('STANDARD_IA', 1)],
      current({ storageClass: 'GLACIER_IR' }),
      MOMENT,
      null,
    ],
    [
      'the colder of two',
      [to('STANDARD_IA', 1, 'other'), to('GLACIER_IR', 2)],
      current(),
      MOMENT,
      MOVED,
    ],
    ['a small object', [to('GLACIER_IR', 1)], current({ sizeBytes: 128 * 1024 - 1 }), MOMENT, null],
    [
      'a small object whose rule speaks of sizes',
      [{ ...to('GLACIER_IR', 1), filter: rule({ filter: { sizeGreaterThan: 0 } }).filter }],
      current({ sizeBytes: 1 }),
      MOMENT,
      MOVED,
    ],
    [
      'an end for good before a class',
      [to('GLACIER_IR', 1), rule({ expiration: afterDays(5) })],
      current(),
      MOMENT,
      END,
    ],
    [
      'a class before a marker',
      [to('GLACIER_IR', 1), rule({ expiration: afterDays(5) })],
      current(),
      KEEPING,
      MOVED,
    ],
    [
      'a marker after the class',
      [to('GLACIER_IR', 1), rule({ expiration: afterDays(5) })],
      current({ storageClass: 'GLACIER_IR' }),
      KEEPING,
      END,
    ],
    ['an older version of that age', [older(9)], noncurrent(), KEEPING, GONE],
    ['an older version that was replaced later', [older(10)], noncurrent(), KEEPING, null],
    ['one of the newer ones', [older(1, 2)], noncurrent({ newerVersions: 1 }), KEEPING, null],
    ['one behind the newer ones', [older(1, 2)], noncurrent({ newerVersions: 2 }), KEEPING, GONE],
    ['a locked version', [older(1)], noncurrent({ lock: HELD }), KEEPING, null],
    [
      'a locked version may change its class',
      [
        rule({
          noncurrentTransitions: [
            { noncurrentDays: 1, newerVersions: null, storageClass: 'GLACIER_IR' },
          ],
        }),
      ],
      noncurrent({ lock: HELD }),
      KEEPING,
      MOVED,
    ],
    ['an older marker', [older(1)], noncurrent({ isMarker: true }), KEEPING, GONE],
    [
      'an older marker, of a rule for tags',
      [
        rule({
          filter: { tags: { a: '1' } },
          noncurrentExpiration: { noncurrentDays: 1, newerVersions: null },
        }),
      ],
      noncurrent({ isMarker: true, tags: { a: '1' } }),
      KEEPING,
      null,
    ],
    [
      'a marker does not change its class',
      [
        rule({
          noncurrentTransitions: [
            { noncurrentDays: 1, newerVersions: null, storageClass: 'GLACIER_IR' },
          ],
        }),
      ],
      noncurrent({ isMarker: true }),
      KEEPING,
      null,
    ],
    ['a lone marker', [rule({ expiration: LONE_MARKERS })], loneMarker(NOW_MS), KEEPING, GONE],
    [
      'a lone marker of that age',
      [rule({ expiration: afterDays(9) })],
      loneMarker(),
      KEEPING,
      GONE,
    ],
    ['a young lone marker', [rule({ expiration: afterDays(10) })], loneMarker(), KEEPING, null],
    ['a lone marker, of a rule for versions', [older(1)], loneMarker(), KEEPING, null],
    [
      'an upload of that age',
      [rule({ abortUploadsAfterDays: 9 })],
      upload(),
      MOMENT,
      { kind: 'abort', ruleId: 'r' },
    ],
    ['a young upload', [rule({ abortUploadsAfterDays: 10 })], upload(TEN), MOMENT, null],
  ];
  it.each(table)('is the rule that is due first: %s', (_, rules, subject, moment, expected) => {
    expect(decide(rules, subject, moment)).toEqual(expected);
  });
});

describe('the days of a rule', () => {
  it('end at the midnight after them; short ones at once', () => {
    expect(dueAfter(NOW_MS, 1, DAY_MS)).toBe(Date.UTC(2026, 5, 17));
    expect(dueAfter(Date.UTC(2026, 5, 15, 23, 59), 0, DAY_MS)).toBe(Date.UTC(2026, 5, 16));
    expect(dueAfter(NOW_MS, 3, 10_000)).toBe(NOW_MS + 30_000);
  });
});

describe('whatever the rules are', () => {
  const moments = fc.record({
    nowMs: fc.constant(NOW_MS),
    dayMs: fc.constantFrom(DAY_MS, 3600_000),
    keepsVersions: fc.boolean(),
    moveMinBytes: fc.constantFrom(0, 131_072),
  });

  it('what is locked stays, an enabled rule is named, and classes only get colder', () => {
    fc.assert(
      fc.property(anyRules, anySubject, moments, (rules, subject, moment) => {
        const decision = decide(rules, subject, moment);
        if (decision === null) return;
        const named = rules.find(({ id }) => id === decision.ruleId);
        expect(named?.isEnabled).toBe(true);
        expect(subject.key.startsWith(named?.filter.prefix ?? '')).toBe(true);
        const { kind } = decision;
        if (subject.kind === 'upload') expect(kind).toBe('abort');
        if (subject.kind === 'lone-marker') expect(kind).toBe('remove');
        if (kind === 'remove' && subject.kind === 'noncurrent') {
          expect(isLocked(subject.lock, moment.nowMs, false)).toBe(false);
        }
        if (kind === 'expire' && subject.kind === 'current' && !moment.keepsVersions) {
          expect(isLocked(subject.lock, moment.nowMs, false)).toBe(false);
        }
        if (
          kind === 'transition' &&
          (subject.kind === 'current' || subject.kind === 'noncurrent')
        ) {
          expect(coldnessOf(decision.storageClass)).toBeGreaterThan(
            coldnessOf(subject.storageClass),
          );
        }
      }),
    );
  });

  it('what is due stays due, and an end never becomes less than one', () => {
    fc.assert(
      fc.property(
        anyRules,
        anySubject,
        moments,
        fc.integer({ min: 0, max: 90 }),
        (rules, subject, moment, days) => {
          const decision = decide(rules, subject, moment);
          const later = decide(rules, subject, { ...moment, nowMs: moment.nowMs + days * DAY_MS });
          if (decision === null) return;
          expect(later).not.toBeNull();
          if (decision.kind === 'remove' || decision.kind === 'abort')
            expect(later?.kind).toBe(decision.kind);
        },
      ),
    );
  });

  it('a rule more never saves anything', () => {
    fc.assert(
      fc.property(anyRules, anyRules, anySubject, moments, (rules, others, subject, moment) => {
        const decision = decide(rules, subject, moment);
        const both = decide(
          [...rules, ...others.map((one) => ({ ...one, id: `o-${one.id}` }))],
          subject,
          moment,
        );
        if (decision !== null) expect(both).not.toBeNull();
      }),
    );
  });
});

it('a rule matches own tags only, not inherited properties', () => {
  const odd = rule({ filter: { tags: { constructor: 'x' } }, expiration: afterDays(1) });
  expect(decide([odd], current({ key: asKey('k') }))).toBeNull();
});
