// Which paths and methods the JSON API has and who may call them, read off its routes: app.ts
// answers 404, 405 and OPTIONS by it, and refuses whom a route does not let in before a byte of the
// body is read.
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Access } from '../routing/access.ts';

/** What is known of a request before anything runs. */
export type RouteTable = {
  /** The methods that a path has; none: there is no such path. */
  methodsOf(path: string): readonly string[];
  /** The route of a path for one of these methods; null for OPTIONS. */
  find(path: string, method: string): KnownRoute | null;
};

export type KnownRoute = { readonly operationId: string; readonly access: Access };

type Definitions = OpenAPIHono['openAPIRegistry']['definitions'];

/**
 * Reads it off what the routes have registered; `base` stands before each. HEAD goes wherever GET
 * does.
 */
export function createRouteTable(base: string, definitions: Definitions): RouteTable {
  const routes = definitions.flatMap((definition) => {
    if (definition.type !== 'route') return [];
    const { path, method, operationId = '', 'x-quayside-access': access } = definition.route;
    const route: KnownRoute = { operationId, access: access as Access };
    return [{ segments: `${base}${path}`.split('/'), method: method.toUpperCase(), route }];
  });
  return {
    methodsOf(path) {
      const asked = path.split('/');
      const methods = new Set(
        routes.filter(({ segments }) => fits(segments, asked)).map(({ method }) => method),
      );
      if (methods.size === 0) return [];
      if (methods.has('GET')) methods.add('HEAD');
      return [...methods.add('OPTIONS')].toSorted();
    },
    find(path, method) {
      const asked = path.split('/');
      const read = method === 'HEAD' ? 'GET' : method;
      return (
        routes.find((known) => known.method === read && fits(known.segments, asked))?.route ?? null
      );
    },
  };
}

/** Segment by segment; `{name}` takes any that is not empty. */
function fits(segments: readonly string[], asked: readonly string[]): boolean {
  if (segments.length !== asked.length) return false;
  return segments.every((segment, i) =>
    segment.startsWith('{') ? asked[i] !== '' : segment === asked[i],
  );
}
