// Foreseen ends of objects and uploads by lifecycle rules, which S3 reports in
// response headers. Called by the surfaces and by decide-lifecycle.ts. Pure.
import type { LifecycleConfiguration, LifecycleRule } from '../../domain/lifecycle.ts';
import { dueAfter } from './due-time.ts';
import { type MatchedFacts, matchesRule } from './match-rule.ts';

/** A foreseen end: the rule that acts first, and when. */
export type Foreseen = { readonly atMs: number; readonly ruleId: string };

/**
 * Foresees when an object expires as the current version of its key; null where no
 * rule applies.
 */
export function expirationOf(
  lifecycle: Pick<LifecycleConfiguration, 'rules'> | null,
  object: MatchedFacts & { readonly lastModifiedMs: number },
  dayMs: number,
): Foreseen | null {
  return firstOf(lifecycle, object, ({ expiration }) => {
    if (expiration === null || expiration.expiredObjectDeleteMarker !== null) return null;
    return expiration.days === null
      ? expiration.dateMs
      : dueAfter(object.lastModifiedMs, expiration.days, dayMs);
  });
}

/** Foresees when an unfinished upload is aborted; null where no rule applies. */
export function abortionOf(
  lifecycle: Pick<LifecycleConfiguration, 'rules'> | null,
  upload: { readonly key: string; readonly createdAtMs: number },
  dayMs: number,
): Foreseen | null {
  return firstOf(
    lifecycle,
    { key: upload.key, tags: null, sizeBytes: null },
    ({ abortUploadsAfterDays: days }) =>
      days === null ? null : dueAfter(upload.createdAtMs, days, dayMs),
  );
}

/** Finds the rule that acts first on these facts. */
function firstOf(
  lifecycle: Pick<LifecycleConfiguration, 'rules'> | null,
  facts: MatchedFacts,
  timeOf: (rule: LifecycleRule) => number | null,
): Foreseen | null {
  let first: Foreseen | null = null;
  for (const rule of lifecycle?.rules ?? []) {
    if (!matchesRule(rule, facts)) continue;
    const atMs = timeOf(rule);
    if (atMs !== null && (first === null || atMs < first.atMs)) first = { atMs, ruleId: rule.id };
  }
  return first;
}
