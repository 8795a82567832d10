// Pages of the service itself under `/-/`: for operators and load balancers, never
// for stored content.
import { isEqualInConstantTime, sha256Hex } from '../../crypto/hash.ts';
import { StorageError } from '../../domain/errors.ts';
import type { MetricFamily } from '../../ports/metrics.ts';
import type { NotReadyReason, Readiness } from '../../ports/readiness.ts';
import { VERSION } from '../../ports/version.ts';
import { makeResponse } from '../outgoing-body.ts';
import type { HttpRequest } from '../request.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';
import { METRICS_CONTENT_TYPE, renderMetrics } from './metrics-text.ts';

export type SystemOptions = {
  /** The root key: without it every signed request is refused. */
  readonly rootAccessKey: string | null;
  readonly rootSecretKey: string | null;
  /** What a reader of the metrics must show; null: there is no such page. */
  readonly metricsToken: string | null;
};

const encoder = new TextEncoder();

const HEALTH = '{"status":"ok"}\n';
const VERBOSE_HEALTH = `${JSON.stringify({ status: 'ok', version: VERSION })}\n`;

/** `path` begins behind `/-`. */
export type AnswerSystem = (
  request: HttpRequest,
  path: string,
  requestId: string,
) => Response | Promise<Response>;

/** The pages, by what they are called in logs and metrics. */
const PAGES: Readonly<Record<string, string>> = {
  '/health': 'Health',
  '/ready': 'Ready',
  '/metrics': 'Metrics',
};

/**
 * Answers `/-/health` (the process runs; with `?verbose` also which version),
 * `/-/ready` (it can serve and write) and `/-/metrics`; anything else under `/-/`
 * is NoSuchKey, which tells nothing about buckets. MethodNotAllowed for anything
 * but GET and HEAD.
 */
export function createSystemSurface(
  { metricsToken, rootAccessKey, rootSecretKey }: SystemOptions,
  metricFamilies: () => Promise<readonly MetricFamily[]>,
  readiness: Readiness,
): AnswerSystem {
  const hasRootKey = rootAccessKey !== null && rootSecretKey !== null;
  const isAuthorized = createTokenCheck(metricsToken);

  async function answerMetrics(request: HttpRequest, requestId: string): Promise<Response> {
    if (!isAuthorized(request.header('authorization'))) return unauthorized(request, requestId);
    return respond(request, requestId, METRICS_CONTENT_TYPE, renderMetrics(await metricFamilies()));
  }

  /**
   * Tells strangers that something is wrong, and what kind of thing; figures are in
   * the metrics.
   */
  function answerReady(request: HttpRequest, requestId: string): Response {
    const missingKey: readonly NotReadyReason[] = hasRootKey ? [] : ['root-key-missing'];
    const reasons = [...missingKey, ...readiness.notReady()];
    const isReady = reasons.length === 0;
    const state = isReady ? { status: 'ready' } : { status: 'not-ready', reasons };
    const text = `${JSON.stringify(state)}\n`;
    return respond(request, requestId, 'application/json', text, isReady ? 200 : 503);
  }

  return (request, path, requestId) => {
    const { notes, method } = request;
    notes.surface = 'system';
    const page = Object.hasOwn(PAGES, path) ? PAGES[path] : undefined;
    if (page === undefined || (page === 'Metrics' && metricsToken === null)) {
      throw new StorageError('NoSuchKey', { detail: 'There is no such page.' });
    }
    notes.operation = page;
    if (method !== 'GET' && method !== 'HEAD') {
      throw new StorageError('MethodNotAllowed', { fields: { Allow: 'GET, HEAD' } });
    }
    if (page === 'Metrics') return answerMetrics(request, requestId);
    if (page === 'Ready') return answerReady(request, requestId);
    const health = isVerbose(request.rawQuery) ? VERBOSE_HEALTH : HEALTH;
    return respond(request, requestId, 'application/json', health);
  };
}

/** Whether the query has the parameter `verbose`, with or without a value. */
function isVerbose(rawQuery: string): boolean {
  return rawQuery.split('&').some((parameter) => parameter.split('=', 1)[0] === 'verbose');
}

/**
 * Digests are compared, so that the time tells nothing of the token, not even its
 * length.
 */
function createTokenCheck(token: string | null): (authorization: string | null) => boolean {
  if (token === null) return () => false;
  const expected = sha256Hex(token);
  return (authorization) => {
    const [, sent] = /^bearer +([\x21-\x7e]+) *$/i.exec(authorization ?? '') ?? [];
    return sent !== undefined && isEqualInConstantTime(sha256Hex(sent), expected);
  };
}

/** Source: RFC 6750 section 3 */
function unauthorized(request: HttpRequest, requestId: string): Response {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'www-authenticate': 'Bearer realm="metrics"',
    'x-amz-request-id': requestId,
  };
  return send(
    request,
    401,
    headers,
    'This page needs the header Authorization: Bearer QUAYSIDE_METRICS_TOKEN.\n',
  );
}

function respond(
  request: HttpRequest,
  requestId: string,
  contentType: string,
  text: string,
  status: 200 | 503 = 200,
): Response {
  const headers = {
    'content-type': contentType,
    'cache-control': 'no-store',
    'x-amz-request-id': requestId,
  };
  return send(request, status, headers, text);
}

/**
 * Notes what is sent: where nobody sees how much the client took, that is what the
 * access log says.
 */
function send(request: HttpRequest, status: number, headers: HeaderRecord, text: string): Response {
  const body = request.method === 'HEAD' ? null : encoder.encode(text);
  request.notes.bodyBytes = body?.length ?? 0;
  return makeResponse(request, status, headers, body);
}
