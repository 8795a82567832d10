// How a route of the JSON API is described: its schemas, its responses, and who may
// call it. Every file of routes/ uses `apiRoute` or one of its common kinds; the
// recipe is at the head of app.ts. By the table of the described routes app.ts
// responds with 404, 405 and to OPTIONS, and refuses callers before it reads a body.
import { createRoute, type OpenAPIHono, type RouteConfig, z } from '@hono/zod-openapi';
import type { MiddlewareHandler } from 'hono';
import { FRESH_BY_HEADER, freshByAnswer } from '../../http/fresh-by.ts';
import { type Access, type ApiContext, type ApiEnv, callOf, requireAccess } from './api-call.ts';
import { withAudit } from './audit.ts';
import { ifMatchHeader } from './etag.ts';
import { pageOf, pageQuery } from './paging.ts';

type RouteDescription = RouteConfig & {
  readonly access: Access;
  readonly operationId: string;
  /** A POST that changes nothing: the audit log has no entry for it. */
  readonly isReadOnly?: true;
  /** A change of what is nobody else's business: the audit log has no entry for it. */
  readonly isUnaudited?: true;
};

/**
 * Describes a route: as zod-openapi's `createRoute`, with who may call it. Refusals
 * and wrong input need not be listed: every route has them, as RFC 9457 problems.
 */
export function apiRoute<const Route extends RouteDescription>(route: Route) {
  const { access, isReadOnly, isUnaudited } = route;
  const middleware: MiddlewareHandler<ApiEnv> = async (c, next) => {
    if (access === 'everybody') return next();

    // app.ts has checked it before it read the body; here it stands before the
    // handler, whichever way a request comes to it.
    requireAccess(c.env.call, access);
    const call = callOf(c);
    if (route.method === 'get' || isReadOnly || isUnaudited) return next();

    await withAudit(call, route.operationId, async () => {
      await next();
      return c.res;
    });
    reportFreshBy(c);
  };
  const security = securityOf(access);
  const described = { ...route, security, 'x-quayside-access': access };
  return createRoute({ ...described, middleware } as Route & {
    middleware: MiddlewareHandler<ApiEnv>;
  });
}

/** The fields that every kind of route has. */
type KindOfRoute<Path extends string> = {
  readonly path: Path;
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: string[];
  readonly access: Access;
  readonly isUnaudited?: true;
};

/**
 * Describes the GET of a list in pages, which `readPage` reads. `filter` are fields
 * of its query besides those of a page; `order` says what a page holds, in which
 * order.
 */
export function listRoute<
  const Path extends string,
  Item extends z.ZodType,
  Filter extends z.core.$ZodLooseShape = Record<never, never>,
>({
  item,
  order,
  filter,
  ...route
}: KindOfRoute<Path> & { readonly item: Item; readonly order: string; readonly filter?: Filter }) {
  const query = z.strictObject({ ...pageQuery, ...(filter ?? ({} as Filter)) });
  return apiRoute({
    ...route,
    method: 'get',
    request: { query },
    responses: { 200: jsonResponse(pageOf(item), order) },
  });
}

/** Describes the GET of one thing, which its `params` and `query` name. */
export function readRoute<
  const Path extends string,
  Request extends NonNullable<RouteConfig['request']>,
  Item extends z.ZodType,
>({
  item,
  outcome,
  ...route
}: KindOfRoute<Path> & {
  readonly request: Request;
  readonly item: Item;
  readonly outcome: string;
}) {
  return apiRoute({ ...route, method: 'get', responses: { 200: jsonResponse(item, outcome) } });
}

/** Describes the POST that makes `made` of `input`. */
export function makingRoute<
  const Path extends string,
  Request extends NonNullable<RouteConfig['request']>,
  Input extends z.ZodType,
  Made extends z.ZodType,
>({
  request,
  input,
  made,
  outcome,
  ...route
}: KindOfRoute<Path> & {
  /** What names where it is made: `params` and `query`. */
  readonly request: Request;
  readonly input: Input;
  readonly made: Made;
  readonly outcome: string;
}) {
  return apiRoute({
    ...route,
    method: 'post',
    request: { ...request, body: jsonBody(input) },
    responses: { 201: jsonResponse(made, outcome) },
  });
}

/**
 * Describes the PATCH or PUT of something with an ETag: the body is `change`, the
 * response `changed`, and If-Match says which state is meant. The handler calls
 * `requireMatch`.
 */
