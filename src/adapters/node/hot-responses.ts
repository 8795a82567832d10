// The hot door behind node:http: plain reads of what stands ready in memory, for connections that the lane has let go of
// or does not own. Head and body go out as one buffer that was built before, so node:http makes no head of its own, and
// @hono/node-server makes no Request. Everything else goes the full way. The answers are the lane's, byte for byte.
import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import { finished, type HotReply, type SignedRead } from '../../http/request.ts';
import { createEndOfTurn } from './end-of-turn.ts';
import type { HotLaneDoor } from './hot-lane/attach-hot-lane.ts';
import { isPlainHost, isPlainTarget, isUrlHost, needsUrlParser } from './hot-lane/plain-target.ts';
import { createPrebuiltHeads, type Head } from './hot-lane/prebuilt-heads.ts';
import { FRAMING_HEADERS } from './hot-lane/recognise.ts';
import { fillHead, headLength, kept } from './hot-lane/reply-writer.ts';
import { createClientReader, peerOf } from './trusted-proxies.ts';

export type HotResponses = {
  /**
   * Whether the request will be answered at the end of the turn. False: nothing was done. Cost above node:http: about
   * 1.5 µs.
   */
  answer(incoming: IncomingMessage, outgoing: ServerResponse): boolean;
  /** Sends the answers of this turn now. */
  flush(): void;
};

/** One for a server. `keepAliveMs`: the server's own. `answerFully`: for what it has begun and can't answer after all. */
export function createHotResponses(
  door: HotLaneDoor,
  keepAliveMs: number,
  answerFully: (incoming: IncomingMessage, outgoing: ServerResponse) => void,
): HotResponses {
  const heads = createPrebuiltHeads(keepAliveMs);
  const send = createSender();
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
      reply = read.isSigned ? door.answerSigned(read) : door.answer(read, () => clientOf(incoming).knownProtocol);
    } catch {
      // What fails here fails once more on the full way, where failures are answered and logged.
      return false;
    }
    if (reply === null) return false;
    sending.add({ incoming, outgoing, read, reply, startedMs });
    return true;
  }

  function sendNow({ incoming, outgoing, read, reply: given, startedMs }: Due): void {
    // Nobody is there any more, and nothing was read.
    if (incoming.socket.destroyed) return;
    const reply = finished(given, false);
    if (reply === null) {
      answerFully(incoming, outgoing);
      return;
    }
    const requestId = door.requestId();
    send(outgoing, heads.of(reply, false, requestId.length, Date.now()), requestId, kept(reply));
    if (served === null) return;
    const header = (name: string) => headerOf(incoming, name);
    const { remoteAddress } = clientOf(incoming);
    served({ read, reply, requestId, remoteAddress, durationMs: performance.now() - startedMs, header });
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

/** What the recogniser of the lane makes of the bytes of a plain read, of what node:http has made of them; else null. */
function readOf(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { refused, signing }: { readonly refused: ReadonlySet<string>; readonly signing: ReadonlySet<string> },
): (SignedRead & { readonly isSigned: boolean }) | null {
  const { headers, method, url = '' } = incoming;
  // Hono answers HEAD a turn later, after what stands behind it in the same bytes was parsed, and it is seldom hot.
  if (method !== 'GET' || incoming.httpVersion !== '1.1') return null;
  const { host = '', connection = 'keep-alive' } = headers;
  // The prebuilt heads keep the connection, so node:http must mean to.
  if (!outgoing.shouldKeepAlive || connection.toLowerCase() !== 'keep-alive') return null;
  if (!isPlainTarget(url) || !isPlainHost(host) || (needsUrlParser(url) && !isUrlHost(host))) return null;
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

/** What node:http keeps of a head that it has made. Its names are the same in every Node since 0.x. */
type WithHead = { _header: string | null; _hasBody: boolean };

/**
 * Up to here the whole answer goes out as text, which node:http writes in one piece: bytes behind a head cost it a writev of
 * two and another turn. Bytes; more text than that it can't write without a buffer of its own (StreamBase::WriteString).
 * Measured 2026-11: bench/README.md, delivery.
 */
const TEXT_MAX_BYTES = 16 * 1024;

/** A head as the texts before and behind its request id, as they are in the second that stands in it. */
type HeadText = { readonly second: number; readonly before: string; readonly after: string };

/** The texts of heads that are all of an answer: a 304 needs no bytes to be put together. */
function createHeadTexts(): (head: Head) => HeadText {
  const texts = new WeakMap<Head, HeadText>();
  return (head) => {
    let text = texts.get(head);
    if (text?.second !== head.dateSecond) {
      const { bytes, requestIdAt, requestIdLength, dateSecond: second } = head;
      const before = bytes.toString('latin1', 0, requestIdAt);
      text = { second, before, after: bytes.toString('latin1', requestIdAt + requestIdLength) };
      texts.set(head, text);
    }
    return text;
  };
}

/** Keeps a buffer that all answers with a body are put together in. */
function createSender() {
  const scratch = Buffer.allocUnsafeSlow(TEXT_MAX_BYTES);
  const textOf = createHeadTexts();
  return (outgoing: ServerResponse, head: Head, requestId: string, { status, part, body }: HotReply): void => {
    const internals = outgoing as unknown as WithHead;
    outgoing.statusCode = status;
    internals._hasBody = true;
    if (body === null && part === null && head.extendedIdAt === -1) {
      const { before, after } = textOf(head);
      internals._header = before + requestId + after;
      outgoing.end();
      return;
    }
    const headBytes = headLength(head, part);
    const length = headBytes + (body?.length ?? 0);
    const isText = length <= TEXT_MAX_BYTES;
    const bytes = isText ? scratch : Buffer.allocUnsafe(headBytes);
    fillHead(bytes, head, requestId, part);
    if (isText && body !== null) bytes.set(body, headBytes);
    internals._header = bytes.toString('latin1', 0, isText ? length : headBytes);
    if (isText) outgoing.end();
    else outgoing.end(body);
  };
}
