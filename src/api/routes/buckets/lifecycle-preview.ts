// What the lifecycle rules of a bucket, and its trash, would do: foreseen, not
// done.
import { z } from '@hono/zod-openapi';
import type { DueSubject } from '../../../core/lifecycle/foresee-page.ts';
import { previewLifecycle } from '../../../core/lifecycle/preview-lifecycle.ts';
import type { LifecycleCursor } from '../../../domain/lifecycle.ts';
import { type Api, callOf } from '../../routing/api-call.ts';
import { apiRoute, jsonResponse } from '../../routing/api-route.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { cursorAt, pageQuery, readCursor } from '../../routing/paging.ts';
import { bucketParams } from '../../schemas/object.ts';
import { isoTime, timeSchema } from '../../schemas/time.ts';

const TAGS = ['Buckets'];

const dueSchema = z
  .object({
    action: z.string(),
    subject: z.string(),
    key: z.string(),
    ruleId: z.string(),
    versionId: z.string().nullable(),
    uploadId: z.string().nullable(),
    size: z.string().nullable(),
    storageClass: z.string().nullable(),
    toStorageClass: z.string().nullable(),
  })
  .openapi('DueByLifecycle');

export function addLifecyclePreviewRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/buckets/{bucket}/lifecycle-preview',
      operationId: 'previewLifecycle',
      summary:
        'What the lifecycle rules and the trash would do ' +
        'to what there is now, if they ran at a time',
      description: 'Nothing is done. A page may be short or empty; nextCursor goes on.',
      tags: TAGS,
      access: 'objects:read',
      request: {
        params: bucketParams,
        query: z.strictObject({
          cursor: pageQuery.cursor,
          at: timeSchema.optional().openapi({ description: 'Absent: now.' }),
        }),
      },
      responses: {
        200: jsonResponse(
          z.object({
            at: timeSchema,
            items: z.array(dueSchema),
            nextCursor: z.string().nullable(),
          }),
          'What would go, be hidden or change its class',
        ),
      },
    }),
    async (c) => {
      const call = callOf(c);
      const { at, cursor } = c.req.valid('query');
      const bucket = await openBucketOf(call, c.req.valid('param').bucket, 'objects:read');
      const list = `lifecycle ${bucket.record().id} ${at ?? ''}`;
      const position = readCursor(call.secrets, list, cursor);
      // With the first page's time the next ones look at the same moment.
      const firstMs = at === undefined ? call.core.ports.clock.nowMs() : Date.parse(at);
      const [atMs, from] = position === '' ? [firstMs, null] : parsePosition(position);

      const { due, next } = await previewLifecycle(call.core, bucket, { atMs, from });
      const nextPosition = next === null ? null : JSON.stringify([atMs, next]);
      const nextCursor = cursorAt(call.secrets, list, nextPosition);
      return c.json({ at: isoTime(atMs), items: due.map(showDue), nextCursor }, 200);
    },
  );
}

/** Parses a position of our own making: its cursor is signed. */
const parsePosition = (position: string) => JSON.parse(position) as [number, LifecycleCursor];

function showDue({ subject, decision }: DueSubject): z.infer<typeof dueSchema> {
  const { kind, key } = subject;
  const sized = kind === 'upload' || kind === 'lone-marker' ? null : subject;
  return {
    action: decision.kind,
    subject: kind,
    key: key as string,
    ruleId: decision.ruleId,
    versionId: kind === 'upload' ? null : (subject.versionId as string),
    uploadId: kind === 'upload' ? (subject.uploadId as string) : null,
    size: sized === null ? null : `${sized.sizeBytes}`,
    storageClass: sized?.storageClass ?? null,
    toStorageClass: decision.kind === 'transition' ? decision.storageClass : null,
  };
}
