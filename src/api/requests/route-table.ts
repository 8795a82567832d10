// Paths and methods of the JSON API with who may call them, read off its routes. By
// it app.ts responds with 404, 405 and to OPTIONS, and refuses callers before a
// byte of the body is read.
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Access } from '../routing/access.ts';

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
