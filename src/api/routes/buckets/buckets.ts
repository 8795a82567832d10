// Buckets as a console sees them: listed, made, looked at, changed, deleted.
import { z } from '@hono/zod-openapi';
import { SUMMED_BUCKETS_MAX } from '../../../core/accounts/account-totals.ts';
import { type BucketTotals, readBucketTotals } from '../../../core/accounts/bucket-totals.ts';
import { changeBucket } from '../../../core/buckets/change-bucket.ts';
import { createBucket } from '../../../core/buckets/create-bucket.ts';
import { deleteBucket } from '../../../core/buckets/delete-bucket.ts';
import { listBuckets } from '../../../core/buckets/list-buckets.ts';
import { parseBucketName } from '../../../core/parse-names.ts';
import type { StorageTotals } from '../../../domain/billing/stored.ts';
import { PRIVATE_ACCESS } from '../../../domain/bucket-access.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { BucketRecord } from '../../../domain/nouns.ts';
import { accountOf, existingAccountOf } from '../../routing/account-of.ts';
import { type Api, type ApiContext, callOf } from '../../routing/api-call.ts';
import {
  apiRoute,
  changeRoute,
  deleteRoute,
  jsonBody,
  jsonResponse,
  listRoute,
} from '../../routing/api-route.ts';
import { jsonWithEtag, requireMatch } from '../../routing/etag.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { readPage } from '../../routing/paging.ts';
import { accountIdQuery, bucketNameSchema } from '../../schemas/fields.ts';
import { quotaSchema, showQuota } from '../../schemas/quota.ts';
import { isoTime, timeSchema } from '../../schemas/time.ts';
import { bucketSchema } from './bucket-setting-schemas.ts';
import { bucketEtag, showBucket, toBucketChange } from './bucket-settings.ts';
import { bucketPatchSchema, mergeBucketChange } from './merge-bucket-change.ts';

const TAGS = ['Buckets'];

const bytesSchema = z.string().openapi({ example: '1048576' });
const countSchema = z.object({ objects: z.number().int(), bytes: bytesSchema });
const totalsSchema = z.object({
  quota: quotaSchema
    .nullable()
    .openapi({ description: 'What it may store at most by its own settings.' }),
  index: z
    .object({
      usedBytes: bytesSchema,
      maxBytes: bytesSchema,
      rows: z.number().int().openapi({
        description: 'Objects, older versions and parts of uploads in it.',
      }),
    })
    .nullable()
    .openapi({
      description:
        'Room of its index, where that is bounded; small bodies leave it from 60 % on, ' +
        'and nothing more is stored from 97 % on. The event `index.crossed` tells of 70, 85 and ' +
        '95 %.',
    }),
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
const listedTotalsSchema = z
  .object({
    publicAccess: bucketSchema.shape.publicAccess,
    versioning: bucketSchema.shape.versioning,
    current: countSchema,
    noncurrent: countSchema,
    uploads: countSchema,
    perMonthMicro: z.string().openapi({
      description: 'Cost of a month of storage at list price, in millionths of the currency.',
    }),
    currency: z.string(),
  })
  .openapi('ListedTotals');
const bucketSummarySchema = z
  .object({
    name: bucketNameSchema,
    createdAt: timeSchema,
    totals: listedTotalsSchema.nullable().optional().openapi({
      description: 'With include=totals. Null: the bucket was deleted meanwhile.',
    }),
  })
  .openapi('BucketSummary');
const query = z.strictObject({ accountId: accountIdQuery });
const params = z.strictObject({ bucket: z.string().min(1).max(255) });

export function addBucketRoutes(api: Api): void {
  addList(api);
  addMaking(api);
  addRead(api);
  addChanging(api);
  addTotals(api);
}

/** Responds with a bucket and its settings; the ETag is of all of them. */
function respondBucket<Status extends 200 | 201>(
  c: ApiContext,
  record: BucketRecord,
  status: Status,
) {
  return jsonWithEtag(c, bucketEtag(record), showBucket(record), status);
}

function addList(api: Api): void {
  api.openapi(
    listRoute({
      path: '/buckets',
      operationId: 'listBuckets',
      summary: 'List the buckets of an account, in byte order of their names',
      description: `A page with totals has at most ${SUMMED_BUCKETS_MAX} buckets.`,
      tags: TAGS,
      access: 'buckets:read',
      filter: {
        accountId: accountIdQuery,
        prefix: z.string().max(63).default(''),
        include: z.enum(['totals']).optional().openapi({
          description: 'Says of each bucket what it stores, what that costs, and who reads it.',
        }),
      },
      item: bucketSummarySchema,
      order: 'Some buckets',
    }),
    async (c) => {
      const call = callOf(c);
      const { prefix, accountId, include, cursor, limit: asked } = c.req.valid('query');
      const account = { id: accountOf(call, accountId), displayName: '' };
      const hasTotals = include === 'totals';
      const limit = hasTotals ? Math.min(asked, SUMMED_BUCKETS_MAX) : asked;
      const page = await readPage(
        call,
        { limit, cursor },
        {
          list: `buckets ${account.id} ${prefix}`,
          read: (after, rows) => listBuckets(call.core, account, { prefix, after, limit: rows }),
          positionOf: ({ name }) => name as string,
          show: ({ name, createdAtMs }) => ({ name, createdAt: isoTime(createdAtMs) }),
        },
      );
      if (!hasTotals) return c.json(page, 200);

      const names = page.items.map(({ name }) => name);
      const totals = await readBucketTotals(call.core, account.id, names);
      const items = page.items.map((item) => ({
        ...item,
        totals: showListedTotals(totals.get(item.name)),
      }));
      return c.json({ ...page, items }, 200);
    },
  );
}

function showListedTotals(found: BucketTotals | undefined) {
  if (found === undefined) return null;
  const { record, totals, perMonthMicro, currency } = found;
  const sum = (column: Exclude<keyof StorageTotals, 'storageClass'>) =>
    totals.reduce((all, row) => all + row[column], 0);
  const { publicAccess, versioning } = showBucket(record);
  return {
    publicAccess,
    versioning,
    current: { objects: sum('currentCount'), bytes: `${sum('currentBytes')}` },
    noncurrent: { objects: sum('noncurrentCount'), bytes: `${sum('noncurrentBytes')}` },
    uploads: { objects: sum('partCount'), bytes: `${sum('partBytes')}` },
    perMonthMicro: `${perMonthMicro}`,
    currency,
  };
}

function addMaking(api: Api): void {
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
      const owner = { id, displayName: '' };
      const { record, isNew } = await createBucket(call.core, owner, name, PRIVATE_ACCESS);
      if (!isNew) throw new StorageError('BucketAlreadyOwnedByYou');
      return respondBucket(c, record, 201);
    },
  );
}

