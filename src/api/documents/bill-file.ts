// Bills and credit notes as files: how each is made of its sheet, and how it is answered. The
// routes of both use it.
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

/** The page to print. */
export const sheetPage = (sheet: Sheet): BillFile => ({
  content: sheetHtml(sheet),
  type: PAGE_TYPE,
});

/**
 * The sheet as PDF, whose writer the first one loads. NotImplemented for letters that no font has.
 */
export async function sheetPdfFile(sheet: Sheet, fonts: DocumentFonts | null): Promise<BillFile> {
  const { sheetPdf } = await import('./sheet-pdf.ts');
  return { content: await sheetPdf(sheet, fonts), type: PDF_TYPE };
}

/** A page is shown, every other file is saved under `name`. */
export function answerBillFile({ content, type }: BillFile, name: string): Response {
  return new Response(content, {
    headers: {
      'content-type': type,
      'content-disposition': `${type === PAGE_TYPE ? 'inline' : 'attachment'}; filename="${name}"`,
      'content-security-policy': PAGE_POLICY,
    },
  });
}
