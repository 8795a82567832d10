// Which rule of a bucket's CORS configuration a request meets, and the headers that
// say so. Pure. The S3 surface and delivery ask it for every response of a bucket
// that has rules; a bucket without rules costs them one null check. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/cors.html,
// https://fetch.spec.whatwg.org/#http-cors-protocol
import type { CorsMethod, CorsRule } from '../../domain/bucket-settings.ts';
import type { HttpRequest } from '../request.ts';
import { isHeaderName, isHeaderText } from './header-text.ts';
import type { HeaderRecord } from './object-headers.ts';

/** Headers of a request by which the response of a bucket with rules differs. */
export const CORS_REQUEST_HEADERS = [
  'origin',
  'access-control-request-headers',
  'access-control-request-method',
] as const;
const VARY = 'Origin, Access-Control-Request-Headers, Access-Control-Request-Method';
/**
 * Names that one request may ask for; browsers ask for those of one script, a
 * handful.
 */
const REQUESTED_HEADERS_MAX = 100;

const METHODS: ReadonlySet<string> = new Set<CorsMethod>(['GET', 'PUT', 'POST', 'DELETE', 'HEAD']);

/** Whether a rule can allow the method at all. Case counts. */
export function isCorsMethod(text: string): text is CorsMethod {
  return METHODS.has(text);
}

export type CorsQuestion = {
  readonly origin: string;
  readonly method: string;
  /** Names in lower case that the script wants to send. */
  readonly requestedHeaders: readonly string[];
};

/**
 * The rule that allows a request, and how it names the origin: `*` where it lets in
 * all, else the very origin.
 */
export type CorsGrant = { readonly rule: CorsRule; readonly allowOrigin: string };

/**
 * The first rule that allows all of it, or null. Cost: one comparison per pattern
 * until then.
 */
export function findCorsGrant(
  rules: readonly CorsRule[],
  question: CorsQuestion,
): CorsGrant | null {
  const { origin, method, requestedHeaders } = question;
  if (!isHeaderText(origin) || requestedHeaders.length > REQUESTED_HEADERS_MAX) return null;
  for (const rule of rules) {
    if (!rule.allowedMethods.some((allowed) => allowed === method)) continue;
    const pattern = rule.allowedOrigins.find((allowed) => matches(allowed, origin));
    if (pattern === undefined || !allowsHeaders(rule, requestedHeaders)) continue;
    return { rule, allowOrigin: pattern === '*' ? '*' : origin };
  }
  return null;
}

function allowsHeaders(rule: CorsRule, names: readonly string[]): boolean {
  if (names.length === 0) return true;
  const patterns = rule.allowedHeaders.map((pattern) => pattern.toLowerCase());
  return names.every(
    (name) => isHeaderName(name) && patterns.some((pattern) => matches(pattern, name)),
  );
}

/** One `*` stands for any run of characters, the empty one too. */
function matches(pattern: string, text: string): boolean {
  const starAt = pattern.indexOf('*');
  if (starAt === -1) return pattern === text;
  const start = pattern.slice(0, starAt);
  const end = pattern.slice(starAt + 1);
  return text.length >= start.length + end.length && text.startsWith(start) && text.endsWith(end);
}

/** The list of an Access-Control-Request-Headers, in lower case. */
export function parseRequestedHeaders(value: string | null): readonly string[] {
  if (value === null) return [];
  const names = value.split(',').map((name) => name.trim().toLowerCase());
  return names.filter((name) => name !== '');
}

/** The headers of a granted request; `requestedHeaders` are named again. */
export function grantHeaders(
  { rule, allowOrigin }: CorsGrant,
  requestedHeaders: readonly string[],
): HeaderRecord {
  const headers: HeaderRecord = {
    'access-control-allow-origin': allowOrigin,
    'access-control-allow-methods': rule.allowedMethods.join(', '),
  };
  if (requestedHeaders.length > 0)
    headers['access-control-allow-headers'] = requestedHeaders.join(', ');
  if (rule.exposeHeaders.length > 0)
    headers['access-control-expose-headers'] = rule.exposeHeaders.join(', ');
  if (rule.maxAgeSeconds !== null) headers['access-control-max-age'] = `${rule.maxAgeSeconds}`;
  // Browsers refuse credentials together with `*`.
  if (allowOrigin !== '*') headers['access-control-allow-credentials'] = 'true';
  headers.vary = VARY;
  return headers;
}

/**
 * The headers of a response without a grant: a browser's script hears nothing, but
 * caches must not mix it up with others.
 */
export const NO_GRANT: Readonly<HeaderRecord> = { vary: VARY };

/**
 * The headers that rules add to a response, error or not; null when the bucket has
 * none. As S3 does, the method is the one that Access-Control-Request-Method names,
 * if it is there, on requests that are no preflight too. Vary comes even without an
 * Origin (S3 leaves it out then): a cache must not give that answer to a script.
 */
export function corsHeaders(
  rules: readonly CorsRule[] | null,
  request: Pick<HttpRequest, 'method' | 'header'>,
): Readonly<HeaderRecord> | null {
  if (rules === null) return null;
  const origin = request.header('origin');
  if (origin === null) return NO_GRANT;
  const requestedHeaders = parseRequestedHeaders(request.header('access-control-request-headers'));
  const method = request.header('access-control-request-method') ?? request.method;
  const grant = findCorsGrant(rules, { origin, method, requestedHeaders });
  return grant === null ? NO_GRANT : grantHeaders(grant, requestedHeaders);
}

/**
 * A copy with what corsHeaders gave; a Vary that is there already keeps its names.
 */
export function withCors(
  headers: Readonly<HeaderRecord>,
  added: Readonly<HeaderRecord>,
): HeaderRecord {
  const vary = headers.vary === undefined ? VARY : `${headers.vary}, ${VARY}`;
  return { ...headers, ...added, vary };
}
