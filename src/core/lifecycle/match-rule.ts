// Whether a lifecycle rule applies to an object, by prefix, tags and size. Pure.
import type { LifecycleRule } from '../../domain/lifecycle.ts';
import type { Tags } from '../../domain/object-facts.ts';

/**
 * The facts that rules match. Null for delete markers and uploads, which have no
 * tags and no size.
 */
export type MatchedFacts = {
  readonly key: string;
  readonly tags: Tags | null;
  readonly sizeBytes: number | null;
};

/** Whether the rule is enabled and applies to an object of these facts. */
export function matchesRule(
  { isEnabled, filter }: LifecycleRule,
  { key, tags, sizeBytes }: MatchedFacts,
): boolean {
  const { prefix, sizeGreaterThan, sizeLessThan } = filter;
  if (!isEnabled || (prefix !== null && !key.startsWith(prefix))) return false;
  if (sizeGreaterThan !== null && (sizeBytes === null || sizeBytes <= sizeGreaterThan))
    return false;
  if (sizeLessThan !== null && (sizeBytes === null || sizeBytes >= sizeLessThan)) return false;
  for (const name in filter.tags) {
    if (tags === null || !Object.hasOwn(tags, name) || tags[name] !== filter.tags[name])
      return false;
  }
  return true;
}
