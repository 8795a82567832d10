// Which content a browser may run. Whoever stores an object chooses its type, so at
// path-style addresses, which share their origin with the console, the full path
// and the fast path send such content with a sandbox: it is shown, but it has an
// origin of its own and no script. There no browser may guess another type either,
// or an object would be a script or a style sheet of a page of the service. At
// addresses with an origin of their own ({bucket}.{domain}) nothing is added.
import { StorageError } from '../../domain/errors.ts';
import type { HttpRequest } from '../request.ts';
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
 * Whether browsers show what has this Content-Type in their PDF viewer, and take it
 * for nothing else where nosniff is sent. Source:
 * https://html.spec.whatwg.org/multipage/system-state.html#pdf-viewing-support
 */
export function isPdf(contentType: string): boolean {
  return PLAIN_TYPE.exec(contentType.trim())?.[1]?.toLowerCase() === 'application/pdf';
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

/**
 * The parameter of a signed read whose response is looked at in a frame of the
 * console: `1`. It only ever takes rights from the response.
 */
export const PREVIEW_PARAMETER = 'x-quayside-preview';
/**
 * The policy of a stored page that is previewed: it is drawn by what it has in
 * itself. Whoever stored it would otherwise learn from a picture who looks, and when.
 */
const PREVIEW_POLICY =
  "sandbox; default-src 'none'; img-src data:; media-src data:; font-src data:; " +
  "style-src 'unsafe-inline' data:";

/**
 * Adds what keeps a previewed page from asking any server for anything, names of
 * hosts too where the browser would look them up beforehand. No policy has a word
 * for connections that are only opened beforehand (`preconnect`). Changes the
 * record. Source: https://github.com/whatwg/html/issues/9035
 */
export function closeForPreview(headers: HeaderRecord): void {
  headers['content-security-policy'] = PREVIEW_POLICY;
  headers['referrer-policy'] = 'no-referrer';
  headers['x-content-type-options'] = 'nosniff';
  headers['x-dns-prefetch-control'] = 'off';
}

/**
 * Sent by browsers with the script of a service worker, and with nothing else.
 * Source: https://www.w3.org/TR/service-workers/#service-worker-script-request
 */
export const SERVICE_WORKER_HEADER = 'service-worker';

/**
 * Refuses the script of a service worker, at addresses that share their origin with
 * the console: a stored script would act there with the session of whoever visits,
 * for as long as it likes. AccessDenied.
 */
export function refuseServiceWorker(request: Pick<HttpRequest, 'header'>): void {
  if (request.header(SERVICE_WORKER_HEADER) === null) return;
  throw new StorageError('AccessDenied', {
    detail:
      'No service worker is served here: this address shares its origin with the service. ' +
      'Use a domain of the bucket.',
  });
}
