// Which rules of lifecycle are taken, and in which words the others are refused.
import { expect, it } from 'vitest';
import { validateRules } from '../../../src/core/lifecycle/validate-rules.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { LifecycleRule } from '../../../src/domain/lifecycle.ts';
import { afterDays, DAY_MS, LONE_MARKERS, onDate, rule } from './samples.ts';

const DAYS_MAX = 2 ** 31 - 1;
const MIDNIGHT_MS = 20_000 * DAY_MS;
const move = (storageClass: string, days: number | null, dateMs: number | null = null) => ({
  storageClass,
  days,
  dateMs,
});
const moveOld = (storageClass: string, noncurrentDays: number, newerVersions = null) => ({
  storageClass,
  noncurrentDays,
  newerVersions,
});
const old = (noncurrentDays: number, newerVersions: number | null = null) => ({
  noncurrentExpiration: { noncurrentDays, newerVersions },
});
const gone = { expiration: afterDays(1) };
const name = (length: number) => ({ ...gone, id: 'i'.repeat(length) });
const transitions = (...steps: ReturnType<typeof move>[]) => ({ transitions: steps });
const noncurrent = (...steps: ReturnType<typeof moveOld>[]) => ({ noncurrentTransitions: steps });
const tagged = { filter: { tags: { a: 'b' } } };
const sized = (sizeGreaterThan: number | null, sizeLessThan: number | null) => ({
  filter: { sizeGreaterThan, sizeLessThan },
});

type Change = Parameters<typeof rule>[0];

/** 'taken', or the code and the words. */
function verdictOn(...rules: readonly LifecycleRule[]): string {
  try {
    validateRules(rules);
    return 'taken';
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return `${error.code} ${error.message}`;
  }
}

it.each<readonly [string, Change]>([
  ['objects that end', gone],
  ['objects that end after the most days', { expiration: afterDays(DAYS_MAX) }],
  ['objects that end at midnight', { expiration: onDate(MIDNIGHT_MS) }],
  ['lone markers', { expiration: LONE_MARKERS }],
  ['an id of 255 characters', name(255)],
  ['uploads', { abortUploadsAfterDays: 1 }],
  ['a move of today', transitions(move('GLACIER_IR', 0))],
  ['a move after 30 days to what is asked seldom', transitions(move('STANDARD_IA', 30))],
  ['moves to colder and colder', transitions(move('STANDARD_IA', 30), move('GLACIER_IR', 31))],
  ['moves in any order', transitions(move('GLACIER_IR', 31), move('STANDARD_IA', 30))],
  ['a move at a date', transitions(move('STANDARD_IA', null, MIDNIGHT_MS))],
  ['a move before the end', { ...transitions(move('GLACIER_IR', 4)), expiration: afterDays(5) }],
  [
    'a move the day before the end',
    {
      ...transitions(move('GLACIER_IR', null, MIDNIGHT_MS)),
      expiration: onDate(MIDNIGHT_MS + DAY_MS),
    },
  ],
  ['old versions that end', old(1)],
  ['old versions behind one', old(1, 1)],
  ['old versions behind a hundred', old(1, 100)],
  ['old versions that move', noncurrent(moveOld('STANDARD_IA', 30))],
  ['old versions that move, then end', { ...noncurrent(moveOld('GLACIER_IR', 1)), ...old(2) }],
  ['objects of a tag', { ...gone, ...tagged }],
  ['objects between two sizes', { ...gone, ...sized(1, 2) }],
  ['objects beyond a size', { ...gone, ...sized(1, null) }],
])('%s are a rule', (_what, change) => {
  expect(verdictOn(rule(change))).toBe('taken');
});

