// The fast path behind node:http: plain reads of what stands ready in memory, on
// connections that were handed over or never owned. Called by serve.ts with each
// parsed request. Responses are written past node:http, which only learns that they
// are over, so it makes no head and
// @hono/node-server no Request. Everything else takes the full path.
import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { SignedRead } from '../../../http/delivery/fast-path/fast-path.ts';
import { type FastResponse, resolveBody } from '../../../http/delivery/fast-path/fast-response.ts';
import type { Log } from '../../../ports/system.ts';
import { createEndOfTick } from '../server/end-of-tick.ts';
import type { ResponseCounts } from '../server/response-counts.ts';
import { KEEP_ALIVE_MS } from '../server/socket-timeouts.ts';
import { createClientReader, peerOf } from '../server/trusted-proxies.ts';
import type { NodeFastPath } from './attach-fast-path.ts';
import { isPlainHost, isPlainTarget, isUrlHost, needsUrlParser } from './plain-target.ts';
import { createPrebuiltHeads } from './prebuilt-heads.ts';
import { FRAMING_HEADERS } from './recognise.ts';
import { canSendDirectly, createResponseWriter, isPlainSocket } from './response-writer.ts';

export type BehindNodeHttp = {
  /**
   * Whether the request will be answered at the end of the tick. False: nothing was
   * done. Cost above node:http: about 1.5 µs.
   */
  answer(incoming: IncomingMessage, outgoing: ServerResponse): boolean;
  /** Sends the responses of this tick now. */
  flush(): void;
};

export type BehindNodeHttpOptions = {
  /** Counts the responses that take longer than a write. */
  readonly counts: Pick<ResponseCounts, 'watch' | 'cutShort'>;
  readonly log: Log;
  /** Answers what was begun here and can't be sent after all. */
  readonly answerFully: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
};

/** Makes the one of a server. */
export function createBehindNodeHttp(
  fastPath: NodeFastPath,
  { counts, log, answerFully }: BehindNodeHttpOptions,
): BehindNodeHttp {
  const { readClient = createClientReader([]), served } = fastPath;
  const heads = createPrebuiltHeads(KEEP_ALIVE_MS);
  const writer = createResponseWriter({ counts, log });
  const headerNames: HeaderNames = {
    refused: new Set<string>([...FRAMING_HEADERS, ...fastPath.decidingHeaders]),
    signing: new Set(fastPath.signingHeaders),
  };
  const sending = createEndOfTick(sendNow);
  const clientOf = (incoming: IncomingMessage) =>
    readClient(peerOf(incoming.socket), (name) => headerOf(incoming, name));

  function answer(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const read = readOf(incoming, outgoing, headerNames);
    if (read === null) return false;
    const startedMs = served === null ? 0 : performance.now();
    let response: FastResponse | null;
    try {
      response = read.isSigned
        ? fastPath.answerSigned(read)
        : fastPath.answer(read, () => clientOf(incoming).knownProtocol);
    } catch {
      // What fails here fails once more on the full path, where failures are
      // answered and logged.
      return false;
    }
    if (response === null) return false;
    sending.add({ incoming, outgoing, read, response, startedMs });
    return true;
  }

  function sendNow({ incoming, outgoing, read, response: due, startedMs }: Due): void {
    const { socket } = incoming;
    if (socket.destroyed) {
      // Nobody is there any more, and nothing was read.
      counts.cutShort();
      return;
    }

    const isPlain = isPlainSocket(socket);
    const response = resolveBody(due, canSendDirectly(socket, isPlain));
    if (response === null) {
      answerFully(incoming, outgoing);
      return;
    }

    const requestId = response.kind === 'document' ? response.body.requestId : fastPath.requestId();
    const head = heads.of(response, false, requestId.length, Date.now());
    const hasRoom = writer.write(socket, isPlain, head, requestId, response);
    if (hasRoom === null) {
      answerFully(incoming, outgoing);
      return;
    }

    noteWritten(outgoing, response.status);
    if (socket.writableLength === 0) outgoing.end();
    else endWhenTaken(socket, outgoing);

    if (served === null) return;
    const header = (name: string) => headerOf(incoming, name);
    const { remoteAddress } = clientOf(incoming);
    const durationMs = performance.now() - startedMs;
    served({ read, response, requestId, remoteAddress, durationMs, header });
  }

  /**
   * Keeps the response open until the client has taken it: a server that closes
   * leaves such a connection the time for it.
   */
  function endWhenTaken(socket: Socket, outgoing: ServerResponse): void {
    counts.watch(outgoing);
    socket.write(NOTHING, (error) => {
      if (error == null) outgoing.end();
    });
  }

  return { answer, flush: sending.flush };
}

type Due = {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly read: SignedRead;
  readonly response: FastResponse;
  readonly startedMs: number;
};

/**
 * Names in lower case: headers that no plain read has, and those that a signed read
 * may have.
 */
type HeaderNames = { readonly refused: ReadonlySet<string>; readonly signing: ReadonlySet<string> };

/**
 * Reads what node:http has parsed as recognise.ts reads the bytes of a plain read;
 * null for any other request.
 */
function readOf(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { refused, signing }: HeaderNames,
): (SignedRead & { readonly isSigned: boolean }) | null {
  const { headers, method, url = '' } = incoming;
  // Hono answers HEAD a tick later, after what stands behind it in the same bytes
  // was parsed, and it is seldom hot.
  if (method !== 'GET' || incoming.httpVersion !== '1.1') return null;
  const { host = '', connection = 'keep-alive' } = headers;
  // The prebuilt heads keep the connection, so node:http must mean to.
  if (!outgoing.shouldKeepAlive || connection.toLowerCase() !== 'keep-alive') return null;
  if (!isPlainTarget(url) || !isPlainHost(host)) return null;
  if (needsUrlParser(url) && !isUrlHost(host)) return null;

  const queryAt = url.indexOf('?');
  let isSigned = queryAt !== -1;
  for (const name in headers) {
    if (!refused.has(name)) continue;
    if (!signing.has(name)) return null;
    isSigned = true;
  }

  return {
    isSigned,
    method: 'GET',
    isHead: false,
    rawPath: queryAt === -1 ? url : url.slice(0, queryAt),
    rawQuery: queryAt === -1 ? '' : url.slice(queryAt + 1),
    host,
    ifNoneMatch: headerOf(incoming, 'if-none-match'),
    range: headerOf(incoming, 'range'),
    header: (name) => headerOf(incoming, name),
    headerNames: () => Object.keys(headers),
  };
}

function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  if (value === undefined) return null;
  return typeof value === 'string' ? value : value.join(', ');
}

/**
 * What node:http keeps of a response. The names are the same in every Node since
 * 0.x.
 */
type Internals = { _header: string; _headerSent: boolean };

/**
 * Tells node:http that the head of a response is sent and that there will be no
 * body: it is written already.
 */
function noteWritten(outgoing: ServerResponse, status: number): void {
  const internals = outgoing as unknown as Internals;
  outgoing.statusCode = status;
  internals._header = WRITTEN_HEAD;
  internals._headerSent = true;
}

const NOTHING = Buffer.alloc(0);
/** Any text will do. */
const WRITTEN_HEAD = '\r\n';
