// Which paths and methods the JSON API has, read off its routes: app.ts answers 404, 405 and OPTIONS by it.
import type { OpenAPIHono } from '@hono/zod-openapi';

/** Where a request goes before anything runs: the methods that its path has; none: there is no such path. */
export type RouteTable = { methodsOf(path: string): readonly string[] };

type Definitions = OpenAPIHono['openAPIRegistry']['definitions'];

/** Reads it off what the routes have registered; `base` stands before each. HEAD goes wherever GET does. */
export function createRouteTable(base: string, definitions: Definitions): RouteTable {
  const routes = definitions.flatMap((definition) => {
    if (definition.type !== 'route') return [];
    const { path, method } = definition.route;
    return [{ segments: `${base}${path}`.split('/'), method: method.toUpperCase() }];
  });
  return {
    methodsOf(path) {
      const asked = path.split('/');
      const methods = new Set(routes.filter(({ segments }) => fits(segments, asked)).map(({ method }) => method));
      if (methods.size === 0) return [];
      if (methods.has('GET')) methods.add('HEAD');
      return [...methods.add('OPTIONS')].toSorted();
    },
  };
}

/** Segment by segment; `{name}` takes any that is not empty. */
function fits(segments: readonly string[], asked: readonly string[]): boolean {
  if (segments.length !== asked.length) return false;
  return segments.every((segment, i) => (segment.startsWith('{') ? asked[i] !== '' : segment === asked[i]));
}
