// Streams of HTTP/2 from both sides: what the server has of them, and how they end for the client.
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ClientHttp2Stream, ServerHttp2Stream } from 'node:http2';
import { onTestFinished } from 'vitest';

/** The server's side of the streams that begin from here to the end of the test. */
export function serverStreams(): readonly ServerHttp2Stream[] {
  const streams: ServerHttp2Stream[] = [];
  const keep = (message: unknown) =>
    void streams.push((message as { stream: ServerHttp2Stream }).stream);
  subscribe('http2.server.stream.start', keep);
  onTestFinished(() => void unsubscribe('http2.server.stream.start', keep));
  return streams;
}

/** How a body ends for its client: whole, or cut with an error of the stream. */
export async function endOf(stream: ClientHttp2Stream): Promise<string> {
  let isWhole = false;
  let error: unknown = null;
  stream.on('end', () => (isWhole = !stream.aborted));
  stream.on('error', (cause) => (error = cause));
  await once(stream, 'close').catch(() => {});
  if (error !== null) return `cut: ${(error as NodeJS.ErrnoException).code}`;
  return isWhole ? 'whole' : `cut: ${stream.rstCode}`;
}