export function changeRoute<
  const Path extends string,
  const Method extends 'patch' | 'put',
  Request extends NonNullable<RouteConfig['request']>,
  Change extends z.ZodType,
  Changed extends z.ZodType,
>({
  request,
  change,
  changed,
  outcome,
  ...route
}: KindOfRoute<Path> & {
  readonly method: Method;
  /** What names the thing: `params` and `query`. */
  readonly request: Request;
  readonly change: Change;
  readonly changed: Changed;
  readonly outcome: string;
}) {
  return apiRoute({
    ...route,
    request: { ...request, headers: ifMatchHeader, body: jsonBody(change) },
    responses: { 200: jsonResponse(changed, outcome) },
  });
}

/**
 * Describes the DELETE of what its `params` and `query` name: a 204, which
 * `outcome` describes.
 */
export function deleteRoute<
  const Path extends string,
  Request extends NonNullable<RouteConfig['request']>,
>({
  outcome,
  ...route
}: KindOfRoute<Path> & { readonly request: Request; readonly outcome: string }) {
  return apiRoute({ ...route, method: 'delete', responses: { 204: noContent(outcome) } });
}

/** The routes that there are, to look at before anything runs. */
export type RouteTable = {
  /** Methods of a path; none: there is no such path. */
  methodsOf(path: string): readonly string[];
  /** The route of a path for one of these methods; null for OPTIONS. */
  find(path: string, method: string): RouteEntry | null;
};

export type RouteEntry = { readonly operationId: string; readonly access: Access };

type Definitions = OpenAPIHono['openAPIRegistry']['definitions'];

/**
 * Makes the table of the routes that are registered; `base` stands before each
 * path. HEAD goes wherever GET does.
 */
export function createRouteTable(base: string, definitions: Definitions): RouteTable {
  const routes = definitions.flatMap((definition) => {
    if (definition.type !== 'route') return [];
    const { path, method, operationId = '', 'x-quayside-access': access } = definition.route;
    const route: RouteEntry = { operationId, access: access as Access };
    return [{ segments: `${base}${path}`.split('/'), method: method.toUpperCase(), route }];
  });
  return {
    methodsOf(path) {
      const requested = path.split('/');
      const fitting = routes.filter(({ segments }) => fits(segments, requested));
      const methods = new Set(fitting.map(({ method }) => method));
      if (methods.size === 0) return [];
      if (methods.has('GET')) methods.add('HEAD');
      return [...methods.add('OPTIONS')].toSorted();
    },
    find(path, method) {
      const requested = path.split('/');
      const routed = method === 'HEAD' ? 'GET' : method;
      const entry = routes.find((each) => each.method === routed && fits(each.segments, requested));
      return entry?.route ?? null;
    },
  };
}

/** Compares segment by segment; `{name}` takes any that is not empty. */
function fits(segments: readonly string[], requested: readonly string[]): boolean {
  if (segments.length !== requested.length) return false;
  return segments.every((segment, i) =>
    segment.startsWith('{') ? requested[i] !== '' : segment === requested[i],
  );
}

/** One response of a route: its meaning and the schema of its JSON. */
export function jsonResponse<Schema extends z.ZodType>(schema: Schema, description: string) {
  return { description, content: { 'application/json': { schema } } };
}

/** The body of a request: it must be there, and JSON. */
export function jsonBody<Schema extends z.ZodType>(schema: Schema) {
  return { required: true, content: { 'application/json': { schema } } } as const;
}

/** A 204. */
export const noContent = (description: string) => ({ description });

/** Metrics name operations in the style of S3's. */
export function toOperationName(operationId: string): string {
  return operationId.charAt(0).toUpperCase() + operationId.slice(1);
}

/** Credentials that a route takes, for the document. */
function securityOf(access: Access): object[] {
  if (access === 'everybody') return [];
  const isForSessions = access === 'session' || access === 'recent-proof';
  return isForSessions ? [{ session: [] }] : [{ bearer: [] }, { session: [] }];
}

/** What is accepted, not done yet, can't say by when it will be seen. */
const ACCEPTED = 202;

/**
 * Adds the time of freshness to a change of a bucket, or of what is in it, that
 * requested it.
 */
function reportFreshBy(c: ApiContext): void {
  const { core, request } = c.env.call;
  const { bucket } = request.notes;
  if (bucket === null || c.res.status === ACCEPTED) return;
  const freshBy = freshByAnswer(core, request, bucket);
  if (freshBy !== null) c.res.headers.set(FRESH_BY_HEADER, freshBy);
}
