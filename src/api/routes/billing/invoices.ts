// Bills: listed, read, as files, what the month will come to, and what a month would have cost
// elsewhere.
import { z } from '@hono/zod-openapi';
import { readBucketUsage } from '../../../core/billing/exports/bucket-shares.ts';
import { focusCsv, focusJson } from '../../../core/billing/exports/focus.ts';
import { invoiceCsv } from '../../../core/billing/exports/invoice-csv.ts';
import { invoiceSheet } from '../../../core/billing/exports/sheet.ts';
import { forecastMonth } from '../../../core/billing/forecast-month.ts';
import { getInvoice } from '../../../core/billing/invoices/get-invoice.ts';
import type { InvoiceDocument } from '../../../core/billing/invoices/invoice-document.ts';
import type { WhatIf } from '../../../core/billing/prices/simulate-bill.ts';
import { simulateMonth } from '../../../core/billing/prices/simulate-month.ts';
import type { Core } from '../../../core/core.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { AccountId } from '../../../domain/nouns.ts';
import {
  answerBillFile,
  type BillFile,
  sheetPage,
  sheetPdfFile,
} from '../../documents/bill-file.ts';
import { billedAccountOf, invoicedAccountOf } from '../../routing/account-of.ts';
import { type Api, type ApiContext, callOf } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse } from '../../routing/api-route.ts';
import { pageOf, pageQuery, readCursor, toPage } from '../../routing/paging.ts';
import {
  cardIdSchema,
  currencySchema,
  invoiceHeadSchema,
  invoiceSchema,
  microSchema,
  monthFrom,
  periodSchema,
} from '../../schemas/billing.ts';
import { accountIdQuery } from '../../schemas/fields.ts';
import { isoTime } from '../../schemas/time.ts';
import { showInvoice } from './show-invoice.ts';

const TAGS = ['Invoices'];
const FILES = ['invoice.csv', 'invoice.html', 'invoice.pdf', 'focus.csv', 'focus.json'] as const;
type File = (typeof FILES)[number];
const CSV_TYPE = 'text/csv; charset=utf-8';

const fileSchema = { schema: z.string() };
const query = z.strictObject({ accountId: accountIdQuery });
const invoiceQuery = z.strictObject({
  accountId: accountIdQuery,
  issue: z.coerce.number().int().min(0).max(9999).optional().openapi({
    description:
      'Which of the bills of the month, from 0; absent: the last, which replaces void ones before it.',
  }),
});

type Asked = z.infer<typeof invoiceQuery>;

async function findInvoice(
  c: ApiContext,
  { accountId, issue }: Asked,
  period: string,
): Promise<InvoiceDocument> {
  const call = callOf(c);
  const invoice = await getInvoice(
    call.core,
    await invoicedAccountOf(call, accountId),
    monthFrom(period),
    issue,
  );
  if (invoice === null) throw new StorageError('NoSuchInvoice');
  return invoice;
}

async function fileOf(core: Core, document: InvoiceDocument, file: File): Promise<BillFile> {
  const issuer = core.settings.invoiceIssuer;
  if (file === 'invoice.csv') return { content: invoiceCsv(document), type: CSV_TYPE };
  if (file === 'invoice.html') return sheetPage(invoiceSheet(document, issuer));
  if (file === 'invoice.pdf')
    return sheetPdfFile(invoiceSheet(document, issuer), core.ports.documentFonts);

  const buckets = await readBucketUsage(
    core,
    document.accountId as AccountId,
    document.invoice.period,
  );
  if (file === 'focus.csv') return { content: focusCsv(document, issuer, buckets), type: CSV_TYPE };
  return { content: focusJson(document, issuer, buckets), type: 'application/json' };
}

