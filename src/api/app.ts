// The JSON API: every request under /-/api comes here, in this order: is there such a route, is it
// a browser from another site, who asks, how often, may they, what body, did it run already; then
// the route. Whatever fails is answered as a problem.
//
// To add a resource: write routes/{resource}.ts with `export function add{Resource}Routes(api:
// Api): void`, in it for each route `api.openapi(apiRoute({ method, path, operationId, tags,
// access, request, responses }), handler)`, and one line in ROUTES below. A handler parses nothing:
// it takes `c.req.valid(…)`, `callOf(c)` (core, caller, requestId), calls one verb of core, and
// shapes its answer. Refusals are thrown as StorageError. Bodies and queries are z.strictObject, so
// that unknown fields are refused; every text and list has a bound. Names of fields are camelCase,
// times `timeSchema`, lists paging.ts, changes of settings etag.ts. tests:
// test/api/openapi/document.test.ts checks these rules on the document itself.
import { OpenAPIHono } from '@hono/zod-openapi';
import { findCaller } from '../core/accounts/find-caller.ts';
import { randomText } from '../crypto/random-text.ts';
import { StorageError } from '../domain/errors.ts';
import { networkOf } from '../domain/ip-range.ts';
import { makeResponse } from '../http/outgoing-body.ts';
import type { HttpRequest } from '../http/request.ts';
import { documentJson } from './openapi/openapi.ts';
import { readCredential, requireSameSite } from './requests/credentials.ts';
import { runOnce } from './requests/idempotency.ts';
import { BODY_MAX_BYTES, readJsonBody, STRANGERS_BODY_MAX_BYTES } from './requests/json-body.ts';
import { createRateLimit } from './requests/rate-limit.ts';
import { createRouteTable } from './requests/route-table.ts';
import { addAccessKeyRoutes } from './routes/accounts/access-keys.ts';
import { addAccountQuotaRoutes } from './routes/accounts/account-quota.ts';
import { addAccountRoutes } from './routes/accounts/accounts.ts';
import { addAuditRoutes } from './routes/accounts/audit.ts';
import { addMemberRoutes } from './routes/accounts/members.ts';
import { addPasskeyRoutes } from './routes/accounts/passkeys.ts';
import { addSessionRoutes } from './routes/accounts/sessions.ts';
import { addTokenRoutes } from './routes/accounts/tokens.ts';
import { addBillingPartyRoutes } from './routes/billing/billing-parties.ts';
import { addCapRoutes } from './routes/billing/caps.ts';
import { addCreditNoteRoutes } from './routes/billing/credit-notes.ts';
import { addInvoiceRoutes } from './routes/billing/invoices.ts';
import { addRateCardRoutes } from './routes/billing/rate-cards.ts';
import { addReceiptRoutes } from './routes/billing/receipts.ts';
import { addUsageRoutes } from './routes/billing/usage.ts';
import { addBucketDomainRoutes } from './routes/buckets/bucket-domains.ts';
import { addBucketRoutes } from './routes/buckets/buckets.ts';
import { addCachePurgeRoutes } from './routes/buckets/cache-purges.ts';
import { addLifecyclePreviewRoutes } from './routes/buckets/lifecycle-preview.ts';
import { addTrashRoutes } from './routes/buckets/trash.ts';
import { addJobRoutes } from './routes/objects/jobs.ts';
import { addObjectDetailRoutes } from './routes/objects/object.ts';
import { addObjectHistoryRoutes } from './routes/objects/object-history.ts';
import { addObjectRoutes } from './routes/objects/objects.ts';
import { addPresignRoutes } from './routes/objects/presign.ts';
import { addUploadRoutes } from './routes/objects/uploads.ts';
import { addClockRoutes } from './routes/server/clock.ts';
import { addOverviewRoutes } from './routes/server/overview.ts';
import { addServerRoutes } from './routes/server/server.ts';
import { addWebhookDeliveryRoutes } from './routes/server/webhook-deliveries.ts';
import { addWebhookRoutes } from './routes/server/webhooks.ts';
import { requireAccess } from './routing/access.ts';
import type { Api, ApiCall, ApiEnv, ApiServices } from './routing/api-call.ts';
import { toOperationName } from './routing/api-route.ts';
import { createApiSecrets } from './routing/api-secrets.ts';
import { invalidFields, isOurFault, problemResponse } from './routing/problem.ts';

