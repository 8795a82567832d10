// Responses whose bodies the Node home sends itself, chunk by chunk, past web streams. http-request.ts gives the surfaces
// a way to make one, serve.ts finds out which it has got. To everybody else they are Responses like any other.
import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { ChunkAnswer } from '../../http/request.ts';
import type { Log } from '../../ports/system.ts';
import { sendChunks } from './send-chunks.ts';

const answers = new WeakMap<Response, ChunkAnswer>();

/** A Response of the answer, and the answer noted with it. */
export function respondWithChunks(answer: ChunkAnswer): Response {
  const { status, headers, stream } = answer;
  const response = new Response(stream as ConstructorParameters<typeof Response>[0], {
    status,
    headers: { ...headers },
  });
  answers.set(response, answer);
  return response;
}

/**
 * Sends the response itself when it is one of those, and gives what tells @hono/node-server so; any other is given back
 * as it is. A failure midway cuts the connection, so that the client sees that its body is not whole.
 */
export function sendIfChunks(response: Response, outgoing: ServerResponse, log: Log): Response {
  const answer = answers.get(response);
  if (answer === undefined) return response;
  const { status, headers, stream } = answer;
  outgoing.writeHead(status, headers);
  sendChunks(outgoing, stream.chunks, {
    lengthBytes: Number(headers['content-length']),
    onSent: () => outgoing.end(),
    onFailed: (cause) => log.error('body-failed', { cause }),
  });
  return RESPONSE_ALREADY_SENT;
}
