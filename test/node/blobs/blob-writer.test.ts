// Writing from borrowed chunks through buffers that all uploads share: no byte of one may come to
// another, and every buffer comes back, however a body ends.
import { createHash, randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTick } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { CHUNK_SIZES } from '../../../src/adapters/node/blobs/chunk-buffers.ts';
import { createFsBlobStore } from '../../../src/adapters/node/blobs/fs-blob-store.ts';
import { type RunningServer, serve } from '../../../src/adapters/node/serve.ts';
import { readRequest } from '../../../src/adapters/node/server/http-request.ts';
import { createConsoleLog } from '../../../src/adapters/shared/console-log.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { BlobId, BucketId } from '../../../src/domain/nouns.ts';
import type { ByteSource } from '../../../src/ports/byte-source.ts';
import { identityOf, isSameBytes, readAll, sourceOf } from '../../contract/bodies.ts';
import { ids } from '../kit/index-data.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const ownerBucket = 'photos~01' as BucketId;
const identity = identityOf();
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

const servers: RunningServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close(0)));
});

/** A server that stores each body, and answers with its blob and what was digested on the way. */
async function servingStore(dataDir: string) {
  const store = createFsBlobStore(dataDir);
  const server = await serve(
    async (_request, bindings) => {
      const body = readRequest(bindings).body();
      const digest = createHash('sha256');
      const digested: ByteSource = {
        lengthBytes: body.lengthBytes,
        pump: (onChunk, isBorrowed) =>
          body.pump((chunk) => {
            digest.update(chunk);
            return onChunk(chunk);
          }, isBorrowed),
      };
      const id = ids.blobId(ownerBucket);
      await store.write(id, digested, identity);
      return new Response(`${id} ${digest.digest('hex')}`);
    },
    { host: '127.0.0.1', port: 0, log: createConsoleLog(systemClock, 'off') },
  );
  servers.push(server);
  return { store, url: server.url };
}

