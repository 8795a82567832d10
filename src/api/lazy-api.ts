// The entrance of the JSON API and its pages, which costs nothing until a request
// comes: zod and the routes are loaded by the first one. src/app.ts asks it for
// every path under `/-`.
import type { HttpRequest } from '../http/request.ts';
import type { ApiOptions, ApiSurface } from './app.ts';

/**
 * Answers what is the API's; null for every other page under `/-`. `path` begins
 * behind `/-`.
 */
export type AnswerApi = (
  request: HttpRequest,
  path: string,
  requestId: string,
) => Promise<Response> | null;

type Respond = (request: HttpRequest, path: string, requestId: string) => Promise<Response>;

/** Makes the entrance. What the first request has loaded stays loaded. */
export function createLazyApi(options: ApiOptions): AnswerApi {
  // The API is a variable, never a promise of it: on Workers no request may wait
  // for another's.
  let api: ApiSurface | null = null;
  const load = async () => {
    const { createApi } = await import('./app.ts');
    api ??= createApi(options);
    return api;
  };

  let page: string | null = null;
  const respondDocs: Respond = async (request, path, requestId) => {
    const [docs, { docsHtml }] = await Promise.all([
      import('./openapi/docs-page.ts'),
      import('./openapi/docs-html.ts'),
    ]);
    page ??= docsHtml((await load()).documentJson());
    return docs.respondDocs(request, path, { requestId, page });
  };

  return (request, path, requestId) => {
    if (path === '/docs' || path.startsWith('/docs/')) {
      request.notes.surface = 'api';
      return respondDocs(request, path, requestId);
    }
    if (!path.startsWith('/api/')) return null;

    request.notes.surface = 'api';
    if (api !== null) return api.handle(request, requestId);
    return load().then((loaded) => loaded.handle(request, requestId));
  };
}
