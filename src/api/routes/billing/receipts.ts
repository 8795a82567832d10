// The receipts of a month against its bill. Receipts themselves come with the
// responses that they are about.
import { z } from '@hono/zod-openapi';
import {
  type ReceiptStatement,
  receiptStatement,
} from '../../../core/billing/receipts/receipt-statement.ts';
import { billedAccountOf } from '../../routing/account-of.ts';
import { type Api, callOf } from '../../routing/api-call.ts';
import { apiRoute, jsonResponse } from '../../routing/api-route.ts';
import { requireFound } from '../../routing/require-found.ts';
import {
  cardIdSchema,
  currencySchema,
  microSchema,
  monthFrom,
  periodSchema,
  quantitySchema,
} from '../../schemas/billing.ts';
import { accountIdQuery } from '../../schemas/fields.ts';

const statementSchema = z
  .object({
    period: periodSchema,
    status: z.enum(['open', 'closed']),
    currency: currencySchema,
    cardId: cardIdSchema,
    receiptsMicro: microSchema.openapi({ description: 'What all receipts of the month come to.' }),
    restMicro: microSchema.openapi({
      description: 'What had none: storage, and requests that did not ask.',
    }),
    minimumMicro: microSchema,
    lateMicro: microSchema.openapi({ description: 'Late usage of months before.' }),
    creditsMicro: microSchema,
    totalMicro: microSchema.openapi({
      description:
        "The invoice's total: " +
        'receiptsMicro + restMicro + minimumMicro + lateMicro - creditsMicro.',
    }),
    lines: z
      .array(
        z.object({
          label: z.string(),
          meters: z.array(z.string()),
          amountMicro: microSchema,
          receiptsMicro: microSchema,
          restMicro: microSchema,
        }),
      )
      .openapi({ description: 'Lines of the invoice.' }),
    meters: z
      .array(z.object({ meter: z.string(), quantity: quantitySchema, amountMicro: microSchema }))
      .openapi({ description: 'What had receipts.' }),
    cards: z
      .array(
        z.object({
          cardId: cardIdSchema,
          version: z.string(),
          receipts: z.int(),
          amountMicro: microSchema,
          isCurrent: z.boolean(),
        }),
      )
      .openapi({
        description:
          'How many receipts were made by each card. ' +
          'A card that was changed in the month has several versions.',
      }),
  })
  .openapi('ReceiptStatement');

function show({ document, lines, meters, cards, ...sums }: ReceiptStatement, period: string) {
  const { invoice, card, closedAtMs } = document;
  return {
    period,
    status: closedAtMs === null ? ('open' as const) : ('closed' as const),
    currency: invoice.currency,
    cardId: card.id,
    receiptsMicro: `${sums.receiptsMicro}`,
    restMicro: `${sums.restMicro}`,
    minimumMicro: `${invoice.minimumMicro}`,
    lateMicro: `${sums.lateMicro}`,
    creditsMicro: `${sums.creditsMicro}`,
    totalMicro: `${invoice.totalMicro}`,
    lines: lines.map((line) => ({
      label: line.label,
      meters: [...line.meters],
      amountMicro: `${line.amountMicro}`,
      receiptsMicro: `${line.receiptsMicro}`,
      restMicro: `${line.restMicro}`,
    })),
    meters: meters.map(({ meter, quantity, amountMicro }) => ({
      meter,
      quantity: `${quantity}`,
      amountMicro: `${amountMicro}`,
    })),
    cards: cards.map(({ amountMicro, ...card }) => ({ ...card, amountMicro: `${amountMicro}` })),
  };
}

export function addReceiptRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/receipts/{period}',
      operationId: 'getReceiptStatement',
      summary: 'What the receipts of a month come to, and what of its invoice had none',
      description:
        'Receipts come with the responses of S3: ask by `?receipt=1` ' +
        'or the header `x-quayside-receipt: 1`, signed as the account that pays, ' +
        'or set `receipts` of a bucket.',
      tags: ['Invoices'],
      access: 'billing:read',
      request: {
        query: z.strictObject({ accountId: accountIdQuery }),
        params: z.strictObject({ period: periodSchema }),
      },
      responses: { 200: jsonResponse(statementSchema, 'Receipts and invoice of one moment') },
    }),
    async (c) => {
      const call = callOf(c);
      const { period } = c.req.valid('param');
      const account = await billedAccountOf(call, c.req.valid('query').accountId);
      const statement = await receiptStatement(call.core, account, monthFrom(period));
      return c.json(show(requireFound(statement, 'NoSuchInvoice'), period), 200);
    },
  );
}
