// The trash of a bucket: how long it keeps what is deleted, and what is in it. Restoring and emptying are jobs (jobs.ts).
import { z } from '@hono/zod-openapi';
import { setTrash, TRASH_MAX_DAYS } from '../../core/names/trash.ts';
import { type Api, apiRoute, callOf, isoTime, jsonAnswer, jsonBody, openBucketOf, timeSchema } from '../context.ts';
import { pageOf, pageQuery, readCursor, toPage } from '../paging.ts';
import { bucketParams, prefixQuery } from './object-schemas.ts';

const TAGS = ['Trash'];

const settingsSchema = z
  .strictObject({
    days: z
      .number()
      .int()
      .min(1)
      .max(TRASH_MAX_DAYS)
      .nullable()
      .openapi({ description: 'How long what is deleted or replaced is kept; null: as the rules of the bucket say.' }),
  })
  .openapi('TrashSettings');
const trashedSchema = z
  .object({
    key: z.string(),
    deletedAt: timeSchema,
    size: z.string().nullable().openapi({ description: 'Bytes that would come back; null: nothing would.' }),
    etag: z.string().nullable(),
    lastModified: timeSchema.nullable(),
  })
  .openapi('TrashedObject');

export function addTrashRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/trash',
      operationId: 'listTrash',
      summary: 'Keys that are deleted but kept, in byte order',
      tags: TAGS,
      access: 'objects:read',
      request: { params: bucketParams, query: z.strictObject({ ...pageQuery, prefix: prefixQuery }) },
      responses: { 200: jsonAnswer(pageOf(trashedSchema), 'Some of them') },
    }),
    async (c) => {
      const { secrets, ...call } = callOf(c);
      const { limit, cursor, prefix } = c.req.valid('query');
      const bucket = await openBucketOf({ ...call, secrets }, c.req.valid('param').bucket, 'objects:read');
      const list = `trash ${JSON.stringify([bucket.record().id, prefix])}`;
      const after = readCursor(secrets, list, cursor);
      const hidden = await bucket.call('listHidden', { prefix, after, limit: limit + 1 });
      const page = toPage(
        hidden,
        { limit, list, secrets },
        ({ key }) => key as string,
        ({ key, hiddenAtMs, newest }) => ({
          key: key as string,
          deletedAt: isoTime(hiddenAtMs),
          size: newest === null ? null : `${newest.sizeBytes}`,
          etag: newest?.etag ?? null,
          lastModified: newest === null ? null : isoTime(newest.lastModifiedMs),
        }),
      );
      return c.json(page, 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/trash/settings',
      operationId: 'getTrashSettings',
      summary: 'How long the bucket keeps what is deleted',
      tags: TAGS,
      access: 'buckets:read',
      request: { params: bucketParams },
      responses: { 200: jsonAnswer(settingsSchema, 'The settings') },
    }),
    async (c) => {
      const bucket = await openBucketOf(callOf(c), c.req.valid('param').bucket, 'buckets:read');
      return c.json({ days: bucket.record().settings.trash?.days ?? null }, 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'put',
      path: '/buckets/{bucket}/trash/settings',
      operationId: 'putTrashSettings',
      summary: 'Keep what is deleted for so many days; this switches versioning on',
      tags: TAGS,
      access: 'buckets:write',
      request: { params: bucketParams, body: jsonBody(settingsSchema) },
      responses: { 200: jsonAnswer(settingsSchema, 'Set') },
    }),
    async (c) => {
      const call = callOf(c);
      const { days } = c.req.valid('json');
      await setTrash(call.core, await openBucketOf(call, c.req.valid('param').bucket, 'buckets:write'), days);
      return c.json({ days }, 200);
    },
  );
}
