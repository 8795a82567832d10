// Credit notes and void bills: issued by the operator, read by the account.
import { z } from '@hono/zod-openapi';
import { creditNoteSheet } from '../../../core/billing/exports/sheet.ts';
import {
  type CreditNoteDocument,
  creditInvoice,
  parseCreditNote,
  voidInvoice,
} from '../../../core/billing/invoices/credit-note.ts';
import { StorageError } from '../../../domain/errors.ts';
import { respondBillFile, sheetPage, sheetPdfFile } from '../../documents/bill-file.ts';
import { invoicedAccountOf } from '../../routing/account-of.ts';
import { type Api, callOf, operatorCallOf, type SignedInCall } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse, listRoute } from '../../routing/api-route.ts';
import { readPage } from '../../routing/paging.ts';
import { requireFound } from '../../routing/require-found.ts';
import {
  currencySchema,
  invoiceSchema,
  microSchema,
  monthFrom,
  periodSchema,
} from '../../schemas/billing.ts';
import { accountIdQuery } from '../../schemas/fields.ts';
import { termsSchema } from '../../schemas/parties.ts';
import { isoTime, timeSchema } from '../../schemas/time.ts';
import { showInvoice } from './show-invoice.ts';

const TAGS = ['Credit notes'];
const query = z.strictObject({ accountId: accountIdQuery });
const numberParam = z.string().regex(/^[\w.-]{1,64}$/);
const reasonSchema = z.string().regex(/^[^\p{Cc}\p{Cs}]{1,300}$/u);
const FILES = ['credit-note.html', 'credit-note.pdf'] as const;

const creditNoteSchema = z
  .object({
    number: z.string(),
    issuedAt: timeSchema,
    accountId: z.string(),
    accountName: z.string(),
    period: periodSchema,
    invoiceNumber: z.string(),
    isVoid: z.boolean(),
    reason: z.string(),
    currency: currencySchema,
    lines: z.array(z.object({ label: z.string(), amountMicro: microSchema })),
    netMicro: microSchema.openapi({ description: 'What is taken back, without tax.' }),
    taxMicro: microSchema,
    terms: termsSchema.nullable().openapi({ description: "The invoice's." }),
  })
  .openapi('CreditNote');

function show({ issuedAtMs, lines, netMicro, taxMicro, ...note }: CreditNoteDocument) {
  return {
    ...note,
    issuedAt: isoTime(issuedAtMs),
    lines: lines.map(({ label, amountMicro }) => ({ label, amountMicro: String(amountMicro) })),
    netMicro: String(netMicro),
    taxMicro: String(taxMicro),
  };
}

/** The credit note of that number. NoSuchInvoice. */
async function findNote(
  call: SignedInCall,
  accountIdInQuery: string | undefined,
  number: string,
): Promise<CreditNoteDocument> {
  const { id: accountId } = await invoicedAccountOf(call, accountIdInQuery);
  const stored = await call.core.ports.directory.call('getCreditNote', { accountId, number });
  return parseCreditNote(requireFound(stored, 'NoSuchInvoice'));
}

export function addCreditNoteRoutes(api: Api): void {
  addIssuing(api);
  addReads(api);
}

function addReads(api: Api): void {
  api.openapi(
    listRoute({
      path: '/credit-notes',
      operationId: 'listCreditNotes',
      summary: 'List the credit notes of an account',
      tags: TAGS,
      access: 'billing:read',
      filter: { accountId: accountIdQuery },
      item: creditNoteSchema,
      order: 'The newest first',
    }),
    async (c) => {
      const call = callOf(c);
      const { id: accountId } = await invoicedAccountOf(call, c.req.valid('query').accountId);
      const { directory } = call.core.ports;
      const page = await readPage(call, c.req.valid('query'), {
        list: `credit-notes ${accountId}`,
        read: (position, limit) => {
          const before = position === '' ? null : Number(position);
          return directory.call('listCreditNotes', { accountId, before, limit });
        },
        positionOf: ({ order }) => String(order),
        show: (note) => show(parseCreditNote(note)),
      });
      return c.json(page, 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/credit-notes/{number}',
      operationId: 'getCreditNote',
      summary: 'Read a credit note',
      tags: TAGS,
      access: 'billing:read',
      request: { query, params: z.strictObject({ number: numberParam }) },
      responses: { 200: jsonResponse(creditNoteSchema, 'The credit note') },
    }),
    async (c) => {
      const { number } = c.req.valid('param');
      const note = await findNote(callOf(c), c.req.valid('query').accountId, number);
      return c.json(show(note), 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/credit-notes/{number}/{noteFile}',
      operationId: 'getCreditNoteFile',
      summary: 'The credit note as a file: a page to print, or PDF',
      tags: TAGS,
      access: 'billing:read',
      request: { query, params: z.strictObject({ number: numberParam, noteFile: z.enum(FILES) }) },
      responses: {
        200: {
          description: 'The file',
          content: {
            'text/html': { schema: z.string() },
            'application/pdf': { schema: z.string() },
          },
        },
      },
    }),
    async (c) => {
      const { number, noteFile: file } = c.req.valid('param');
      const call = callOf(c);
      const note = await findNote(call, c.req.valid('query').accountId, number);
      const { settings, ports } = call.core;
      const sheet = creditNoteSheet(note, settings.invoiceIssuer);
      const isPage = file === 'credit-note.html';
      const billFile = isPage ? sheetPage(sheet) : await sheetPdfFile(sheet, ports.documentFonts);
      return respondBillFile(billFile, `${number}-${file}`);
    },
  );
}

