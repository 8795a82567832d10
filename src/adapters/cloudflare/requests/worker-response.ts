// What the Workers runtime needs of a Response that the surfaces cannot know.
// Called by worker.ts for each response.

import { takeNative } from '../bodies/large-body.ts';
import { fromHeaderBytes } from './header-bytes.ts';

/**
 * Puts right four things, and passes every other response on untouched.
 * - A large body of R2 that is not counted as it leaves goes out by the runtime's own
 *   stream, which costs half the CPU of ours (large-body.ts).
 * - Another body made by our own stream would go out chunked, whatever
 *   Content-Length says, and S3 clients need the length: it passes through a stream
 *   that knows it. Bytes and the runtime's streams bring their length along.
 * - A stored Content-Encoding describes bytes that are encoded already; the runtime
 *   would encode them once more.
 * - Header texts hold a character per byte; the runtime would encode those above 7F
 *   once more.
 */
export function toWorkerResponse(response: Response): Response {
  const { body, headers } = response;
  for (const [name, text] of headers) {
    const sent = fromHeaderBytes(text);
    if (sent !== null) headers.set(name, sent);
  }
  if (body === null) return response;
  const native = takeNative(body);
  if (native !== null)
    return new Response(native, { status: response.status, headers, encodeBody: 'manual' });
  const lengthBytes = headers.get('content-length');
  const isSizeLost = lengthBytes !== null && isOwnStream(body);
  if (!isSizeLost && !headers.has('content-encoding')) return response;
  return new Response(isSizeLost ? sized(body, Number(lengthBytes)) : body, {
    status: response.status,
    headers,
    encodeBody: 'manual',
  });
}

/**
 * Streams of the runtime can be read into a caller's buffer; those that our code
 * makes cannot.
 */
function isOwnStream(body: ReadableStream): boolean {
  try {
    body.getReader({ mode: 'byob' }).releaseLock();
    return false;
  } catch {
    return true;
  }
}

function sized(body: ReadableStream, lengthBytes: number): ReadableStream {
  const { readable, writable } = new FixedLengthStream(lengthBytes);
  // A failing source breaks the connection short of its length, which is how the
  // client learns of it.
  body.pipeTo(writable).catch(() => {});
  return readable;
}
