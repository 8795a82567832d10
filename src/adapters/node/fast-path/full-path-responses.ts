// The full path of a connection that the fast path owns: a recognised request that
// can't be answered at once goes to the app itself, and its response is sent here,
// bodies in chunks included. So a connection stays for cold objects, ranges of
// large ones, errors and signed reads, at half of what node:http costs. What it
// can't send as node:http would, it hands over.
import { Buffer } from 'node:buffer';
import type { Duplex } from 'node:stream';
import type { HttpRequest, OutgoingAnswer } from '../../../http/request.ts';
import { chunksOf } from '../../../ports/chunk-stream.ts';
import type { Log } from '../../../ports/system.ts';
import { sendChunks } from '../server/send-chunks.ts';
import type { ReadClient } from '../server/trusted-proxies.ts';
import { type FastPathRequest, readFastPathRequest } from './fast-path-request.ts';
import type { PrebuiltHeads } from './prebuilt-heads.ts';
import type { Recognised } from './recognise.ts';
import { COPIED_MAX_BYTES, writeTwo } from './response-writer.ts';

/** What a response may do with its connection. */
export type ConnectionControl = {
  readonly socket: Duplex;
  /**
   * A response is being made or sent from now on: nothing is read, and no limit but
   * the client's own slowness holds.
   */
  pause(): void;
  /** The response is in the socket; reads on when the client has taken it. */
  resume(): void;
  /** Gives the connection, with the request, to node:http. */
  handOver(chunk: Buffer): void;
};

export type FullPathOptions = {
  /** The app. Rejects only by a fault of its own. */
  readonly answerFully: (request: HttpRequest) => Response | Promise<Response>;
  readonly readClient: ReadClient;
  readonly heads: PrebuiltHeads;
  readonly nowMs: () => number;
  readonly log: Log;
};

/** Answers, at once or later. False: nothing was done. */
export type RespondByFullPath = (
  control: ConnectionControl,
  read: Recognised,
  chunk: Buffer,
) => boolean;

/**
 * Below this path are responses that only the server of the whole app knows how to
 * send, and none of them is hot.
 */
const SYSTEM_PATHS = '/-/';

/**
 * A parameter of a query by its name: of a signature, or of what a signed read may
 * ask for.
 */
const SIGNATURE_PARAMETER = /^(?:X-Amz-[A-Za-z0-9-]+|AWSAccessKeyId|Expires|Signature)(?:=|$)/;
const READ_PARAMETER = /^(?:response-[a-z-]+|x-id|download)(?:=|$)/;

/**
 * Whether there is no query, or one of a signed read of an object, whose length is
 * known. What is of unknown length is node:http's, and must not be begun here.
 */
function isReadQuery(rawQuery: string): boolean {
  if (rawQuery === '') return true;
  const parameters = rawQuery.split('&');
  return parameters.every((text) => SIGNATURE_PARAMETER.test(text) || READ_PARAMETER.test(text));
}

export function createFullPathResponses(options: FullPathOptions): RespondByFullPath {
  const { answerFully, heads, nowMs, log, readClient } = options;

  return (control, read, chunk) => {
    if (read.rawPath.startsWith(SYSTEM_PATHS) || !isReadQuery(read.rawQuery)) return false;
    // The next request is read into the same bytes.
    const ownChunk = Buffer.from(chunk);
    const { socket } = control;
    const request = readFastPathRequest(read, ownChunk, { socket, readClient });
    if (request === null) return false;

    control.pause();
    const failed = (cause: unknown): void => {
      // Nobody knows how much of a response was sent.
      log.error('request-failed', { cause });
      socket.destroy();
    };
    const sendNow = (response: Response): void => {
      try {
        send(control, read, ownChunk, request, response);
      } catch (cause) {
        failed(cause);
      }
    };
    const response = answerFully(request.request);
    if (response instanceof Promise) response.then(sendNow, failed);
    else sendNow(response);
    return true;
  };

  function send(
    control: ConnectionControl,
    read: Recognised,
    chunk: Buffer,
    request: FastPathRequest,
    response: Response,
  ): void {
    const { socket } = control;
    const outgoing = request.answerOf(response);
    const body = outgoing === null ? null : bodyOf(outgoing, read.isHead);
    const head =
      outgoing === null || socket.destroyed
        ? null
        : heads.text(outgoing, body, read.isHead, nowMs());

    if (head === null) {
      if (body instanceof ReadableStream) chunksOf(body).close();
      if (socket.destroyed) request.sent({ bodyBytes: 0, isWhole: false });
      else control.handOver(chunk);
      return;
    }

    if (body instanceof ReadableStream) {
      const lengthBytes = Number(outgoing?.headers['content-length']);
      sendStream(control, request, { head, body, lengthBytes });
      return;
    }

    sendBytes(socket, head, body);
    request.sent({ bodyBytes: body?.length ?? 0, isWhole: null });
    control.resume();
  }

  function sendStream(
    control: ConnectionControl,
    request: FastPathRequest,
    { head, body, lengthBytes }: StreamedResponse,
  ): void {
    const { socket } = control;
    const onClose = () => request.sent({ bodyBytes: null, isWhole: false });
    socket.on('close', onClose);
    sendChunks(socket, chunksOf(body), {
      lengthBytes,
      head,
      onSent() {
        socket.off('close', onClose);
        request.sent({ bodyBytes: lengthBytes, isWhole: true });
        control.resume();
      },
      onFailed(cause) {
        log.error('body-failed', { cause });
        // Cut off, so that the client sees that its body is not whole: the response
        // is counted and logged, begun or not.
        socket.destroy();
      },
    });
  }
}

type StreamedResponse = {
  readonly head: Buffer;
  readonly body: ReadableStream<Uint8Array>;
  readonly lengthBytes: number;
};

/** The body that is sent: none with HEAD and where the status has none. */
function bodyOf(
  { status, body }: OutgoingAnswer,
  isHead: boolean,
): Uint8Array | ReadableStream<Uint8Array> | null {
  if (isHead || status === 204 || status === 304) return null;
  return typeof body === 'string' ? Buffer.from(body) : body;
}

function sendBytes(socket: Duplex, head: Buffer, body: Uint8Array | null): void {
  if (body === null || body.length === 0) {
    socket.write(head);
  } else if (head.length + body.length <= COPIED_MAX_BYTES) {
    socket.write(Buffer.concat([head, body]));
  } else {
    writeTwo(socket, head, body);
  }
}
