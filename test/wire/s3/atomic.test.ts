// Atomicity as a reader sees it: while an object is overwritten, deleted or completed, a read gives
// one body whole, the old one or the new one; and a body that arrived in part, or whose client
// left, never shows.
import { expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { openSocket, requestHead } from '../kit/clients/socket.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { expectError } from '../kit/clients/xml.ts';
import { completed, putPart, startUpload } from '../kit/multipart-kit.ts';

const { send, target } = client;
const MiB = 1024 * 1024;
const filled = (letter: string, bytes = 4 * MiB) => Buffer.alloc(bytes, letter);

/** The letter that fills the whole body; fails when there are two. */
function onlyLetter(body: Buffer): string {
  const first = String.fromCharCode(body[0] ?? 0);
  expect(body.equals(filled(first, body.length)), 'two versions in one body').toBe(true);
  return first;
}

describeCore('a read meanwhile', () => {
  const bucket = useBucket(client);
  const put = (key: string, body: Buffer) =>
    send({ method: 'PUT', bucket, key, body, payloadHash: 'UNSIGNED-PAYLOAD' });

  it.each([
    ['overwritten', async () => void (await put('slow', filled('b')))],
    ['deleted', async () => void (await send({ method: 'DELETE', bucket, key: 'slow' }))],
    [
      'replaced by a multipart upload',
      async () => {
        const uploadId = await startUpload(bucket, 'slow');
        await completed(bucket, 'slow', uploadId, [
          await putPart(bucket, 'slow', uploadId, 1, filled('c', 100)),
        ]);
      },
    ],
  ])('of an object that is %s goes on to its end', async (_, change) => {
    const body = filled('a', 16 * MiB);
    expect((await put('slow', body)).status).toBe(200);
    const socket = await openSocket(target.url);
    try {
      socket.write(requestHead(client.prepared({ method: 'GET', bucket, key: 'slow' })));
      // The answer is on its way and stuck in the buffers of the connection while the object
      // changes.
      await socket.pauseInAnswer();
      await change();
      socket.socket.resume();
      const reply = await socket.read();
      expect(reply.status).toBe(200);
      expect(reply.body.length).toBe(body.length);
      expect(onlyLetter(reply.body)).toBe('a');
    } finally {
      socket.close();
    }
  });

  it('of an object that changes all the time is always whole', async () => {
    const letters = 'abcdefgh';
    await put('busy', filled('a', MiB));
    let isDone = false;
    const seen = new Set<string>();
    const reader = async () => {
      while (!isDone) {
        const reply = await send({ method: 'GET', bucket, key: 'busy' });
        expect(reply.body.length).toBe(MiB);
        seen.add(onlyLetter(reply.body));
      }
    };
    const readers = [reader(), reader(), reader()];
    for (const letter of letters) expect((await put('busy', filled(letter, MiB))).status).toBe(200);
    isDone = true;
    await Promise.all(readers);
    expect((await send({ method: 'GET', bucket, key: 'busy' })).body[0]).toBe('h'.charCodeAt(0));
    expect(seen.size).toBeGreaterThan(0);
  });

  it('after twenty writers at once shows what one of them wrote', async () => {
    const bodies = Array.from({ length: 20 }, (_, index) =>
      filled(String.fromCharCode(65 + index), 200_000 + index),
    );
    const replies = await Promise.all(bodies.map((body) => put('crowd', body)));
    expect(replies.map(({ status }) => status)).toEqual(bodies.map(() => 200));
    const { body, headers } = await send({ method: 'GET', bucket, key: 'crowd' });
    const index = (body[0] ?? 0) - 65;
    expect(body.equals(bodies[index] ?? Buffer.alloc(0))).toBe(true);
    expect(headers.etag).toBe(replies[index]?.headers.etag);
  });

  it('sees its own writes, from many clients at once', async () => {
    await Promise.all(
      Array.from({ length: 8 }, async (_, client) => {
        for (let round = 0; round < 5; round++) {
          const body = filled(`${round}`, 5000 + client);
          await put(`own-${client}`, body);
          expect(
            (await send({ method: 'GET', bucket, key: `own-${client}` })).body.equals(body),
          ).toBe(true);
        }
      }),
    );
  });
});

describeCore('a body that never ends', () => {
  const bucket = useBucket(client);

  it.each([100, 200_000])(
    'leaves nothing when the client goes away after %i bytes',
    async (sent) => {
      await send({ method: 'PUT', bucket, key: 'kept', body: 'old' });
      for (const key of ['fresh', 'kept']) {
        const call = { method: 'PUT', bucket, key, payloadHash: 'UNSIGNED-PAYLOAD' };
        const socket = await openSocket(target.url);
        const message = client.prepared({ ...call, headers: { 'content-length': '1000000' } });
        socket.write(requestHead(message));
        socket.write(filled('x', sent));
        await new Promise((resolve) => setTimeout(resolve, 30));
        socket.close();
      }
      // Whatever the server does about the broken uploads, it has begun before it answers this.
      expectError(await send({ method: 'GET', bucket, key: 'fresh' }), 404, 'NoSuchKey');
      await new Promise((resolve) => setTimeout(resolve, 100));
      expectError(await send({ method: 'GET', bucket, key: 'fresh' }), 404, 'NoSuchKey');
      expect((await send({ method: 'GET', bucket, key: 'kept' })).text).toBe('old');
    },
  );

  it('is IncompleteBody for a client that still listens', async () => {
    const socket = await openSocket(target.url);
    try {
      const call = { method: 'PUT', bucket, key: 'half', payloadHash: 'UNSIGNED-PAYLOAD' };
      socket.write(
        requestHead(client.prepared({ ...call, headers: { 'content-length': '1000' } })),
      );
      socket.write(filled('x', 500));
      socket.socket.end();
      // A server may also just close: then there is no answer to read.
      const reply = await socket.read().catch(() => null);
      if (reply !== null) {
        expect(reply.status).toBe(400);
        expect(reply.body.toString()).toMatch(/IncompleteBody|Bad Request|^$/);
      }
    } finally {
      socket.close();
    }
    expectError(await send({ method: 'GET', bucket, key: 'half' }), 404, 'NoSuchKey');
  });
});
