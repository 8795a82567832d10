// Webhooks of an account: made, listed, changed, deleted, and their secrets. What
// was sent to them is in webhook-deliveries.ts.
import { z } from '@hono/zod-openapi';
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateSecret,
  updateWebhook,
  type WebhookInfo,
} from '../../../core/outbox/webhooks.ts';
import { type Api, type ApiContext, callOf } from '../../routing/api-call.ts';
import {
  apiRoute,
  changeRoute,
  deleteRoute,
  jsonResponse,
  listRoute,
  makingRoute,
  readRoute,
} from '../../routing/api-route.ts';
import { etagOfState, jsonWithEtag, requireMatch } from '../../routing/etag.ts';
import { readPage } from '../../routing/paging.ts';
import { idSchema } from '../../schemas/fields.ts';
import { isoTime, timeSchema } from '../../schemas/time.ts';

export const WEBHOOK_TAGS = ['Webhooks'];

const urlSchema = z.string().max(2048).openapi({ example: 'https://hooks.example.com/quayside' });
const descriptionSchema = z.string().max(256);
const typesSchema = z.array(z.string().max(400)).max(50).openapi({
  description:
    'Types of account events to get: `invoice.closed`, `usage.*`, `*`. Not of what buckets tell.',
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

const secretSchema = z
  .string()
  .openapi({ description: 'Shown once. Standard Webhooks: base64 behind `whsec_`.' });
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

export const webhookParams = z.strictObject({ webhookId: idSchema });

/**
 * A webhook as the API shows it, which its ETag stands for: a new secret is no
 * change of it.
 */
function show({ id, arn, url, description, types, isEnabled, createdAtMs }: WebhookInfo) {
  return {
    id,
    arn,
    url,
    description,
    types: [...types],
    isEnabled,
    createdAt: isoTime(createdAtMs),
  };
}

/** Responds with a webhook and the ETag of what is shown. */
function respondWebhook(c: ApiContext, webhook: WebhookInfo) {
  const shown = show(webhook);
  return jsonWithEtag(c, etagOfState(shown), shown, 200);
}

export function addWebhookRoutes(api: Api): void {
  addMaking(api);
  addReads(api);
  addChanging(api);
  addSecret(api);
}

function addMaking(api: Api): void {
  api.openapi(
    makingRoute({
      path: '/webhooks',
      operationId: 'createWebhook',
      summary: 'Make a webhook and its secret',
      tags: WEBHOOK_TAGS,
      access: 'webhooks:write',
      request: {},
      input: webhookInputSchema,
      made: newWebhookSchema,
      outcome: 'Made; the secret is shown here and never again',
    }),
    async (c) => {
      const { core, caller } = callOf(c);
      const { webhook, secret } = await createWebhook(core, caller.accountId, c.req.valid('json'));
      const shown = show(webhook);
      return jsonWithEtag(c, etagOfState(shown), { ...shown, secret }, 201);
    },
  );
}

function addReads(api: Api): void {
  api.openapi(
    listRoute({
      path: '/webhooks',
      operationId: 'listWebhooks',
      summary: 'List the webhooks of your account',
      tags: WEBHOOK_TAGS,
      access: 'webhooks:read',
      item: webhookSchema,
      order: 'Oldest first',
    }),
    async (c) => {
      const call = callOf(c);
      const { accountId } = call.caller;
      const page = await readPage(call, c.req.valid('query'), {
        list: `webhooks ${accountId}`,
        read: (after, limit) => listWebhooks(call.core, accountId, { after, limit }),
        positionOf: ({ id }) => id,
        show,
      });
      return c.json(page, 200);
    },
  );

  api.openapi(
    readRoute({
      path: '/webhooks/{webhookId}',
      operationId: 'getWebhook',
      summary: 'One webhook',
      tags: WEBHOOK_TAGS,
      access: 'webhooks:read',
      request: { params: webhookParams },
      item: webhookSchema,
      outcome: 'The webhook',
    }),
    async (c) => {
      const { core, caller } = callOf(c);
      const { webhookId } = c.req.valid('param');
      return respondWebhook(c, await getWebhook(core, caller.accountId, webhookId));
    },
  );
}

function addChanging(api: Api): void {
  api.openapi(
    changeRoute({
      method: 'patch',
      path: '/webhooks/{webhookId}',
      operationId: 'updateWebhook',
      summary: 'Change what is given; a webhook that is disabled makes dead letters of what comes',
      tags: WEBHOOK_TAGS,
      access: 'webhooks:write',
      request: { params: webhookParams },
      change: webhookChangeSchema,
      changed: webhookSchema,
      outcome: 'As it is now',
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
      const { webhookId } = c.req.valid('param');
      const check = (current: WebhookInfo) => requireMatch(c, etagOfState(show(current)));
      const changed = await updateWebhook(core, caller.accountId, webhookId, changes, check);
      return respondWebhook(c, changed);
    },
  );

  api.openapi(
    deleteRoute({
      path: '/webhooks/{webhookId}',
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook; what waits for it becomes a dead letter',
      tags: WEBHOOK_TAGS,
      access: 'webhooks:write',
      request: { params: webhookParams },
      outcome: 'Deleted, or not there',
    }),
    async (c) => {
      const { core, caller } = callOf(c);
      await deleteWebhook(core, caller.accountId, c.req.valid('param').webhookId);
      return c.body(null, 204);
    },
  );
}

function addSecret(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/webhooks/{webhookId}/secret',
      operationId: 'rotateWebhookSecret',
      summary: 'Give it a new secret; for a day messages are signed with the old one too',
      tags: WEBHOOK_TAGS,
      access: 'webhooks:write',
      request: { params: webhookParams },
      responses: {
        200: jsonResponse(
          z.object({ secret: secretSchema, oldEndsAt: timeSchema }).openapi('NewWebhookSecret'),
          'The secret is shown here and never again',
        ),
      },
    }),
    async (c) => {
      const { core, caller } = callOf(c);
      const { webhookId } = c.req.valid('param');
      const { secret, oldEndsAtMs } = await rotateSecret(core, caller.accountId, webhookId);
      return c.json({ secret, oldEndsAt: isoTime(oldEndsAtMs) }, 200);
    },
  );
}
