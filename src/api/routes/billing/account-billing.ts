// The card that an account has, and its credits: the account sees them, the
// operator sets them. The cards themselves are in rate-cards.ts.
import { z } from '@hono/zod-openapi';
import { addCredit, leftOf } from '../../../core/billing/invoices/account-credits.ts';
import { runningMonth } from '../../../core/billing/month.ts';
import { choiceAt, rateCardOf, setAccountCard } from '../../../core/billing/prices/account-card.ts';
import type { AccountBilling, CardChoice, CreditRow } from '../../../domain/billing/billing.ts';
import { startOfDay } from '../../../domain/time.ts';
import { billedAccountOf } from '../../routing/account-of.ts';
import { type Api, callOf, operatorCallOf } from '../../routing/api-call.ts';
import {
  apiRoute,
  changeRoute,
  jsonBody,
  jsonResponse,
  noContent,
} from '../../routing/api-route.ts';
import { etagOfState, jsonWithEtag, requireMatch } from '../../routing/etag.ts';
import {
  cardIdSchema,
  currencySchema,
  microSchema,
  periodSchema,
  rateCardSchema,
} from '../../schemas/billing.ts';
import { accountIdQuery, idSchema, nameSchema } from '../../schemas/fields.ts';
import { futureMsOrNull, isoTime, isoTimeOrNull, timeSchema } from '../../schemas/time.ts';

import { showRateCard } from './rate-cards.ts';

const TAGS = ['Prices and credits'];

const creditSchema = z
  .object({
    id: idSchema,
    label: z.string(),
    currency: currencySchema,
    amountMicro: microSchema,
    leftMicro: microSchema,
    grantedAt: timeSchema,
    expiresAt: timeSchema.nullable(),
  })
  .openapi('Credit');
const billingSchema = z
  .object({
    accountId: z.string(),
    rateCardId: cardIdSchema,
    isDefaultCard: z.boolean(),
    rateCardChanges: z
      .array(z.object({ validFrom: periodSchema, rateCardId: cardIdSchema.nullable() }))
      .openapi({
        description: 'Which cards it has from months to come on; null: the default of the server.',
      }),
    currency: currencySchema,
    credits: z.array(creditSchema),
    stripeCustomerId: z.string().nullable(),
  })
  .openapi('AccountBilling');
const newCreditSchema = z.strictObject({
  label: nameSchema,
  currency: currencySchema,
  amountMicro: z.string().regex(/^[1-9]\d{0,17}$/),
  expiresAt: timeSchema.nullable().default(null),
});
const cardChoiceSchema = z.strictObject({
  rateCardId: cardIdSchema.nullable(),
  validFrom: periodSchema.optional(),
});
const stripeCustomerSchema = z.strictObject({
  customerId: z
    .string()
    .regex(/^cus_\w{1,100}$/)
    .nullable(),
});
const query = z.strictObject({ accountId: accountIdQuery });

/**
 * The tag of which cards an account has and from when on, not of what is in them.
 */
const etagOfChoices = (choices: readonly CardChoice[]) => etagOfState({ choices });

function showCredit(billing: AccountBilling, credit: CreditRow): z.infer<typeof creditSchema> {
  const { id, label, currency, amountMicro } = credit;
  return {
    id,
    label,
    currency,
    amountMicro,
    leftMicro: String(leftOf(billing, credit)),
    grantedAt: isoTime(credit.grantedAtMs),
    expiresAt: isoTimeOrNull(credit.expiresAtMs),
  };
}

export function addAccountBillingRoutes(api: Api): void {
  addBillingRead(api);
  addCardChoice(api);
  addCredits(api);
  addStripeCustomer(api);
}

