// Buckets as a console sees them: listed, made, looked at, changed, deleted.
import { z } from '@hono/zod-openapi';
import { changeBucket } from '../../../core/buckets/change-bucket.ts';
import { createBucket } from '../../../core/buckets/create-bucket.ts';
import { deleteBucket } from '../../../core/buckets/delete-bucket.ts';
import { listBuckets } from '../../../core/buckets/list-buckets.ts';
import { parseBucketName } from '../../../core/parse-names.ts';
import { PRIVATE_ACCESS } from '../../../domain/bucket-access.ts';
import { StorageError } from '../../../domain/errors.ts';
import { accountOf, existingAccountOf } from '../../routing/account-of.ts';
import { type Api, callOf } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse, noContent } from '../../routing/api-route.ts';
import { ifMatchHeader, requireMatch } from '../../routing/etag.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { pageOf, pageQuery, readCursor, toPage } from '../../routing/paging.ts';
import { accountIdQuery, bucketNameSchema } from '../../schemas/fields.ts';
import { isoTime, timeSchema } from '../../schemas/time.ts';
import { bucketSchema } from './bucket-setting-schemas.ts';
import { bucketEtag, showBucket, toBucketChange } from './bucket-settings.ts';
import { bucketPatchSchema, mergeBucketChange } from './merge-bucket-change.ts';
import { quotaSchema, showQuota } from './quota-setting.ts';

const TAGS = ['Buckets'];

const bucketSummarySchema = z
  .object({ name: bucketNameSchema, createdAt: timeSchema })
  .openapi('BucketSummary');
const bytesSchema = z.string().openapi({ example: '1048576' });
const countSchema = z.object({ objects: z.number().int(), bytes: bytesSchema });
const totalsSchema = z.object({
  quota: quotaSchema
    .nullable()
    .openapi({ description: 'What it may store at most by its own settings.' }),
  items: z.array(
    z
      .object({
        storageClass: z.string(),
        current: countSchema,
        noncurrent: countSchema.openapi({
          description: 'Older versions: what the trash and the history take.',
        }),
        uploads: countSchema.openapi({ description: 'Parts of uploads that are not finished.' }),
        saved: z.object({ deduplicated: bytesSchema, compressed: bytesSchema }).openapi({
          description:
            'Bytes of these that are not stored, for they are there already or compressed.',
        }),
      })
      .openapi('StorageTotals'),
  ),
});
const query = z.strictObject({ accountId: accountIdQuery });
const params = z.strictObject({ bucket: z.string().min(1).max(255) });

export function addBucketRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets',
      operationId: 'listBuckets',
      summary: 'List the buckets of an account, in byte order of their names',
      tags: TAGS,
      access: 'buckets:read',
      request: {
        query: z.strictObject({
          ...pageQuery,
          accountId: accountIdQuery,
          prefix: z.string().max(63).default(''),
        }),
      },
      responses: { 200: jsonResponse(pageOf(bucketSummarySchema), 'Some buckets') },
    }),
    async (c) => {
      const call = callOf(c);
      const { limit, cursor, prefix, accountId } = c.req.valid('query');
      const id = accountOf(call, accountId);
      const list = `buckets ${id} ${prefix}`;
      const after = readCursor(call.secrets, list, cursor);
      const found = await listBuckets(
        call.core,
        { id, displayName: '' },
        { prefix, after, limit: limit + 1 },
      );
      const page = toPage(
        found,
        { limit, list, secrets: call.secrets },
        ({ name }) => name as string,
        ({ name, createdAtMs }) => ({ name: name as string, createdAt: isoTime(createdAtMs) }),
      );
      return c.json(page, 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'post',
      path: '/buckets',
      operationId: 'createBucket',
      summary: 'Make a bucket; it is private',
      tags: TAGS,
      access: 'buckets:write',
      request: { query, body: jsonBody(z.strictObject({ name: bucketNameSchema })) },
      responses: { 201: jsonResponse(bucketSchema, 'Made') },
    }),
    async (c) => {
      const call = callOf(c);
      const id = await existingAccountOf(call, c.req.valid('query').accountId);
      const name = parseBucketName(c.req.valid('json').name);
      const { record, isNew } = await createBucket(
        call.core,
        { id, displayName: '' },
        name,
        PRIVATE_ACCESS,
      );
      if (!isNew) throw new StorageError('BucketAlreadyOwnedByYou');
      c.header('etag', bucketEtag(record));
      return c.json(showBucket(record), 201);
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}',
      operationId: 'getBucket',
      summary: 'A bucket with its settings',
      tags: TAGS,
      access: 'buckets:read',
      request: { params },
      responses: { 200: jsonResponse(bucketSchema, 'The bucket') },
    }),
    async (c) => {
      const bucket = await openBucketOf(callOf(c), c.req.valid('param').bucket, 'buckets:read');
      c.header('etag', bucketEtag(bucket.record()));
      return c.json(showBucket(bucket.record()), 200);
    },
  );

  addChanging(api);
  addTotals(api);
}

