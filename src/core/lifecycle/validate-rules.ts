// The checks of lifecycle rules beyond their form. Called by the surfaces that
// parse rules, before they are stored; messages are S3's where they are known.
// Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketLifecycleConfiguration.html
// and API_LifecycleRule.html
import { StorageError } from '../../domain/errors.ts';
import type {
  LifecycleRule,
  LifecycleTransition,
  NoncurrentTransition,
} from '../../domain/lifecycle.ts';
import { DAY_MS } from '../../domain/time.ts';
import { LIFECYCLE_ID_MAX_LENGTH, LIFECYCLE_MAX_NEWER_VERSIONS } from '../limits.ts';
import {
  ARCHIVE_CLASSES,
  coldnessOf,
  INFREQUENT_CLASSES,
  INFREQUENT_MIN_DAYS,
} from './storage-classes.ts';

/** Largest number of days. Source: a signed 32-bit number in S3. */
const DAYS_MAX = 2 ** 31 - 1;

const argument = (detail: string) => new StorageError('InvalidArgument', { detail });
const request = (detail: string) => new StorageError('InvalidRequest', { detail });

/**
 * Validates the rules of a bucket. Errors: InvalidArgument, InvalidRequest,
 * NotImplemented (archive classes), MalformedXML (an unknown class).
 */
export function validateRules(rules: readonly LifecycleRule[]): void {
  for (const rule of rules) validateRule(rule);
  if (new Set(rules.map(({ id }) => id)).size < rules.length) {
    throw argument('Rule ID must be unique. Found same ID for more than one rule');
  }
}

function validateRule(rule: LifecycleRule): void {
  if ([...rule.id].length > LIFECYCLE_ID_MAX_LENGTH) {
    throw argument(`ID length should not exceed allowed limit of ${LIFECYCLE_ID_MAX_LENGTH}`);
  }
  validateExpiration(rule);
  validateTransitions(rule);
  validateNoncurrent(rule);
  requirePositive(
    rule.abortUploadsAfterDays,
    "'DaysAfterInitiation' for AbortIncompleteMultipartUpload action",
  );
  validateFilter(rule);
  const {
    expiration,
    transitions,
    noncurrentExpiration,
    noncurrentTransitions,
    abortUploadsAfterDays,
  } = rule;
  const hasAction =
    transitions.length + noncurrentTransitions.length > 0 ||
    [expiration, noncurrentExpiration, abortUploadsAfterDays].some((action) => action !== null);
  if (!hasAction) throw request('At least one action needs to be specified in a rule');
}

function validateExpiration({ expiration }: LifecycleRule): void {
  if (expiration === null) return;
  requirePositive(expiration.days, "'Days' for Expiration action");
  requireMidnight(expiration.dateMs);
}

function requirePositive(days: number | null, what: string): void {
  if (days === null || (Number.isInteger(days) && days > 0 && days <= DAYS_MAX)) return;
  throw argument(`${what} must be a positive integer`);
}

function requireMidnight(dateMs: number | null): void {
  if (dateMs !== null && dateMs % DAY_MS !== 0) throw argument("'Date' must be at midnight GMT");
}

function validateTransitions({ transitions, expiration, filter }: LifecycleRule): void {
  const actions = [...transitions, ...(expiration === null ? [] : [expiration])];
  const hasDate = actions.some(({ dateMs }) => dateMs !== null);
  const hasDays = actions.some(({ days, dateMs }) => days !== null && dateMs === null);
  if (hasDate && hasDays) {
    throw request(
      "Found mixed 'Date' and 'Days' based Expiration and Transition actions " +
        `in lifecycle rule for prefix '${filter.prefix ?? ''}'`,
    );
  }

  for (const { days, dateMs, storageClass } of transitions) {
    requireMidnight(dateMs);
    if (days !== null) requireDays(days, 'Transition', storageClass);
  }
  requireFalling(
    transitions.map((transition) => ({
      at: timeOf(transition),
      storageClass: transition.storageClass,
    })),
    'Transition',
  );

  const endsAt = expiration === null ? null : (expiration.days ?? expiration.dateMs);
  if (endsAt !== null && transitions.some((transition) => timeOf(transition) >= endsAt)) {
    const unit = expiration?.days === null ? 'Date' : 'Days';
    throw argument(
      `'${unit}' in the Expiration action must be greater than '${unit}' in the Transition action`,
    );
  }
}

/** The days or the date of a transition, which are never mixed in a rule. */
const timeOf = ({ days, dateMs }: LifecycleTransition): number => days ?? dateMs ?? 0;

