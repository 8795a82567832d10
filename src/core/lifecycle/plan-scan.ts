// The scan plan of a lifecycle run: key ranges, one for each prefix that no shorter
// one covers. Their bounds exclude nothing for which a rule could be due. The index
// applies the bounds, and decide-lifecycle.ts decides on the rest. Pure.
import {
  LIFECYCLE_PHASES,
  type LifecycleBounds,
  type LifecycleConfiguration,
  type LifecycleCursor,
  type LifecyclePhase,
  type LifecycleRule,
} from '../../domain/lifecycle.ts';
import { type LifecycleMoment, minBytesOf } from './decide-lifecycle.ts';
import { coldnessOf, TRANSITION_CLASSES } from './storage-classes.ts';

type Expiration = NonNullable<LifecycleRule['expiration']>;
type AgeOrDate = { readonly days: number | null; readonly dateMs: number | null };

/** One range of keys in one phase. */
export type ScanStep = {
  readonly phase: LifecyclePhase;
  readonly prefix: string;
  readonly bounds: LifecycleBounds;
};

/** Plans the steps of a run, in their order; none when no rule can be due. */
export function planScan(
  { rules }: Pick<LifecycleConfiguration, 'rules'>,
  moment: LifecycleMoment,
): readonly ScanStep[] {
  const steps: ScanStep[] = [];
  for (const phase of LIFECYCLE_PHASES) {
    if (phase === 'versions' && !moment.keepsVersions) continue;
    const own: PrefixBounds[] = [];
    for (const rule of rules) {
      const bounds = rule.isEnabled ? boundsOf(rule, phase, moment) : null;
      if (bounds !== null) own.push({ prefix: rule.filter.prefix ?? '', bounds });
    }
    for (const { prefix, bounds } of merge(own)) steps.push({ phase, prefix, bounds });
  }
  return steps;
}

type PrefixBounds = { prefix: string; bounds: LifecycleBounds };

function byPrefix(a: PrefixBounds, b: PrefixBounds): number {
  if (a.prefix === b.prefix) return 0;
  return a.prefix < b.prefix ? -1 : 1;
}

/** Merges prefixes, in order, each with the bounds of all that begin with it. */
function merge(all: readonly PrefixBounds[]) {
  const merged: PrefixBounds[] = [];
  for (const one of [...all].sort(byPrefix)) {
    const last = merged.at(-1);
    if (last !== undefined && one.prefix.startsWith(last.prefix))
      last.bounds = join(last.bounds, one.bounds);
    else merged.push({ ...one });
  }
  return merged;
}

function latest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}

/** Joins bounds to the narrowest that exclude nothing of either. */
function join(a: LifecycleBounds, b: LifecycleBounds): LifecycleBounds {
  return {
    endUpToMs: latest(a.endUpToMs, b.endUpToMs),
    moveUpToMs: latest(a.moveUpToMs, b.moveUpToMs),
    moveMinBytes: Math.min(a.moveMinBytes, b.moveMinBytes),
    moveUnlessIn: a.moveUnlessIn.filter((storageClass) => b.moveUnlessIn.includes(storageClass)),
    markersUpToMs: latest(a.markersUpToMs, b.markersUpToMs),
  };
}

/**
 * Makes the bounds of a rule in a phase; null: the rule does nothing there now.
 * They ignore midnights, which only make things due later.
 */
