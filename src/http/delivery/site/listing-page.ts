// The list of a folder for people: one page of HTML that loads nothing, runs
// nothing and follows the browser's dark or light. Names are whatever somebody
// uploaded, so every one is escaped here.
import { escapeHtml } from '../../../core/escape-html.ts';
import type { ListedFile, Listing, ListingSort } from './listing.ts';

/** Only the page's own style. Source: https://www.w3.org/TR/CSP3/ */
export const LISTING_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const LIGHT = '--line: #d8dee4; --soft: #59636e; --row: #f6f8fa; --link: #0550ae';
const DARK = '--line: #30363d; --soft: #9198a1; --row: #161b22; --link: #79c0ff';
const STYLE = `
:root { color-scheme: light dark; ${LIGHT} }
@media (prefers-color-scheme: dark) { :root { ${DARK} } }
* { box-sizing: border-box }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.3rem; font-weight: 600; overflow-wrap: anywhere }
a { color: var(--link); text-decoration: none }
a:hover, a:focus-visible { text-decoration: underline }
table { width: 100%; border-collapse: collapse; font-variant-numeric: tabular-nums }
th, td { padding: .4rem .6rem; text-align: left; border-bottom: 1px solid var(--line) }
th { font-weight: 600; white-space: nowrap }
td:first-child { overflow-wrap: anywhere; width: 99% }
td + td, th + th { text-align: right; white-space: nowrap; color: var(--soft) }
tr:hover td { background: var(--row) }
footer { margin-top: 1rem; color: var(--soft); display: flex; gap: 1rem; flex-wrap: wrap }
@media (max-width: 32rem) { td:last-child, th:last-child { display: none } }
`;

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/**
 * `path`: of the folder, decoded, from the root of the site. `rawPath`: as it was
 * asked for.
 */
export function listingPage(
  path: string,
  listing: Listing,
  query: { sort: ListingSort; after: string },
): string {
  const { sort, after } = query;
  const title = escapeHtml(`Index of ${path}`);
  const rows = [
    path === '/' ? '' : '<tr><td><a href="../">..</a></td><td></td><td></td></tr>\n',
    ...listing.folders.map(folderRow),
    ...listing.files.map(fileRow),
  ].join('');
  const count = listing.folders.length + listing.files.length;
  const pages = [
    after === '' ? '' : '<a href="./">first page</a>',
    listing.nextAfter === null
      ? ''
      : `<a rel="next" href="?${queryOf(sort, listing.nextAfter)}">next page</a>`,
  ].join('');
  const headings = [
    heading('name', 'Name', query),
    heading('size', 'Size', query),
    heading('modified', 'Modified', query),
  ].join('');
  const entries = `${count} ${count === 1 ? 'entry' : 'entries'}`;
  const shown = `${entries}${pages === '' ? '' : ' on this page'}`;
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>${STYLE}</style>
<h1>Index of ${crumbs(path)}</h1>
<table>
<thead><tr>${headings}</tr></thead>
<tbody>
${rows}</tbody>
</table>
<footer><span>${shown}</span>${pages}</footer>
</html>
`;
}

/** A link for each folder on the way. */
function crumbs(path: string): string {
  const names = path.split('/').slice(1, -1);
  const links = names.map(
    (name, i) => `<a href="${'../'.repeat(names.length - 1 - i) || './'}">${escapeHtml(name)}</a>/`,
  );
  return `<a href="${'../'.repeat(names.length) || './'}">/</a>${links.join('')}`;
}

/**
 * A column's name, which sorts by it; by the same once more, the other way round.
 */
function heading(
  by: ListingSort['by'],
  label: string,
  { sort, after }: { sort: ListingSort; after: string },
): string {
  const isOurs = sort.by === by;
  const isDescending = isOurs ? !sort.isDescending : by === 'modified';
  const state = isOurs ? ` aria-sort="${sort.isDescending ? 'descending' : 'ascending'}"` : '';
  const arrow = isOurs ? (sort.isDescending ? ' ↓' : ' ↑') : '';
  const link = `<a href="?${queryOf({ by, isDescending }, after)}">${label}${arrow}</a>`;
  return `<th scope="col"${state}>${link}</th>`;
}

/** A query for the list, as it stands in an attribute. */
function queryOf({ by, isDescending }: ListingSort, after: string): string {
  const parts = [`sort=${by}`, `order=${isDescending ? 'desc' : 'asc'}`];
  if (after !== '') parts.push(`after=${encodeURIComponent(after)}`);
  return escapeHtml(parts.join('&'));
}

/** `./` before it, or `a:b` would be a scheme. */
function hrefOf(name: string): string {
  return escapeHtml(`./${name.split('/').map(encodeURIComponent).join('/')}`);
}

function folderRow(name: string): string {
  return `<tr><td><a href="${hrefOf(name)}">${escapeHtml(name)}</a></td><td></td><td></td></tr>\n`;
}

function fileRow({ name, sizeBytes, lastModifiedMs }: ListedFile): string {
  const modified = new Date(lastModifiedMs).toISOString();
  const day = `${modified.slice(0, 10)} ${modified.slice(11, 16)}`;
  return (
    `<tr><td><a href="${hrefOf(name)}">${escapeHtml(name)}</a></td>` +
    `<td title="${sizeBytes} bytes">${readableSize(sizeBytes)}</td>` +
    `<td><time datetime="${modified}">${day}</time></td></tr>\n`
  );
}

function readableSize(sizeBytes: number): string {
  const step =
    sizeBytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(sizeBytes) / 10));
  const amount = sizeBytes / 1024 ** step;
  return `${step === 0 ? amount : amount.toFixed(amount < 10 ? 1 : 0)} ${UNITS[step]}`;
}
