// One row on the clipboard, in the form that was chosen. Names of strangers stand in it:
// each form quotes what it must.
import { nameOf } from '../selection.ts';

export type CopyFormat = 'url' | 's3' | 'curl' | 'markdown' | 'html' | 'path';
export type Copied = { readonly key: string; readonly url: string };

/** The line of a row. */
export function lineOf(bucket: string, { key, url }: Copied, format: CopyFormat): string {
  const name = nameOf(key);
  const lines: Readonly<Record<CopyFormat, () => string>> = {
    url: () => url,
    s3: () => `s3://${bucket}/${key}`,
    curl: () => `curl -o ${shellQuote(name)} ${shellQuote(url)}`,
    markdown: () => `[${escapeMarkdown(name)}](<${url}>)`,
    html: () => `<a href="${escapeHtml(url)}">${escapeHtml(name)}</a>`,
    path: () => key,
  };
  return lines[format]();
}

const shellQuote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A name in a line of Markdown: no sign of it is HTML, a picture, or a new line. */
const escapeMarkdown = (text: string): string =>
  text.replace(/[\\[\]<>&`*]/g, '\\$&').replace(/[\r\n]+/g, ' ');

const HTML_SIGNS: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
};
const escapeHtml = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => HTML_SIGNS[sign] ?? sign);
