// A body on its way out, for all surfaces. Its bytes count as they leave, so that
// whoever opens a large object and goes away does not make its owner pay for all of
// it. Here it becomes a Response; a platform that sends answers itself makes its own.
import { StorageError } from '../domain/errors.ts';
import { ChunkStream } from '../ports/chunk-stream.ts';
import type { OpenUse, UsageCounter, Use } from '../ports/metering.ts';
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

/**
 * Counts a response and gives the body to send. A body that is no ChunkStream is
 * small, or has a receipt, and counts whole at the start. Of another at most one
 * chunk, and what the sockets hold, is counted beyond what the client took. Cost
 * above `count`: a closure, and a promise for each chunk.
 */
export function countSent(
  counter: UsageCounter,
  use: Omit<Use, 'alsoRead'>,
  body: OutgoingBody,
): OutgoingBody {
  const { operationClass, bytesOut, tier, storageClass } = use;
  if (!(body instanceof ChunkStream)) {
    counter.count(operationClass, bytesOut, tier, storageClass);
    return body;
  }
  return meteredStream(body, counter.countOpen(operationClass, bytesOut, tier, storageClass));
}

/**
 * Counts one object that another response is made of, and gives its body: a class B
 * operation of its own storage class now, and what is retrieved as it is read.
 * `lengthBytes`: of the body; one that a platform reads by itself counts whole at
 * the start.
 */
export function countPart<Body extends Uint8Array | ReadableStream<Uint8Array> | null>(
  counter: UsageCounter,
  { storageClass, lengthBytes }: { readonly storageClass: string; readonly lengthBytes: number },
  body: Body,
): Body | ChunkStream {
  if (!(body instanceof ChunkStream)) {
    counter.alsoRead({ storageClass, reads: 1, retrievedBytes: lengthBytes });
    return body;
  }
  counter.alsoRead({ storageClass, reads: 1, retrievedBytes: 0 });
  const retrieve = (retrievedBytes: number): boolean => {
    counter.alsoRead({ storageClass, reads: 0, retrievedBytes });
    return true;
  };
  return meteredStream(body, { sent: retrieve, end: () => undefined });
}

function meteredStream({ chunks }: ChunkStream, use: OpenUse): ChunkStream {
  return new ChunkStream({
    async next(wantedBytes) {
      try {
        const chunk = await chunks.next(wantedBytes);
        if (chunk === null) use.end();
        else if (!use.sent(chunk.bytes.length)) throw new StorageError('UsageCapReached');
        return chunk;
      } catch (error) {
        use.end();
        // When it is the use that says no, they are still open.
        chunks.close();
        throw error;
      }
    },
    close() {
      use.end();
      chunks.close();
    },
  });
}
