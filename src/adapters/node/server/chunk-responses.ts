// Responses whose bodies the Node platform sends itself, chunk by chunk, past web
// streams. Surfaces make them through HttpRequest.respond, and serve.ts sends them.
// To all other code they are plain Responses.
import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { OutgoingAnswer } from '../../../http/request.ts';
import { type ByteChunks, ChunkStream } from '../../../ports/chunk-stream.ts';
import type { Log } from '../../../ports/system.ts';
import { sendChunks } from './send-chunks.ts';

/** A response whose body is chunks of a known length. */
type ChunkResponse = OutgoingAnswer & {
  readonly chunks: ByteChunks;
  readonly lengthBytes: number;
};

const chunkResponses = new WeakMap<Response, ChunkResponse>();

/** Makes the Response, and notes its chunks where their length is known. */
export function respondWithChunks(answer: OutgoingAnswer): Response {
  const { status, headers, body } = answer;
  const init = { status, headers: headers as Record<string, string> };
  const response = new Response(body as ConstructorParameters<typeof Response>[0], init);
  const { 'content-length': length } = headers;
  if (body instanceof ChunkStream && length !== undefined) {
    const lengthBytes = Number(length);
    chunkResponses.set(response, { ...answer, chunks: body.chunks, lengthBytes });
  }
  return response;
}

/**
 * Sends a response of chunks, and returns the mark that tells @hono/node-server so;
 * any other is returned as it is. A failure midway cuts the connection, so that the
 * client sees a partial body.
 */
export function sendIfChunks(response: Response, outgoing: ServerResponse, log: Log): Response {
  const chunkResponse = chunkResponses.get(response);
  if (chunkResponse === undefined) return response;
  const { status, headers, chunks, lengthBytes } = chunkResponse;
  outgoing.writeHead(status, headers);
  sendChunks(outgoing, chunks, {
    lengthBytes,
    onSent: () => outgoing.end(),
    onFailed(cause) {
      log.error('body-failed', { cause });
      outgoing.destroy();
    },
  });
  return RESPONSE_ALREADY_SENT;
}
