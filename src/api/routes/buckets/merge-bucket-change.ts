// A PATCH of a bucket merged with its settings: each nested setting that the patch
// names is laid over the one that the bucket has. buckets.ts calls it;
// bucket-settings.ts reads the outcome.
import { z } from '@hono/zod-openapi';
import { isJsonObject, type Json } from '../../../core/json.ts';
import type { BucketRecord } from '../../../domain/nouns.ts';
import { invalidFields } from '../../routing/problem.ts';
import { bucketChangeSchema } from './bucket-setting-schemas.ts';
import { showBucket } from './bucket-settings.ts';
import { mergePatch } from './merge-patch.ts';

/**
 * Settings that are merged. `policy` is not among them: merged, a statement could
 * keep conditions that its new text does not name.
 */
const MERGED = [
  'compression',
  'encryption',
  'hosting',
  'logging',
  'objectLock',
  'publicAccessBlock',
  'quota',
  'tags',
  'website',
] as const;
/** Settings that null empties. */
const EMPTIED = { cors: [], lifecycle: [], notifications: [], tags: {} } as const;
/** Members of `hosting` in which null is a value, and no return to the default. */
const NULL_IS_A_VALUE = ['errorDocument', 'hotlink', 'images'] as const;

const patchOf = (name: string) =>
  z
    .record(z.string(), z.unknown())
    .nullable()
    .openapi({
      description: `Changes \`${name}\` of Bucket: what is absent stays, null takes it away.`,
    });
const patches = Object.fromEntries(MERGED.map((name) => [name, patchOf(name)])) as Record<
  (typeof MERGED)[number],
  ReturnType<typeof patchOf>
>;
const { cors, lifecycle, notifications } = bucketChangeSchema.shape;

/** The body of a PATCH. */
export const bucketPatchSchema = z
  .strictObject({
    ...bucketChangeSchema.shape,
    ...patches,
    cors: cors.nullable(),
    lifecycle: lifecycle.nullable(),
    notifications: notifications.nullable(),
  })
  .partial()
  .openapi('BucketChange');

/**
 * Merges a patch with the settings. InvalidInput for what does not hold together
 * once merged.
 */
export function mergeBucketChange(
  record: BucketRecord,
  patch: z.infer<typeof bucketPatchSchema>,
): z.infer<typeof bucketChangeSchema> {
  const shown = showBucket(record);
  const merged: Record<string, unknown> = { ...patch };
  for (const name of MERGED) {
    const change = patch[name];
    if (isJsonObject(change)) merged[name] = mergePatch(shown[name], change);
  }
  if (isJsonObject(patch.hosting))
    merged.hosting = withNulls(merged.hosting as Json, patch.hosting);
  for (const [name, empty] of Object.entries(EMPTIED))
    if (merged[name] === null) merged[name] = empty;

  const parsed = bucketChangeSchema.safeParse(merged);
  if (!parsed.success) throw invalidFields('json', parsed.error);
  return parsed.data;
}

function withNulls(hosting: Json, patch: Json): Json {
  const nulls = NULL_IS_A_VALUE.filter((name) => patch[name] === null).map(
    (name) => [name, null] as const,
  );
  return { ...hosting, ...Object.fromEntries(nulls) };
}
