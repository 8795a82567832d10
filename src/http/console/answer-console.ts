// The web console at `/-/console/`: its built files, and index.html for every page
// that its own router knows. app.ts calls it. What the console does goes through
// the JSON API; nothing here knows who asks.
import { StorageError } from '../../domain/errors.ts';
import type {
  ConsoleCoding,
  ConsoleFile,
  ConsoleFiles,
  OpenConsole,
} from '../../ports/console-files.ts';
import type { Address } from '../address.ts';
import { makeResponse } from '../outgoing-body.ts';
import type { HttpRequest } from '../request.ts';
import { createAcceptedCodings } from '../semantics/accept-encoding.ts';
import { isBrowserVisit } from '../semantics/accept-html.ts';
import { evaluateRead, NO_CONDITIONS } from '../semantics/conditional.ts';
import type { HeaderRecord } from '../semantics/object-headers.ts';
import { hasSessionCookie } from '../session-cookie.ts';
import { ANSWER_HEADERS, pageHeaders } from './console-headers.ts';

/** Where the console is opened. */
const CONSOLE_PATH = '/-/console/';

const INDEX = 'index.html';
/** Files below have a digest of their content in their names. */
const ASSETS = 'assets/';
/**
 * A year, seconds: the longest that caches are asked for. Source: RFC 9111 section
 * 5.2.2.1, RFC 8246
 */
const FOR_GOOD = 'public, max-age=31536000, immutable';
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
 * Answers what is the console's, and a browser that opens the service itself; null
 * for everything else. MethodNotAllowed for anything but GET and HEAD.
 */
export type AnswerConsole = (
  request: HttpRequest,
  address: Address,
  requestId: string,
) => Response | Promise<Response> | null;

/** Makes the surface over the files of the platform. */
export function createConsoleSurface(files: ConsoleFiles): AnswerConsole {
  const acceptedCodings = createAcceptedCodings();

  async function answerFile(request: HttpRequest, path: string, headers: HeaderRecord) {
    const opened = await files.open();
    if (opened === null) return sendText(request, 503, headers, NOT_BUILT);

    const isAsset = path.startsWith(ASSETS);
    const name = isAsset || opened.list.has(path) ? path : INDEX;
    const file = opened.list.get(name);
    if (file === undefined) return sendText(request, 404, headers, 'There is no such file.\n');

    const accepted = acceptedCodings(request.header('accept-encoding'));
    const coding = chooseCoding(accepted, file);
    describeFile(headers, { file, coding, isAsset });
    if (name.endsWith('.html')) Object.assign(headers, pageHeaders(request.host));
    const isSignedIn = name === INDEX && hasSessionCookie(request.header('cookie'));
    if (isSignedIn) headers.link = PRELOADS;
    return sendFile(request, opened, { name, coding, etag: etagOf(file, coding), headers });
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

  return (request, address, requestId) => {
    if (address.kind === 'system') {
      const { path } = address;
      const isConsole = path === '/console' || path.startsWith('/console/');
      return isConsole ? answerPath(request, path, requestId) : null;
    }
    const isVisit =
      address.kind === 'service' && request.rawQuery === '' && isBrowserVisit(request);
    return isVisit ? redirectVisit(request, requestId) : null;
  };
}

function noteConsole({ notes }: HttpRequest): void {
  notes.surface = 'system';
  notes.operation = 'Console';
}

/** The coding that a client likes best among those that the file has. */
function chooseCoding(accepted: readonly string[], { codings }: ConsoleFile): ConsoleCoding | null {
  for (const name of accepted) {
    const coding = codings.find((each) => each === name);
    if (coding !== undefined) return coding;
  }
  return null;
}

/** Each representation has a tag of its own. Source: RFC 9110 section 8.8.3.3 */
function etagOf({ digest }: ConsoleFile, coding: ConsoleCoding | null): string {
  return coding === null ? digest : `${digest}-${coding}`;
}

/** Adds the headers of a file. Changes the record. */
function describeFile(
  headers: HeaderRecord,
  {
    file,
    coding,
    isAsset,
  }: {
    readonly file: ConsoleFile;
    readonly coding: ConsoleCoding | null;
    readonly isAsset: boolean;
  },
): void {
  headers['content-type'] = file.type;
  headers['cache-control'] = isAsset ? FOR_GOOD : 'no-cache';
  headers.etag = `"${etagOf(file, coding)}"`;
  headers.vary = 'accept-encoding';
  if (coding !== null) headers['content-encoding'] = coding;
}

async function sendFile(
  request: HttpRequest,
  opened: OpenConsole,
  {
    name,
    coding,
    etag,
    headers,
  }: {
    readonly name: string;
    readonly coding: ConsoleCoding | null;
    readonly etag: string;
    readonly headers: HeaderRecord;
  },
): Promise<Response> {
  const conditions = { ...NO_CONDITIONS, ifNoneMatch: request.header('if-none-match') };
  if (evaluateRead(conditions, { etag, lastModifiedMs: 0 }) === 'not-modified') {
    delete headers['content-encoding'];
    return makeResponse(request, 304, headers, null);
  }
  const bytes = await opened.read(name, coding);
  return send(request, 200, headers, bytes);
}

/**
 * Sends a browser that opened the service itself to the console. S3 clients, which
 * ask for something else there, never get this.
 */
function redirectVisit(request: HttpRequest, requestId: string): Response {
  noteConsole(request);
  const vary = 'accept, authorization, sec-fetch-dest';
  const headers = { ...ANSWER_HEADERS, vary, 'x-amz-request-id': requestId };
  return redirect(request, 302, headers);
}

function redirect(request: HttpRequest, status: 302 | 308, headers: HeaderRecord): Response {
  const query = request.rawQuery === '' ? '' : `?${request.rawQuery}`;
  headers.location = `${CONSOLE_PATH}${query}`;
  headers['cache-control'] = 'no-store';
  return send(request, status, headers, new Uint8Array());
}

function sendText(
  request: HttpRequest,
  status: 404 | 503,
  headers: HeaderRecord,
  text: string,
): Response {
  headers['content-type'] = 'text/plain; charset=utf-8';
  headers['cache-control'] = 'no-store';
  return send(request, status, headers, encoder.encode(text));
}

function send(
  request: HttpRequest,
  status: number,
  headers: HeaderRecord,
  bytes: Uint8Array,
): Response {
  const isHead = request.method === 'HEAD';
  headers['content-length'] = `${bytes.length}`;
  request.notes.bodyBytes = isHead ? 0 : bytes.length;
  return makeResponse(request, status, headers, isHead ? null : bytes);
}