const partSchema = z.strictObject({
  reason: reasonSchema,
  netMicro: z
    .string()
    .regex(/^[1-9]\d{0,17}$/)
    .optional()
    .openapi({
      description: 'Without tax, in whole coins. Absent, and without lines: all that is left.',
    }),
  lines: z
    .array(z.number().int().min(0).max(999))
    .min(1)
    .max(100)
    .optional()
    .openapi({ description: 'In place of netMicro: lines of the invoice, from 0.' }),
});

/**
 * The part of an invoice that a note takes back; null: all that is left.
 * InvalidInput.
 */
function toPart({ netMicro, lines }: z.infer<typeof partSchema>) {
  if (netMicro !== undefined && lines !== undefined) {
    throw new StorageError('InvalidInput', {
      detail: 'netMicro and lines exclude each other.',
    });
  }
  if (lines !== undefined) return { lines: [...new Set(lines)] };
  return netMicro === undefined ? null : { netMicro: BigInt(netMicro) };
}

function addIssuing(api: Api): void {
  const request = { query, params: z.strictObject({ period: periodSchema }) };

  api.openapi(
    apiRoute({
      method: 'post',
      path: '/invoices/{period}/credit-notes',
      operationId: 'createCreditNote',
      summary: 'Take back a part of a closed invoice, or all that is left of it',
      tags: TAGS,
      access: 'billing:write',
      request: {
        ...request,
        body: jsonBody(partSchema),
      },
      responses: { 201: jsonResponse(creditNoteSchema, 'Issued') },
    }),
    async (c) => {
      const call = operatorCallOf(c);
      const account = await invoicedAccountOf(call, c.req.valid('query').accountId);
      const input = c.req.valid('json');
      const month = monthFrom(c.req.valid('param').period);
      const note = await creditInvoice(call.core, account, month, {
        reason: input.reason,
        part: toPart(input),
      });
      return c.json(show(note), 201);
    },
  );

  api.openapi(
    apiRoute({
      method: 'post',
      path: '/invoices/{period}/void',
      operationId: 'voidInvoice',
      summary:
        'Take back all that is left of an invoice; ' +
        'with reissue another takes its place, by the terms of now',
      tags: TAGS,
      access: 'billing:write',
      request: {
        ...request,
        body: jsonBody(
          z.strictObject({ reason: reasonSchema, reissue: z.boolean().default(false) }),
        ),
      },
      responses: {
        201: jsonResponse(
          z
            .object({ creditNote: creditNoteSchema, invoice: invoiceSchema.nullable() })
            .openapi('VoidedInvoice'),
          'The credit note, and the invoice in its place',
        ),
      },
    }),
    async (c) => {
      const call = operatorCallOf(c);
      const account = await invoicedAccountOf(call, c.req.valid('query').accountId);
      const { reason, reissue: isReissued } = c.req.valid('json');
      const period = monthFrom(c.req.valid('param').period);
      const { note, invoice } = await voidInvoice(call.core, account, period, {
        reason,
        isReissued,
      });
      const reissued = invoice === null ? null : showInvoice(invoice);
      return c.json({ creditNote: show(note), invoice: reissued }, 201);
    },
  );
}
