// Buckets as a console sees them: listed, made, looked at, changed, deleted.
import { z } from '@hono/zod-openapi';
import { changeBucket } from '../../core/buckets/change-bucket.ts';
import { createBucket } from '../../core/buckets/create-bucket.ts';
import { deleteBucket } from '../../core/buckets/delete-bucket.ts';
import { listBuckets } from '../../core/buckets/list-buckets.ts';
import { parseBucketName } from '../../core/names.ts';
import { PRIVATE_ACCESS } from '../../ports/bucket-access.ts';
import type { BucketRecord } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import {
  type Api,
  accountOf,
  apiRoute,
  callOf,
  existingAccountOf,
  isoTime,
  jsonAnswer,
  jsonBody,
  noContent,
  openBucketOf,
  timeSchema,
} from '../context.ts';
import { ifMatchHeader, requireMatch, toEtag } from '../etag.ts';
import { pageOf, pageQuery, readCursor, toPage } from '../paging.ts';
import { accountIdQuery, bucketNameSchema } from '../schemas.ts';
import { bucketChangeSchema, bucketSchema, showBucket, toBucketChange } from './bucket-settings.ts';

const TAGS = ['Buckets'];

const bucketSummarySchema = z.object({ name: bucketNameSchema, createdAt: timeSchema }).openapi('BucketSummary');
const query = z.strictObject({ accountId: accountIdQuery });
const params = z.strictObject({ bucket: z.string().min(1).max(255) });

/** Of the bucket's record, and so of all its settings. */
const etagOf = ({ id, revision }: BucketRecord) => toEtag(`${id}.${revision}`);

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
        query: z.strictObject({ ...pageQuery, accountId: accountIdQuery, prefix: z.string().max(63).default('') }),
      },
      responses: { 200: jsonAnswer(pageOf(bucketSummarySchema), 'Some buckets') },
    }),
    async (c) => {
      const call = callOf(c);
      const { limit, cursor, prefix, accountId } = c.req.valid('query');
      const id = accountOf(call, accountId);
      const list = `buckets ${id} ${prefix}`;
      const after = readCursor(call.secrets, list, cursor);
      const found = await listBuckets(call.core, { id, displayName: '' }, { prefix, after, limit: limit + 1 });
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
      responses: { 201: jsonAnswer(bucketSchema, 'Made') },
    }),
    async (c) => {
      const call = callOf(c);
      const id = await existingAccountOf(call, c.req.valid('query').accountId);
      const name = parseBucketName(c.req.valid('json').name);
      const { record, isNew } = await createBucket(call.core, { id, displayName: '' }, name, PRIVATE_ACCESS);
      if (!isNew) throw new StorageError('BucketAlreadyOwnedByYou');
      c.header('etag', etagOf(record));
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
      responses: { 200: jsonAnswer(bucketSchema, 'The bucket') },
    }),
    async (c) => {
      const bucket = await openBucketOf(callOf(c), c.req.valid('param').bucket, 'buckets:read');
      c.header('etag', etagOf(bucket.record()));
      return c.json(showBucket(bucket.record()), 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'patch',
      path: '/buckets/{bucket}',
      operationId: 'updateBucket',
      summary: 'Change settings of a bucket; what is absent stays',
      description: 'All is checked first; then hosting, access and the rest are changed, one after the other.',
      tags: TAGS,
      access: 'buckets:write',
      request: { params, headers: ifMatchHeader, body: jsonBody(bucketChangeSchema) },
      responses: { 200: jsonAnswer(bucketSchema, 'Changed') },
    }),
    async (c) => {
      const call = callOf(c);
      const name = c.req.valid('param').bucket;
      // Until the first commit the bucket must be the one that was meant, however often it is opened again.
      let isChanged = false;
      const bucket = await openBucketOf(call, name, 'buckets:write', (record) => {
        if (!isChanged) requireMatch(c, etagOf(record));
      });
      const change = toBucketChange(call, bucket.record(), c.req.valid('json'));
      await changeBucket(call.core, bucket, change, () => {
        isChanged = true;
      });
      const changed = await openBucketOf(call, name, 'buckets:read');
      c.header('etag', etagOf(changed.record()));
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
      await deleteBucket(call.core, await openBucketOf(call, c.req.valid('param').bucket, 'buckets:write'));
      return c.body(null, 204);
    },
  );
}
