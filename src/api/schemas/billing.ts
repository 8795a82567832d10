// Schemas that the routes of bills, usage and prices share. Money and quantities
// are texts of whole numbers, because they pass what JSON numbers hold.
import { z } from '@hono/zod-openapi';
import { MONTH_TEXT, parseMonth } from '../../core/billing/month.ts';
import { SAVINGS } from '../../core/metering/usage.ts';
import { StorageError } from '../../domain/errors.ts';
import { termsSchema } from './parties.ts';
import { timeSchema } from './time.ts';

export const microSchema = z
  .string()
  .regex(/^-?\d{1,40}$/)
  .openapi({ description: 'Millionths of a unit of the currency.', example: '1230000' });
export const quantitySchema = z
  .string()
  .regex(/^\d{1,40}$/)
  .openapi({ description: 'Requests, bytes or byte-hours.' });
export const decimalSchema = z.string().regex(/^\d{1,30}(\.\d{1,12})?$/);
export const currencySchema = z
  .string()
  .regex(/^[A-Z]{3}$/)
  .openapi({ example: 'USD' });
export const periodSchema = z
  .string()
  .regex(MONTH_TEXT)
  .openapi({ description: 'A calendar month in UTC.', example: '2026-11' });
export const cardIdSchema = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/)
  .openapi({ example: 'cloudflare-r2' });

/** `{kind}/{storage class or tier}` to what was used of it. */
export const usageMapSchema = z
  .record(z.string(), quantitySchema)
  .openapi({ example: { 'class-a/STANDARD': '1500' } });

const lineTextSchema = z.string().min(1).max(300);
const meterSchema = z
  .string()
  .regex(/^[a-z-]{1,20}\/\w{1,40}$/)
  .openapi({ example: 'class-a/STANDARD' });
const metersSchema = z.array(meterSchema).min(1).max(100);
const tierSchema = z.strictObject({
  upTo: decimalSchema
    .optional()
    .openapi({ description: 'Units of the period; the last tier is without end.' }),
  price: decimalSchema,
});
const cardLineSchema = z.strictObject({
  label: lineTextSchema,
  meters: metersSchema,
  unit: z.strictObject({
    name: lineTextSchema,
    size: z.number().int().min(1),
    perMonth: z.boolean().optional(),
  }),
  free: decimalSchema.optional().openapi({ description: 'Units that cost nothing in a period.' }),
  freePerStored: z.strictObject({ meters: metersSchema, times: decimalSchema }).optional(),
  roundUp: z.boolean().optional().openapi({ description: 'A unit that was begun is paid whole.' }),
  tiers: z.array(tierSchema).min(1).max(20),
});
/** A rate card as docs/billing.md describes it; core checks what a schema can't. */
export const rateCardSchema = z
  .strictObject({
    id: cardIdSchema,
    name: lineTextSchema,
    currency: currencySchema,
    source: z
      .string()
      .max(310)
      .openapi({ description: 'Where the prices come from: an https address.' }),
    asOf: z.iso.date().openapi({ example: '2026-11-21' }),
    validFrom: periodSchema.optional().openapi({
      description:
        'The first month that this version prices. ' +
        'Sent without it, a card counts from the month that runs.',
    }),
    monthHours: z.union([z.literal('calendar'), z.number().int().min(1).max(10_000)]),
    minimum: decimalSchema.optional(),
    notes: z.array(lineTextSchema).max(20).optional(),
    lines: z.array(cardLineSchema).min(1).max(100),
  })
  .openapi('RateCard');
export type RateCardJson = z.infer<typeof rateCardSchema>;

/** A decimal, which may be negative for late usage and savings. */
const differenceSchema = z.string().regex(/^-?\d{1,30}(\.\d{1,12})?$/);
const partSchema = z.object({
  tier: z
    .number()
    .int()
    .nullable()
    .openapi({ description: 'Tier of the line on the card, from 0; null: what is free.' }),
  units: differenceSchema,
  price: decimalSchema,
  amountMicro: microSchema,
});
const lineSchema = z.object({
  label: z.string(),
  saving: z.enum(SAVINGS).nullable().openapi({
    description:
      'What the line is saved by: units are those saved, the amount is negative; null: of usage.',
  }),
  meters: z.array(z.string()),
  unit: z.string(),
  units: differenceSchema,
  billedUnits: differenceSchema,
  parts: z.array(partSchema),
  amountMicro: microSchema,
});
export const invoiceHeadSchema = z
  .object({
    number: z.string(),
    period: periodSchema,
    issue: z.number().int(),
    isVoid: z.boolean(),
    currency: currencySchema,
    totalMicro: microSchema,
    closedAt: timeSchema,
  })
  .openapi('InvoiceSummary');
const lateSchema = z.object({
  period: periodSchema,
  lines: z.array(lineSchema),
  minimumMicro: microSchema,
  amountMicro: microSchema,
  usageBefore: usageMapSchema,
  usageAfter: usageMapSchema,
  card: rateCardSchema,
});
export const invoiceSchema = z
  .object({
    format: z.literal(1),
    number: z.string(),
    issue: z
      .number()
      .int()
      .openapi({ description: 'From 0; one more for each that replaced a void one.' }),
    status: z.enum(['open', 'closed', 'void']),
    accountId: z.string(),
    accountName: z.string(),
    period: periodSchema,
    periodStart: timeSchema,
    periodEnd: timeSchema,
    closedAt: timeSchema.nullable(),
    terms: termsSchema
      .nullable()
      .openapi({ description: 'Who bills whom, by what tax; frozen when it was closed.' }),
    currency: currencySchema,
    lines: z.array(lineSchema),
    minimumMicro: microSchema,
    late: z
      .array(lateSchema)
      .openapi({ description: 'Usage of closed months that came late, and no bill had yet.' }),
    credits: z.array(z.object({ id: z.string(), label: z.string(), amountMicro: microSchema })),
    totalMicro: microSchema,
    netMicro: microSchema.openapi({ description: 'The total rounded down to a coin.' }),
    taxMicro: microSchema.openapi({ description: 'Tax on netMicro, to the nearest coin.' }),
    payableMicro: microSchema.openapi({ description: 'Both together.' }),
    unpriced: usageMapSchema,
    usage: usageMapSchema,
    card: rateCardSchema,
    isRecomputable: z
      .boolean()
      .openapi({ description: 'Made again from its usage and card it is the same.' }),
  })
  .openapi('Invoice');

/** The month of a text that `periodSchema` took. InvalidInput. */
export function monthFrom(text: string): { year: number; month: number } {
  const period = parseMonth(text);
  if (period === null)
    throw new StorageError('InvalidInput', { detail: 'period must be a month like 2026-11.' });
  return { ...period };
}
