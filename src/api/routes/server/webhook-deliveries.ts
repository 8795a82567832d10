// Deliveries to a webhook: tried, listed, sent again. Events of objects wait in the
// outbox of their bucket, so deliveries are listed by bucket.
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
  const { id, messageId, type, orderingKey, state, attempts } = delivery;
  return {
    id,
    messageId,
    type,
    key: orderingKey === '' ? null : orderingKey,
    state,
    attempts,
    lastStatus: delivery.lastStatus,
    lastError: delivery.lastError,
    createdAt: isoTime(delivery.createdAtMs),
    nextAttemptAt: isoTimeOrNull(delivery.dueAtMs),
    finishedAt: isoTimeOrNull(delivery.finishedAtMs),
  };
}

/**
 * The outbox of a bucket; without a name that of the account. NoSuchBucket,
 * AccessDenied.
 */
async function outboxOf(call: SignedInCall, bucketName: string | undefined): Promise<OutboxOf> {
  if (bucketName === undefined) return null;
  const bucket = await openBucketOf(call, bucketName, 'buckets:read');
  return bucket.record();
}

const deliveryPageSchema = pageOf(deliverySchema)
  .extend({
    droppedCount: z.number().int().openapi({ description: 'Dead letters that were too many.' }),
  })
  .openapi('DeliveryPage');
const replaySchema = z.strictObject({
  bucket: ofBucket,
  ids: z.array(z.number().int().min(1)).min(1).max(1000).nullable().default(null),
});

export function addWebhookDeliveryRoutes(api: Api): void {
  addTest(api);
  addList(api);
  addReplay(api);
}

function addTest(api: Api): void {
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
}

function addList(api: Api): void {
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
          deliveryPageSchema,
          'Newest first. A page may hold less than `limit`, or nothing, and have a next one',
        ),
      },
    }),
    async (c) => {
      const call = callOf(c);
      const { core, caller, secrets } = call;
      const { webhookId } = c.req.valid('param');
      const { limit, cursor, state, bucket } = c.req.valid('query');
      const outbox = await outboxOf(call, bucket);

      const list = `deliveries ${webhookId} ${state} ${outbox?.id ?? ''}`;
      const position = readCursor(secrets, list, cursor);
      const page = await listDeliveries(core, caller.accountId, webhookId, {
        of: outbox,
        state,
        before: position === '' ? null : Number(position),
        limit,
      });
      const { dropped } = await countDeliveries(core, caller.accountId, outbox);

      const nextPosition = page.next === null ? null : `${page.next}`;
      const shown = {
        items: page.deliveries.map(showDelivery),
        nextCursor: cursorAt(secrets, list, nextPosition),
        droppedCount: dropped,
      };
      return c.json(shown, 200);
    },
  );
}

function addReplay(api: Api): void {
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
        body: jsonBody(replaySchema),
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
      const { webhookId } = c.req.valid('param');
      const { bucket, ids } = c.req.valid('json');
      const outbox = await outboxOf(call, bucket);
      const deadLetters = { of: outbox, ids };
      const { accountId } = call.caller;
      const count = await replayDeliveries(call.core, accountId, webhookId, deadLetters);
      return c.json({ count }, 202);
    },
  );
}
