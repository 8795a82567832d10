// Links that an owner wrote into a page's text: of the web alone, and marked for what
// they are, the words of a stranger.
import { type Element, h } from '../element.ts';
import { shortName, visibleText } from '../shown-name.ts';

/**
 * Nobody follows them to rank pages, and the page that they lead to learns nothing.
 * Source: https://html.spec.whatwg.org/#linkTypes,
 * https://developers.google.com/search/docs/crawling-indexing/qualify-outbound-links
 */
const REL = 'nofollow noopener noreferrer ugc';

/** The link; null: the address is none of the web, or has a name or a password in it. */
export function webLink(address: string, label: string): Element | null {
  const href = webAddress(address);
  if (href === null) return null;
  const text = label === address ? shortName(label) : visibleText(label);
  return h('a', { href, rel: REL }, text);
}

/** The address as browsers read it; null: it is none that a text may lead to. */
export function webAddress(address: string): string | null {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return null;
  const url = new URL(address);
  // `https://bank.example@evil.example` shows one host and leads to another.
  return url.username === '' && url.password === '' ? url.href : null;
}
