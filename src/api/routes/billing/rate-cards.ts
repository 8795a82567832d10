// Rate cards, which account has which, and credits. Everybody sees the prices that ship with
// Quayside, an account those of its own card; the operator alone sees all, and sets them.
import { z } from '@hono/zod-openapi';
import { mayDo } from '../../../core/accounts/permissions.ts';
import { addCredit, leftOf } from '../../../core/billing/account-credits.ts';
import { runningMonth } from '../../../core/billing/month.ts';
import {
  choiceAt,
  findReadableCard,
  isShipped,
  listReadableCards,
  putRateCard,
  rateCardOf,
  setAccountCard,
} from '../../../core/billing/prices/account-card.ts';
import type { RateCard } from '../../../core/billing/prices/rate-card.ts';
import { rateCardJson } from '../../../core/billing/prices/rate-card-json.ts';
import { RATE_CARDS } from '../../../core/billing/prices/rate-cards.ts';
import type { AccountBilling, CardChoice, CreditRow } from '../../../domain/billing/billing.ts';
import { StorageError } from '../../../domain/errors.ts';
import { startOfDay } from '../../../domain/time.ts';
import { requireOperator } from '../../routing/access.ts';
import { billedAccountOf } from '../../routing/account-of.ts';
import { type Api, callOf } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse, noContent } from '../../routing/api-route.ts';
import {
  etagOfState,
  ifMatchHeader,
  ifMatchOrNewHeaders,
  requireMatch,
  requireMatchOrNew,
} from '../../routing/etag.ts';
import { pageOf, pageQuery, readCursor, toPage } from '../../routing/paging.ts';
import {
  cardIdSchema,
  currencySchema,
  microSchema,
  periodSchema,
  type RateCardJson,
  rateCardSchema,
} from '../../schemas/billing.ts';
import { accountIdQuery, idSchema, nameSchema } from '../../schemas/fields.ts';
import { isoTime, isoTimeOrNull, timeSchema } from '../../schemas/time.ts';

const TAGS = ['Prices and credits'];

const show = (card: RateCard): RateCardJson => rateCardJson(card) as unknown as RateCardJson;

const etagOf = (card: RateCard) => etagOfState(show(card));
/** The tag of which cards an account has and from when on, not of what is in them. */
const choicesEtagOf = (choices: readonly CardChoice[]) => etagOfState({ choices });

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

function showCredit(billing: AccountBilling, credit: CreditRow): z.infer<typeof creditSchema> {
  const { id, label, currency, amountMicro, grantedAtMs, expiresAtMs } = credit;
  const times = { grantedAt: isoTime(grantedAtMs), expiresAt: isoTimeOrNull(expiresAtMs) };
  return { id, label, currency, amountMicro, leftMicro: String(leftOf(billing, credit)), ...times };
}

export function addRateCardRoutes(api: Api): void {
  addCardRoutes(api);
  addAccountRoutes(api);
}

function addCardRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/rate-cards',
      operationId: 'listRateCards',
      summary:
        "List rate cards: those that ship with Quayside, then the account's own, the operator's all",
      tags: TAGS,
      access: 'signed-in',
      request: { query: z.strictObject(pageQuery) },
      responses: { 200: jsonResponse(pageOf(rateCardSchema), 'Some cards') },
    }),
    async (c) => {
      const { core, secrets, caller } = callOf(c);
      const { limit, cursor } = c.req.valid('query');
      const after = readCursor(secrets, 'rate-cards', cursor);
      // The place of a shipped card is its number, of an own one its id behind a colon.
      const shipped = after.startsWith(':')
        ? []
        : RATE_CARDS.slice(after === '' ? 0 : Number(after) + 1);
      const page = { after: after.slice(1), limit: limit + 1 };
      const own = mayDo(caller, 'billing:read')
        ? await listReadableCards(core, caller.accountId, page)
        : [];
      const cards = [...shipped, ...own].map(show);
      const placeOf = ({ id }: RateCardJson): string => {
        const at = RATE_CARDS.findIndex((card) => card.id === id);
        return at < 0 ? `:${id}` : String(at);
      };
      return c.json(
        toPage(
          cards.slice(0, limit + 1),
          { limit, list: 'rate-cards', secrets },
          placeOf,
          (card) => card,
        ),
        200,
      );
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/rate-cards/{cardId}',
      operationId: 'getRateCard',
      summary:
        "Read a rate card, as it prices a month: one that ships with Quayside, or the account's own",
      description:
        'One that does not ship needs `billing:read`, and is `NoSuchRateCard` to other accounts.',
      tags: TAGS,
      access: 'signed-in',
      request: {
        params: z.strictObject({ cardId: cardIdSchema }),
        query: z.strictObject({
          period: periodSchema
            .optional()
            .openapi({ description: 'The month that it prices; absent: the one that runs.' }),
        }),
      },
      responses: {
        200: jsonResponse(rateCardSchema, 'The version of the card that prices the month'),
      },
    }),
    async (c) => {
      const { core, caller } = callOf(c);
      const { cardId } = c.req.valid('param');
      const card = await findReadableCard(
        core,
        caller.accountId,
        cardId,
        c.req.valid('query').period,
      );
      if (card === null || !(isShipped(cardId) || mayDo(caller, 'billing:read'))) {
        throw new StorageError('NoSuchRateCard');
      }
      c.header('etag', etagOf(card));
      return c.json(show(card), 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'put',
      path: '/rate-cards/{cardId}',
      operationId: 'putRateCard',
      summary:
        'Make a card of your own, or a version of it from a month on; months that are over keep their prices',
      tags: TAGS,
      access: 'billing:write',
      request: {
        params: z.strictObject({ cardId: cardIdSchema }),
        headers: ifMatchOrNewHeaders,
        body: jsonBody(rateCardSchema),
      },
      responses: { 200: jsonResponse(rateCardSchema, 'The card as it is kept') },
    }),
    async (c) => {
      const call = callOf(c);
      requireOperator(call);
      const card = await putRateCard(
        call.core,
        c.req.valid('param').cardId,
        c.req.valid('json'),
        (known) => requireMatchOrNew(c, known && etagOf(known)),
      );
      c.header('etag', etagOf(card));
      return c.json(show(card), 200);
    },
  );
}

