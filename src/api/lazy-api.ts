// The door of the JSON API and its pages that costs nothing until somebody knocks: zod and the routes are loaded by the
// first request.
import type { HttpRequest } from '../http/request.ts';
import type { ApiOptions, ApiSurface } from './app.ts';

/** Answers what is the API's; null for every other page under `/-`. `path` begins behind `/-`. */
export type AnswerApi = (request: HttpRequest, path: string, requestId: string) => Promise<Response> | null;

/** Makes the door. What is loaded behind it is kept for good. */
export function createLazyApi(options: ApiOptions): AnswerApi {
  const { ownFiles } = options.core.ports;
  // What was made is kept, never the promise of it: on Workers no request may wait for another's.
  let api: ApiSurface | null = null;
  const load = async () => {
    const { createApi } = await import('./app.ts');
    api ??= createApi(options);
    return api;
  };
  return (request, path, requestId) => {
    if (path === '/docs' || path.startsWith('/docs/')) {
      request.notes.surface = 'api';
      return import('./docs-page.ts').then(({ answerDocs }) =>
        answerDocs(request, path, { files: ownFiles, requestId }),
      );
    }
    if (!path.startsWith('/api/')) return null;
    request.notes.surface = 'api';
    if (api !== null) return api.handle(request, requestId);
    return load().then((loaded) => loaded.handle(request, requestId));
  };
}
