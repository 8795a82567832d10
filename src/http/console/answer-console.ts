// The web console at `/-/console/`: its built files, and index.html for every page
// that its own router knows. app.ts calls it. What the console does goes through
// the JSON API; nothing here knows who asks.
import { StorageError } from '../../domain/errors.ts';
import type { ConsoleFiles } from '../../ports/console-files.ts';
import type { HttpRequest } from '../request.ts';
import { isBrowserVisit } from '../semantics/accept-html.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';
import { hasSessionCookie } from '../session-cookie.ts';
import { createSendBuiltFile, sendWhole } from './built-file.ts';
import { ANSWER_HEADERS, pageHeaders } from './console-headers.ts';

/** Where the console is opened. */
const CONSOLE_PATH = '/-/console/';

const INDEX = 'index.html';
/** Files below have a digest of their content in their names. */
const ASSETS = 'assets/';
/**
 * The first calls of a console whose reader is signed in, begun before its script
 * has come. Browsers take them for a `fetch` with its usual credentials, though
 * they must not store them, when the mode is the same: `anonymous`. Measured
 * 2026-11 with Chromium 153; with `use-credentials` each was sent twice.
 */
const PRELOADS = ['/-/api/v1/me', '/-/api/v1/overview']
  .map((path) => `<${path}>; rel=preload; as=fetch; crossorigin=anonymous`)
  .join(', ');
const NOT_BUILT =
  'The console is not built. In a clone of the repository, run\n\n' +
  '  node scripts/build-console.ts\n\n' +
  'and load this page again. The S3 API and the JSON API do not need it.\n';

const encoder = new TextEncoder();

/**
 * Answers what is the console's; null for every other page under `/-`. `path` begins
 * behind `/-`. MethodNotAllowed for anything but GET and HEAD.
 */
export type AnswerConsole = (
  request: HttpRequest,
  path: string,
  requestId: string,
) => Response | Promise<Response> | null;

/** Makes the surface over the files of the platform. */
export function createConsoleSurface(files: ConsoleFiles): AnswerConsole {
  const sendBuiltFile = createSendBuiltFile();

  async function answerFile(request: HttpRequest, path: string, headers: HeaderRecord) {
    const opened = await files.open();
    if (opened === null) return sendText(request, 503, headers, NOT_BUILT);

    const isAsset = path.startsWith(ASSETS);
    const name = isAsset || opened.list.has(path) ? path : INDEX;
    const file = opened.list.get(name);
    if (file === undefined) return sendText(request, 404, headers, 'There is no such file.\n');

    if (name.endsWith('.html')) Object.assign(headers, pageHeaders(request.host));
    const isSignedIn = name === INDEX && hasSessionCookie(request.header('cookie'));
    if (isSignedIn) headers.link = PRELOADS;
    return sendBuiltFile(request, { opened, name, file, isAsset, headers });
  }

  function answerPath(request: HttpRequest, path: string, requestId: string) {
    const { method } = request;
    noteConsole(request);
    if (method !== 'GET' && method !== 'HEAD')
      throw new StorageError('MethodNotAllowed', { fields: { Allow: 'GET, HEAD' } });

    const headers: HeaderRecord = { ...ANSWER_HEADERS, 'x-amz-request-id': requestId };
    if (path === '/console') return redirect(request, 308, headers);
    return answerFile(request, path.slice('/console/'.length), headers);
  }

  return (request, path, requestId) => {
    const isConsole = path === '/console' || path.startsWith('/console/');
    return isConsole ? answerPath(request, path, requestId) : null;
  };
}

function noteConsole({ notes }: HttpRequest): void {
  notes.surface = 'system';
  notes.operation = 'Console';
}

/**
 * Sends a browser that opens the service itself to the console. Null for S3 clients,
 * which ask for something else there.
 */
export function answerVisit(request: HttpRequest, requestId: string): Response | null {
  if (request.rawQuery !== '' || !isBrowserVisit(request)) return null;

  noteConsole(request);
  const vary = 'accept, authorization, sec-fetch-dest';
  const headers = { ...ANSWER_HEADERS, vary, 'x-amz-request-id': requestId };
  return redirect(request, 302, headers);
}

function redirect(request: HttpRequest, status: 302 | 308, headers: HeaderRecord): Response {
  const query = request.rawQuery === '' ? '' : `?${request.rawQuery}`;
  headers.location = `${CONSOLE_PATH}${query}`;
  headers['cache-control'] = 'no-store';
  return sendWhole(request, status, headers, new Uint8Array());
}

function sendText(
  request: HttpRequest,
  status: 404 | 503,
  headers: HeaderRecord,
  text: string,
): Response {
  headers['content-type'] = 'text/plain; charset=utf-8';
  headers['cache-control'] = 'no-store';
  return sendWhole(request, status, headers, encoder.encode(text));
}
