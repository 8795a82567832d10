// Markdown as elements of this page. What parse-markdown.ts makes of it is parsed into a
// document of its own, where nothing runs and nothing is loaded; of that, known elements
// and attributes are made anew here. No text is ever parsed into the page itself.

/** Elements that Markdown makes, and the harmless ones that people write into it. */
const TAGS: ReadonlySet<unknown> = new Set(
  (
    'a b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img kbd li ol p ' +
    'pre s span strong sub summary sup table tbody td th thead tr ul'
  ).split(' '),
);
/** Elements that are left out with all that is in them. */
const UNREAD: ReadonlySet<unknown> = new Set(
  'iframe math noembed noframes noscript script style svg title'.split(' '),
);
/** Attributes, by what they become: addresses are put aside until it is known where they lead. */
const ATTRIBUTES = {
  align: 'align',
  alt: 'alt',
  colspan: 'colspan',
  href: 'data-href',
  open: 'open',
  rowspan: 'rowspan',
  src: 'data-src',
  start: 'start',
  title: 'title',
} as const;
/** Elements in elements that are read; browsers make some 500 of any page. */
const DEPTH_MAX = 1000;

type TrustedTypes = {
  createPolicy(
    name: string,
    rules: { createHTML(html: string): string },
  ): { createHTML(html: string): string };
};

const types = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
/** Passes HTML into documents that are never shown: nothing else here may ask it. */
const policy = types?.createPolicy('markdown', { createHTML: (html) => html });

/** Makes an element of the page from one of a document that strangers wrote. */
function copyOf(name: string, foreign: Element): HTMLElement {
  const element = document.createElement(name);
  for (const [attribute, ours] of Object.entries(ATTRIBUTES)) {
    const value = foreign.getAttribute(attribute);
    if (value !== null) element.setAttribute(ours, value);
  }
  if (/^h\d$/.test(name)) element.dataset.anchor = anchorOf(foreign.textContent ?? '');
  return element;
}

/**
 * Copies what is in the node where the walker stands. It goes by the walker alone: the fields of a
 * form hide its own properties behind their names.
 */
function copyInside(walker: TreeWalker, into: Node, depth: number): void {
  let node = walker.firstChild();
  if (node === null) return;
  for (; node !== null; node = walker.nextSibling()) {
    if (node instanceof Text) {
      into.appendChild(document.createTextNode(node.data));
      continue;
    }
    // A form may answer with one of its fields, which is no name.
    const name: unknown = (node as Element).localName;
    if (UNREAD.has(name) || depth === DEPTH_MAX) continue;
    const isShown = typeof name === 'string' && TAGS.has(name);
    const inner = isShown ? into.appendChild(copyOf(name, node as Element)) : into;
    copyInside(walker, inner, depth + 1);
  }
  walker.parentNode();
}

/**
 * Makes elements of the HTML of a Markdown text. Links and pictures have their
 * addresses in `data-href` and `data-src`, as they were written.
 */
export function renderMarkdown(html: string): DocumentFragment {
  const trusted = (policy?.createHTML(html) ?? html) as string;
  const { body } = new DOMParser().parseFromString(trusted, 'text/html');
  const fragment = document.createDocumentFragment();
  const walker = document.createTreeWalker(body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  copyInside(walker, fragment, 0);
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
