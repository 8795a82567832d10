// Where a response becomes a Response, the one place of all surfaces: a platform
// that sends answers itself makes its own.
import type { HttpRequest, OutgoingAnswer } from './request.ts';

export type OutgoingBody = OutgoingAnswer['body'];

/** The headers are the response's own, and nobody changes them afterwards. */
export function makeResponse(
  { respond }: Pick<HttpRequest, 'respond'>,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: OutgoingBody,
): Response {
  if (respond !== undefined) return respond({ status, headers, body });
  return new Response(body as ConstructorParameters<typeof Response>[0], {
    status,
    headers: headers as Record<string, string>,
  });
}

/** Lets go of a body that is not sent after all, and throws the reason. */
export function dropBody(body: OutgoingBody, reason: unknown): never {
  if (body instanceof ReadableStream) void body.cancel().catch(() => undefined);
  throw reason;
}