function addBillingRead(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/billing',
      operationId: 'getBilling',
      summary: 'Which card an account has, and what is left of its credits',
      tags: TAGS,
      access: 'billing:read',
      request: { query },
      responses: {
        200: jsonResponse(billingSchema, 'Card and credits; the ETag is for changing the card'),
      },
    }),
    async (c) => {
      const call = callOf(c);
      const { id } = await billedAccountOf(call, c.req.valid('query').accountId);
      const billing = await call.core.ports.directory.call('getAccountBilling', { accountId: id });
      const target = await call.core.ports.directory.call('getPushTarget', { accountId: id });

      const month = runningMonth(call.core);
      const card = await rateCardOf(call.core, billing.cards, month);
      const changes = billing.cards.filter(({ validFrom }) => validFrom > month);
      const shown = {
        accountId: id,
        rateCardId: card.id,
        isDefaultCard: choiceAt(billing.cards, month) === null,
        rateCardChanges: changes.map(({ validFrom, cardId }) => ({
          validFrom,
          rateCardId: cardId,
        })),
        currency: card.currency,
        credits: billing.credits.map((credit) => showCredit(billing, credit)),
        stripeCustomerId: target?.customerId ?? null,
      };
      return jsonWithEtag(c, etagOfChoices(billing.cards), shown, 200);
    },
  );
}

function addCardChoice(api: Api): void {
  api.openapi(
    changeRoute({
      method: 'put',
      path: '/billing/rate-card',
      operationId: 'setRateCard',
      summary:
        'Give an account a card, from the month that runs or one to come; ' +
        'null is the default of the server',
      tags: TAGS,
      access: 'billing:write',
      request: { query },
      change: cardChoiceSchema,
      changed: rateCardSchema,
      outcome: 'The card that the account has from then on',
    }),
    async (c) => {
      const call = operatorCallOf(c);
      const { id } = await billedAccountOf(call, c.req.valid('query').accountId);
      const { rateCardId: cardId, validFrom } = c.req.valid('json');
      const check = (current: readonly CardChoice[]) => requireMatch(c, etagOfChoices(current));
      const { card, choices } = await setAccountCard(call.core, id, cardId, { validFrom, check });
      return jsonWithEtag(c, etagOfChoices(choices), showRateCard(card), 200);
    },
  );
}

function addCredits(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'post',
      path: '/billing/credits',
      operationId: 'addCredit',
      summary: 'Give an account a credit; the open month and later ones are paid with it',
      tags: TAGS,
      access: 'billing:write',
      request: { query, body: jsonBody(newCreditSchema) },
      responses: { 201: jsonResponse(creditSchema, 'Given') },
    }),
    async (c) => {
      const call = operatorCallOf(c);
      const { id: accountId } = await billedAccountOf(call, c.req.valid('query').accountId);
      const { label, currency, amountMicro, expiresAt } = c.req.valid('json');
      const { ids, clock, directory } = call.core.ports;
      const grantedAtMs = clock.nowMs();
      const expiresAtMs = futureMsOrNull(expiresAt, grantedAtMs);

      const credit = { id: ids.recordId(), label, currency, amountMicro, grantedAtMs, expiresAtMs };
      const added = await addCredit(call.core, accountId, credit);
      const billing = await directory.call('getAccountBilling', { accountId });
      return c.json(showCredit(billing, added), 201);
    },
  );
}

function addStripeCustomer(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'put',
      path: '/billing/stripe-customer',
      operationId: 'setStripeCustomer',
      summary: 'Tell Stripe what the account uses from today on, as that customer; null ends it',
      tags: TAGS,
      access: 'billing:write',
      request: {
        query,
        body: jsonBody(stripeCustomerSchema),
      },
      responses: { 204: noContent('Set') },
    }),
    async (c) => {
      const call = operatorCallOf(c);
      const { id: accountId } = await billedAccountOf(call, c.req.valid('query').accountId);
      const { customerId } = c.req.valid('json');
      const { clock, directory } = call.core.ports;
      const dayMs = startOfDay(clock.nowMs());
      await directory.call('setPushTarget', { accountId, customerId, dayMs });
      return c.body(null, 204);
    },
  );
}
