// Bills and credit notes as files: made of their sheets, and sent. The routes of
// both use it.
import type { Sheet } from '../../core/billing/exports/sheet.ts';
import { sheetHtml } from '../../core/billing/exports/sheet-html.ts';
import type { DocumentFonts } from '../../ports/document-fonts.ts';

/** A page of a bill runs nothing and loads nothing, whatever stands in it. */
const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox allow-modals";
const PAGE_TYPE = 'text/html; charset=utf-8';
const PDF_TYPE = 'application/pdf';

/** A file's content and its media type. */
export type BillFile = {
  readonly content: string | Uint8Array<ArrayBuffer>;
  readonly type: string;
};

/** The sheet as a page to print. */
export const sheetPage = (sheet: Sheet): BillFile => ({
  content: sheetHtml(sheet),
  type: PAGE_TYPE,
});

/**
 * The sheet as PDF; the first one loads the writer. NotImplemented for letters that
 * no font has.
 */
export async function sheetPdfFile(sheet: Sheet, fonts: DocumentFonts | null): Promise<BillFile> {
  const { sheetPdf } = await import('./sheet-pdf.ts');
  return { content: await sheetPdf(sheet, fonts), type: PDF_TYPE };
}

/**
 * Responds with a file: a browser shows a page, and saves every other file under
 * `name`.
 */
export function respondBillFile({ content, type }: BillFile, name: string): Response {
  const disposition = type === PAGE_TYPE ? 'inline' : 'attachment';
  return new Response(content, {
    headers: {
      'content-type': type,
      'content-disposition': `${disposition}; filename="${name}"`,
      'content-security-policy': PAGE_POLICY,
    },
  });
}
