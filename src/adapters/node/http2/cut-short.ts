// The end of an HTTP/2 stream whose response can't be finished. Called by the full path and by the
// limits of bodies; the connection and its other streams go on.
import type { ServerHttp2Stream } from 'node:http2';

/**
 * Resets a stream with INTERNAL_ERROR. `close` would end it first, whatever its code, and a body
 * whose length nobody said would look whole.
 */
export function cutShort(stream: ServerHttp2Stream, cause: unknown): void {
  stream.destroy(cause instanceof Error ? cause : new Error('The body failed.', { cause }));
}
