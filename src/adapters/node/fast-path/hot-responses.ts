// The hot door behind node:http: plain reads of what stands ready in memory, for connections that
// the lane has let go of or does not own. They are written as the lane writes them, past node:http,
// which only learns that the answer is over: so it makes no head of its own, and @hono/node-server
// makes no Request. Everything else goes the full way.
import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { finished, type HotReply, type SignedRead } from '../../../http/request.ts';
import type { Log } from '../../../ports/system.ts';
import { createEndOfTurn } from '../server/end-of-tick.ts';
import type { AnswerCounts } from '../server/response-counts.ts';
import { KEEP_ALIVE_MS } from '../server/socket-timeouts.ts';
import { createClientReader, peerOf } from '../server/trusted-proxies.ts';
import type { HotLaneDoor } from './attach-fast-path.ts';
import { isPlainHost, isPlainTarget, isUrlHost, needsUrlParser } from './plain-target.ts';
import { createPrebuiltHeads } from './prebuilt-heads.ts';
import { FRAMING_HEADERS } from './recognise.ts';
import { createReplyWriter, maySend, writesAtOnce } from './response-writer.ts';

export type HotResponses = {
  /**
   * Whether the request will be answered at the end of the turn. False: nothing was done. Cost
   * above node:http: about 1.5 µs.
   */
  answer(incoming: IncomingMessage, outgoing: ServerResponse): boolean;
  /** Sends the answers of this turn now. */
  flush(): void;
};

export type HotResponsesOptions = {
  /** Counts the answers that take longer than a write. */
  readonly counts: Pick<AnswerCounts, 'watch' | 'cutShort'>;
  readonly log: Log;
  /** For what it has begun and can't answer after all. */
  readonly answerFully: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
};

/** One for a server. */
export function createHotResponses(
  door: HotLaneDoor,
  { counts, log, answerFully }: HotResponsesOptions,
): HotResponses {
  const heads = createPrebuiltHeads(KEEP_ALIVE_MS);
  const writer = createReplyWriter({ counts, log });
  const refused = new Set<string>([...FRAMING_HEADERS, ...door.decidingHeaders]);
  const signing = new Set(door.signingHeaders);
  const { readClient = createClientReader([]), served } = door;
  const sending = createEndOfTurn(sendNow);
  const clientOf = (incoming: IncomingMessage) =>
    readClient(peerOf(incoming.socket), (name) => headerOf(incoming, name));

  function answer(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    const read = readOf(incoming, outgoing, { refused, signing });
    if (read === null) return false;
    const startedMs = served === null ? 0 : performance.now();
    let reply: HotReply | null;
    try {
      reply = read.isSigned
        ? door.answerSigned(read)
        : door.answer(read, () => clientOf(incoming).knownProtocol);
    } catch {
      // What fails here fails once more on the full way, where failures are answered and logged.
      return false;
    }
    if (reply === null) return false;
    sending.add({ incoming, outgoing, read, reply, startedMs });
    return true;
  }

  function sendNow({ incoming, outgoing, read, reply: given, startedMs }: Due): void {
    const { socket } = incoming;
    if (socket.destroyed) {
      // Nobody is there any more, and nothing was read.
      counts.cutShort();
      return;
    }
    const isAtOnce = writesAtOnce(socket);
    const reply = finished(given, maySend(socket, isAtOnce));
    if (reply === null) {
      answerFully(incoming, outgoing);
      return;
    }
    const requestId = door.requestId();
    const head = heads.of(reply, false, requestId.length, Date.now());
    if (writer.write(socket, isAtOnce, head, requestId, reply) === null) {
      answerFully(incoming, outgoing);
      return;
    }
    noteWritten(outgoing, reply.status);
    if (socket.writableLength === 0) outgoing.end();
    else endWhenTaken(socket, outgoing);
    if (served === null) return;
    const header = (name: string) => headerOf(incoming, name);
    const { remoteAddress } = clientOf(incoming);
    served({
      read,
      reply,
      requestId,
      remoteAddress,
      durationMs: performance.now() - startedMs,
      header,
    });
  }

  /**
   * Until the client has taken it, the answer is open: a server that closes leaves such a
   * connection the time for it.
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
  readonly reply: HotReply;
  readonly startedMs: number;
};

/**
 * What the recogniser of the lane makes of the bytes of a plain read, of what node:http has made of
 * them; else null.
 */
function readOf(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  {
    refused,
    signing,
  }: { readonly refused: ReadonlySet<string>; readonly signing: ReadonlySet<string> },
): (SignedRead & { readonly isSigned: boolean }) | null {
  const { headers, method, url = '' } = incoming;
  // Hono answers HEAD a turn later, after what stands behind it in the same bytes was parsed, and
  // it is seldom hot.
  if (method !== 'GET' || incoming.httpVersion !== '1.1') return null;
  const { host = '', connection = 'keep-alive' } = headers;
  // The prebuilt heads keep the connection, so node:http must mean to.
  if (!outgoing.shouldKeepAlive || connection.toLowerCase() !== 'keep-alive') return null;
  if (!isPlainTarget(url) || !isPlainHost(host) || (needsUrlParser(url) && !isUrlHost(host)))
    return null;
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
  return value === undefined ? null : typeof value === 'string' ? value : value.join(', ');
}

/** What node:http keeps of an answer. The names are the same in every Node since 0.x. */
type Internals = { _header: string; _headerSent: boolean };

/**
 * For an answer that is written already: to node:http its head is sent, and there will be no body.
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
