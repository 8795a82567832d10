// Buckets as a console sees them: listed, made, deleted.
import { z } from '@hono/zod-openapi';
import { listBuckets } from '../../core/buckets/list-buckets.ts';
import { type Api, accountOf, apiRoute, callOf, isoTime, jsonAnswer, timeSchema } from '../context.ts';
import { pageOf, pageQuery, readCursor, toPage } from '../paging.ts';
import { accountIdQuery, bucketNameSchema } from '../schemas.ts';

const TAGS = ['Buckets'];

const bucketSummarySchema = z.object({ name: bucketNameSchema, createdAt: timeSchema }).openapi('BucketSummary');

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
}
