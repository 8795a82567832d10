// What was or is to be sent to a webhook: tried, listed, sent again. What buckets tell of objects
// waits with each bucket, so deliveries are asked for by bucket.
import { z } from '@hono/zod-openapi';
import {
  countDeliveries,
  listDeliveries,
  type OutboxOf,
  replayDeliveries,
  sendTestEvent,
} from '../../../core/outbox/deliveries.ts';
import type { Delivery } from '../../../ports/outbox.ts';
import { type Api, callOf, type SignedInCall } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse } from '../../routing/api-route.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { cursorAt, pageOf, pageQuery, readCursor } from '../../routing/paging.ts';
import { bucketNameSchema } from '../../schemas/fields.ts';
import { isoTime, isoTimeOrNull, timeSchema } from '../../schemas/time.ts';
import { WEBHOOK_TAGS, webhookParams } from './webhooks.ts';

const stateSchema = z.enum(['waiting', 'delivered', 'dead']);
const deliverySchema = z
  .object({
    id: z.number().int(),
    messageId: z.string(),
    type: z.string(),
    key: z.string().nullable(),
    state: stateSchema,
    attempts: z.number().int(),
    createdAt: timeSchema,
    nextAttemptAt: timeSchema.nullable(),
    finishedAt: timeSchema.nullable(),
    lastStatus: z.number().int().nullable(),
    lastError: z.string().nullable(),
  })
  .openapi('Delivery');

const ofBucket = bucketNameSchema
  .optional()
  .openapi({ description: 'What this bucket tells; without it, what concerns the account.' });

function showDelivery(delivery: Delivery) {
  const {
    id,
    messageId,
    type,
    lane,
    state,
    attempts,
    createdAtMs,
    dueAtMs,
    finishedAtMs,
    lastStatus,
    lastError,
  } = delivery;
  return {
    ...{
      id,
      messageId,
      type,
      key: lane === '' ? null : lane,
      state,
      attempts,
      lastStatus,
      lastError,
    },
    createdAt: isoTime(createdAtMs),
    nextAttemptAt: isoTimeOrNull(dueAtMs),
    finishedAt: isoTimeOrNull(finishedAtMs),
  };
}

/** The outbox that is asked for. NoSuchBucket, AccessDenied. */
async function outboxOf(call: SignedInCall, bucket: string | undefined): Promise<OutboxOf> {
  return bucket === undefined ? null : (await openBucketOf(call, bucket, 'buckets:read')).record();
}

export function addWebhookDeliveryRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/webhooks/{webhookId}/test',
      operationId: 'testWebhook',
      summary: 'Send it a message of the type quayside.test',
      tags: WEBHOOK_TAGS,
      access: 'webhooks:write',
      request: { params: webhookParams },
      responses: {
        202: jsonResponse(
          z.object({ messageId: z.string() }).openapi('TestMessage'),
          'It waits to be sent',
        ),
      },
    }),
    async (c) => {
      const { core, caller } = callOf(c);
      const messageId = await sendTestEvent(core, caller.accountId, c.req.valid('param').webhookId);
      return c.json({ messageId }, 202);
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/webhooks/{webhookId}/deliveries',
      operationId: 'listDeliveries',
      summary: 'List what was or is to be sent to it: by default dead letters',
      tags: WEBHOOK_TAGS,
      access: 'webhooks:read',
      request: {
        params: webhookParams,
        query: z.strictObject({
          ...pageQuery,
          state: stateSchema.default('dead'),
          bucket: ofBucket,
        }),
      },
      responses: {
        200: jsonResponse(
          pageOf(deliverySchema)
            .extend({
              droppedCount: z
                .number()
                .int()
                .openapi({ description: 'Dead letters that were too many.' }),
            })
            .openapi('DeliveryPage'),
          'Newest first. A page may hold less than `limit`, or nothing, and have a next one',
        ),
      },
    }),
    async (c) => {
      const call = callOf(c);
      const { core, caller, secrets } = call;
      const { webhookId } = c.req.valid('param');
      const { limit, cursor, state, bucket } = c.req.valid('query');
      const of = await outboxOf(call, bucket);
      const list = `deliveries ${webhookId} ${state} ${of?.id ?? ''}`;
      const place = readCursor(secrets, list, cursor);
      const before = place === '' ? null : Number(place);
      const found = await listDeliveries(core, caller.accountId, webhookId, {
        of,
        state,
        before,
        limit,
      });
      const { dropped } = await countDeliveries(core, caller.accountId, of);
      const nextCursor = found.next === null ? null : cursorAt(secrets, list, `${found.next}`);
      return c.json(
        { items: found.deliveries.map(showDelivery), nextCursor, droppedCount: dropped },
        200,
      );
    },
  );

  api.openapi(
    apiRoute({
      method: 'post',
      path: '/webhooks/{webhookId}/replay',
      operationId: 'replayDeliveries',
      summary: 'Send dead letters again: those named, or all, a thousand at a time',
      tags: WEBHOOK_TAGS,
      access: 'webhooks:write',
      request: {
        params: webhookParams,
        body: jsonBody(
          z.strictObject({
            bucket: ofBucket,
            ids: z.array(z.number().int().min(1)).min(1).max(1000).nullable().default(null),
          }),
        ),
      },
      responses: {
        202: jsonResponse(
          z.object({ count: z.number().int() }).openapi('Replayed'),
          'How many wait again',
        ),
      },
    }),
    async (c) => {
      const call = callOf(c);
      const { bucket, ids } = c.req.valid('json');
      const of = await outboxOf(call, bucket);
      const count = await replayDeliveries(
        call.core,
        call.caller.accountId,
        c.req.valid('param').webhookId,
        {
          of,
          ids,
        },
      );
      return c.json({ count }, 202);
    },
  );
}
