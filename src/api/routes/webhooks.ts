// Webhooks of an account: made, listed, changed, deleted; their secrets; and what was sent to them: listed, tried, sent
// again. What buckets tell of objects waits with each bucket, so deliveries are asked for by bucket.
import { z } from '@hono/zod-openapi';
import {
  countDeliveries,
  listDeliveries,
  type OutboxOf,
  replayDeliveries,
  sendTestEvent,
} from '../../core/outbox/deliveries.ts';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
  type WebhookInfo,
} from '../../core/outbox/webhooks.ts';
import type { Delivery } from '../../ports/outbox.ts';
import {
  type Api,
  apiRoute,
  callOf,
  isoTime,
  isoTimeOrNull,
  jsonAnswer,
  jsonBody,
  noContent,
  openBucketOf,
  type SignedInCall,
  timeSchema,
} from '../context.ts';
import { cursorAt, pageOf, pageQuery, readCursor, toPage } from '../paging.ts';
import { bucketNameSchema, idSchema } from '../schemas.ts';

const TAGS = ['Webhooks'];

const urlSchema = z.string().max(2048).openapi({ example: 'https://hooks.example.com/quayside' });
const descriptionSchema = z.string().max(256);
const typesSchema = z.array(z.string().max(400)).max(50).openapi({
  description: 'Types of account events to get: `invoice.closed`, `usage.*`, `*`. Not of what buckets tell.',
});

const webhookSchema = z
  .object({
    id: idSchema,
    arn: z.string().openapi({ description: "What a bucket's notification configuration names." }),
    url: urlSchema,
    description: descriptionSchema,
    types: typesSchema,
    isEnabled: z.boolean(),
    createdAt: timeSchema,
  })
  .openapi('Webhook');

const secretSchema = z.string().openapi({ description: 'Shown once. Standard Webhooks: base64 behind `whsec_`.' });
const newWebhookSchema = webhookSchema.extend({ secret: secretSchema }).openapi('NewWebhook');

const webhookInputSchema = z.strictObject({
  url: urlSchema,
  description: descriptionSchema.default(''),
  types: typesSchema.default([]),
  isEnabled: z.boolean().default(true),
});
const webhookChangeSchema = z.strictObject({
  url: urlSchema.optional(),
  description: descriptionSchema.optional(),
  types: typesSchema.optional(),
  isEnabled: z.boolean().optional(),
});

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

const webhookParams = z.strictObject({ webhookId: idSchema });
const ofBucket = bucketNameSchema
  .optional()
  .openapi({ description: 'What this bucket tells; without it, what concerns the account.' });

function show({ id, arn, url, description, types, isEnabled, createdAtMs }: WebhookInfo) {
  return { id, arn, url, description, types: [...types], isEnabled, createdAt: isoTime(createdAtMs) };
}

function showDelivery(delivery: Delivery) {
  const { id, messageId, type, lane, state, attempts, createdAtMs, dueAtMs, finishedAtMs, lastStatus, lastError } =
    delivery;
  return {
    ...{ id, messageId, type, key: lane === '' ? null : lane, state, attempts, lastStatus, lastError },
    createdAt: isoTime(createdAtMs),
    nextAttemptAt: isoTimeOrNull(dueAtMs),
    finishedAt: isoTimeOrNull(finishedAtMs),
  };
}

/** The outbox that is asked for. NoSuchBucket, AccessDenied. */
async function outboxOf(call: SignedInCall, bucket: string | undefined): Promise<OutboxOf> {
  return bucket === undefined ? null : (await openBucketOf(call, bucket, 'buckets:read')).record();
}

export function addWebhookRoutes(api: Api): void {
  addKeeping(api);
  addChanging(api);
  addDeliveries(api);
}

function addKeeping(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/webhooks',
      operationId: 'createWebhook',
      summary: 'Make a webhook and its secret',
      tags: TAGS,
      access: 'webhooks:write',
      request: { body: jsonBody(webhookInputSchema) },
      responses: { 201: jsonAnswer(newWebhookSchema, 'Made; the secret is shown here and never again') },
    }),
    async (c) => {
      const { core, caller } = callOf(c);
      const { webhook, secret } = await createWebhook(core, caller.accountId, c.req.valid('json'));
      return c.json({ ...show(webhook), secret }, 201);
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/webhooks',
      operationId: 'listWebhooks',
      summary: 'List the webhooks of your account',
      tags: TAGS,
      access: 'webhooks:read',
      request: { query: z.strictObject(pageQuery) },
      responses: { 200: jsonAnswer(pageOf(webhookSchema), 'Oldest first') },
    }),
    async (c) => {
      const { core, caller, secrets } = callOf(c);
      const { limit, cursor } = c.req.valid('query');
      const list = `webhooks ${caller.accountId}`;
      const after = readCursor(secrets, list, cursor);
      const found = await listWebhooks(core, caller.accountId, { after, limit: limit + 1 });
      return c.json(
        toPage(found, { limit, list, secrets }, ({ id }) => id, show),
        200,
      );
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/webhooks/{webhookId}',
      operationId: 'getWebhook',
      summary: 'One webhook',
      tags: TAGS,
      access: 'webhooks:read',
      request: { params: webhookParams },
      responses: { 200: jsonAnswer(webhookSchema, 'The webhook') },
    }),
    async (c) => {
      const { core, caller } = callOf(c);
      return c.json(show(await getWebhook(core, caller.accountId, c.req.valid('param').webhookId)), 200);
    },
  );
}

