// What the lane does with a recognised request that the hot door leaves: it asks the app itself and
// sends what that answers, bodies in chunks included. So a connection stays in the lane for cold
// objects, ranges of large ones, errors and signed reads alike, at half of what node:http costs.
// Whatever it can't send as node:http would, it hands over.
import type { Duplex } from 'node:stream';
import type { HttpRequest, OutgoingAnswer } from '../../../http/request.ts';
import { chunksOf } from '../../../ports/chunk-stream.ts';
import type { Log } from '../../../ports/system.ts';
import { sendChunks } from '../server/send-chunks.ts';
import type { ReadClient } from '../server/trusted-proxies.ts';
import { type LaneRequest, readLaneRequest } from './fast-path-request.ts';
import type { PrebuiltHeads } from './prebuilt-heads.ts';
import type { Recognised } from './recognise.ts';
import { COPIED_MAX_BYTES, writeTwo } from './response-writer.ts';

/** A connection of the lane, as far as an answer needs it. */
export type Line = {
  readonly socket: Duplex;
  /**
   * From now on an answer is being made or sent: nothing is read, and no limit but the client's own
   * slowness holds.
   */
  hold(): void;
  /** The answer is in the socket; goes on reading when the client has taken it. */
  release(): void;
  /** Gives the connection, with the request, to node:http. */
  letGo(chunk: Buffer): void;
};

export type FullAnswersOptions = {
  /** The app. Rejects only by a fault of its own. */
  readonly ask: (request: HttpRequest) => Response | Promise<Response>;
  readonly readClient: ReadClient;
  readonly heads: PrebuiltHeads;
  readonly nowMs: () => number;
  readonly log: Log;
};

/** Answers, at once or later. False: nothing was done. */
export type AnswerFully = (line: Line, read: Recognised, chunk: Buffer) => boolean;

/**
 * What stands there may be answered in ways that only the server of the whole app knows, and is
 * never hot.
 */
const SYSTEM_PATHS = '/-/';

/**
 * No query, or one of a signed read of an object, whose length is known. What is of unknown length
 * is node:http's, and must not be begun here.
 */
const READ_QUERY =
  /^(?:(?:X-Amz-[A-Za-z0-9-]+|AWSAccessKeyId|Expires|Signature|response-[a-z-]+|x-id|download)(?:=[^&]*)?(?:&(?!$)|$))*$/;

export function createFullAnswers(options: FullAnswersOptions): AnswerFully {
  const { ask, heads, nowMs, log } = options;

  return (line, read, chunk) => {
    if (read.rawPath.startsWith(SYSTEM_PATHS) || !READ_QUERY.test(read.rawQuery)) return false;
    // The lane reads the next request into the same bytes.
    const own = Buffer.from(chunk);
    const asked = readLaneRequest(read, own, {
      socket: line.socket,
      readClient: options.readClient,
    });
    if (asked === null) return false;
    line.hold();
    const failed = (cause: unknown): void => {
      // Nobody knows how much of an answer was sent.
      log.error('request-failed', { cause });
      line.socket.destroy();
    };
    const sendNow = (response: Response): void => {
      try {
        send(line, read, own, asked, response);
      } catch (cause) {
        failed(cause);
      }
    };
    const response = ask(asked.request);
    if (response instanceof Promise) response.then(sendNow, failed);
    else sendNow(response);
    return true;
  };

  function send(
    line: Line,
    read: Recognised,
    chunk: Buffer,
    asked: LaneRequest,
    response: Response,
  ): void {
    const answer = asked.answerOf(response);
    const body = answer === null ? null : bodyOf(answer, read.isHead);
    const { socket } = line;
    const head =
      answer === null || socket.destroyed ? null : heads.text(answer, body, read.isHead, nowMs());
    if (head === null) {
      if (body instanceof ReadableStream) chunksOf(body).close();
      if (socket.destroyed) asked.sent({ bodyBytes: 0, isWhole: false });
      else line.letGo(chunk);
    } else if (body instanceof ReadableStream) {
      sendStream(line, asked, {
        head,
        body,
        lengthBytes: Number(answer?.headers['content-length']),
      });
    } else {
      sendBytes(socket, head, body);
      asked.sent({ bodyBytes: body?.length ?? 0, isWhole: null });
      line.release();
    }
  }

  function sendStream(
    line: Line,
    asked: LaneRequest,
    {
      head,
      body,
      lengthBytes,
    }: { head: Buffer; body: ReadableStream<Uint8Array>; lengthBytes: number },
  ): void {
    const { socket } = line;
    const onClose = () => asked.sent({ bodyBytes: null, isWhole: false });
    socket.on('close', onClose);
    sendChunks(socket, chunksOf(body), {
      lengthBytes,
      head,
      onSent() {
        socket.off('close', onClose);
        asked.sent({ bodyBytes: lengthBytes, isWhole: true });
        line.release();
      },
      onFailed(cause) {
        log.error('body-failed', { cause });
        // Cut off, so that the client sees that its body is not whole: the answer is counted and
        // logged, begun or not.
        socket.destroy();
      },
    });
  }
}

/** What is sent of a body: none with HEAD and where the status has none. */
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
