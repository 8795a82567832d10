// Markdown as elements of this page. What parse-markdown.ts makes of it is cleaned by
// DOMPurify, which gives elements, never text that is parsed again; addresses are kept
// aside, so that nothing is loaded before it is known where it leads.
import DOMPurify from 'dompurify';

/** Elements that Markdown makes, and the harmless ones that people write into it. */
const TAGS = [
  ...['a', 'b', 'blockquote', 'br', 'code', 'dd', 'del', 'details', 'div', 'dl', 'dt', 'em', 'h1'],
  ...['h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'i', 'img', 'kbd', 'li', 'ol', 'p', 'pre', 's', 'span'],
  ...['strong', 'sub', 'summary', 'sup', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul'],
];
const ATTRIBUTES = [
  'align',
  'alt',
  'colspan',
  'data-href',
  'data-src',
  'open',
  'rowspan',
  'start',
  'title',
];

/** Puts an address aside: `href` becomes `data-href`, `src` becomes `data-src`. */
function putAside(node: Element, data: { attrName: string; attrValue: string }): void {
  if (data.attrName === 'href' || data.attrName === 'src') {
    node.setAttribute(`data-${data.attrName}`, data.attrValue);
  }
}

let cleaner: ReturnType<typeof DOMPurify> | null = null;

/** Makes the one of the page: it has a policy of Trusted Types, whose name is given once. */
function cleanerOfPage(): ReturnType<typeof DOMPurify> {
  if (cleaner !== null) return cleaner;
  cleaner = DOMPurify(window);
  cleaner.addHook('uponSanitizeAttribute', putAside);
  return cleaner;
}

/**
 * Makes elements of the HTML of a Markdown text. Links and pictures have their
 * addresses in `data-href` and `data-src`, as they were written.
 */
export function renderMarkdown(html: string): DocumentFragment {
  const fragment = cleanerOfPage().sanitize(html, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    RETURN_DOM_FRAGMENT: true,
  });
  for (const heading of fragment.querySelectorAll('h1, h2, h3, h4, h5, h6')) {
    heading.setAttribute('data-anchor', anchorOf(heading.textContent ?? ''));
  }
  return fragment;
}

/** The anchor of a heading, as GitHub makes it: `Sixty seconds` is `sixty-seconds`. */
export const anchorOf = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replace(/\s/g, '-');

export type Target =
  | { readonly kind: 'anchor'; readonly anchor: string }
  /** Another object of the bucket, or a folder. */
  | { readonly kind: 'object'; readonly key: string }
  | { readonly kind: 'outside'; readonly url: string };

/** Where an address in a Markdown object leads; null: nowhere that may be followed. */
export function targetOf(address: string, key: string): Target | null {
  if (address.startsWith('#')) return { kind: 'anchor', anchor: decode(address.slice(1)) };
  if (/^(?:https?|mailto):/i.test(address)) return { kind: 'outside', url: address };
  if (/^[a-z][a-z0-9+.-]{0,30}:/i.test(address) || address.startsWith('//')) return null;
  const path = decode(address.split(/[?#]/, 1)[0] ?? '');
  const isFromTop = path.startsWith('/');
  const steps = isFromTop ? [] : key.split('/').slice(0, -1);
  for (const step of path.split('/').slice(isFromTop ? 1 : 0)) {
    if (step === '..') steps.pop();
    else if (step !== '.') steps.push(step);
  }
  const found = steps.join('/');
  return found === '' ? null : { kind: 'object', key: found };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