function addChanging(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'patch',
      path: '/webhooks/{webhookId}',
      operationId: 'updateWebhook',
      summary: 'Change what is given; a webhook that is disabled makes dead letters of what comes',
      tags: TAGS,
      access: 'webhooks:write',
      request: { params: webhookParams, body: jsonBody(webhookChangeSchema) },
      responses: { 200: jsonAnswer(webhookSchema, 'As it is now') },
    }),
    async (c) => {
      const { core, caller } = callOf(c);
      const { url, description, types, isEnabled } = c.req.valid('json');
      const changes = {
        ...(url === undefined ? {} : { url }),
        ...(description === undefined ? {} : { description }),
        ...(types === undefined ? {} : { types }),
        ...(isEnabled === undefined ? {} : { isEnabled }),
      };
      return c.json(show(await updateWebhook(core, caller.accountId, c.req.valid('param').webhookId, changes)), 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'delete',
      path: '/webhooks/{webhookId}',
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook; what waits for it becomes a dead letter',
      tags: TAGS,
      access: 'webhooks:write',
      request: { params: webhookParams },
      responses: { 204: noContent('Deleted, or not there') },
    }),
    async (c) => {
      const { core, caller } = callOf(c);
      await deleteWebhook(core, caller.accountId, c.req.valid('param').webhookId);
      return c.body(null, 204);
    },
  );

  api.openapi(
    apiRoute({
      method: 'post',
      path: '/webhooks/{webhookId}/secret',
      operationId: 'rotateWebhookSecret',
      summary: 'Give it a new secret; for a day messages are signed with the old one too',
      tags: TAGS,
      access: 'webhooks:write',
      request: { params: webhookParams },
      responses: {
        200: jsonAnswer(
          z.object({ secret: secretSchema, oldEndsAt: timeSchema }).openapi('NewWebhookSecret'),
          'The secret is shown here and never again',
        ),
      },
    }),
    async (c) => {
      const { core, caller } = callOf(c);
      const { secret, oldEndsAtMs } = await rotateSecret(core, caller.accountId, c.req.valid('param').webhookId);
      return c.json({ secret, oldEndsAt: isoTime(oldEndsAtMs) }, 200);
    },
  );
}

function addDeliveries(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/webhooks/{webhookId}/test',
      operationId: 'testWebhook',
      summary: 'Send it a message of the type quayside.test',
      tags: TAGS,
      access: 'webhooks:write',
      request: { params: webhookParams },
      responses: { 202: jsonAnswer(z.object({ messageId: z.string() }).openapi('TestMessage'), 'It waits to be sent') },
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
      tags: TAGS,
      access: 'webhooks:read',
      request: {
        params: webhookParams,
        query: z.strictObject({ ...pageQuery, state: stateSchema.default('dead'), bucket: ofBucket }),
      },
      responses: {
        200: jsonAnswer(
          pageOf(deliverySchema)
            .extend({ droppedCount: z.number().int().openapi({ description: 'Dead letters that were too many.' }) })
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
      const found = await listDeliveries(core, caller.accountId, webhookId, { of, state, before, limit });
      const { dropped } = await countDeliveries(core, caller.accountId, of);
      const nextCursor = found.next === null ? null : cursorAt(secrets, list, `${found.next}`);
      return c.json({ items: found.deliveries.map(showDelivery), nextCursor, droppedCount: dropped }, 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'post',
      path: '/webhooks/{webhookId}/replay',
      operationId: 'replayDeliveries',
      summary: 'Send dead letters again: those named, or all, a thousand at a time',
      tags: TAGS,
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
      responses: { 202: jsonAnswer(z.object({ count: z.number().int() }).openapi('Replayed'), 'How many wait again') },
    }),
    async (c) => {
      const call = callOf(c);
      const { bucket, ids } = c.req.valid('json');
      const of = await outboxOf(call, bucket);
      const count = await replayDeliveries(call.core, call.caller.accountId, c.req.valid('param').webhookId, {
        of,
        ids,
      });
      return c.json({ count }, 202);
    },
  );
}
