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
import { answerBillFile, sheetPage, sheetPdfFile } from '../../documents/bill-file.ts';
import { requireOperator } from '../../routing/access.ts';
import { invoicedAccountOf } from '../../routing/account-of.ts';
import { type Api, type ApiContext, callOf } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse } from '../../routing/api-route.ts';
import { pageOf, pageQuery, readCursor, toPage } from '../../routing/paging.ts';
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

async function findNote(
  c: ApiContext,
  accountId: string | undefined,
  number: string,
): Promise<CreditNoteDocument> {
  const call = callOf(c);
  const { id } = await invoicedAccountOf(call, accountId);
  const stored = await call.core.ports.directory.call('getCreditNote', { accountId: id, number });
  if (stored === null) throw new StorageError('NoSuchInvoice');
  return parseCreditNote(stored);
}

export function addCreditNoteRoutes(api: Api): void {
  addIssuingRoutes(api);

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/credit-notes',
      operationId: 'listCreditNotes',
      summary: 'List the credit notes of an account',
      tags: TAGS,
      access: 'billing:read',
      request: { query: z.strictObject({ ...pageQuery, accountId: accountIdQuery }) },
      responses: { 200: jsonResponse(pageOf(creditNoteSchema), 'The newest first') },
    }),
    async (c) => {
      const call = callOf(c);
      const { limit, cursor, accountId } = c.req.valid('query');
      const { id } = await invoicedAccountOf(call, accountId);
      const list = `credit-notes ${id}`;
      const after = readCursor(call.secrets, list, cursor);
      const before = after === '' ? null : Number(after);
      const input = { accountId: id, before, limit: limit + 1 };
      const notes = await call.core.ports.directory.call('listCreditNotes', input);
      const page = { limit, list, secrets: call.secrets };
      return c.json(
        toPage(
          notes,
          page,
          ({ order }) => String(order),
          (note) => show(parseCreditNote(note)),
        ),
        200,
      );
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
    async (c) =>
      c.json(
        show(await findNote(c, c.req.valid('query').accountId, c.req.valid('param').number)),
        200,
      ),
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
      const note = await findNote(c, c.req.valid('query').accountId, number);
      const { settings, ports } = callOf(c).core;
      const sheet = creditNoteSheet(note, settings.invoiceIssuer);
      const isPage = file === 'credit-note.html';
      const answer = isPage ? sheetPage(sheet) : await sheetPdfFile(sheet, ports.documentFonts);
      return answerBillFile(answer, `${number}-${file}`);
    },
  );
}

function addIssuingRoutes(api: Api): void {
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
        body: jsonBody(
          z.strictObject({
            reason: reasonSchema,
            netMicro: z
              .string()
              .regex(/^[1-9]\d{0,17}$/)
              .optional()
              .openapi({
                description:
                  'Without tax, in whole coins. Absent, and without lines: all that is left.',
              }),
            lines: z
              .array(z.number().int().min(0).max(999))
              .min(1)
              .max(100)
              .optional()
              .openapi({ description: 'In place of netMicro: lines of the invoice, from 0.' }),
          }),
        ),
      },
      responses: { 201: jsonResponse(creditNoteSchema, 'Issued') },
    }),
    async (c) => {
      const call = callOf(c);
      requireOperator(call);
      const account = await invoicedAccountOf(call, c.req.valid('query').accountId);
      const { reason, netMicro, lines } = c.req.valid('json');
      if (netMicro !== undefined && lines !== undefined) {
        throw new StorageError('InvalidInput', {
          detail: 'netMicro and lines exclude each other.',
        });
      }
      const byAmount = netMicro === undefined ? null : { netMicro: BigInt(netMicro) };
      const part = lines === undefined ? byAmount : { lines: [...new Set(lines)] };
      const note = await creditInvoice(call.core, account, monthFrom(c.req.valid('param').period), {
        reason,
        part,
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
        'Take back all that is left of an invoice; with reissue another takes its place, by the terms of now',
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
      const call = callOf(c);
      requireOperator(call);
      const account = await invoicedAccountOf(call, c.req.valid('query').accountId);
      const { reason, reissue: isReissued } = c.req.valid('json');
      const period = monthFrom(c.req.valid('param').period);
      const { note, invoice } = await voidInvoice(call.core, account, period, {
        reason,
        isReissued,
      });
      return c.json(
        { creditNote: show(note), invoice: invoice === null ? null : showInvoice(invoice) },
        201,
      );
    },
  );
}