function requireDays(days: number, action: string, storageClass: string): void {
  if (!Number.isInteger(days) || days < 0 || days > DAYS_MAX) {
    throw argument(`'Days' for ${action} action must be nonnegative`);
  }
  if (INFREQUENT_CLASSES.has(storageClass) && days < INFREQUENT_MIN_DAYS) {
    throw argument(
      `'Days' in ${action} action must be greater than or equal to ${INFREQUENT_MIN_DAYS} ` +
        `for storageClass '${storageClass}'`,
    );
  }
}

/** Requires that later transitions lead to colder classes, and none comes twice. */
function requireFalling(
  steps: readonly { at: number; storageClass: string }[],
  action: string,
): void {
  for (const { storageClass } of steps) requireClass(storageClass);
  if (new Set(steps.map(({ storageClass }) => storageClass)).size < steps.length) {
    throw request(`'StorageClass' must be different for '${action}' actions in same 'Rule'`);
  }
  const inTime = [...steps].sort((a, b) => a.at - b.at);
  inTime.forEach((step, i) => {
    const next = inTime[i + 1];
    if (next === undefined) return;
    const isColder = coldnessOf(step.storageClass) < coldnessOf(next.storageClass);
    if (step.at < next.at && isColder) return;

    throw argument(
      `'Days' in the '${action}' action for StorageClass '${next.storageClass}' ` +
        `must be greater than those for StorageClass '${step.storageClass}', which is above it`,
    );
  });
}

function requireClass(storageClass: string): void {
  if (ARCHIVE_CLASSES.has(storageClass)) {
    throw new StorageError('NotImplemented', {
      detail:
        `Transitions to ${storageClass} are not implemented: ` +
        'nothing is archived here. GLACIER_IR is.',
    });
  }
  if (coldnessOf(storageClass) === 0) {
    throw new StorageError('MalformedXML', {
      detail: `A transition can't lead to StorageClass '${storageClass}'.`,
    });
  }
}

function validateNoncurrent({ noncurrentExpiration, noncurrentTransitions }: LifecycleRule): void {
  requirePositive(
    noncurrentExpiration?.noncurrentDays ?? null,
    "'NoncurrentDays' for NoncurrentVersionExpiration action",
  );
  for (const action of [
    ...noncurrentTransitions,
    ...(noncurrentExpiration === null ? [] : [noncurrentExpiration]),
  ]) {
    const { newerVersions } = action;
    if (newerVersions === null) continue;
    const isValid =
      Number.isInteger(newerVersions) &&
      newerVersions > 0 &&
      newerVersions <= LIFECYCLE_MAX_NEWER_VERSIONS;
    if (isValid) continue;

    throw argument(
      "'NewerNoncurrentVersions' must be a positive integer " +
        `of at most ${LIFECYCLE_MAX_NEWER_VERSIONS}`,
    );
  }
  for (const { noncurrentDays, storageClass } of noncurrentTransitions) {
    requireDays(noncurrentDays, 'NoncurrentVersionTransition', storageClass);
  }
  const steps = noncurrentTransitions.map(({ noncurrentDays, storageClass }) => ({
    at: noncurrentDays,
    storageClass,
  }));
  requireFalling(steps, 'NoncurrentVersionTransition');
  const isLate = (transition: NoncurrentTransition) =>
    noncurrentExpiration !== null &&
    transition.noncurrentDays >= noncurrentExpiration.noncurrentDays;
  if (noncurrentTransitions.some(isLate)) {
    throw argument(
      "'NoncurrentDays' in the NoncurrentVersionExpiration action must be greater than " +
        "'NoncurrentDays' in the NoncurrentVersionTransition action",
    );
  }
}

/**
 * Validates filters: delete markers and uploads have neither tags nor a size to
 * filter by.
 */
function validateFilter({ filter, expiration, abortUploadsAfterDays }: LifecycleRule): void {
  const { tags, sizeGreaterThan, sizeLessThan } = filter;
  if (sizeGreaterThan !== null && sizeLessThan !== null && sizeLessThan <= sizeGreaterThan) {
    throw request("'ObjectSizeLessThan' has to be a value greater than 'ObjectSizeGreaterThan'");
  }
  const hasTags = Object.keys(tags).length > 0;
  const hasSizes = sizeGreaterThan !== null || sizeLessThan !== null;
  if (!hasTags && !hasSizes) return;

  const what = hasTags ? 'Tags' : 'Object Size';
  if (abortUploadsAfterDays !== null) {
    throw request(`AbortIncompleteMultipartUpload cannot be specified with ${what}.`);
  }
  if (expiration !== null && expiration.expiredObjectDeleteMarker !== null) {
    throw request(`ExpiredObjectDeleteMarker cannot be specified with ${what}.`);
  }
}