export function addInvoiceRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/invoices',
      operationId: 'listInvoices',
      summary: 'List the closed invoices of an account, void ones too',
      tags: TAGS,
      access: 'billing:read',
      request: { query: z.strictObject({ ...pageQuery, accountId: accountIdQuery }) },
      responses: { 200: jsonResponse(pageOf(invoiceHeadSchema), 'The newest first') },
    }),
    async (c) => {
      const call = callOf(c);
      const { limit, cursor, accountId } = c.req.valid('query');
      const { id } = await invoicedAccountOf(call, accountId);
      const list = `invoices ${id}`;
      const before = readCursor(call.secrets, list, cursor);
      const input = { accountId: id, before, limit: limit + 1 };
      const found = await call.core.ports.directory.call('listInvoices', input);
      return c.json(
        toPage(
          found,
          { limit, list, secrets: call.secrets },
          ({ period, issue }) => `${period}/${issue}`,
          ({ closedAtMs, ...head }) => ({ ...head, closedAt: isoTime(closedAtMs) }),
        ),
        200,
      );
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/invoices/{period}',
      operationId: 'getInvoice',
      summary: 'Read the invoice of a month; of one that is not closed, as it stands now',
      tags: TAGS,
      access: 'billing:read',
      request: { query: invoiceQuery, params: z.strictObject({ period: periodSchema }) },
      responses: { 200: jsonResponse(invoiceSchema, 'The invoice') },
    }),
    async (c) => {
      const document = await findInvoice(c, c.req.valid('query'), c.req.valid('param').period);
      return c.json(showInvoice(document), 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'get',
      path: '/invoices/{period}/{file}',
      operationId: 'getInvoiceFile',
      summary: 'The invoice as a file: CSV, a page to print, PDF, or a FOCUS 1.2 dataset',
      tags: TAGS,
      access: 'billing:read',
      request: {
        query: invoiceQuery,
        params: z.strictObject({ period: periodSchema, file: z.enum(FILES) }),
      },
      responses: {
        200: {
          description: 'The file',
          content: {
            'text/csv': fileSchema,
            'text/html': fileSchema,
            'application/pdf': fileSchema,
            'application/json': fileSchema,
          },
        },
      },
    }),
    async (c) => {
      const { period, file } = c.req.valid('param');
      const document = await findInvoice(c, c.req.valid('query'), period);
      const answer = await fileOf(callOf(c).core, document, file);
      return answerBillFile(answer, `${document.number}-${file}`);
    },
  );

  addOutlookRoutes(api);
}

const whatIfSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('lifecycle'), days: z.number().int().min(1).max(366) }),
  z.strictObject({ kind: z.literal('all-infrequent') }),
  z.strictObject({
    kind: z.literal('cache-lifetime'),
    seconds: z.number().int().min(1).max(31_536_000),
  }),
  z.strictObject({
    kind: z.literal('deduplication'),
    duplicateBasisPoints: z.number().int().min(0).max(10_000),
  }),
]);
const simulationSchema = z.object({
  cardId: cardIdSchema,
  currency: currencySchema,
  totalMicro: microSchema,
});

function addOutlookRoutes(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/forecast',
      operationId: 'getForecast',
      summary:
        'What the running month comes to: what is stored stays, the rest goes on as in the last seven days',
      tags: TAGS,
      access: 'billing:read',
      request: { query },
      responses: {
        200: jsonResponse(
          z.object({ soFar: invoiceSchema, atEnd: invoiceSchema }).openapi('Forecast'),
          'The bill until the last full hour, and at the end of the month',
        ),
      },
    }),
    async (c) => {
      const call = callOf(c);
      const account = await billedAccountOf(call, c.req.valid('query').accountId);
      const { soFar, atEnd } = await forecastMonth(call.core, account);
      return c.json({ soFar: showInvoice(soFar), atEnd: showInvoice(atEnd) }, 200);
    },
  );

  api.openapi(
    apiRoute({
      method: 'post',
      path: '/simulations',
      operationId: 'simulateInvoice',
      isReadOnly: true,
      summary: 'What a month would have cost by other cards, and with things done otherwise',
      tags: TAGS,
      access: 'billing:read',
      request: {
        query,
        body: jsonBody(
          z.strictObject({
            period: periodSchema,
            cardIds: z.array(cardIdSchema).max(20).default([]),
            whatIfs: z.array(whatIfSchema).max(8).default([]),
            objectCount: z
              .string()
              .regex(/^\d{1,18}$/)
              .default('0')
              .openapi({
                description:
                  'Objects that there are, for what goes by the object; 0 leaves that out.',
              }),
          }),
        ),
      },
      responses: {
        200: jsonResponse(
          z
            .object({ own: simulationSchema, others: z.array(simulationSchema) })
            .openapi('Simulation'),
          'The month as it was by its own card; with the what-ifs by its own card and by each of the others',
        ),
      },
    }),
    async (c) => {
      const call = callOf(c);
      const account = await billedAccountOf(call, c.req.valid('query').accountId);
      const { period, cardIds, whatIfs, objectCount } = c.req.valid('json');
      const whatIf: readonly WhatIf[] = whatIfs;
      const replayed = { period: monthFrom(period), objectCount: BigInt(objectCount) };
      const input = { ...replayed, cardIds, whatIfs: whatIf, readerId: call.caller.accountId };
      const { own, others } = await simulateMonth(call.core, account, input);
      const show = ({ card, invoice }: typeof own) => ({
        cardId: card.id,
        currency: card.currency,
        totalMicro: String(invoice.totalMicro),
      });
      return c.json({ own: show(own), others: others.map(show) }, 200);
    },
  );
}
