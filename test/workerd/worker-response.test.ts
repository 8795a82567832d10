import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { takeNative } from '../../src/adapters/cloudflare/bodies/large-body.ts';
import { createR2BlobStore } from '../../src/adapters/cloudflare/bodies/r2-blob-store.ts';
import { toWorkerResponse } from '../../src/adapters/cloudflare/requests/worker-response.ts';
import type { BlobId } from '../../src/domain/nouns.ts';
import { identityOf, isSameBytes, patternBytes, sourceOf } from '../contract/bodies.ts';

/** A stream as our own code makes it. */
function ownStream(chunks: readonly number[]): ReadableStream<Uint8Array> {
  const left = [...chunks];
  return new ReadableStream({
    pull(controller) {
      const sizeBytes = left.shift();
      if (sizeBytes === undefined) controller.close();
      else controller.enqueue(new Uint8Array(sizeBytes).fill(97));
    },
  });
}

describe('response to the Workers runtime', () => {
  it('leaves alone what needs nothing', () => {
    const bytes = new Response('abc', { headers: { 'Content-Length': '3', ETag: '"x"' } });
    expect(toWorkerResponse(bytes)).toBe(bytes);
    const empty = new Response(null, { status: 304, headers: { 'Content-Encoding': 'gzip' } });
    expect(toWorkerResponse(empty)).toBe(empty);
    const unsized = new Response(ownStream([3]));
    expect(toWorkerResponse(unsized)).toBe(unsized);
  });

  it('gives a stream of our own its length back, whole and in order', async () => {
    const headers = { 'Content-Length': '70000', 'Content-Range': 'bytes 0-69999/80000' };
    const response = toWorkerResponse(
      new Response(ownStream([40_000, 30_000]), { status: 206, headers }),
    );
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe('bytes 0-69999/80000');
    expect((await response.arrayBuffer()).byteLength).toBe(70_000);
  });

  it('never ends a stream of our own short of its length without an error', async () => {
    const response = toWorkerResponse(
      new Response(ownStream([5]), { headers: { 'Content-Length': '6' } }),
    );
    await expect(response.arrayBuffer()).rejects.toThrow();
  });

  it('sends encoded bytes as they are stored', async () => {
    const headers = { 'Content-Encoding': 'gzip', 'Content-Length': '4' };
    const response = toWorkerResponse(new Response('abcd', { headers }));
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(await response.text()).toBe('abcd');
  });

  it('makes the runtime send exactly the bytes of a header text', () => {
    const headers = { 'x-amz-meta-who': 'J\u00c3\u00bcrgen', 'x-plain': 'a' };
    const response = toWorkerResponse(new Response(null, { headers }));
    expect(response.headers.get('x-amz-meta-who')).toBe('Jürgen');
    expect(response.headers.get('x-plain')).toBe('a');
  });

  it(
    'sends a large body of R2 by the stream of ' +
      'the runtime, unless somebody has begun to read it',
    async () => {
      const id = `response-test~1/${Date.now().toString(36)}` as BlobId;
      const bytes = patternBytes(3 * 1024 * 1024);
      const store = createR2BlobStore(env.BLOBS);
      await store.write(id, sourceOf(bytes), identityOf());
      const run = { blobId: id, offsetBytes: 0, lengthBytes: bytes.length };
      const headers = { 'Content-Length': String(2 * bytes.length), 'Content-Encoding': 'x-test' };
      const twice = new Uint8Array(await new Blob([bytes, bytes]).arrayBuffer());

      const opened = await store.openRuns([run, run]);
      const sent = toWorkerResponse(new Response(opened, { headers }));
      expect(sent.body).not.toBe(opened);
      expect(takeNative(opened)).toBeNull();
      expect(isSameBytes(new Uint8Array(await sent.arrayBuffer()), twice)).toBe(true);

      const begun = await store.openRuns([run, run]);
      const reader = begun.getReader();
      const first = await reader.read();
      expect(first.value?.length).toBeGreaterThan(100_000);
      reader.releaseLock();
      expect(takeNative(begun)).toBeNull();
      await begun.cancel();
    },
  );
});