function addAccountRoutes(api: Api): void {
  const query = z.strictObject({ accountId: accountIdQuery });

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
      const month = runningMonth(call.core);
      const card = await rateCardOf(call.core, billing.cards, month);
      c.header('etag', choicesEtagOf(billing.cards));
      const changes = billing.cards.filter(({ validFrom }) => validFrom > month);
      const target = await call.core.ports.directory.call('getPushTarget', { accountId: id });
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
      return c.json(shown, 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'put',
      path: '/billing/rate-card',
      operationId: 'setRateCard',
      summary:
        'Give an account a card, from the month that runs or one to come; null is the default of the server',
      tags: TAGS,
      access: 'billing:write',
      request: {
        query,
        headers: ifMatchHeader,
        body: jsonBody(
          z.strictObject({
            rateCardId: cardIdSchema.nullable(),
            validFrom: periodSchema.optional(),
          }),
        ),
      },
      responses: {
        200: jsonResponse(rateCardSchema, 'The card that the account has from then on'),
      },
    }),
    async (c) => {
      const call = callOf(c);
      requireOperator(call);
      const { id } = await billedAccountOf(call, c.req.valid('query').accountId);
      const { rateCardId: cardId, validFrom } = c.req.valid('json');
      const check = (known: readonly CardChoice[]) => requireMatch(c, choicesEtagOf(known));
      const { card, choices } = await setAccountCard(call.core, id, cardId, { validFrom, check });
      c.header('etag', choicesEtagOf(choices));
      return c.json(show(card), 200);
    },
  );

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
      const call = callOf(c);
      requireOperator(call);
      const { id: accountId } = await billedAccountOf(call, c.req.valid('query').accountId);
      const { label, currency, amountMicro, expiresAt } = c.req.valid('json');
      const { ids, clock, directory } = call.core.ports;
      const grantedAtMs = clock.nowMs();
      const expiresAtMs = expiresAt === null ? null : Date.parse(expiresAt);
      if (expiresAtMs !== null && expiresAtMs <= grantedAtMs) {
        throw new StorageError('InvalidInput', { detail: 'expiresAt must be in the future.' });
      }
      const credit = { id: ids.recordId(), label, currency, amountMicro, grantedAtMs, expiresAtMs };
      const kept = await addCredit(call.core, accountId, credit);
      return c.json(
        showCredit(await directory.call('getAccountBilling', { accountId }), kept),
        201,
      );
    },
  );

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
        body: jsonBody(
          z.strictObject({
            customerId: z
              .string()
              .regex(/^cus_\w{1,100}$/)
              .nullable(),
          }),
        ),
      },
      responses: { 204: noContent('Set') },
    }),
    async (c) => {
      const call = callOf(c);
      requireOperator(call);
      const { id: accountId } = await billedAccountOf(call, c.req.valid('query').accountId);
      const { clock, directory } = call.core.ports;
      const dayMs = startOfDay(clock.nowMs());
      await directory.call('setPushTarget', {
        accountId,
        customerId: c.req.valid('json').customerId,
        dayMs,
      });
      return c.body(null, 204);
    },
  );
}