/** One line for each resource. */
const ROUTES: readonly ((api: Api) => void)[] = [
  addSessionRoutes,
  addTokenRoutes,
  addPasskeyRoutes,
  addAccountRoutes,
  addAccountQuotaRoutes,
  addOverviewRoutes,
  addMemberRoutes,
  addAccessKeyRoutes,
  addAuditRoutes,
  addBucketRoutes,
  addBucketDomainRoutes,
  addLifecyclePreviewRoutes,
  addCachePurgeRoutes,
  addObjectRoutes,
  addObjectDetailRoutes,
  addObjectHistoryRoutes,
  addPresignRoutes,
  addUploadRoutes,
  addJobRoutes,
  addTrashRoutes,
  addUsageRoutes,
  addInvoiceRoutes,
  addCreditNoteRoutes,
  addBillingPartyRoutes,
  addReceiptRoutes,
  addRateCardRoutes,
  addCapRoutes,
  addWebhookRoutes,
  addWebhookDeliveryRoutes,
  addServerRoutes,
  addClockRoutes,
];

export type ApiOptions = Omit<ApiServices, 'secrets'> & {
  /**
   * What the API's own keys are derived from; null: from the master key, else each process has its
   * own.
   */
  readonly rootSecretKey: string | null;
  /** Requests of one account, or of one source without a credential, in a minute; 0: any number. */
  readonly requestsPerMinute: number;
};

export type ApiSurface = {
  /** Answers one request under `/-/api/`. Never rejects. */
  handle(request: HttpRequest, requestId: string): Promise<Response>;
  /** The OpenAPI document of the API. Cost: 30 ms at the first call, which makes it. */
  documentJson(): string;
};

/** What stands before every path of the document. */
const BASE_PATH = '/-/api/v1';
const DOCUMENT_PATH = '/-/api/openapi.json';
/** Attempts with tokens and cookies that nobody has, of one source in a minute. */
const WRONG_CREDENTIALS_PER_MINUTE = 30;
/** The headers that routes see. */
const PASSED_HEADERS = [
  'accept',
  'content-type',
  'if-match',
  'if-none-match',
  'user-agent',
] as const;

