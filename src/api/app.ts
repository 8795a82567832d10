// The JSON API: every request under /-/api comes here and takes these steps: route,
// origin, caller, rate limit, access, body, idempotency; then the route runs.
// Whatever fails becomes a problem.
//
// To add a resource: write routes/{resource}.ts with `export function
// add{Resource}Routes(api: Api): void`, in it for each route
// `api.openapi(apiRoute({ method, path, operationId, tags, access, request,
// responses }), handler)`, and one line in routes/add-routes.ts. A list, a change
// with If-Match and a deletion have `listRoute`, `changeRoute` and `deleteRoute` in
// its place (routing/api-route.ts). A handler parses nothing: it takes
// `c.req.valid(…)` and `callOf(c)` (core, caller, requestId), calls one verb of
// core, and shapes its response. Refusals are thrown as StorageError. Bodies and
// queries are z.strictObject, so that unknown fields are refused; every text and
// list has a bound. Names of fields are camelCase, times `timeSchema`.
// test/api/openapi/document.test.ts checks these rules on the document itself.
import { OpenAPIHono } from '@hono/zod-openapi';
import { createAccountGlance } from '../core/accounts/account-totals.ts';
import type { ApiCaller } from '../core/auth/permissions.ts';
import { randomText } from '../crypto/random-text.ts';
import { StorageError } from '../domain/errors.ts';
import { networkOf } from '../domain/ip-range.ts';
import { makeResponse } from '../http/outgoing-body.ts';
import type { HttpRequest } from '../http/request.ts';
import { documentJson } from './openapi/openapi.ts';
import { createAuthenticator, requireSameSite } from './requests/credentials.ts';
import { runOnce } from './requests/idempotency.ts';
import { BODY_MAX_BYTES, readJsonBody, STRANGERS_BODY_MAX_BYTES } from './requests/json-body.ts';
import { createRateLimit, type RateLimit } from './requests/rate-limit.ts';
import { addRoutes } from './routes/add-routes.ts';
import {
  type Api,
  type ApiCall,
  type ApiEnv,
  type ApiServices,
  requireAccess,
} from './routing/api-call.ts';
import { createRouteTable, type RouteTable, toOperationName } from './routing/api-route.ts';
import { createApiSecrets } from './routing/api-secrets.ts';
import { invalidFields, isOurFault, problemResponse } from './routing/problem.ts';

export type ApiOptions = Omit<ApiServices, 'secrets' | 'glanceAt'> & {
  /**
   * The secret that the API's own keys are derived from; null: the master key, and
   * without one each process has its own.
   */
  readonly rootSecretKey: string | null;
  /**
   * Requests of one account, or of one source without a credential, in a minute; 0:
   * any number.
   */
  readonly requestsPerMinute: number;
};

export type ApiSurface = {
  /** Answers one request under `/-/api/`. Never rejects. */
  handle(request: HttpRequest, requestId: string): Promise<Response>;
  /**
   * The OpenAPI document of the API. Cost: 30 ms at the first call, which makes it.
   */
  documentJson(): string;
};

/** The beginning of every path of the document. */
const BASE_PATH = '/-/api/v1';
const DOCUMENT_PATH = '/-/api/openapi.json';
const DOCUMENT_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];
/** The headers that routes see. */
const PASSED_HEADERS = [
  'accept',
  'content-type',
  'if-match',
  'if-none-match',
  'user-agent',
] as const;

type HeaderFields = Record<string, string>;

/**
 * Makes the API. Cost: 30 ms, which is why lazy-api.ts waits for the first request.
 */
export function createApi({
  rootSecretKey,
  requestsPerMinute,
  ...services
}: ApiOptions): ApiSurface {
  const { core, findAccessKey } = services;
  const app = createRoutes();
  const routes = createRouteTable(BASE_PATH, app.openAPIRegistry.definitions);
  const rateLimit = createRateLimit('default', requestsPerMinute);
  const authenticate = createAuthenticator(core, findAccessKey);
  const secrets = createApiSecrets(
    rootSecretKey ?? core.settings.masterKeys[0]?.key.toHex() ?? randomText(32),
  );
  const glanceAt = createAccountGlance(core);
  let document: string | null = null;

  function readDocument(): string {
    document ??= documentJson(app, BASE_PATH);
    return document;
  }

  async function respond(
    request: HttpRequest,
    requestId: string,
    limits: HeaderFields,
  ): Promise<Response> {
    const allow = allowedMethods(routes, request);
    if (request.method === 'OPTIONS')
      return new Response(null, { status: 204, headers: { allow } });
    if (request.rawPath === DOCUMENT_PATH) return respondDocument(request, readDocument());

    requireSameSite(request);
    const caller = await authenticate(request);
    countRequest(rateLimit, { request, caller, nowMs: core.ports.clock.nowMs() }, limits);

    const route = routes.find(request.rawPath, request.method);
    if (route !== null) {
      request.notes.operation = toOperationName(route.operationId);
      requireAccess({ caller, core }, route.access);
    }

    const maxBytes = caller === null ? STRANGERS_BODY_MAX_BYTES : BODY_MAX_BYTES;
    const body = await readJsonBody(request, maxBytes);
    const audit = { accountId: null };
    const shared = { ...services, secrets, glanceAt };
    return runRoute(app, { ...shared, request, requestId, caller, body, audit }, body);
  }

  function renderProblem(error: unknown, request: HttpRequest, requestId: string): Response {
    if (isOurFault(error)) {
      const { method } = request;
      core.ports.log.error('api-request-failed', { requestId, method, cause: error });
    }
    const { status, headers, body, code } = problemResponse(error, requestId);
    request.notes.errorCode = code;
    return new Response(request.method === 'HEAD' ? null : body, { status, headers });
  }

  return {
    documentJson: readDocument,
    async handle(request, requestId) {
      const limits: HeaderFields = {};
      const finish = (response: Response) => finishResponse(response, request, requestId, limits);
      try {
        return await finish(await respond(request, requestId, limits));
      } catch (error) {
        return await finish(renderProblem(error, request, requestId));
      }
    },
  };
}

