// The trash of a bucket: how long it keeps what is deleted, and what is in it.
// Restoring and emptying are jobs (jobs.ts).
import { z } from '@hono/zod-openapi';
import { listTrash } from '../../../core/key-jobs/list-trash.ts';
import { setTrash, TRASH_MAX_DAYS } from '../../../core/key-jobs/trash.ts';
import type { HiddenKey } from '../../../ports/index-calls/key-job-calls.ts';
import { type Api, callOf } from '../../routing/api-call.ts';
import { apiRoute, changeRoute, jsonResponse } from '../../routing/api-route.ts';
import { jsonWithEtag, requireMatch } from '../../routing/etag.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { cursorAt, pageOf, pageQuery, readCursor } from '../../routing/paging.ts';
import { bucketParams, isCompleteSchema, prefixQuery } from '../../schemas/object.ts';
import { isoTime, timeSchema } from '../../schemas/time.ts';
import { bucketEtag } from './bucket-settings.ts';

const TAGS = ['Trash'];

const settingsSchema = z
  .strictObject({
    days: z.number().int().min(1).max(TRASH_MAX_DAYS).nullable().openapi({
      description:
        'How long what is deleted or replaced is kept; null: as the rules of the bucket say.',
    }),
  })
  .openapi('TrashSettings');
const trashedSchema = z
  .object({
    key: z.string(),
    deletedAt: timeSchema,
    size: z
      .string()
      .nullable()
      .openapi({ description: 'Bytes that would come back; null: nothing would.' }),
    etag: z.string().nullable(),
    lastModified: timeSchema.nullable(),
  })
  .openapi('TrashedObject');

function showHidden({ key, hiddenAtMs, newest }: HiddenKey): z.infer<typeof trashedSchema> {
  return {
    key: key as string,
    deletedAt: isoTime(hiddenAtMs),
    size: newest === null ? null : `${newest.sizeBytes}`,
    etag: newest?.etag ?? null,
    lastModified: newest === null ? null : isoTime(newest.lastModifiedMs),
  };
}

export function addTrashRoutes(api: Api): void {
  addList(api);
  addSettings(api);
}

function addList(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/trash',
      operationId: 'listTrash',
      summary: 'Keys that are deleted but kept, by name, time of deletion or size',
      description:
        'By name, ascending, any number can be paged through. ' +
        'Other orders sort the first 10,000 names.',
      tags: TAGS,
      access: 'objects:read',
      request: {
        params: bucketParams,
        query: z.strictObject({
          ...pageQuery,
          prefix: prefixQuery,
          sort: z.enum(['name', 'deleted', 'size']).default('name'),
          order: z.enum(['asc', 'desc']).default('asc'),
        }),
      },
      responses: {
        200: jsonResponse(
          pageOf(trashedSchema).extend({ isComplete: isCompleteSchema }),
          'Some of them',
        ),
      },
    }),
    async (c) => {
      const call = callOf(c);
      const { limit, cursor, prefix, sort, order } = c.req.valid('query');
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'objects:read');
      const list = `trash ${JSON.stringify([bucket.record().id, prefix, sort, order])}`;
      const page = await listTrash(bucket, {
        prefix,
        sort,
        isDescending: order === 'desc',
        limit,
        cursor: readCursor(call.secrets, list, cursor),
      });
      const items = page.hidden.map(showHidden);
      const nextCursor = cursorAt(call.secrets, list, page.next);
      return c.json({ items, nextCursor, isComplete: page.isComplete }, 200);
    },
  );
}

function addSettings(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/trash/settings',
      operationId: 'getTrashSettings',
      summary: 'How long the bucket keeps what is deleted',
      tags: TAGS,
      access: 'buckets:read',
      request: { params: bucketParams },
      responses: { 200: jsonResponse(settingsSchema, 'The settings') },
    }),
    async (c) => {
      const bucket = await openBucketOf(callOf(c), c.req.valid('param').bucket, 'buckets:read');
      const record = bucket.record();
      const days = record.settings.trash?.days ?? null;
      return jsonWithEtag(c, bucketEtag(record), { days }, 200);
    },
  );

  api.openapi(
    changeRoute({
      method: 'put',
      path: '/buckets/{bucket}/trash/settings',
      operationId: 'putTrashSettings',
      summary: 'Keep what is deleted for so many days; this switches versioning on',
      tags: TAGS,
      access: 'buckets:write',
      request: { params: bucketParams },
      change: settingsSchema,
      changed: settingsSchema,
      outcome: 'Set',
    }),
    async (c) => {
      const call = callOf(c);
      const { days } = c.req.valid('json');
      const { bucket: name } = c.req.valid('param');
      const bucket = await openBucketOf(call, name, 'buckets:write', (record) =>
        requireMatch(c, bucketEtag(record)),
      );
      const changed = await setTrash(call.core, bucket, days);
      return jsonWithEtag(c, bucketEtag(changed), { days }, 200);
    },
  );
}
