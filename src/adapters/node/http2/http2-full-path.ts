// The full path of HTTP/2: a request goes to the app, and its response is sent on
// the stream, bodies in chunks with the client's own flow control as backpressure.
// Called by http2-sessions.ts for what the hot reads leave.
import { constants, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { HttpRequest, OutgoingAnswer } from '../../../http/request.ts';
import { type ByteChunks, chunksOf } from '../../../ports/chunk-stream.ts';
import type { Log } from '../../../ports/system.ts';
import { UPLOAD_IDLE_MS } from '../server/http-request.ts';
import type { ResponseCounts } from '../server/response-counts.ts';
import { sendChunks } from '../server/send-chunks.ts';
import { METHODS } from '../server/server-wide-requests.ts';
import type { ReadClient } from '../server/trusted-proxies.ts';
import { cutShort } from './cut-short.ts';
import { type Http2Exchange, type Http2Request, readHttp2Request } from './http2-request.ts';

export type Http2FullPathOptions = {
  /** The app. Rejects only by a fault of its own. */
  readonly answerFully: (request: HttpRequest) => Response | Promise<Response>;
  readonly readClient: ReadClient;
  readonly counts: Pick<ResponseCounts, 'begun' | 'ended' | 'refused'>;
  readonly log: Log;
};

/** Headers that HTTP/2 has no place for. Source: RFC 9113 section 8.2.2 */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'upgrade',
]);
/** What node:http lets a value hold; node:http2 would send anything else as it is. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Most bytes of a chunk of a body: a connection has many streams whose readers stop. */
const CHUNK_BYTES = 64 * 1024;

/** Answers a request of HTTP/2. */
export type AnswerHttp2 = (exchange: Http2Exchange) => void;

export function createHttp2FullPath(options: Http2FullPathOptions): AnswerHttp2 {
  const { answerFully, readClient, counts, log } = options;
  const reading = { readClient, idleMs: UPLOAD_IDLE_MS };

  return (exchange) => {
    const { stream } = exchange;
    counts.begun();
    stream.once('close', () => counts.ended(stream.writableFinished));

    if (answerForServer(exchange)) return;
    const request = readHttp2Request(exchange, reading);
    if (request === null) {
      counts.refused();
      sendText(stream, 400, 'Bad Request\n');
      return;
    }

    const send = (response: Response) => {
      try {
        sendResponse(exchange, request, response);
      } catch (cause) {
        fail(cause);
      }
    };
    const fail = (cause: unknown) => {
      log.error('request-failed', { cause });
      if (stream.destroyed) return;
      if (stream.headersSent) cutShort(stream, cause);
      else sendText(stream, 500, 'Internal Server Error\n');
    };
    const response = answerFully(request.request);
    if (response instanceof Promise) response.then(send, fail);
    else send(response);
  };

  function sendResponse(exchange: Http2Exchange, request: Http2Request, response: Response): void {
    const { stream } = exchange;
    const answer = answerOf(request, response);
    const hasBody = request.request.method !== 'HEAD' && !isBodiless(answer.status);
    const body = typeof answer.body === 'string' ? Buffer.from(answer.body) : answer.body;

    if (stream.destroyed || stream.closed) {
      if (body instanceof ReadableStream) chunksOf(body).close();
      request.sent({ bodyBytes: 0, isWhole: false });
      return;
    }
    const headers = headersOf(answer, body instanceof Uint8Array ? body.length : null);
    if (!hasBody || body === null) {
      if (body instanceof ReadableStream) chunksOf(body).close();
      stream.respond(headers, { endStream: true });
      request.sent({ bodyBytes: 0, isWhole: null });
      dropRest(stream);
      return;
    }

    stream.respond(headers);
    if (body instanceof Uint8Array) {
      exchange.waitingBytes = body.length;
      stream.once('close', () => {
        const isWhole = stream.writableFinished;
        request.sent({ bodyBytes: isWhole ? body.length : 0, isWhole });
      });
      stream.end(body);
      dropRest(stream);
      return;
    }
    const declared = headers['content-length'];
    const lengthBytes = declared === undefined ? null : Number(declared);
    sendStream(exchange, request, { body, lengthBytes, log });
  }
}

type SentBody = {
  readonly body: ReadableStream<Uint8Array>;
  readonly lengthBytes: number | null;
  readonly log: Log;
};