/**
 * Makes the OpenAPI document without a service behind it, for what is generated
 * from it.
 */
export const readOpenApiDocument = (): string => documentJson(createRoutes(), BASE_PATH);

/** Makes the routes, which throw what fails: app.fetch then rejects. */
function createRoutes(): OpenAPIHono<ApiEnv> {
  const api = new OpenAPIHono<ApiEnv>({
    defaultHook: (result) => {
      if (!result.success) throw invalidFields(result.target, result.error);
    },
  });
  api.onError((error) => {
    throw error;
  });
  api.notFound(() => {
    throw new StorageError('NoSuchResource');
  });
  addRoutes(api);
  return api;
}

/**
 * The methods of the path, for Allow. NoSuchResource; MethodNotAllowed unless it
 * has this one.
 */
function allowedMethods(routes: RouteTable, { rawPath, method }: HttpRequest): string {
  const methods = rawPath === DOCUMENT_PATH ? DOCUMENT_METHODS : routes.methodsOf(rawPath);
  if (methods.length === 0) throw new StorageError('NoSuchResource');

  const allow = methods.join(', ');
  if (!methods.includes(method))
    throw new StorageError('MethodNotAllowed', { fields: { Allow: allow } });
  return allow;
}

function respondDocument(request: HttpRequest, document: string): Response {
  request.notes.operation = 'OpenapiDocument';
  const headers = { 'content-type': 'application/json' };
  return new Response(request.method === 'HEAD' ? null : document, { headers });
}

/**
 * Counts a request of an account, whichever credential it shows: who makes many
 * tokens may send no more. A request without one counts for its source. `limits`
 * gets the headers, of a refusal too.
 */
function countRequest(
  rateLimit: RateLimit,
  {
    request,
    caller,
    nowMs,
  }: {
    readonly request: HttpRequest;
    readonly caller: ApiCaller | null;
    readonly nowMs: number;
  },
  limits: HeaderFields,
): void {
  const subject =
    caller === null ? `source ${networkOf(request.remoteAddress)}` : `account ${caller.accountId}`;
  Object.assign(limits, rateLimit.headersOf(subject, nowMs));
  rateLimit.count(subject, nowMs);
  Object.assign(limits, rateLimit.headersOf(subject, nowMs));
}

/** Runs the route of a call; a POST with an idempotency key once only. */
function runRoute(
  app: Api,
  call: ApiCall,
  body: Uint8Array<ArrayBuffer> | null,
): Promise<Response> {
  const { request, caller } = call;
  const run = () => dispatch(app, call, body);
  const key = request.method === 'POST' ? request.header('idempotency-key') : null;
  if (key === null || caller === null) return run();

  const target = `${request.rawPath}?${request.rawQuery}`;
  return runOnce({ ...call, caller }, key, { target, body }, run);
}

/** Gives a request to its route, as the framework wants it. */
async function dispatch(
  app: Api,
  call: ApiCall,
  body: Uint8Array<ArrayBuffer> | null,
): Promise<Response> {
  const { method, rawPath, rawQuery } = call.request;
  const headers = new Headers();
  for (const name of PASSED_HEADERS) {
    const value = call.request.header(name);
    if (value !== null) headers.set(name, value);
  }
  const query = rawQuery === '' ? '' : `?${rawQuery}`;
  const url = `http://api.invalid${rawPath.slice(BASE_PATH.length)}${query}`;
  return app.fetch(new Request(url, { method, headers, body }), { call });
}

/**
 * Adds the headers of every response, with its length. Nothing of the API is for
 * caches, nothing of it is a page.
 */
async function finishResponse(
  response: Response,
  request: HttpRequest,
  requestId: string,
  limits: HeaderFields,
): Promise<Response> {
  const headers: HeaderFields = Object.fromEntries(response.headers);
  headers['x-request-id'] = requestId;
  headers['cache-control'] ??= 'no-store';
  headers['x-content-type-options'] = 'nosniff';
  Object.assign(headers, limits);

  const body = response.body === null ? null : new Uint8Array(await response.arrayBuffer());
  if (body !== null) headers['content-length'] = `${body.length}`;
  request.notes.bodyBytes = body?.length ?? 0;
  return makeResponse(request, response.status, headers, body);
}
