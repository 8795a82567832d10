// The first page of a console in one response: buckets, what they store, what the
// month costs, how the caps stand. What the caller may not see is null.
import { z } from '@hono/zod-openapi';
import type { AccountTotals } from '../../../core/accounts/account-totals.ts';
import { mayDo } from '../../../core/auth/permissions.ts';
import { forecastMonth } from '../../../core/billing/invoices/forecast-month.ts';
import { monthText } from '../../../core/billing/month.ts';
import { listCaps } from '../../../core/caps/set-cap.ts';
import type { Core } from '../../../core/core.ts';
import type { Account } from '../../../domain/nouns.ts';
import { billedAccountOf } from '../../routing/account-of.ts';
import { type Api, callOf } from '../../routing/api-call.ts';
import { apiRoute, jsonResponse } from '../../routing/api-route.ts';
import {
  currencySchema,
  microSchema,
  periodSchema,
  quantitySchema,
} from '../../schemas/billing.ts';
import { accountIdQuery } from '../../schemas/fields.ts';
import { capSchema, showCap } from '../billing/caps.ts';

const countSchema = z.object({ objects: quantitySchema, bytes: quantitySchema });
const overviewSchema = z
  .object({
    accountId: z.string(),
    buckets: z.object({
      count: z.int(),
      isComplete: z
        .boolean()
        .openapi({ description: 'false: there are more than the 1,000 that were counted.' }),
    }),
    stored: z.object({
      isComplete: z
        .boolean()
        .openapi({ description: 'false: these are sums of the first 100 buckets by name.' }),
      current: countSchema,
      noncurrent: countSchema,
      uploads: countSchema,
      saved: z.object({ deduplicated: quantitySchema, compressed: quantitySchema }),
    }),
    month: z
      .object({
        period: periodSchema,
        currency: currencySchema,
        soFarMicro: microSchema,
        atEndMicro: microSchema,
      })
      .nullable()
      .openapi({ description: 'Totals of GET /forecast; null without the scope billing:read.' }),
    caps: z
      .array(capSchema)
      .nullable()
      .openapi({ description: 'Caps as GET /caps lists them; null without the scope caps:read.' }),
  })
  .openapi('Overview');

function showStored({ stored, isStoredComplete }: AccountTotals) {
  const count = (objects: bigint, bytes: bigint) => ({ objects: `${objects}`, bytes: `${bytes}` });
  return {
    isComplete: isStoredComplete,
    current: count(stored.currentCount, stored.currentBytes),
    noncurrent: count(stored.noncurrentCount, stored.noncurrentBytes),
    uploads: count(stored.partCount, stored.partBytes),
    saved: { deduplicated: `${stored.deduplicatedBytes}`, compressed: `${stored.compressedBytes}` },
  };
}

async function monthOf(core: Core, account: Account) {
  const { soFar, atEnd } = await forecastMonth(core, account);
  const { period, currency, totalMicro } = soFar.invoice;
  const atEndMicro = `${atEnd.invoice.totalMicro}`;
  return { period: monthText(period), currency, soFarMicro: `${totalMicro}`, atEndMicro };
}

export function addOverviewRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/overview',
      operationId: 'getOverview',
      summary:
        'An account at a glance: its buckets, what is stored, ' +
        'what the month costs, how its caps stand',
      description:
        'Each is what its own route says, of nearly the same moment. ' +
        'What the caller may not see is null. Of an account with more than 10 buckets ' +
        '`stored` may be up to 30 seconds old.',
      tags: ['Accounts'],
      access: 'buckets:read',
      request: { query: z.strictObject({ accountId: accountIdQuery }) },
      responses: { 200: jsonResponse(overviewSchema, 'The account') },
    }),
    async (c) => {
      const call = callOf(c);
      const account = await billedAccountOf(call, c.req.valid('query').accountId);
      const [totals, month, caps] = await Promise.all([
        call.glanceAt(account.id),
        mayDo(call.caller, 'billing:read', account.id) ? monthOf(call.core, account) : null,
        mayDo(call.caller, 'caps:read', account.id) ? listCaps(call.core, account.id) : null,
      ]);
      const buckets = { count: totals.bucketCount, isComplete: totals.isCountComplete };
      const stored = showStored(totals);
      return c.json(
        { accountId: account.id, buckets, stored, month, caps: caps?.map(showCap) ?? null },
        200,
      );
    },
  );
}
