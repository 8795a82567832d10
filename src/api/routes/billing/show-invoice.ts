// An invoice as the API shows it. Routes of invoices and credit notes call it.
import type { z } from '@hono/zod-openapi';
import {
  type InvoiceDocument,
  recompute,
} from '../../../core/billing/invoices/invoice-document.ts';
import { invoiceJson } from '../../../core/billing/invoices/invoice-json.ts';
import type { invoiceSchema } from '../../schemas/billing.ts';

/** The invoice as JSON, with whether its usage and card still make the same one. */
export function showInvoice(document: InvoiceDocument): z.infer<typeof invoiceSchema> {
  const recomputed = invoiceJson({ ...document, invoice: recompute(document) });
  const json = invoiceJson(document);
  const isRecomputable = JSON.stringify(recomputed) === JSON.stringify(json);
  return { ...(json as unknown as z.infer<typeof invoiceSchema>), isRecomputable };
}
