// The decision of lifecycle rules on one object, version, delete marker or upload
// at a moment. Called by the sweep, which acts on it, and by the dry run, which
// shows it. Where several rules are due, permanent deletion comes before a
// transition, and that before a delete marker. Pure. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/lifecycle-conflicts.html
import type {
  LifecycleAction,
  LifecycleConfiguration,
  LifecycleRule,
  LifecycleSubject,
} from '../../domain/lifecycle.ts';
import { isLocked } from '../../domain/object-facts.ts';
import { dueAfter } from './due-time.ts';
import { abortionOf, expirationOf, type Foreseen } from './expiration-of.ts';
import { matchesRule } from './match-rule.ts';
import { coldnessOf } from './storage-classes.ts';

/** The moment and the circumstances of a decision. */
export type LifecycleMoment = {
  readonly nowMs: number;
  /** The length of a day; another one than 24 hours in tests only. */
  readonly dayMs: number;
  /**
   * Whether the bucket keeps noncurrent versions: then expiration only adds a
   * delete marker.
   */
  readonly keepsVersions: boolean;
  /**
   * Smallest object that changes its class, bytes, unless the rule's filter has
   * sizes.
   */
  readonly moveMinBytes: number;
};

/** What to do, and by which rule. */
export type LifecycleDecision =
  | { readonly kind: Exclude<LifecycleAction['kind'], 'transition'>; readonly ruleId: string }
  | { readonly kind: 'transition'; readonly ruleId: string; readonly storageClass: string };

type Rules = Pick<LifecycleConfiguration, 'rules'>;
type Of<Kind extends LifecycleSubject['kind']> = Extract<LifecycleSubject, { kind: Kind }>;

/** Decides the one thing to do now, or null. */
export function decideLifecycle(
  lifecycle: Rules,
  subject: LifecycleSubject,
  moment: LifecycleMoment,
): LifecycleDecision | null {
  switch (subject.kind) {
    case 'current':
      return decideCurrent(lifecycle, subject, moment);
    case 'noncurrent':
      return decideNoncurrent(lifecycle, subject, moment);
    case 'lone-marker':
      return decideMarker(lifecycle, subject, moment);
    case 'upload':
      return ifDue('abort', abortionOf(lifecycle, subject, moment.dayMs), moment);
  }
}

/** Makes a decision of a foreseen end that is due; else null. */
function ifDue(kind: 'expire' | 'abort', end: Foreseen | null, { nowMs }: LifecycleMoment) {
  return end === null || end.atMs > nowMs ? null : { kind, ruleId: end.ruleId };
}

function decideCurrent(
  lifecycle: Rules,
  subject: Of<'current'>,
  moment: LifecycleMoment,
): LifecycleDecision | null {
  const { keepsVersions, nowMs, dayMs } = moment;
  const end = ifDue('expire', expirationOf(lifecycle, subject, dayMs), moment);
  const staysLocked = !keepsVersions && isLocked(subject.lock, nowMs, false);
  if (end !== null && !keepsVersions && !staysLocked) return end;

  const move = coldest(lifecycle, subject, moment, (rule) =>
    rule.transitions.filter(({ days, dateMs }) => {
      if (days === null) return dateMs !== null && dateMs <= nowMs;
      return dueAfter(subject.lastModifiedMs, days, dayMs) <= nowMs;
    }),
  );
  return move ?? (staysLocked ? null : end);
}

function decideNoncurrent(lifecycle: Rules, subject: Of<'noncurrent'>, moment: LifecycleMoment) {
  const { nowMs, dayMs } = moment;
  const { isMarker, replacedAtMs, key, tags, sizeBytes } = subject;
  const facts = isMarker ? { key, tags: null, sizeBytes: null } : { key, tags, sizeBytes };
  const isDue = (action: {
    readonly noncurrentDays: number;
    readonly newerVersions: number | null;
  }) =>
    dueAfter(replacedAtMs, action.noncurrentDays, dayMs) <= nowMs &&
    subject.newerVersions >= (action.newerVersions ?? 0);

  const removes = ({ noncurrentExpiration }: LifecycleRule) =>
    noncurrentExpiration !== null && isDue(noncurrentExpiration);
  if (!isLocked(subject.lock, nowMs, false)) {
    const rule = lifecycle.rules.find((one) => removes(one) && matchesRule(one, facts));
    if (rule !== undefined) return { kind: 'remove', ruleId: rule.id } as const;
  }
  return isMarker
    ? null
    : coldest(lifecycle, subject, moment, (rule) => rule.noncurrentTransitions.filter(isDue));
}

/**
 * Decides on a delete marker that is alone under its key: a rule that expires
 * objects by age removes such markers of that age too. Source:
 * API_LifecycleExpiration.
 */
function decideMarker(
  { rules }: Rules,
  { key, lastModifiedMs }: Of<'lone-marker'>,
  moment: LifecycleMoment,
) {
  const rule = rules.find((one) => {
    const { expiration } = one;
    if (expiration === null || !matchesRule(one, { key, tags: null, sizeBytes: null }))
      return false;
    if (expiration.expiredObjectDeleteMarker === true) return true;
    return (
      expiration.days !== null &&
      dueAfter(lastModifiedMs, expiration.days, moment.dayMs) <= moment.nowMs
    );
  });
  return rule === undefined ? null : ({ kind: 'remove', ruleId: rule.id } as const);
}

/**
 * Finds the coldest class of all due transitions, if it is colder than the object's
 * own.
 */
function coldest(
  { rules }: Rules,
  subject: Of<'current' | 'noncurrent'>,
  moment: LifecycleMoment,
  dueOf: (rule: LifecycleRule) => readonly { readonly storageClass: string }[],
): LifecycleDecision | null {
  let best: LifecycleDecision | null = null;
  let coldness = coldnessOf(subject.storageClass);
  for (const rule of rules) {
    if (subject.sizeBytes < minBytesOf(rule, moment) || !matchesRule(rule, subject)) continue;
    for (const { storageClass } of dueOf(rule)) {
      if (coldnessOf(storageClass) <= coldness) continue;
      coldness = coldnessOf(storageClass);
      best = { kind: 'transition', ruleId: rule.id, storageClass };
    }
  }
  return best;
}

/** Finds the size of the smallest object that the rule's transitions move. */
export function minBytesOf({ filter }: LifecycleRule, { moveMinBytes }: LifecycleMoment): number {
  return filter.sizeGreaterThan === null && filter.sizeLessThan === null ? moveMinBytes : 0;
}