describe('bodies over shared buffers', () => {
  it('are whole, each its own, with many uploads at once', async () => {
    const { store, url } = await servingStore(temporaryFolder());
    const sizes = [1, 65_535, 65_536, 300_000, 1_050_623, 1_050_624, 1_050_625, 5_000_000];
    const bodies = Array.from({ length: 32 }, (_, i) => randomBytes(sizes[i % sizes.length] ?? 1));
    await Promise.all(
      bodies.map(async (body) => {
        const response = await fetch(url, { method: 'PUT', body });
        const [id, digest] = (await response.text()).split(' ');
        expect(digest).toBe(sha256(body));
        const range = { offsetBytes: 0, lengthBytes: body.length };
        const stored = await readAll(await store.open(id as BlobId, range));
        expect(isSameBytes(stored, body)).toBe(true);
      }),
    );
    expect(store.bufferCounts().outBytes).toBe(0);
  });

  it('give their buffers back when they fail in any step', async () => {
    const dataDir = temporaryFolder();
    const store = createFsBlobStore(dataDir);
    const body = randomBytes(3_000_000);
    const broken = (failAtBytes: number): ByteSource => ({
      lengthBytes: body.length,
      async pump(onChunk) {
        for (let at = 0; at < failAtBytes; at += 50_000) {
          // Does not wait, as a client that leaves while the disk is slow.
          const pending = onChunk(body.subarray(at, at + 50_000));
          if (pending !== undefined && at + 50_000 < failAtBytes) await pending;
        }
        throw new StorageError('IncompleteBody');
      },
    });
    for (let failAtBytes = 0; failAtBytes < body.length; failAtBytes += 350_000) {
      const written = store.write(ids.blobId(ownerBucket), broken(failAtBytes), identity);
      await expect(written).rejects.toMatchObject({ code: 'IncompleteBody' });
    }
    expect(store.bufferCounts().outBytes).toBe(0);
    expect(readdirSync(join(dataDir, 'tmp'))).toEqual([]);
  });

  it('begin no write any more once their client has left', async () => {
    let unsettledBytes = 0;
    const store = createFsBlobStore(temporaryFolder(), true, {
      requireRoom: () => undefined,
      take(lengthBytes) {
        unsettledBytes += lengthBytes;
      },
      settle(lengthBytes) {
        unsettledBytes -= lengthBytes;
      },
    });
    const [, , largest] = CHUNK_SIZES;
    const leaving: ByteSource = {
      lengthBytes: 3 * largest,
      async pump(onChunk) {
        // The second buffer is full while the first is being written.
        onChunk(new Uint8Array(largest));
        expect(onChunk(new Uint8Array(largest))).toBeInstanceOf(Promise);
        throw new StorageError('IncompleteBody');
      },
    };
    for (let attempt = 0; attempt < 20; attempt++) {
      const written = store.write(ids.blobId(ownerBucket), leaving, identity);
      await expect(written).rejects.toMatchObject({ code: 'IncompleteBody' });
    }
    await store.write(ids.blobId(ownerBucket), sourceOf(randomBytes(10)), identity);
    // A write that began late would settle its bytes again.
    expect(unsettledBytes).toBe(0);
    expect(store.bufferCounts().outBytes).toBe(0);
  });

  it('take nothing more of a chunk that is in pieces, once their client has left', async () => {
    let unsettledBytes = 0;
    const store = createFsBlobStore(temporaryFolder(), true, {
      requireRoom: () => undefined,
      take(lengthBytes) {
        unsettledBytes += lengthBytes;
      },
      settle(lengthBytes) {
        unsettledBytes -= lengthBytes;
      },
    });
    const [, , largest] = CHUNK_SIZES;
    const ends: Promise<unknown>[] = [];
    const leaving: ByteSource = {
      lengthBytes: 3 * largest,
      async pump(onChunk) {
        const deliver = async () => {
          // An aws-chunked body comes in pieces, and an encrypted one in chunks.
          for (const pieceBytes of [largest, largest, 1000, 1000, 1000])
            await onChunk(new Uint8Array(pieceBytes));
        };
        const delivered = deliver();
        ends.push(delivered.catch(({ code }) => code));
        throw new StorageError('IncompleteBody');
      },
    };
    for (let attempt = 0; attempt < 20; attempt++) {
      const written = store.write(ids.blobId(ownerBucket), leaving, identity);
      await expect(written).rejects.toMatchObject({ code: 'IncompleteBody' });
    }
    await Promise.all(ends);
    expect({ unsettledBytes, ...store.bufferCounts() }).toMatchObject({
      unsettledBytes: 0,
      outBytes: 0,
    });
  });

  it('take little memory each when very many are slow', async () => {
    const store = createFsBlobStore(temporaryFolder());
    const go = Promise.withResolvers<void>();
    const slow = (): ByteSource => ({
      lengthBytes: 5_000_000,
      async pump(onChunk) {
        await onChunk(new Uint8Array(1));
        await go.promise;
        throw new StorageError('RequestTimeout');
      },
    });
    const written = Array.from({ length: 256 }, () =>
      store.write(ids.blobId(ownerBucket), slow(), identity).catch((error) => error.code),
    );
    const outBytes = () => store.bufferCounts().outBytes;
    await expect.poll(outBytes).toBeGreaterThan(64 * 1024 * 1024);
    await nextTick();
    expect(outBytes()).toBeLessThan(90 * 1024 * 1024);
    go.resolve();
    expect(new Set(await Promise.all(written))).toEqual(new Set(['RequestTimeout']));
    expect(outBytes()).toBe(0);
  });

  it('are written from a source of one large chunk, and of tiny ones', async () => {
    const store = createFsBlobStore(temporaryFolder());
    const body = randomBytes(4_000_000);
    for (const [bytes, chunkBytes] of [
      [body, body.length],
      [body.subarray(0, 3000), 1],
    ] as const) {
      const id = ids.blobId(ownerBucket);
      await store.write(id, sourceOf(bytes, { chunkBytes }), identity);
      const range = { offsetBytes: 0, lengthBytes: bytes.length };
      expect(isSameBytes(await store.read(id, range), bytes)).toBe(true);
    }
  });
});
