// The quota of an account: the operator sets it, the account sees it with what it
// stores.
import { z } from '@hono/zod-openapi';
import { readAccountTotals } from '../../../core/accounts/account-totals.ts';
import { getAccountQuota, setAccountQuota } from '../../../core/quotas/account-quota.ts';
import type { StorageQuota } from '../../../domain/billing/quotas.ts';
import type { AccountId } from '../../../domain/nouns.ts';
import { existingAccountOf } from '../../routing/account-of.ts';
import { type Api, type ApiContext, callOf, operatorCallOf } from '../../routing/api-call.ts';
import { apiRoute, changeRoute, jsonResponse } from '../../routing/api-route.ts';
import { etagOfState, jsonWithEtag, requireMatch } from '../../routing/etag.ts';
import { quantitySchema } from '../../schemas/billing.ts';
import { idSchema } from '../../schemas/fields.ts';
import { quotaSchema, showQuota, toQuota } from '../../schemas/quota.ts';

const TAGS = ['Accounts'];
const NO_QUOTA: StorageQuota = { bytes: null, objects: null };

const params = z.strictObject({ accountId: idSchema });
const standingSchema = quotaSchema
  .extend({
    stored: z.object({
      bytes: quantitySchema,
      objects: quantitySchema,
      isComplete: z
        .boolean()
        .openapi({ description: 'false: these are sums of the first 100 buckets by name.' }),
    }),
  })
  .openapi('AccountQuota');

const etagOf = (quota: StorageQuota | null) => etagOfState(showQuota(quota ?? NO_QUOTA));

/**
 * Responds with the quota and what the account stores; the ETag is of the quota
 * alone.
 */
async function respondStanding(c: ApiContext, accountId: AccountId) {
  const { core } = callOf(c);
  const [quota, totals] = await Promise.all([
    getAccountQuota(core, accountId),
    readAccountTotals(core, accountId),
  ]);
  const { stored, isStoredComplete: isComplete } = totals;
  const bytes = `${stored.currentBytes + stored.noncurrentBytes + stored.partBytes}`;
  const objects = `${stored.currentCount + stored.noncurrentCount}`;
  const standing = { ...showQuota(quota ?? NO_QUOTA), stored: { bytes, objects, isComplete } };
  return jsonWithEtag(c, etagOf(quota), standing, 200);
}

export function addAccountQuotaRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/accounts/{accountId}/quota',
      operationId: 'getAccountQuota',
      summary: 'What all buckets of an account may store together, and what they do',
      tags: TAGS,
      access: 'account:read',
      request: { params },
      responses: { 200: jsonResponse(standingSchema, 'The quota; the ETag is of what is set') },
    }),
    async (c) =>
      respondStanding(c, await existingAccountOf(callOf(c), c.req.valid('param').accountId)),
  );

  api.openapi(
    changeRoute({
      method: 'put',
      path: '/accounts/{accountId}/quota',
      operationId: 'putAccountQuota',
      summary: 'Limit what all buckets of an account may store together (operator)',
      description:
        'Two nulls take the limit away. ' +
        'It holds for every bucket once this is answered; what is above it already stays.',
      tags: TAGS,
      access: 'account:write',
      request: { params },
      change: quotaSchema,
      changed: standingSchema,
      outcome: 'As it stands now',
    }),
    async (c) => {
      const call = operatorCallOf(c);
      const accountId = await existingAccountOf(call, c.req.valid('param').accountId);
      const check = (current: StorageQuota | null) => requireMatch(c, etagOf(current));
      await setAccountQuota(call.core, accountId, toQuota(c.req.valid('json')), check);
      return respondStanding(c, accountId);
    },
  );
}
