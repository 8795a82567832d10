// Where a run has to look: ranges of keys, one for each prefix that no shorter one covers, with
// bounds that let nothing slip that a rule could be due for. Pure; the index applies the bounds,
// decide-lifecycle.ts decides on what is left.
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

/** One range of keys in one phase. */
export type ScanStep = {
  readonly phase: LifecyclePhase;
  readonly prefix: string;
  readonly bounds: LifecycleBounds;
};

/** The steps of a run, in their order; none when no rule can be due. */
export function planScan(
  { rules }: Pick<LifecycleConfiguration, 'rules'>,
  moment: LifecycleMoment,
): readonly ScanStep[] {
  const steps: ScanStep[] = [];
  for (const phase of LIFECYCLE_PHASES) {
    if (phase === 'versions' && !moment.keepsVersions) continue;
    const own: { prefix: string; bounds: LifecycleBounds }[] = [];
    for (const rule of rules) {
      const bounds = rule.isEnabled ? boundsOf(rule, phase, moment) : null;
      if (bounds !== null) own.push({ prefix: rule.filter.prefix ?? '', bounds });
    }
    for (const { prefix, bounds } of merge(own)) steps.push({ phase, prefix, bounds });
  }
  return steps;
}

/** Prefixes in order, each with the bounds of all that begin with it. */
function merge(all: readonly { prefix: string; bounds: LifecycleBounds }[]) {
  const merged: { prefix: string; bounds: LifecycleBounds }[] = [];
  for (const one of [...all].sort((a, b) =>
    a.prefix < b.prefix ? -1 : a.prefix > b.prefix ? 1 : 0,
  )) {
    const last = merged.at(-1);
    if (last !== undefined && one.prefix.startsWith(last.prefix))
      last.bounds = join(last.bounds, one.bounds);
    else merged.push({ ...one });
  }
  return merged;
}

const latest = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.max(a, b);

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
 * Null: the rule does nothing in this phase now. Midnights are left out here: they only make things
 * due later.
 */
function boundsOf(
  rule: LifecycleRule,
  phase: LifecyclePhase,
  moment: LifecycleMoment,
): LifecycleBounds | null {
  const { nowMs, dayMs } = moment;
  const ago = (days: number) => nowMs - days * dayMs;
  const upTo = ({
    days,
    dateMs,
  }: {
    readonly days: number | null;
    readonly dateMs: number | null;
  }) => (days !== null ? ago(days) : dateMs !== null && dateMs <= nowMs ? nowMs : null);
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
        markersUpToMs:
          expiration === null
            ? null
            : expiration.expiredObjectDeleteMarker === true
              ? nowMs
              : expiration.days === null
                ? null
                : ago(expiration.days),
      });
    case 'uploads':
      return toBounds(minBytesOf(rule, moment), {
        endUpToMs: abortUploadsAfterDays === null ? null : ago(abortUploadsAfterDays),
        moves: [],
        markersUpToMs: null,
      });
  }
}

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

/** Where a step begins. */
function startOf({ phase, prefix }: ScanStep): LifecycleCursor {
  return { phase, prefix, afterKey: '', afterId: '', newerVersions: 0 };
}

/**
 * Where a run begins, or goes on: at the place, or behind it when rules or time have taken its step
 * away.
 */
export function cursorIn(
  steps: readonly ScanStep[],
  from: LifecycleCursor | null,
): LifecycleCursor | null {
  const step = from === null ? steps[0] : steps.find((one) => isReached(one, from));
  if (step === undefined) return null;
  return from !== null && isIn(from, step) ? from : startOf(step);
}

/** The step that a place given by `cursorIn` or `cursorAfter` is in. */
export function stepOf(steps: readonly ScanStep[], place: LifecycleCursor): ScanStep | null {
  return steps.find((step) => isIn(place, step)) ?? null;
}

/** Where to go on once the step is through; null: nowhere. */
export function cursorAfter(steps: readonly ScanStep[], step: ScanStep): LifecycleCursor | null {
  const next = steps[steps.indexOf(step) + 1];
  return next === undefined ? null : startOf(next);
}

const isIn = (place: LifecycleCursor, step: ScanStep): boolean =>
  place.phase === step.phase && place.prefix === step.prefix;

function isReached({ phase, prefix }: ScanStep, place: LifecycleCursor): boolean {
  const ahead = LIFECYCLE_PHASES.indexOf(phase) - LIFECYCLE_PHASES.indexOf(place.phase);
  return ahead > 0 || (ahead === 0 && prefix >= place.prefix);
}
