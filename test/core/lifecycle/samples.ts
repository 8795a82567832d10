// Rules and subjects for the tests of lifecycles: short to write, and at random.
import fc from 'fast-check';
import { TRANSITION_CLASSES } from '../../../src/core/lifecycle/storage-classes.ts';
import type { LifecycleRule, LifecycleSubject } from '../../../src/domain/lifecycle.ts';
import type { ObjectKey, UploadId, VersionId } from '../../../src/domain/nouns.ts';

export const DAY_MS = 24 * 3600 * 1000;
/** A noon. */
export const NOW_MS = Date.UTC(2026, 5, 15, 12);
export const asKey = (key: string) => key as ObjectKey;

export const rule = (
  changes: Omit<Partial<LifecycleRule>, 'filter'> & { filter?: Partial<LifecycleRule['filter']> },
) => ({
  id: 'r',
  isEnabled: true,
  isOldForm: false,
  expiration: null,
  transitions: [],
  noncurrentExpiration: null,
  noncurrentTransitions: [],
  abortUploadsAfterDays: null,
  ...changes,
  filter: { prefix: null, tags: {}, sizeGreaterThan: null, sizeLessThan: null, ...changes.filter },
});
export const afterDays = (days: number) => ({
  days,
  dateMs: null,
  expiredObjectDeleteMarker: null,
});
export const onDate = (dateMs: number) => ({ days: null, dateMs, expiredObjectDeleteMarker: null });
export const LONE_MARKERS = { days: null, dateMs: null, expiredObjectDeleteMarker: true };

type Of<Kind extends LifecycleSubject['kind']> = Extract<LifecycleSubject, { kind: Kind }>;

const facts = {
  key: asKey('logs/a'),
  versionId: 'v' as VersionId,
  sizeBytes: 1_000_000,
  storageClass: 'STANDARD',
  tags: {},
  lock: null,
};
export const current = (changes: Partial<Of<'current'>> = {}): Of<'current'> => ({
  kind: 'current',
  lastModifiedMs: NOW_MS - 10 * DAY_MS,
  ...facts,
  ...changes,
});
export const noncurrent = (changes: Partial<Of<'noncurrent'>> = {}): Of<'noncurrent'> => ({
  kind: 'noncurrent',
  isMarker: false,
  replacedAtMs: NOW_MS - 10 * DAY_MS,
  newerVersions: 0,
  ...facts,
  ...changes,
});
export const loneMarker = (lastModifiedMs = NOW_MS - 10 * DAY_MS): Of<'lone-marker'> => ({
  kind: 'lone-marker',
  key: facts.key,
  versionId: facts.versionId,
  lastModifiedMs,
});
export const upload = (createdAtMs = NOW_MS - 10 * DAY_MS): Of<'upload'> => ({
  kind: 'upload',
  key: facts.key,
  uploadId: 'u' as UploadId,
  createdAtMs,
});

const orNull = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: null });
const prefixes = fc.constantFrom('', 'a', 'a/', 'a/b', 'b/', 'é');
const tags = fc.dictionary(fc.constantFrom('t', 'u'), fc.constantFrom('1', '2'), { maxKeys: 2 });
const sizes = fc.constantFrom(0, 1000, 128 * 1024, 1_000_000);
const days = fc.integer({ min: 1, max: 40 });
const dates = fc
  .integer({ min: -3, max: 3 })
  .map((count) => (Math.floor(NOW_MS / DAY_MS) + count) * DAY_MS);
const classes = fc.constantFrom(...TRANSITION_CLASSES);
const newerVersions = orNull(fc.integer({ min: 1, max: 3 }));

export const anyRule: fc.Arbitrary<LifecycleRule> = fc
  .record({
    isEnabled: fc.boolean(),
    filter: fc.record({
      prefix: orNull(prefixes),
      tags,
      sizeGreaterThan: orNull(sizes),
      sizeLessThan: orNull(sizes),
    }),
    expiration: orNull(fc.oneof(days.map(afterDays), dates.map(onDate), fc.constant(LONE_MARKERS))),
    transitions: fc.array(
      fc.oneof(
        fc.record({ days, dateMs: fc.constant(null), storageClass: classes }),
        fc.record({ days: fc.constant(null), dateMs: dates, storageClass: classes }),
      ),
      { maxLength: 2 },
    ),
    noncurrentExpiration: orNull(fc.record({ noncurrentDays: days, newerVersions })),
    noncurrentTransitions: fc.array(
      fc.record({ noncurrentDays: days, newerVersions, storageClass: classes }),
      {
        maxLength: 2,
      },
    ),
    abortUploadsAfterDays: orNull(days),
  })
  .map(rule);
/** Rules with ids of their own. */
export const anyRules = fc
  .array(anyRule, { minLength: 1, maxLength: 4 })
  .map((rules) => rules.map((one, i) => ({ ...one, id: `r${i}` })));

const keys = fc.constantFrom('a', 'a/x', 'a/b/c', 'b/', 'é', 'zz').map(asKey);
const times = fc.integer({ min: 0, max: 45 * 24 }).map((hours) => NOW_MS - hours * 3600 * 1000);
const lock = orNull(
  fc.record({
    retention: orNull(
      fc.record({
        mode: fc.constantFrom('GOVERNANCE' as const, 'COMPLIANCE' as const),
        untilMs: times,
      }),
    ),
    hasLegalHold: orNull(fc.boolean()),
  }),
);
const anyFacts = {
  key: keys,
  versionId: fc.constant(facts.versionId),
  sizeBytes: sizes,
  storageClass: fc.constantFrom('STANDARD', 'REDUCED_REDUNDANCY', ...TRANSITION_CLASSES),
  tags,
  lock,
};
export const anySubject: fc.Arbitrary<LifecycleSubject> = fc.oneof(
  fc.record({ kind: fc.constant('current' as const), lastModifiedMs: times, ...anyFacts }),
  fc.record({
    kind: fc.constant('noncurrent' as const),
    isMarker: fc.boolean(),
    replacedAtMs: times,
    newerVersions: fc.integer({ min: 0, max: 4 }),
    ...anyFacts,
  }),
  fc.record({
    kind: fc.constant('lone-marker' as const),
    key: keys,
    versionId: anyFacts.versionId,
    lastModifiedMs: times,
  }),
  fc.record({
    kind: fc.constant('upload' as const),
    key: keys,
    uploadId: fc.constant('u' as UploadId),
    createdAtMs: times,
  }),
);
