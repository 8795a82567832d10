// Responses whose bodies the Node home sends itself, chunk by chunk, past web streams.
// http-request.ts gives the surfaces a way to make one, serve.ts finds out which it has got. To
// everybody else they are Responses like any other.
import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { OutgoingAnswer } from '../../../http/request.ts';
import { type ByteChunks, ChunkStream } from '../../../ports/chunk-stream.ts';
import type { Log } from '../../../ports/system.ts';
import { sendChunks } from './send-chunks.ts';

/** An answer whose length is known, and its chunks. */
type ChunkAnswer = OutgoingAnswer & { readonly chunks: ByteChunks; readonly lengthBytes: number };

const answers = new WeakMap<Response, ChunkAnswer>();

/** A Response of the answer; where its body is chunks of a known length, that is noted. */
export function respondWithChunks(answer: OutgoingAnswer): Response {
  const { status, headers, body } = answer;
  const init = { status, headers: headers as Record<string, string> };
  const response = new Response(body as ConstructorParameters<typeof Response>[0], init);
  const { 'content-length': length } = headers;
  if (body instanceof ChunkStream && length !== undefined) {
    answers.set(response, { ...answer, chunks: body.chunks, lengthBytes: Number(length) });
  }
  return response;
}

/**
 * Sends the response itself when it is one of those, and gives what tells @hono/node-server so; any
 * other is given back as it is. A failure midway cuts the connection, so that the client sees that
 * its body is not whole.
 */
export function sendIfChunks(response: Response, outgoing: ServerResponse, log: Log): Response {
  const answer = answers.get(response);
  if (answer === undefined) return response;
  const { status, headers, chunks, lengthBytes } = answer;
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
