// Schemas of who bills whom and by what tax.
import { z } from '@hono/zod-openapi';
import { nameSchema } from './fields.ts';

const percentSchema = z
  .string()
  .regex(/^\d{1,2}(\.\d{1,4})?$/)
  .openapi({ description: 'Percent, a decimal.', example: '19' });
const partyTextSchema = z
  .string()
  .max(500)
  .regex(/^(?:[^\p{Cc}\p{Cs}]|\n)*$/u);
const countrySchema = z
  .string()
  .regex(/^(?:[A-Z]{2})?$/)
  .openapi({ description: 'Two letters of ISO 3166-1, or empty.', example: 'DE' });
export const partySchema = z
  .strictObject({
    name: nameSchema,
    address: partyTextSchema
      .default('')
      .openapi({ description: 'Lines, with line feeds between.' }),
    country: countrySchema.default(''),
    taxId: z
      .string()
      .regex(/^[\w ./-]{0,40}$/)
      .default(''),
  })
  .openapi('Party');
const prefixSchema = z
  .string()
  .regex(/^[A-Za-z0-9][\w./-]{0,30}[A-Za-z_./-]$|^[A-Za-z]$/)
  .openapi({
    description: 'What numbers of the series begin with; ends with no digit.',
    example: 'INV-2027-',
  });
export const issuerSchema = z
  .strictObject({
    ...partySchema.shape,
    paymentNote: partyTextSchema
      .default('')
      .openapi({ description: 'How to pay: a bank account, say.' }),
    dueDays: z.number().int().min(0).max(365).default(14),
    invoicePrefix: prefixSchema.default('QS-'),
    creditNotePrefix: prefixSchema.default('QS-CN-'),
    taxPercent: percentSchema.default('0'),
    taxPercentByCountry: z
      .record(z.string().regex(/^[A-Z]{2}$/), percentSchema)
      .default({})
      .openapi({ description: 'Percent for buyers of these countries, in place of taxPercent.' }),
    reverseChargeNote: z
      .string()
      .regex(/^[^\p{Cc}\p{Cs}]{1,300}$/u)
      .default('Reverse charge: the recipient is liable for the tax.'),
  })
  .openapi('Issuer');
export const accountTaxSchema = z
  .strictObject({
    percent: percentSchema.nullable().default(null),
    reverseChargeTaxId: z
      .string()
      .min(1)
      .max(40)
      .nullable()
      .default(null)
      .openapi({
        description:
          "The buyer's tax id as the operator checked it: " +
          "while it is the buyer's, no tax is on its bills.",
      }),
  })
  .openapi('AccountTax');
export const termsSchema = z
  .object({
    seller: partySchema,
    buyer: partySchema,
    paymentNote: z.string(),
    dueOn: z.string().nullable(),
    taxPercent: percentSchema,
    reverseChargeNote: z.string().nullable(),
  })
  .openapi('InvoiceTerms');
