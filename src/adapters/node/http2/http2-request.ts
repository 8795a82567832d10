// A request of HTTP/2 as the app sees it, read straight from a stream of node:http2:
// no node:http, no @hono/node-server. Called by http2-full-path.ts. It refuses what
// HTTP/1.1 refuses.
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { StorageError } from '../../../domain/errors.ts';
import { newRequestNotes } from '../../../http/observe/request-notes.ts';
import type { HttpRequest, OutgoingAnswer, SentAnswer } from '../../../http/request.ts';
import type { ByteSource } from '../../../ports/byte-source.ts';
import {
  isPlainHost,
  isPlainTarget,
  isUrlHost,
  needsUrlParser,
} from '../fast-path/plain-target.ts';
import { pump } from '../server/http-request.ts';
import { isFromLoopback, peerOf, type ReadClient, tlsOf } from '../server/trusted-proxies.ts';

/** A stream that was opened: its request, and whose connection it came on. */
export type Http2Exchange = {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[];
  readonly socket: TLSSocket;
  /** Hears of bytes of the body that came, or of the response that went. */
  readonly moved: (lengthBytes: number) => void;
  /** Bytes of the response that were written last, and may wait for the client. */
  waitingBytes: number;
};

export type Http2Request = {
  readonly request: HttpRequest;
  /** What a Response of the app stands for; null for one that it made in another way. */
  answerOf(response: Response): OutgoingAnswer | null;
  /** Reports to everybody who wants to know. */
  sent(sent: Pick<SentAnswer, 'bodyBytes' | 'isWhole'>): void;
};

/** The protocol as access logs name it. */
export const HTTP_2 = 'HTTP/2.0';

/** How requests are read: `idleMs` is how long a body may pause. */
export type ReadHttp2Settings = { readonly readClient: ReadClient; readonly idleMs: number };

/** Reads a request; null for one whose host or target is none, or that names two hosts. */
export function readHttp2Request(
  exchange: Http2Exchange,
  { readClient, idleMs }: ReadHttp2Settings,
): Http2Request | null {
  const { socket, stream } = exchange;
  const { headers } = exchange;
  const { ':method': method = 'GET', ':path': target } = headers;
  const host = hostOf(headers);
  if (host === null || target === undefined || !isTarget(host, target)) return null;

  const values = joinHeaders(exchange.rawHeaders);
  values.set('host', host);
  const header = (name: string): string | null => values.get(name) ?? null;
  const { isPeer, ...client } = readClient(peerOf(socket), header);
  const queryAt = target.indexOf('?');
  let made: { response: Response; answer: OutgoingAnswer } | null = null;
  const reports: ((sent: SentAnswer) => void)[] = [];

  return {
    request: {
      method,
      rawPath: queryAt === -1 ? target : target.slice(0, queryAt),
      rawQuery: queryAt === -1 ? '' : target.slice(queryAt + 1),
      host,
      ...client,
      tls: () => tlsOf(socket, isPeer),
      isFromLoopback: () => isFromLoopback(socket, header),
      header,
      headerNames: () => values.keys(),
      body: () => createByteSource(exchange, header, idleMs),
      notes: newRequestNotes(),
      onSent: (report) => void reports.push(report),
      whenGone(release) {
        if (stream.destroyed) release();
        else stream.once('close', release);
      },
      respond(answer) {
        const response = new Response(null, { status: answer.status });
        made = { response, answer };
        return response;
      },
    },
    answerOf: (response) => (made?.response === response ? made.answer : null),
    sent(sent) {
      for (const report of reports) report({ protocol: HTTP_2, ...sent });
    },
  };
}

/**
 * The host of a request; null where there is none, or `host` says another than
 * `:authority`. Source: RFC 9113 section 8.3.1
 */
function hostOf(headers: IncomingHttpHeaders): string | null {
  const { ':authority': authority, host } = headers;
  if (authority === undefined) return host ?? null;
  const isSame = host === undefined || host.toLowerCase() === authority.toLowerCase();
  return isSame ? authority : null;
}

/**
 * Whether @hono/node-server would take host and target: HTTP/1.1 is answered 400
 * else.
 */
function isTarget(host: string, target: string): boolean {
  if (!target.startsWith('/')) return false;
  if (isPlainHost(host) && isPlainTarget(target)) return !needsUrlParser(target) || isUrlHost(host);
  const queryAt = target.indexOf('?');
  const path = queryAt === -1 ? target : target.slice(0, queryAt);
  if (path.includes('\\')) return false;
  const url = URL.parse(`https://${host}${target}`);
  if (url === null) return false;
  return url.hostname.length === host.length || url.hostname === withoutPort(host).toLowerCase();
}

const withoutPort = (host: string) => host.replace(/:\d+$/, '');

/**
 * Values by name, as node:http joins those that come twice. Pseudo headers are left
 * out.
 */
function joinHeaders(rawHeaders: readonly string[]): Map<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    if (name.startsWith(':')) continue;
    const value = rawHeaders[at + 1] ?? '';
    const before = headers.get(name);
    const separator = name === 'cookie' ? '; ' : ', ';
    headers.set(name, before === undefined ? value : `${before}${separator}${value}`);
  }
  return headers;
}

function createByteSource(
  { stream, moved }: Http2Exchange,
  header: (name: string) => string | null,
  idleMs: number,
): ByteSource {
  const declared = header('content-length');
  const lengthBytes = stream.endAfterHeaders ? 0 : declared === null ? null : Number(declared);
  return {
    lengthBytes,
    async pump(onChunk) {
      if (lengthBytes === 0) return;
      const isExpected = header('expect')?.toLowerCase() === '100-continue';
      if (isExpected && !stream.headersSent) stream.additionalHeaders({ ':status': 100 });
      // Chunks of node:http2 share memory with each other, so none of it is freed here.
      await pump(stream, lengthBytes, idleMs, (chunk) => {
        moved(chunk.length);
        return onChunk(chunk);
      });
      // A stream that its client resets ends as if that were all of its body.
      if (stream.aborted || stream.rstCode !== constants.NGHTTP2_NO_ERROR)
        throw new StorageError('IncompleteBody');
    },
  };
}
