// Bodies of answers, and the one place where one becomes a Response: a home that can send chunks itself makes its own.
import { ChunkStream } from '../ports/chunk-stream.ts';
import type { HttpRequest } from './request.ts';

export type OutgoingBody = Uint8Array | ReadableStream<Uint8Array> | null;

/** The headers are the answer's own, and nobody changes them afterwards. */
export function makeResponse(
  { respond }: Pick<HttpRequest, 'respond'>,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: OutgoingBody,
): Response {
  const isSent = body instanceof ChunkStream && headers['content-length'] !== undefined;
  if (respond !== undefined && isSent) return respond({ status, headers, stream: body });
  return new Response(body as ConstructorParameters<typeof Response>[0], {
    status,
    headers: headers as Record<string, string>,
  });
}
