// Caps on usage: an owner sets them, sees how each stands, and lifts one. A bucket
// goes by its name, as everywhere in the API.
import { z } from '@hono/zod-openapi';
import { listCaps, removeCap, setCap } from '../../../core/caps/set-cap.ts';
import type { Cap, CapScope, CapStanding } from '../../../domain/billing/caps.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { AccessKeyId, AccountId } from '../../../domain/nouns.ts';
import { nameOfBucketId } from '../../../domain/owner-bucket.ts';
import { existingAccountOf } from '../../routing/account-of.ts';
import { type Api, type ApiContext, callOf, type SignedInCall } from '../../routing/api-call.ts';
import { apiRoute, deleteRoute, jsonBody, jsonResponse } from '../../routing/api-route.ts';
import {
  etagOfState,
  ifMatchOrNewHeaders,
  jsonWithEtag,
  requireMatchOrNew,
} from '../../routing/etag.ts';
import { openBucketOf } from '../../routing/open-bucket.ts';
import { requireFound } from '../../routing/require-found.ts';
import { accountIdQuery, bucketNameSchema, idSchema } from '../../schemas/fields.ts';
import { isoTime, isoTimeOrNull, msOrNull, timeSchema } from '../../schemas/time.ts';

const TAGS = ['Caps'];

const percentSchema = z.int().min(1).max(100);
const amountSchema = z
  .string()
  .regex(/^[1-9]\d{0,15}$/)
  .openapi({
    example: '1000000000',
    description: 'Bytes that go out, or micro-units of the currency of the rate card.',
  });
const capIdSchema = z.string().regex(/^[\w-]{1,64}$/);

const capInputSchema = z.strictObject({
  unit: z.enum(['bytes', 'money']),
  limit: amountSchema,
  period: z.enum(['day', 'month']).default('month'),
  bucket: bucketNameSchema.nullable().default(null),
  accessKeyId: idSchema.nullable().default(null),
  alertPercents: z.array(percentSchema).max(10).default([]),
  cachedFromPercent: percentSchema.nullable().default(null),
  rateCardId: idSchema.nullable().default(null).openapi({
    description: "Rate card of a cap in money. Null: the account's, as it is when the cap is set.",
  }),
  liftedUntil: timeSchema.nullable().default(null),
});

/** A cap and how it stands. */
export const capSchema = z
  .object({
    id: capIdSchema,
    ...capInputSchema.shape,
    spent: z.string().openapi({
      description: 'Used in the period, as far as it is recorded; in the unit of `limit`.',
    }),
    percent: z.int(),
    level: z.enum(['open', 'cached', 'refused']),
    periodEndsAt: timeSchema,
  })
  .openapi('Cap');

export function showCap({ cap, spent, percent, level, periodMs }: CapStanding) {
  const { id, unit, period, alertPercents, cachedFromPercent, scope } = cap;
  return {
    id,
    unit,
    period,
    cachedFromPercent,
    percent,
    level,
    limit: `${cap.limit}`,
    bucket: scope.kind === 'bucket' ? nameOfBucketId(scope.bucketId) : null,
    accessKeyId: scope.kind === 'accessKey' ? scope.accessKeyId : null,
    alertPercents: [...alertPercents],
    rateCardId: cap.cardId,
    liftedUntil: isoTimeOrNull(cap.liftedUntilMs),
    spent: `${spent}`,
    periodEndsAt: isoTime(periodMs.toMs),
  };
}

async function scopeOf(
  call: SignedInCall,
  { bucket: bucketName, accessKeyId }: z.infer<typeof capInputSchema>,
): Promise<CapScope> {
  if (bucketName !== null && accessKeyId !== null) {
    throw new StorageError('InvalidInput', {
      detail: 'A cap is on a bucket or on an access key, not on both.',
    });
  }
  if (accessKeyId !== null) return { kind: 'accessKey', accessKeyId: accessKeyId as AccessKeyId };
  if (bucketName === null) return { kind: 'account' };

  const bucket = await openBucketOf(call, bucketName, 'caps:write');
  return { kind: 'bucket', bucketId: bucket.record().id };
}

/**
 * The tag of what is set: how the cap stands changes with each read, and is no
 * change of it.
 */
function etagOf(cap: Cap): string {
  return etagOfState({ ...cap, limit: `${cap.limit}` });
}

/** Responds with a cap as it stands. NoSuchCap. */
async function respondStanding(c: ApiContext, accountId: AccountId, id: string) {
  const caps = await listCaps(callOf(c).core, accountId);
  const standing = requireFound(
    caps.find(({ cap }) => cap.id === id),
    'NoSuchCap',
  );
  return jsonWithEtag(c, etagOf(standing.cap), showCap(standing), 200);
}

const params = z.strictObject({ capId: capIdSchema });
const query = z.strictObject({ accountId: accountIdQuery });

export function addCapRoutes(api: Api): void {
  addReads(api);
  addChanging(api);
}

function addReads(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/caps',
      operationId: 'listCaps',
      summary: 'List the caps of an account and how they stand',
      tags: TAGS,
      access: 'caps:read',
      request: { query },
      responses: {
        200: jsonResponse(z.object({ items: z.array(capSchema) }), 'By id; at most 100'),
      },
    }),
    async (c) => {
      const call = callOf(c);
      const accountId = await existingAccountOf(call, c.req.valid('query').accountId);
      const caps = await listCaps(call.core, accountId);
      return c.json({ items: caps.map(showCap) }, 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/caps/{capId}',
      operationId: 'getCap',
      summary: 'A cap and how it stands',
      tags: TAGS,
      access: 'caps:read',
      request: { params, query },
      responses: { 200: jsonResponse(capSchema, 'The cap; the ETag is of what is set') },
    }),
    async (c) => {
      const accountId = await existingAccountOf(callOf(c), c.req.valid('query').accountId);
      return respondStanding(c, accountId, c.req.valid('param').capId);
    },
  );
}

function addChanging(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'put',
      path: '/caps/{capId}',
      operationId: 'putCap',
      summary: 'Set a cap, change it, or lift it until a time',
      tags: TAGS,
      access: 'caps:write',
      request: { params, query, headers: ifMatchOrNewHeaders, body: jsonBody(capInputSchema) },
      responses: { 200: jsonResponse(capSchema, 'As it stands now') },
    }),
    async (c) => {
      const call = callOf(c);
      const accountId = await existingAccountOf(call, c.req.valid('query').accountId);
      const input = c.req.valid('json');
      const cap: Cap = {
        id: c.req.valid('param').capId,
        unit: input.unit,
        period: input.period,
        alertPercents: input.alertPercents,
        cachedFromPercent: input.cachedFromPercent,
        cardId: input.rateCardId,
        scope: await scopeOf(call, input),
        limit: BigInt(input.limit),
        liftedUntilMs: msOrNull(input.liftedUntil),
      };
      const check = (current: Cap | null) => requireMatchOrNew(c, current && etagOf(current));
      await setCap(call.core, accountId, cap, check, call.caller.accountId);
      return respondStanding(c, accountId, cap.id);
    },
  );

  api.openapi(
    deleteRoute({
      path: '/caps/{capId}',
      operationId: 'deleteCap',
      summary: 'Remove a cap',
      tags: TAGS,
      access: 'caps:write',
      request: { params, query },
      outcome: 'Removed',
    }),
    async (c) => {
      const call = callOf(c);
      const accountId = await existingAccountOf(call, c.req.valid('query').accountId);
      const isGone = await removeCap(call.core, accountId, c.req.valid('param').capId);
      if (!isGone) throw new StorageError('NoSuchCap');
      return c.body(null, 204);
    },
  );
}
