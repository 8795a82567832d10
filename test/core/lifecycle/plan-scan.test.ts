// The scan plan of a lifecycle run.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideLifecycle } from '../../../src/core/lifecycle/decide-lifecycle.ts';
import {
  cursorAfter,
  cursorIn,
  planScan,
  type ScanStep,
} from '../../../src/core/lifecycle/plan-scan.ts';
import type { LifecycleRule, LifecycleSubject } from '../../../src/domain/lifecycle.ts';
import { fuzzRuns } from '../../fuzz-seed.ts';
import {
  afterDays,
  anyRules,
  anySubject,
  DAY_MS,
  LONE_MARKERS,
  NOW_MS,
  onDate,
  rule,
} from './samples.ts';

const MOMENT = { nowMs: NOW_MS, dayMs: DAY_MS, keepsVersions: true, moveMinBytes: 131_072 };
const plan = (rules: LifecycleRule[], keepsVersions = true) =>
  planScan({ rules }, { ...MOMENT, keepsVersions });
const shown = (steps: readonly ScanStep[]) =>
  steps.map(({ phase, prefix }) => `${phase} ${prefix}`);

describe('the plan of a run', () => {
  it('is empty where no rule can be due', () => {
    expect(plan([rule({ isEnabled: false, expiration: afterDays(1) })])).toEqual([]);
    expect(plan([rule({ expiration: onDate(NOW_MS + DAY_MS) })])).toEqual([]);
    expect(
      plan([rule({ noncurrentExpiration: { noncurrentDays: 1, newerVersions: null } })], false),
    ).toEqual([]);
  });

  it('goes through each range of keys once, phase by phase', () => {
    const rules = [
      rule({ filter: { prefix: 'b/' }, expiration: afterDays(1) }),
      rule({ filter: { prefix: 'a/x' }, expiration: afterDays(1), abortUploadsAfterDays: 1 }),
      rule({ filter: { prefix: 'a/' }, expiration: LONE_MARKERS }),
      rule({ filter: { prefix: 'a/xy' }, expiration: afterDays(3) }),
    ];
    expect(shown(plan(rules))).toEqual([
      ...['objects a/x', 'objects b/'],
      ...['versions a/', 'versions b/'],
      'uploads a/x',
    ]);
    expect(plan(rules)[0]?.bounds.endUpToMs).toBe(NOW_MS - DAY_MS);
  });

  it('resumes at a cursor, or behind it when its step is gone', () => {
    const steps = plan([
      rule({ filter: { prefix: 'a/' }, expiration: afterDays(1) }),
      rule({ filter: { prefix: 'c/' }, expiration: afterDays(1) }),
    ]);
    const place = {
      phase: 'objects',
      prefix: 'a/',
      afterKey: 'a/k',
      afterId: '',
      newerVersions: 0,
    } as const;
    expect(cursorIn(steps, null)).toEqual({ ...place, afterKey: '' });
    expect(cursorIn(steps, place)).toEqual(place);
    expect(cursorIn(steps, { ...place, prefix: 'b/' })).toEqual({
      ...place,
      prefix: 'c/',
      afterKey: '',
    });
    expect(cursorIn(steps, { ...place, phase: 'uploads' })).toBeNull();
    expect(cursorAfter(steps, steps[0] as ScanStep)).toMatchObject({
      phase: 'objects',
      prefix: 'c/',
    });
    expect(cursorAfter(steps, steps.at(-1) as ScanStep)).toBeNull();
  });
});

/** What the index lets through: see scanLifecycle. */
function isSeen(steps: readonly ScanStep[], subject: LifecycleSubject): boolean {
  const phase =
    subject.kind === 'current' ? 'objects' : subject.kind === 'upload' ? 'uploads' : 'versions';
  return steps.some(({ phase: own, prefix, bounds }) => {
    if (own !== phase || !subject.key.startsWith(prefix)) return false;
    const isUpTo = (timeMs: number, boundMs: number | null) =>
      boundMs !== null && timeMs <= boundMs;
    if (subject.kind === 'upload') return isUpTo(subject.createdAtMs, bounds.endUpToMs);
    if (subject.kind === 'lone-marker') return isUpTo(subject.lastModifiedMs, bounds.markersUpToMs);
    const timeMs = subject.kind === 'current' ? subject.lastModifiedMs : subject.replacedAtMs;
    const mayMove =
      isUpTo(timeMs, bounds.moveUpToMs) &&
      subject.sizeBytes >= bounds.moveMinBytes &&
      !bounds.moveUnlessIn.includes(subject.storageClass);
    return isUpTo(timeMs, bounds.endUpToMs) || mayMove;
  });
}

it('the plan of a scan lets nothing slip that a rule is due for, and sees no key twice', () => {
  const days = fc.constantFrom(DAY_MS, 3600_000);
  fc.assert(
    fc.property(anyRules, anySubject, days, fc.boolean(), (rules, subject, dayMs, mayKeep) => {
      const keepsVersions =
        mayKeep || subject.kind === 'noncurrent' || subject.kind === 'lone-marker';
      const moment = { ...MOMENT, dayMs, keepsVersions };
      const steps = planScan({ rules }, moment);
      const decision = decideLifecycle({ rules }, subject, moment);
      if (decision !== null) expect(isSeen(steps, subject)).toBe(true);
      for (const one of steps) {
        const covering = steps.filter(
          ({ phase, prefix }) => phase === one.phase && one.prefix.startsWith(prefix),
        );
        expect(covering).toHaveLength(1);
      }
    }),
    { numRuns: fuzzRuns(2000) },
  );
});
