// Changes of a bucket by long poll: a console that shows a folder or a job asks again
// only when something happened.
import { z } from '@hono/zod-openapi';
import { type Api, callOf } from '../../routing/api-call.ts';
import { apiRoute, jsonResponse } from '../../routing/api-route.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { bucketParams } from '../../schemas/object.ts';

/** Longest wait, seconds: below the 30 s after which many proxies give up. */
const WAIT_MAX_SECONDS = 25;

const newsSchema = z
  .object({
    revision: z.string().openapi({ description: 'To be sent as `after`; it says nothing else.' }),
    isChanged: z.boolean().openapi({ description: 'False: nothing happened while it waited.' }),
    topics: z
      .array(z.enum(['objects', 'uploads', 'jobs', 'bucket']))
      .nullable()
      .openapi({ description: 'What changed since `after`. Null: anything may have.' }),
    prefixes: z
      .array(z.string())
      .nullable()
      .openapi({ description: 'Folders in which objects changed. Null: any, or very many.' }),
  })
  .openapi('BucketNews');

export function addEventRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/events',
      operationId: 'waitForChange',
      summary: 'Wait until objects, uploads, jobs or settings of a bucket change',
      description:
        'Without `after` it answers at once with the revision of now: read that first, ' +
        'then what you show, then wait. 64 waits of an account at once, 16 of a member or key. ' +
        'On Cloudflare it answers after 5 seconds at most.',
      tags: ['Objects'],
      access: 'objects:read',
      request: {
        params: bucketParams,
        query: z.strictObject({
          after: z
            .string()
            .regex(/^[\w-]{1,64}$/)
            .optional()
            .openapi({ description: 'The revision that you know.' }),
          waitSeconds: z.coerce.number().min(0).max(WAIT_MAX_SECONDS).default(WAIT_MAX_SECONDS),
        }),
      },
      responses: { 200: jsonResponse(newsSchema, 'What happened') },
    }),
    async (c) => {
      const call = callOf(c);
      const { after = null, waitSeconds } = c.req.valid('query');
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'objects:read');
      const { accountId, memberId, accessKeyId } = call.caller;
      const holder = memberId ?? accessKeyId ?? '';
      const waitMs = waitSeconds * 1000;
      const wait = { bucket: bucket.record().name, accountId, holder, after, waitMs };
      const news = await call.core.ports.bucketChanges.wait(wait, call.request.whenGone);
      const { revision, isChanged, topics, prefixes } = news;
      const shown = {
        revision,
        isChanged,
        topics: topics === null ? null : [...topics],
        prefixes: prefixes === null ? null : [...prefixes],
      };
      return c.json(shown, 200);
    },
  );
}
