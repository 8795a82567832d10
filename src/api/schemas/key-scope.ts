// The scope of an access key as JSON: what a key may do at most. Routes of keys and checks of
// access share it.
import { z } from '@hono/zod-openapi';

/** Entries of one list of a scope. */
const ENTRIES_MAX = 50;

const entries = (pattern: RegExp, description: string) =>
  z.array(z.string().regex(pattern)).min(1).max(ENTRIES_MAX).nullable().openapi({ description });
const limits = {
  buckets: entries(
    /^[a-z0-9.-]{1,63}\*?$/,
    'Names of buckets; one that ends in * means all that begin so.',
  ),
  prefixes: entries(/^[^\p{Cc}\p{Cs}]{1,1024}$/u, 'Beginnings of the keys of objects.'),
  actions: entries(
    /^(?:s3|kms):[A-Za-z]{0,64}\*?$/,
    'Actions of S3, like s3:GetObject or s3:Get*.',
  ),
  sourceIps: entries(
    /^[0-9a-fA-F:.]{2,45}(?:\/\d{1,3})?$/,
    'Addresses and ranges, like 10.0.0.0/8.',
  ),
};

export const scopeChangeSchema = z.strictObject(limits).partial().openapi('KeyScopeChange', {
  description: 'Merged with the scope: a limit that is absent stays, null takes it away.',
});
export type ScopeChange = z.infer<typeof scopeChangeSchema>;
export const scopeSchema = z
  .strictObject({
    buckets: limits.buckets.default(null),
    prefixes: limits.prefixes.default(null),
    actions: limits.actions.default(null),
    sourceIps: limits.sourceIps.default(null),
  })
  .openapi('KeyScope', { description: 'What a key may do at most; null: no limit of that kind.' });
