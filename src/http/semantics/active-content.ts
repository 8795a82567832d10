// Which content a browser may run. Whoever stores an object chooses its type, so at
// path-style addresses, which share their origin with the console, the full path
// and the fast path send such content with a sandbox: it is shown, but it has an
// origin of its own and no script. There no browser may guess another type either,
// or an object would be a script or a style sheet of a page of the service. At
// addresses with an origin of their own ({bucket}.{domain}) nothing is added.
import type { HeaderRecord } from './object-headers.ts';

/**
 * A type that browsers take as it stands. Anything else they may look into and take
 * for HTML.
 */
const PLAIN_TYPE = /^([!#$%&'+\-.^_`|~\w]+\/[!#$%&'+\-.^_`|~\w]+)[\t ]*(?:;[^,]*)?$/;
/**
 * HTML, whatever XML a browser renders (SVG and XHTML are), parts that have types
 * of their own, and the names for "look yourself". PDF is not here: browsers run
 * its scripts apart, and show none in a sandbox. Source:
 * https://mimesniff.spec.whatwg.org/#sniffing-a-mime-type, #xml-mime-type
 */
const ACTIVE =
  /^(text\/(?:html|xml|xsl)|application\/(?:xml|unknown)|unknown\/unknown|multipart\/.*|.*\+xml)$/;

/**
 * Whether a browser may run what has this Content-Type, or can't be relied on not
 * to. Cost: 0.1 µs.
 */
export function isActiveContent(contentType: string): boolean {
  const essence = PLAIN_TYPE.exec(contentType.trim())?.[1];
  return essence === undefined || ACTIVE.test(essence.toLowerCase());
}

/**
 * Adds what keeps an object's bytes from acting for the service, whose origin its
 * address shares. Changes the record. Source:
 * https://www.w3.org/TR/CSP3/#directive-sandbox,
 * https://fetch.spec.whatwg.org/#x-content-type-options-header
 */
export function isolateFromOrigin(headers: HeaderRecord): void {
  headers['x-content-type-options'] = 'nosniff';
  if (isActiveContent(headers['content-type'] ?? ''))
    headers['content-security-policy'] = 'sandbox';
}
