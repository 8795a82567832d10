// What a client is told of the end of an object or of an upload, before it comes.
import type { LifecycleConfiguration, LifecycleRule } from '../../domain/lifecycle.ts';
import { dueAfter } from './due-time.ts';
import { type MatchedFacts, matchesRule } from './match-rule.ts';

/** Which rule acts first, and when. */
export type Foreseen = { readonly atMs: number; readonly ruleId: string };

/** When the object, as its key's current version, will end; null where no rule says so. */
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

/** When an upload that is not finished will be given up; null where no rule says so. */
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