/** Sends a body in chunks; `lengthBytes` null: nobody knows how many. */
function sendStream(
  exchange: Http2Exchange,
  request: Http2Request,
  { body, lengthBytes, log }: SentBody,
): void {
  const { stream, moved } = exchange;
  let sentBytes = 0;
  const source = chunksOf(body);
  const chunks: ByteChunks = {
    close: source.close,
    async next(wantedBytes) {
      const chunk = await source.next(Math.min(wantedBytes, CHUNK_BYTES));
      if (chunk !== null) {
        exchange.waitingBytes = chunk.bytes.length;
        sentBytes += chunk.bytes.length;
        moved(chunk.bytes.length);
      }
      return chunk;
    },
  };
  // What its client has not taken is not counted as sent.
  const onClose = () =>
    request.sent({ bodyBytes: Math.max(0, sentBytes - exchange.waitingBytes), isWhole: false });
  stream.on('close', onClose);
  const onSent = () => {
    stream.off('close', onClose);
    request.sent({ bodyBytes: sentBytes, isWhole: true });
    stream.end();
    dropRest(stream);
  };
  const onFailed = (cause: unknown) => {
    log.error('body-failed', { cause });
    cutShort(stream, cause);
  };
  if (lengthBytes === null) sendToEnd(stream, chunks, { onSent, onFailed });
  else sendChunks(stream, chunks, { lengthBytes, onSent, onFailed });
}

/** Answers what concerns the server as a whole; false: it is another request. */
function answerForServer({ stream, headers }: Http2Exchange): boolean {
  const { ':method': method, ':path': path } = headers;
  if (method === 'CONNECT') sendText(stream, 405, 'Method Not Allowed\n');
  else if (method === 'OPTIONS' && path === '*') {
    stream.respond({ ':status': 204, allow: METHODS }, { endStream: true });
  } else return false;
  return true;
}

/** A response as it is sent; a header may come more than once. */
type Outgoing = Pick<OutgoingAnswer, 'status' | 'body'> & {
  readonly headers: Iterable<readonly [string, string]>;
};

/** What the app made, by `respond` or in another way. */
function answerOf(request: Http2Request, response: Response): Outgoing {
  const answer = request.answerOf(response);
  if (answer === null) return response;
  return { status: answer.status, headers: Object.entries(answer.headers), body: answer.body };
}

const isBodiless = (status: number) => status === 204 || status === 304;

function headersOf({ status, headers }: Outgoing, bodyBytes: number | null): OutgoingHttpHeaders {
  const outgoing: OutgoingHttpHeaders = { ':status': status };
  for (const [name, value] of headers) {
    const lowerName = name.toLowerCase();
    if (CONNECTION_HEADERS.has(lowerName)) continue;
    if (!VALUE.test(value)) throw new TypeError(`The header ${lowerName} has an invalid value.`);
    const before = outgoing[lowerName];
    outgoing[lowerName] = before === undefined ? value : [before, value].flat().map(String);
  }
  if (bodyBytes !== null && !isBodiless(status)) outgoing['content-length'] ??= `${bodyBytes}`;
  return outgoing;
}

function sendText(stream: ServerHttp2Stream, status: number, text: string): void {
  stream.respond({ ':status': status, 'content-type': 'text/plain' });
  stream.end(text);
  dropRest(stream);
}

/**
 * Tells a client that still sends its body that nobody reads the rest, once the
 * response is out. Source: RFC 9113 section 8.1
 */
function dropRest(stream: ServerHttp2Stream): void {
  if (stream.endAfterHeaders || stream.readableEnded) return;
  const stop = () => {
    if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR);
  };
  if (stream.writableFinished) stop();
  else stream.once('finish', stop);
}

type Ends = { readonly onSent: () => void; readonly onFailed: (cause: unknown) => void };

/** Sends chunks of a length that nobody knows; the end of the stream tells it. */
function sendToEnd(stream: ServerHttp2Stream, chunks: ByteChunks, { onSent, onFailed }: Ends) {
  let isOver = false;
  const finish = () => {
    isOver = true;
    stream.off('close', finish);
    chunks.close();
  };
  const pull = (): void => {
    chunks.next(CHUNK_BYTES).then(
      (chunk) => {
        if (isOver) return;
        if (chunk === null) {
          finish();
          onSent();
          return;
        }
        stream.write(chunk.bytes, (error) => {
          if (!isOver && error == null) pull();
        });
      },
      (cause: unknown) => {
        if (isOver) return;
        finish();
        onFailed(cause);
      },
    );
  };
  stream.on('close', finish);
  pull();
}