function boundsOf(
  rule: LifecycleRule,
  phase: LifecyclePhase,
  moment: LifecycleMoment,
): LifecycleBounds | null {
  const { nowMs, dayMs } = moment;
  const ago = (days: number) => nowMs - days * dayMs;
  const upTo = ({ days, dateMs }: AgeOrDate): number | null => {
    if (days !== null) return ago(days);
    return dateMs !== null && dateMs <= nowMs ? nowMs : null;
  };
  const markersUpTo = ({ expiredObjectDeleteMarker, days }: Expiration): number | null => {
    if (expiredObjectDeleteMarker === true) return nowMs;
    return days === null ? null : ago(days);
  };

  const { expiration, noncurrentExpiration, abortUploadsAfterDays } = rule;
  switch (phase) {
    case 'objects':
      return toBounds(minBytesOf(rule, moment), {
        endUpToMs: expiration === null ? null : upTo(expiration),
        moves: rule.transitions.map((move) => ({
          upToMs: upTo(move),
          storageClass: move.storageClass,
        })),
        markersUpToMs: null,
      });
    case 'versions':
      return toBounds(minBytesOf(rule, moment), {
        endUpToMs: noncurrentExpiration === null ? null : ago(noncurrentExpiration.noncurrentDays),
        moves: rule.noncurrentTransitions.map((move) => ({
          upToMs: ago(move.noncurrentDays),
          storageClass: move.storageClass,
        })),
        markersUpToMs: expiration === null ? null : markersUpTo(expiration),
      });
    case 'uploads':
      return toBounds(minBytesOf(rule, moment), {
        endUpToMs: abortUploadsAfterDays === null ? null : ago(abortUploadsAfterDays),
        moves: [],
        markersUpToMs: null,
      });
  }
}

/** Due ends and moves of a rule in a phase. */
type Ends = Pick<LifecycleBounds, 'endUpToMs' | 'markersUpToMs'> & {
  readonly moves: readonly { readonly upToMs: number | null; readonly storageClass: string }[];
};

function toBounds(
  moveMinBytes: number,
  { endUpToMs, markersUpToMs, moves }: Ends,
): LifecycleBounds | null {
  const due = moves.filter(({ upToMs }) => upToMs !== null);
  const moveUpToMs = due.reduce<number | null>((upTo, move) => latest(upTo, move.upToMs), null);
  if (endUpToMs === null && markersUpToMs === null && moveUpToMs === null) return null;
  const coldness = Math.max(0, ...due.map(({ storageClass }) => coldnessOf(storageClass)));
  return {
    endUpToMs,
    moveUpToMs,
    moveMinBytes: moveUpToMs === null ? Number.MAX_SAFE_INTEGER : moveMinBytes,
    moveUnlessIn: TRANSITION_CLASSES.filter((storageClass) => coldnessOf(storageClass) >= coldness),
    markersUpToMs,
  };
}

/** Makes the cursor at which a step begins. */
function startOf({ phase, prefix }: ScanStep): LifecycleCursor {
  return { phase, prefix, afterKey: '', afterId: '', newerVersions: 0 };
}

/**
 * Finds the cursor at which a run begins or goes on: at `from`, or behind it when
 * its step is not planned any more.
 */
export function cursorIn(
  steps: readonly ScanStep[],
  from: LifecycleCursor | null,
): LifecycleCursor | null {
  const step = from === null ? steps[0] : steps.find((one) => isReached(one, from));
  if (step === undefined) return null;
  return from !== null && isIn(from, step) ? from : startOf(step);
}

/** Finds the step of a cursor that `cursorIn` or `cursorAfter` returned. */
export function stepOf(steps: readonly ScanStep[], cursor: LifecycleCursor): ScanStep | null {
  return steps.find((step) => isIn(cursor, step)) ?? null;
}

/** Finds the cursor behind a step; null: it was the last. */
export function cursorAfter(steps: readonly ScanStep[], step: ScanStep): LifecycleCursor | null {
  const next = steps[steps.indexOf(step) + 1];
  return next === undefined ? null : startOf(next);
}

const isIn = (cursor: LifecycleCursor, step: ScanStep): boolean =>
  cursor.phase === step.phase && cursor.prefix === step.prefix;

/** Whether a step is at a cursor or behind it. */
function isReached({ phase, prefix }: ScanStep, cursor: LifecycleCursor): boolean {
  const ahead = LIFECYCLE_PHASES.indexOf(phase) - LIFECYCLE_PHASES.indexOf(cursor.phase);
  return ahead > 0 || (ahead === 0 && prefix >= cursor.prefix);
}
