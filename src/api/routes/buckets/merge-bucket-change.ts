// A PATCH of a bucket as it is meant: each nested setting that it names, laid over the one that the
// bucket has. buckets.ts calls it before bucket-settings.ts turns the outcome into what core takes.
import { z } from '@hono/zod-openapi';
import { isJsonObject, type Json } from '../../../core/json.ts';
import type { BucketRecord } from '../../../domain/nouns.ts';
import { invalidFields } from '../../routing/problem.ts';
import { bucketChangeSchema } from './bucket-setting-schemas.ts';
import { showBucket } from './bucket-settings.ts';
import { mergePatch } from './merge-patch.ts';

/**
 * `policy` is not among them: merged, a statement could keep conditions that its new text does not
 * name.
 */
const MERGED = [
  ...([
    'compression',
    'encryption',
    'hosting',
    'logging',
    'objectLock',
    'publicAccessBlock',
  ] as const),
  ...(['quota', 'tags', 'website'] as const),
];
/** Settings that null empties. */
const EMPTIED = { cors: [], lifecycle: [], notifications: [], tags: {} } as const;
/** Members of `hosting` in which null is a value, and no return to the default. */
const NULL_IS_A_VALUE = ['errorDocument', 'hotlink', 'images'] as const;

const patchOf = (name: string) =>
  z
    .record(z.string(), z.unknown())
    .nullable()
    .openapi({
      description: `As \`${name}\` of Bucket, and merged with it: what is absent stays, null takes it away.`,
    });
const patches = Object.fromEntries(MERGED.map((name) => [name, patchOf(name)])) as Record<
  (typeof MERGED)[number],
  ReturnType<typeof patchOf>
>;
const { cors, lifecycle, notifications } = bucketChangeSchema.shape;

/** What a PATCH may send. */
export const bucketPatchSchema = z
  .strictObject({
    ...bucketChangeSchema.shape,
    ...patches,
    ...{
      cors: cors.nullable(),
      lifecycle: lifecycle.nullable(),
      notifications: notifications.nullable(),
    },
  })
  .partial()
  .openapi('BucketChange');

/** InvalidInput for what does not hold together once it is merged. */
export function mergeBucketChange(
  record: BucketRecord,
  patch: z.infer<typeof bucketPatchSchema>,
): z.infer<typeof bucketChangeSchema> {
  const shown = showBucket(record);
  const merged: Record<string, unknown> = { ...patch };
  for (const name of MERGED) {
    const given = patch[name];
    if (isJsonObject(given)) merged[name] = mergePatch(shown[name], given);
  }
  if (isJsonObject(patch.hosting))
    merged.hosting = withNulls(merged.hosting as Json, patch.hosting);
  for (const [name, empty] of Object.entries(EMPTIED))
    if (merged[name] === null) merged[name] = empty;
  const read = bucketChangeSchema.safeParse(merged);
  if (!read.success) throw invalidFields('json', read.error);
  return read.data;
}

function withNulls(hosting: Json, patch: Json): Json {
  const nulls = NULL_IS_A_VALUE.filter((name) => patch[name] === null).map(
    (name) => [name, null] as const,
  );
  return { ...hosting, ...Object.fromEntries(nulls) };
}
