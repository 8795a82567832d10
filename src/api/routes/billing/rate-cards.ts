// Rate cards. Everybody sees the prices that ship with Quayside, an account those
// of its own card; the operator alone sees all, and sets them. Which account has
// which is in account-billing.ts.
import { z } from '@hono/zod-openapi';
import { mayDo } from '../../../core/auth/permissions.ts';
import {
  findReadableCard,
  isShipped,
  listReadableCards,
  putRateCard,
} from '../../../core/billing/prices/account-card.ts';
import type { RateCard } from '../../../core/billing/prices/rate-card.ts';
import { rateCardJson } from '../../../core/billing/prices/rate-card-json.ts';
import { RATE_CARDS } from '../../../core/billing/prices/rate-cards.ts';
import { StorageError } from '../../../domain/errors.ts';
import { type Api, callOf, operatorCallOf, type SignedInCall } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse, listRoute } from '../../routing/api-route.ts';
import {
  etagOfState,
  ifMatchOrNewHeaders,
  jsonWithEtag,
  requireMatchOrNew,
} from '../../routing/etag.ts';
import { readPage } from '../../routing/paging.ts';
import {
  cardIdSchema,
  periodSchema,
  type RateCardJson,
  rateCardSchema,
} from '../../schemas/billing.ts';

const TAGS = ['Prices and credits'];

/** A rate card as the API shows it. */
export const showRateCard = (card: RateCard): RateCardJson =>
  rateCardJson(card) as unknown as RateCardJson;

const etagOf = (card: RateCard) => etagOfState(showRateCard(card));

/**
 * The position of a shipped card is its number, that of an own one its id behind a
 * colon.
 */
function positionOfCard(cardId: string): string {
  const index = RATE_CARDS.findIndex(({ id }) => id === cardId);
  return index < 0 ? `:${cardId}` : String(index);
}

/**
 * Reads up to `limit` cards behind a position: the shipped ones, then those of the
 * account.
 */
async function readCards(
  { core, caller }: SignedInCall,
  position: string,
  limit: number,
): Promise<readonly RateCard[]> {
  const isBehindShipped = position.startsWith(':');
  const firstShipped = position === '' ? 0 : Number(position) + 1;
  const shipped = isBehindShipped ? [] : RATE_CARDS.slice(firstShipped);
  if (!mayDo(caller, 'billing:read')) return shipped.slice(0, limit);

  const after = isBehindShipped ? position.slice(1) : '';
  const own = await listReadableCards(core, caller.accountId, { after, limit });
  return [...shipped, ...own].slice(0, limit);
}

export function addRateCardRoutes(api: Api): void {
  addReads(api);
  addPut(api);
}

function addReads(api: Api): void {
  api.openapi(
    listRoute({
      path: '/rate-cards',
      operationId: 'listRateCards',
      summary:
        'List rate cards: those that ship with Quayside, ' +
        "then the account's own, the operator's all",
      tags: TAGS,
      access: 'signed-in',
      item: rateCardSchema,
      order: 'Some cards',
    }),
    async (c) => {
      const call = callOf(c);
      const page = await readPage(call, c.req.valid('query'), {
        list: 'rate-cards',
        read: (position, limit) => readCards(call, position, limit),
        positionOf: ({ id }) => positionOfCard(id),
        show: showRateCard,
      });
      return c.json(page, 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/rate-cards/{cardId}',
      operationId: 'getRateCard',
      summary:
        'Read a rate card, as it prices a month: ' +
        "one that ships with Quayside, or the account's own",
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
      const { period } = c.req.valid('query');
      const card = await findReadableCard(core, caller.accountId, cardId, period);
      if (card === null || !(isShipped(cardId) || mayDo(caller, 'billing:read'))) {
        throw new StorageError('NoSuchRateCard');
      }
      return jsonWithEtag(c, etagOf(card), showRateCard(card), 200);
    },
  );
}

function addPut(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'put',
      path: '/rate-cards/{cardId}',
      operationId: 'putRateCard',
      summary:
        'Make a card of your own, or a version of it from a month on; ' +
        'months that are over keep their prices',
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
      const call = operatorCallOf(c);
      const { cardId } = c.req.valid('param');
      const check = (current: RateCard | null) => requireMatchOrNew(c, current && etagOf(current));
      const card = await putRateCard(call.core, cardId, c.req.valid('json'), check);
      return jsonWithEtag(c, etagOf(card), showRateCard(card), 200);
    },
  );
}