/** Makes the API. Cost: 30 ms, which is why lazy-api.ts waits for the first request. */
export function createApi({
  rootSecretKey,
  requestsPerMinute,
  ...services
}: ApiOptions): ApiSurface {
  const { core, findAccessKey } = services;
  const { clock, log } = core.ports;
  const app = createRoutes();
  const routes = createRouteTable(BASE_PATH, app.openAPIRegistry.definitions);
  const rateLimit = createRateLimit('default', requestsPerMinute);
  const wrongCredentials = createRateLimit('credentials', WRONG_CREDENTIALS_PER_MINUTE);
  const secrets = createApiSecrets(
    rootSecretKey ?? core.settings.masterKeys[0]?.key.toHex() ?? randomText(32),
  );
  let document: string | null = null;

  async function answer(
    request: HttpRequest,
    requestId: string,
    limits: Record<string, string>,
  ): Promise<Response> {
    const isDocument = request.rawPath === DOCUMENT_PATH;
    const methods = isDocument ? ['GET', 'HEAD', 'OPTIONS'] : routes.methodsOf(request.rawPath);
    if (methods.length === 0) throw new StorageError('NoSuchResource');
    const allow = methods.join(', ');
    if (request.method === 'OPTIONS')
      return new Response(null, { status: 204, headers: { allow } });
    if (!methods.includes(request.method))
      throw new StorageError('MethodNotAllowed', { fields: { Allow: allow } });
    if (isDocument) return answerDocument(request);
    requireSameSite(request);
    const caller = await authenticate(request);
    // By account, not by credential: who makes many tokens may send no more.
    const subject =
      caller === null
        ? `source ${networkOf(request.remoteAddress)}`
        : `account ${caller.accountId}`;
    Object.assign(limits, rateLimit.headersOf(subject, clock.nowMs()));
    rateLimit.count(subject, clock.nowMs());
    Object.assign(limits, rateLimit.headersOf(subject, clock.nowMs()));
    const route = routes.find(request.rawPath, request.method);
    if (route !== null) {
      request.notes.operation = toOperationName(route.operationId);
      requireAccess({ caller, core }, route.access);
    }
    const body = await readJsonBody(
      request,
      caller === null ? STRANGERS_BODY_MAX_BYTES : BODY_MAX_BYTES,
    );
    const call = {
      ...services,
      secrets,
      request,
      requestId,
      caller,
      body,
      audit: { accountId: null },
    };
    const run = () => dispatch(app, call, body);
    const key = request.method === 'POST' ? request.header('idempotency-key') : null;
    if (key === null || caller === null) return run();
    return runOnce(
      { ...call, caller },
      key,
      { target: `${request.rawPath}?${request.rawQuery}`, body },
      run,
    );
  }

  function readDocument(): string {
    document ??= documentJson(app, BASE_PATH);
    return document;
  }

  function answerDocument(request: HttpRequest): Response {
    request.notes.operation = 'OpenapiDocument';
    return new Response(request.method === 'HEAD' ? null : readDocument(), {
      headers: { 'content-type': 'application/json' },
    });
  }

  async function authenticate(request: HttpRequest) {
    const credential = readCredential(request);
    if (credential === null) return null;
    const caller = await findCaller(core, findAccessKey, credential);
    if (caller === null) {
      wrongCredentials.count(networkOf(request.remoteAddress), clock.nowMs());
      // A cookie that is worth nothing any more must not keep anybody from signing in again.
      if (credential.kind === 'token')
        throw new StorageError('Unauthenticated', { detail: 'The bearer token is not valid.' });
      return null;
    }
    request.notes.requester = caller.accountId;
    request.notes.accessKeyId = caller.accessKeyId;
    return caller;
  }

  return {
    documentJson: readDocument,
    async handle(request, requestId) {
      const limits: Record<string, string> = {};
      try {
        return await finish(await answer(request, requestId, limits), request, {
          requestId,
          limits,
        });
      } catch (error) {
        if (isOurFault(error))
          log.error('api-request-failed', { requestId, method: request.method, cause: error });
        const { status, headers, body, code } = problemResponse(error, requestId);
        request.notes.errorCode = code;
        const sent = request.method === 'HEAD' ? null : body;
        return await finish(new Response(sent, { status, headers }), request, {
          requestId,
          limits,
        });
      }
    },
  };
}

/** The routes, which throw what fails: app.fetch then rejects. */
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
  for (const add of ROUTES) add(api);
  return api;
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
  const url = `http://api.invalid${rawPath.slice(BASE_PATH.length)}${rawQuery === '' ? '' : `?${rawQuery}`}`;
  return app.fetch(new Request(url, { method, headers, body }), { call });
}

/**
 * The headers of every answer, with its length. Nothing of the API is for caches, nothing of it is
 * a page.
 */
async function finish(
  response: Response,
  request: HttpRequest,
  {
    requestId,
    limits,
  }: { readonly requestId: string; readonly limits: Readonly<Record<string, string>> },
): Promise<Response> {
  const headers: Record<string, string> = Object.fromEntries(response.headers);
  headers['x-request-id'] = requestId;
  headers['cache-control'] ??= 'no-store';
  headers['x-content-type-options'] = 'nosniff';
  Object.assign(headers, limits);
  const body = response.body === null ? null : new Uint8Array(await response.arrayBuffer());
  if (body !== null) headers['content-length'] = `${body.length}`;
  request.notes.bodyBytes = body?.length ?? 0;
  return makeResponse(request, response.status, headers, body);
}
