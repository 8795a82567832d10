// Bills: listed, read, as files, what the month will come to, and what a month
// would have cost elsewhere.
import { z } from '@hono/zod-openapi';
import { readBucketUsage } from '../../../core/billing/exports/bucket-shares.ts';
import { focusCsv, focusJson } from '../../../core/billing/exports/focus.ts';
import { invoiceCsv } from '../../../core/billing/exports/invoice-csv.ts';
import { invoiceSheet } from '../../../core/billing/exports/sheet.ts';
import { forecastMonth } from '../../../core/billing/invoices/forecast-month.ts';
import { getInvoice } from '../../../core/billing/invoices/get-invoice.ts';
import type { InvoiceDocument } from '../../../core/billing/invoices/invoice-document.ts';
import type { WhatIf } from '../../../core/billing/simulation/simulate-bill.ts';
import { simulateMonth } from '../../../core/billing/simulation/simulate-month.ts';
import type { Core } from '../../../core/core.ts';
import type { AccountId } from '../../../domain/nouns.ts';
import {
  type BillFile,
  respondBillFile,
  sheetPage,
  sheetPdfFile,
} from '../../documents/bill-file.ts';
import { billedAccountOf, invoicedAccountOf } from '../../routing/account-of.ts';
import { type Api, callOf, type SignedInCall } from '../../routing/api-call.ts';
import { apiRoute, jsonBody, jsonResponse, listRoute } from '../../routing/api-route.ts';
import { readPage } from '../../routing/paging.ts';
import { requireFound } from '../../routing/require-found.ts';
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
  issue: z.coerce
    .number()
    .int()
    .min(0)
    .max(9999)
    .optional()
    .openapi({
      description:
        'Which of the bills of the month, from 0; ' +
        'absent: the last, which replaces void ones before it.',
    }),
});

/** The invoice of a month. NoSuchInvoice. */
async function findInvoice(
  call: SignedInCall,
  { accountId, issue }: z.infer<typeof invoiceQuery>,
  period: string,
): Promise<InvoiceDocument> {
  const account = await invoicedAccountOf(call, accountId);
  const invoice = await getInvoice(call.core, account, monthFrom(period), issue);
  return requireFound(invoice, 'NoSuchInvoice');
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
  addReads(api);
  addForecast(api);
  addSimulation(api);
}

function addReads(api: Api): void {
  api.openapi(
    listRoute({
      path: '/invoices',
      operationId: 'listInvoices',
      summary: 'List the closed invoices of an account, void ones too',
      tags: TAGS,
      access: 'billing:read',
      filter: { accountId: accountIdQuery },
      item: invoiceHeadSchema,
      order: 'The newest first',
    }),
    async (c) => {
      const call = callOf(c);
      const { id: accountId } = await invoicedAccountOf(call, c.req.valid('query').accountId);
      const { directory } = call.core.ports;
      const page = await readPage(call, c.req.valid('query'), {
        list: `invoices ${accountId}`,
        read: (before, limit) => directory.call('listInvoices', { accountId, before, limit }),
        positionOf: ({ period, issue }) => `${period}/${issue}`,
        show: ({ closedAtMs, ...head }) => ({ ...head, closedAt: isoTime(closedAtMs) }),
      });
      return c.json(page, 200);
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
      const { period } = c.req.valid('param');
      const document = await findInvoice(callOf(c), c.req.valid('query'), period);
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
      const call = callOf(c);
      const document = await findInvoice(call, c.req.valid('query'), period);
      const billFile = await fileOf(call.core, document, file);
      return respondBillFile(billFile, `${document.number}-${file}`);
    },
  );
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
const simulationInputSchema = z.strictObject({
  period: periodSchema,
  cardIds: z.array(cardIdSchema).max(20).default([]),
  whatIfs: z.array(whatIfSchema).max(8).default([]),
  objectCount: z
    .string()
    .regex(/^\d{1,18}$/)
    .default('0')
    .openapi({
      description: 'Objects that there are, for what goes by the object; 0 leaves that out.',
    }),
});
const simulationSchema = z.object({
  cardId: cardIdSchema,
  currency: currencySchema,
  totalMicro: microSchema,
});

function addForecast(api: Api): void {
  api.openapi(
    apiRoute({
      method: 'get',
      path: '/forecast',
      operationId: 'getForecast',
      summary:
        'What the running month comes to: what is stored stays, ' +
        'the rest goes on as in the last seven days',
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
}

function addSimulation(api: Api): void {
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
        body: jsonBody(simulationInputSchema),
      },
      responses: {
        200: jsonResponse(
          z
            .object({ own: simulationSchema, others: z.array(simulationSchema) })
            .openapi('Simulation'),
          'The month as it was by its own card; ' +
            'with the what-ifs by its own card and by each of the others',
        ),
      },
    }),
    async (c) => {
      const call = callOf(c);
      const account = await billedAccountOf(call, c.req.valid('query').accountId);
      const { period, cardIds, whatIfs, objectCount } = c.req.valid('json');
      const { own, others } = await simulateMonth(call.core, account, {
        period: monthFrom(period),
        objectCount: BigInt(objectCount),
        cardIds,
        whatIfs: whatIfs satisfies readonly WhatIf[],
        readerId: call.caller.accountId,
      });
      const show = ({ card, invoice }: typeof own) => ({
        cardId: card.id,
        currency: card.currency,
        totalMicro: String(invoice.totalMicro),
      });
      return c.json({ own: show(own), others: others.map(show) }, 200);
    },
  );
}