const POSITIVE = 'must be a positive integer';
const NONNEGATIVE = "'Days' for Transition action must be nonnegative";
it.each<readonly [string, Change, string]>([
  ['nothing to do', {}, 'InvalidRequest At least one action'],
  ['no days', { expiration: afterDays(0) }, `'Days' for Expiration action ${POSITIVE}`],
  ['half a day', { expiration: afterDays(1.5) }, `'Days' for Expiration action ${POSITIVE}`],
  ['too many days', { expiration: afterDays(DAYS_MAX + 1) }, `Expiration action ${POSITIVE}`],
  ['a noon', { expiration: onDate(MIDNIGHT_MS + DAY_MS / 2) }, "'Date' must be at midnight GMT"],
  ['an id of 256 characters', name(256), 'ID length should not exceed allowed limit of 255'],
  ['uploads of no days', { abortUploadsAfterDays: 0 }, `'DaysAfterInitiation' for Abort`],
  ['a move before it is there', transitions(move('GLACIER_IR', -1)), NONNEGATIVE],
  ['a move after half a day', transitions(move('GLACIER_IR', 0.5)), NONNEGATIVE],
  ['a move too late', transitions(move('GLACIER_IR', DAYS_MAX + 1)), NONNEGATIVE],
  ['a move too early', transitions(move('STANDARD_IA', 29)), 'greater than or equal to 30 for'],
  ['a move at noon', transitions(move('GLACIER_IR', null, 1)), "'Date' must be at midnight GMT"],
  ['a move to an archive', transitions(move('GLACIER', 1)), 'NotImplemented Transitions to'],
  ['a move to no class', transitions(move('NONSENSE', 1)), 'MalformedXML'],
  [
    'a move to the first class',
    transitions(move('STANDARD', 1)),
    "lead to StorageClass 'STANDARD'",
  ],
  [
    'two moves to a class',
    transitions(move('GLACIER_IR', 1), move('GLACIER_IR', 2)),
    "'StorageClass' must be different for 'Transition' actions",
  ],
  [
    'two moves on one day',
    transitions(move('STANDARD_IA', 30), move('GLACIER_IR', 30)),
    'must be greater than those for',
  ],
  [
    'a move to warmer',
    transitions(move('GLACIER_IR', 30), move('STANDARD_IA', 31)),
    'must be greater than those for',
  ],
  [
    'a move on the day of the end',
    { ...transitions(move('GLACIER_IR', 5)), expiration: afterDays(5) },
    "'Days' in the Expiration action must be greater than 'Days' in the Transition",
  ],
  [
    'a move at the date of the end',
    { ...transitions(move('GLACIER_IR', null, MIDNIGHT_MS)), expiration: onDate(MIDNIGHT_MS) },
    "'Date' in the Expiration action must be greater than 'Date' in the Transition",
  ],
  [
    'a date for one and days for another',
    { ...transitions(move('GLACIER_IR', 1)), expiration: onDate(MIDNIGHT_MS) },
    "InvalidRequest Found mixed 'Date' and 'Days'",
  ],
  ['old versions of no days', old(0), `'NoncurrentDays' for Noncurrent`],
  ['old versions behind none', old(1, 0), "'NewerNoncurrentVersions' must be a positive integer"],
  ['old versions behind half a one', old(1, 1.5), "'NewerNoncurrentVersions' must be a positive"],
  ['old versions behind too many', old(1, 101), 'of at most 100'],
  [
    'old versions that move too early',
    noncurrent(moveOld('STANDARD_IA', 29)),
    "'Days' in NoncurrentVersionTransition action must be greater than or equal to 30",
  ],
  [
    'old versions that move when they end',
    { ...noncurrent(moveOld('GLACIER_IR', 2)), ...old(2) },
    "'NoncurrentDays' in the NoncurrentVersionExpiration action must be greater than",
  ],
  ['sizes that nothing has', { ...gone, ...sized(2, 2) }, 'has to be a value greater than'],
  ['uploads of a tag', { abortUploadsAfterDays: 1, ...tagged }, 'with Tags.'],
  ['uploads of a size', { abortUploadsAfterDays: 1, ...sized(1, null) }, 'with Object Size.'],
  [
    'markers of a tag',
    { expiration: LONE_MARKERS, ...tagged },
    'Marker cannot be specified with T',
  ],
  ['markers of a size', { expiration: LONE_MARKERS, ...sized(null, 1) }, 'specified with Object'],
])('%s are refused', (_what, change, words) => {
  expect(verdictOn(rule(change))).toContain(words);
});

it('rules have ids of their own', () => {
  expect(verdictOn(rule({ ...gone, id: 'a' }), rule({ ...gone, id: 'b' }))).toBe('taken');
  expect(verdictOn(rule({ ...gone, id: 'a' }), rule({ ...gone, id: 'a' }))).toContain(
    'Rule ID must be unique',
  );
});
