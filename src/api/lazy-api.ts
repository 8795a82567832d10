// The door of the JSON API and its pages that costs nothing until somebody knocks: zod and the
// routes are loaded by the first request.
import type { HttpRequest } from '../http/request.ts';
import type { ApiOptions, ApiSurface } from './app.ts';

/** Answers what is the API's; null for every other page under `/-`. `path` begins behind `/-`. */
export type AnswerApi = (
  request: HttpRequest,
  path: string,
  requestId: string,
) => Promise<Response> | null;

type Answer = (request: HttpRequest, path: string, requestId: string) => Promise<Response>;

/** Makes the door. What is loaded behind it is kept for good. */
export function createLazyApi(options: ApiOptions): AnswerApi {
  // What was made is kept, never the promise of it: on Workers no request may wait for another's.
  let api: ApiSurface | null = null;
  const load = async () => {
    const { createApi } = await import('./app.ts');
    api ??= createApi(options);
    return api;
  };
  let page: string | null = null;
  const answerDocs: Answer = async (request, path, requestId) => {
    const [docs, { docsHtml }] = await Promise.all([
      import('./openapi/docs-page.ts'),
      import('./openapi/docs-html.ts'),
    ]);
    page ??= docsHtml((await load()).documentJson());
    return docs.answerDocs(request, path, { requestId, page });
  };
  return (request, path, requestId) => {
    if (path === '/docs' || path.startsWith('/docs/')) {
      request.notes.surface = 'api';
      return answerDocs(request, path, requestId);
    }
    if (!path.startsWith('/api/')) return null;
    request.notes.surface = 'api';
    if (api !== null) return api.handle(request, requestId);
    return load().then((loaded) => loaded.handle(request, requestId));
  };
}
