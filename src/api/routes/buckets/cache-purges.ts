// Purges of the caches of a bucket, which POST ?purge does on the S3 surface. They
// delete nothing: that is a job (jobs.ts).
import { z } from '@hono/zod-openapi';
import { purge } from '../../../core/buckets/purge.ts';
import { KEY_MAX_BYTES, PURGE_MAX_SCOPES } from '../../../core/limits.ts';
import type { PurgeScope } from '../../../domain/purge.ts';
import { type Api, callOf } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse } from '../../routing/api-route.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { bucketParams } from '../../schemas/object.ts';
import { isoTime, timeSchema } from '../../schemas/time.ts';

const textsSchema = z
  .array(
    z
      .string()
      .min(1)
      .max(KEY_MAX_BYTES)
      .refine((text) => new TextEncoder().encode(text).length <= KEY_MAX_BYTES, 'too long'),
  )
  .max(PURGE_MAX_SCOPES)
  .default([]);

const purgeSchema = z
  .strictObject({
    keys: textsSchema,
    prefixes: textsSchema,
    tags: textsSchema.openapi({ description: 'Values of `x-amz-meta-cache-tag`.' }),
    everything: z.boolean().default(false),
  })
  .openapi('CachePurge');
const receiptSchema = z
  .object({
    id: z.string(),
    floor: z
      .number()
      .int()
      .openapi({ description: 'The revision of the bucket before which nothing counts any more.' }),
    freshBy: timeSchema.openapi({
      description:
        'From then on no tier anywhere gives what was purged, unless it can not ask the index.',
    }),
  })
  .openapi('CachePurgeReceipt');

function scopesOf({
  keys,
  prefixes,
  tags,
  everything,
}: z.infer<typeof purgeSchema>): readonly PurgeScope[] {
  const each = (scope: 'key' | 'prefix' | 'tag', values: readonly string[]) =>
    values.map((value) => ({ scope, value }));
  return [
    ...each('key', keys),
    ...each('prefix', prefixes),
    ...each('tag', tags),
    ...(everything ? [{ scope: 'bucket' } as const] : []),
  ];
}

const boundedPurgeSchema = purgeSchema
  .refine(
    (purge) => scopesOf(purge).length > 0,
    'names nothing: give keys, prefixes, tags or everything',
  )
  .refine(
    (purge) => scopesOf(purge).length <= PURGE_MAX_SCOPES,
    `names more than ${PURGE_MAX_SCOPES} things`,
  );

export function addCachePurgeRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/buckets/{bucket}/cache-purges',
      operationId: 'purgeCaches',
      summary: 'Make every tier ask the truth again: for keys, prefixes, tags, or everything',
      description:
        'Never needed for freshness. ' +
        'Together at most 100 keys, prefixes and tags; nothing is deleted.',
      tags: ['Buckets'],
      access: 'buckets:write',
      request: {
        params: bucketParams,
        body: jsonBody(boundedPurgeSchema),
      },
      responses: { 200: jsonResponse(receiptSchema, 'The receipt') },
    }),
    async (c) => {
      const scopes = scopesOf(c.req.valid('json'));
      const call = callOf(c);
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'buckets:write');
      const { id, floor, freshByMs } = await purge(call.core, bucket, scopes);
      return c.json({ id, floor, freshBy: isoTime(freshByMs) }, 200);
    },
  );
}