function addRead(api: Api): void {
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
      return respondBucket(c, bucket.record(), 200);
    },
  );
}

function addChanging(api: Api): void {
  api.openapi(
    changeRoute({
      method: 'patch',
      path: '/buckets/{bucket}',
      operationId: 'updateBucket',
      summary: 'Change settings of a bucket; what is absent stays',
      description:
        'Nested settings are merged (RFC 7396): what is absent stays, null takes away, ' +
        'lists and `policy` are replaced whole. ' +
        'All is checked first; then hosting, access and the rest are changed, ' +
        'one after the other.',
      tags: TAGS,
      access: 'buckets:write',
      request: { params },
      change: bucketPatchSchema,
      changed: bucketSchema,
      outcome: 'Changed',
    }),
    async (c) => {
      const call = callOf(c);
      const name = c.req.valid('param').bucket;
      // Until the first commit the bucket must be in the state that If-Match names,
      // however often it is opened again.
      let isChanged = false;
      const bucket = await openBucketOf(call, name, 'buckets:write', (record) => {
        if (!isChanged) requireMatch(c, bucketEtag(record));
      });

      const merged = mergeBucketChange(bucket.record(), c.req.valid('json'));
      const change = toBucketChange(call, bucket.record(), merged);
      // A log shows what others do: it goes into buckets of the account alone, and
      // of others nothing is said here.
      if (change.settings.logging)
        await openBucketOf(call, change.settings.logging.targetBucket, 'buckets:read');

      await changeBucket(call.core, bucket, change, {
        requestId: call.requestId,
        onChanged: () => {
          isChanged = true;
        },
      });
      const changed = await openBucketOf(call, name, 'buckets:write');
      return respondBucket(c, changed.record(), 200);
    },
  );

  api.openapi(
    deleteRoute({
      path: '/buckets/{bucket}',
      operationId: 'deleteBucket',
      summary: 'Delete an empty bucket',
      tags: TAGS,
      access: 'buckets:write',
      request: { params },
      outcome: 'Deleted',
    }),
    async (c) => {
      const call = callOf(c);
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'buckets:write');
      await deleteBucket(call.core, bucket);
      return c.body(null, 204);
    },
  );
}

const rowsOf = ({ currentCount, noncurrentCount, partCount }: StorageTotals): number =>
  currentCount + noncurrentCount + partCount;

function showTotals(totals: StorageTotals) {
  const count = (objects: number, bytes: number) => ({ objects, bytes: `${bytes}` });
  return {
    storageClass: totals.storageClass,
    current: count(totals.currentCount, totals.currentBytes),
    noncurrent: count(totals.noncurrentCount, totals.noncurrentBytes),
    uploads: count(totals.partCount, totals.partBytes),
    saved: {
      deduplicated: `${totals.deduplicatedBytes}`,
      compressed: `${totals.compressedBytes}`,
    },
  };
}

function addTotals(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/totals',
      operationId: 'getBucketTotals',
      summary:
        'What a bucket stores now, by storage class: ' +
        'current objects, older versions, parts of uploads',
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
      const items = totals.map(showTotals);
      const room = await bucket.call('getIndexRoom', {});
      const { quota } = bucket.record().settings;
      return c.json(
        {
          items,
          quota: quota === null ? null : showQuota(quota),
          index: room && {
            usedBytes: `${room.usedBytes}`,
            maxBytes: `${room.maxBytes}`,
            rows: totals.reduce((rows, each) => rows + rowsOf(each), 0),
          },
        },
        200,
      );
    },
  );
}