function addChanging(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'patch',
      path: '/buckets/{bucket}',
      operationId: 'updateBucket',
      summary: 'Change settings of a bucket; what is absent stays',
      description:
        'Nested settings are merged (RFC 7396): what is absent stays, null takes away, lists and `policy` are replaced whole. All is checked first; then hosting, access and the rest are changed, one after the other.',
      tags: TAGS,
      access: 'buckets:write',
      request: { params, headers: ifMatchHeader, body: jsonBody(bucketPatchSchema) },
      responses: { 200: jsonResponse(bucketSchema, 'Changed') },
    }),
    async (c) => {
      const call = callOf(c);
      const name = c.req.valid('param').bucket;
      // Until the first commit the bucket must be the one that was meant, however often it is
      // opened again.
      let isChanged = false;
      const bucket = await openBucketOf(call, name, 'buckets:write', (record) => {
        if (!isChanged) requireMatch(c, bucketEtag(record));
      });
      const change = toBucketChange(
        call,
        bucket.record(),
        mergeBucketChange(bucket.record(), c.req.valid('json')),
      );
      // A log shows what others do: it goes into buckets of the account alone, and of others
      // nothing is said here.
      if (change.settings.logging)
        await openBucketOf(call, change.settings.logging.targetBucket, 'buckets:read');
      await changeBucket(call.core, bucket, change, {
        requestId: call.requestId,
        onChanged: () => {
          isChanged = true;
        },
      });
      const changed = await openBucketOf(call, name, 'buckets:write');
      c.header('etag', bucketEtag(changed.record()));
      return c.json(showBucket(changed.record()), 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'delete',
      path: '/buckets/{bucket}',
      operationId: 'deleteBucket',
      summary: 'Delete an empty bucket',
      tags: TAGS,
      access: 'buckets:write',
      request: { params },
      responses: { 204: noContent('Deleted') },
    }),
    async (c) => {
      const call = callOf(c);
      await deleteBucket(
        call.core,
        await openBucketOf(call, c.req.valid('param').bucket, 'buckets:write'),
      );
      return c.body(null, 204);
    },
  );
}

function addTotals(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/totals',
      operationId: 'getBucketTotals',
      summary:
        'What a bucket stores now, by storage class: current objects, older versions, parts of uploads',
      tags: TAGS,
      access: 'buckets:read',
      request: { params },
      responses: {
        200: jsonResponse(
          totalsSchema,
          'Exact to the last commit; a class that it never had is missing',
        ),
      },
    }),
    async (c) => {
      const bucket = await openBucketOf(callOf(c), c.req.valid('param').bucket, 'buckets:read');
      const totals = await bucket.call('getStorageTotals', {});
      const items = totals.map((of) => ({
        storageClass: of.storageClass,
        current: { objects: of.currentCount, bytes: `${of.currentBytes}` },
        noncurrent: { objects: of.noncurrentCount, bytes: `${of.noncurrentBytes}` },
        uploads: { objects: of.partCount, bytes: `${of.partBytes}` },
        saved: { deduplicated: `${of.deduplicatedBytes}`, compressed: `${of.compressedBytes}` },
      }));
      const { quota } = bucket.record().settings;
      return c.json({ items, quota: quota === null ? null : showQuota(quota) }, 200);
    },
  );
}
