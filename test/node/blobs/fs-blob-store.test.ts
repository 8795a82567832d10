// What the file store does beyond its contract: the footer, descriptors, folders, and what a crash
// or a full disk leaves.
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { TRAILER_BYTES } from '../../../src/adapters/node/blobs/blob-footer.ts';
import { blobPath } from '../../../src/adapters/node/blobs/blob-path.ts';
import { CHUNK_SIZES } from '../../../src/adapters/node/blobs/chunk-buffers.ts';
import { createFsBlobStore } from '../../../src/adapters/node/blobs/fs-blob-store.ts';
import { translateError } from '../../../src/adapters/node/blobs/fs-errors.ts';
import { openLibc } from '../../../src/adapters/node/blobs/libc.ts';
import { REQUESTS_BEFORE_MAPPED } from '../../../src/adapters/node/blobs/mapped-files.ts';
import type {
  BlobId,
  BucketId,
  BucketName,
  ObjectKey,
  UploadId,
} from '../../../src/domain/nouns.ts';
import type { BlobIdentity, BorrowedBuffer } from '../../../src/ports/blob-store.ts';
import { isSameBytes, patternBytes, readAll, sourceOf } from '../../contract/bodies.ts';
import { ids } from '../kit/index-data.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const ownerBucket = 'photos~01' as BucketId;
const identity: BlobIdentity = {
  bucket: 'photos' as BucketName,
  key: 'ä/../😀' as ObjectKey,
  headers: { contentType: 'image/png', cacheControl: 'no-store' },
  userMetadata: { author: 'Jürgen' },
  part: { uploadId: 'u1' as UploadId, partNumber: 7 },
  encryption: null,
};

function openStore(dataDir = temporaryFolder()) {
  const store = createFsBlobStore(dataDir);
  const pathOf = (id: BlobId) => blobPath(join(dataDir, 'blobs'), id).file;
  return { dataDir, store, pathOf };
}

describe('footer', () => {
  it.each([0, 5, 3_000_000])(
    'tells the identity behind a body of %d bytes that begins at byte 0',
    async (sizeBytes) => {
      const { store, pathOf } = openStore();
      const id = ids.blobId(ownerBucket);
      const body = patternBytes(sizeBytes);
      await store.write(id, sourceOf(body), identity);
      expect(await store.readFooter(id)).toEqual({ identity, bodyBytes: sizeBytes });
      expect(isSameBytes(readFileSync(pathOf(id)).subarray(0, sizeBytes), body)).toBe(true);
    },
  );

  it('is refused when cut short, changed or missing', async () => {
    const { store, pathOf, dataDir } = openStore();
    const damage: ((path: string, bytes: Buffer) => void)[] = [
      (path, bytes) => truncateSync(path, bytes.length - 1),
      (path) => truncateSync(path, 10),
      (path) => truncateSync(path, 0),
      (path, bytes) => {
        bytes[1002] = (bytes[1002] ?? 0) ^ 1;
        writeFileSync(path, bytes);
      },
      (path, bytes) => writeFileSync(path, Buffer.concat([bytes, bytes.subarray(-TRAILER_BYTES)])),
      (path, bytes) => {
        bytes[bytes.length - 2] = 9;
        writeFileSync(path, bytes);
      },
    ];
    for (const change of damage) {
      const id = ids.blobId(ownerBucket);
      await store.write(id, sourceOf(patternBytes(1000)), identity);
      change(pathOf(id), readFileSync(pathOf(id)));
      await expect(createFsBlobStore(dataDir).readFooter(id)).rejects.toMatchObject({
        code: 'InternalError',
      });
    }
    await expect(store.readFooter(ids.blobId(ownerBucket))).rejects.toMatchObject({
      code: 'InternalError',
    });
  });
});

describe('reading', () => {
  it('refuses to open a file that lost some of its body', async () => {
    const { store, pathOf } = openStore();
    const id = ids.blobId(ownerBucket);
    await store.write(id, sourceOf(patternBytes(1000)), identity);
    truncateSync(pathOf(id), 999);
    await expect(store.open(id, { offsetBytes: 0, lengthBytes: 1000 })).rejects.toMatchObject({
      code: 'ObjectDamaged',
    });
    expect(store.openFileCounts().inUse).toBe(0);
  });

  it('errors a stream whose file is cut while it is read, and releases the file', async () => {
    const { store, pathOf } = openStore();
    const id = ids.blobId(ownerBucket);
    await store.write(id, sourceOf(patternBytes(3_000_000)), identity);
    const stream = await store.open(id, { offsetBytes: 0, lengthBytes: 3_000_000 });
    truncateSync(pathOf(id), 1000);
    await expect(readAll(stream)).rejects.toMatchObject({ code: 'ObjectDamaged' });
    expect(store.openFileCounts().inUse).toBe(0);
  });

  it('reads to the end when the blob is deleted meanwhile', async () => {
    const { store } = openStore();
    const id = ids.blobId(ownerBucket);
    const body = patternBytes(2_000_000);
    await store.write(id, sourceOf(body), identity);
    const stream = await store.open(id, { offsetBytes: 0, lengthBytes: body.length });
    await store.delete([id]);
    expect(isSameBytes(await readAll(stream), body)).toBe(true);
    expect(store.openFileCounts()).toEqual({ cached: 0, inUse: 0 });
  });

  it('releases the file at the end, on cancel, and on cancel during a read', async () => {
    const { store } = openStore();
    const id = ids.blobId(ownerBucket);
    await store.write(id, sourceOf(patternBytes(2_000_000)), identity);
    const open = () => store.open(id, { offsetBytes: 0, lengthBytes: 2_000_000 });
    await readAll(await open());
    await (await open()).cancel();
    const reader = (await open()).getReader();
    await reader.read();
    await reader.cancel();
    const busy = (await open()).getReader();
    const reading = busy.read();
    await busy.cancel();
    await reading;
    await expect.poll(() => store.openFileCounts()).toEqual({ cached: 1, inUse: 0 });
  });

  it('never gives two readers one buffer', async () => {
    const { store } = openStore();
    const id = ids.blobId(ownerBucket);
    const body = patternBytes(2_000_000);
    await store.write(id, sourceOf(body), identity);
    const chunks: Uint8Array[] = [];
    for await (const chunk of await store.open(id, { offsetBytes: 0, lengthBytes: body.length }))
      chunks.push(chunk);
    expect(chunks.length).toBeGreaterThan(1);
    expect(isSameBytes(Buffer.concat(chunks), body)).toBe(true);
  });
});

function bytesOf({ buffer, at, lengthBytes }: BorrowedBuffer): Uint8Array {
  return buffer.subarray(at, at + lengthBytes);
}

describe('reading at once', () => {
  const LARGE = 64 * 1024;
  const [LENT_BYTES] = CHUNK_SIZES;

  it('borrows any part of a file that was written lately, once it is open', async () => {
    const { store } = openStore();
    const id = ids.blobId(ownerBucket);
    const body = patternBytes(300_000);
    await store.write(id, sourceOf(body), identity);
    const range = { offsetBytes: 200_001, lengthBytes: LARGE };
    expect(store.atHand?.(id, range)).toBeNull();
    await store.read(id, { offsetBytes: 0, lengthBytes: 1 });
    const borrowed = store.atHand?.(id, range)?.(false);
    expect(
      borrowed && isSameBytes(bytesOf(borrowed), body.subarray(200_001, 200_001 + LARGE)),
    ).toBe(true);
    borrowed?.release();
  });

  it('borrows ranges that were read before, and gets its buffers back', async () => {
    const dataDir = temporaryFolder();
    const id = ids.blobId(ownerBucket);
    const body = patternBytes(1_200_000);
    await openStore(dataDir).store.write(id, sourceOf(body), identity);
    // Another process: it knows nothing of what the first one wrote.
    const { store } = openStore(dataDir);
    const range = { offsetBytes: 5000, lengthBytes: LARGE };
    const read = (wanted = range) => store.atHand?.(id, wanted)?.(false) ?? null;
    expect(read()).toBeNull();
    await store.read(id, { offsetBytes: 0, lengthBytes: 100_000 });
    const first = read();
    const second = read();
    for (const borrowed of [first, second]) {
      expect(
        borrowed !== null && isSameBytes(bytesOf(borrowed), body.subarray(5000, 5000 + LARGE)),
      ).toBe(true);
    }
    expect(first?.buffer).not.toBe(second?.buffer);
    expect(store.bufferCounts().outBytes).toBe(2 * LENT_BYTES);
    first?.release();
    second?.release();
    expect(store.bufferCounts().outBytes).toBe(0);
    // Not read before, too long to be done at once, and behind the end of the file.
    expect(read({ offsetBytes: 200_000, lengthBytes: 10 })).toBeNull();
    await store.read(id, { offsetBytes: 0, lengthBytes: 1_200_000 });
    expect(read({ offsetBytes: 0, lengthBytes: 2 ** 20 + 1 })).toBeNull();
    expect(read({ offsetBytes: 1_300_000, lengthBytes: 2 })).toBeNull();
    const longest = read({ offsetBytes: 0, lengthBytes: 2 ** 20 });
    expect(longest !== null && isSameBytes(bytesOf(longest), body.subarray(0, 2 ** 20))).toBe(true);
    longest?.release();
    expect(store.bufferCounts().outBytes).toBe(0);
    expect(store.openFileCounts().inUse).toBe(0);
    await store.delete([id]);
    expect(read()).toBeNull();
  });
});

it.runIf(openLibc() !== null)(
  'the store leaves ranges of a file that is read often where they are',
  async () => {
    const { store, pathOf } = openStore();
    const id = ids.blobId(ownerBucket);
    const body = patternBytes(300_000);
    await store.write(id, sourceOf(body), identity);
    await store.read(id, { offsetBytes: 0, lengthBytes: 1 });
    const range = { offsetBytes: 5001, lengthBytes: 60_000 };
    const lend = (maySend: boolean) => store.atHand?.(id, range)?.(maySend) ?? null;
    const isMapped = () => readFileSync('/proc/self/maps', 'utf8').includes(pathOf(id));
    for (let asked = 1; asked < REQUESTS_BEFORE_MAPPED; asked++) lend(true)?.release();
    const first = lend(false);
    expect([first?.sender, isMapped()]).toEqual([null, false]);
    first?.release();
    const borrowed = lend(true);
    const target = join(temporaryFolder(), 'target');
    const fd = openSync(target, 'w');
    const headBytes = Buffer.from('head ').copy(borrowed?.sender?.head ?? Buffer.alloc(0));
    expect(borrowed?.sender?.send(fd, headBytes)).toBe(60_005);
    closeSync(fd);
    const sent = readFileSync(target);
    expect(sent.toString('latin1', 0, 5)).toBe('head ');
    expect(isSameBytes(sent.subarray(5), body.subarray(5001, 65_001))).toBe(true);
    const rest = borrowed?.sender?.readBehind(59_000);
    expect(rest != null && isSameBytes(rest.bytes, body.subarray(64_001, 65_001))).toBe(true);
    rest?.release();
    expect([borrowed?.lengthBytes, isMapped()]).toEqual([60_000, true]);
    // Who can't send from there gets them as ever.
    const read = lend(false);
    expect(read !== null && isSameBytes(bytesOf(read), body.subarray(5001, 65_001))).toBe(true);
    read?.release();
    truncateSync(pathOf(id), 10_000);
    expect(lend(true)?.sender?.readBehind(0)).toBeNull();
    await store.delete([id]);
    expect([lend(true), isMapped()]).toEqual([null, false]);
    expect(store.bufferCounts().outBytes).toBe(0);
  },
);

it('the blob store borrows nothing of a file that was closed since the call', async () => {
  const { store } = openStore();
  const id = ids.blobId(ownerBucket);
  await store.write(id, sourceOf(patternBytes(5000)), identity);
  await store.read(id, { offsetBytes: 0, lengthBytes: 1 });
  const lend = store.atHand?.(id, { offsetBytes: 0, lengthBytes: 100 });
  expect(lend).toBeTypeOf('function');
  await store.delete([id]);
  expect(lend?.(false)).toBeNull();
  expect(store.bufferCounts().outBytes).toBe(0);
});

describe('folders', () => {
  it('are removed with their last blob, and made again', async () => {
    const { store, dataDir } = openStore();
    const [first, second] = [ids.blobId(ownerBucket), ids.blobId(ownerBucket)];
    await store.write(first, sourceOf(patternBytes(10)), identity);
    await store.write(second, sourceOf(patternBytes(10)), identity);
    await store.delete([first]);
    expect(existsSync(join(dataDir, 'blobs', ownerBucket))).toBe(true);
    await store.delete([second]);
    expect(readdirSync(join(dataDir, 'blobs'))).toEqual([]);
    await store.write(first, sourceOf(patternBytes(10)), identity);
    expect((await store.list({ prefix: '', after: '', limit: 5 })).blobIds).toEqual([first]);
  });

  it('may vanish under a writer', async () => {
    const { store, dataDir } = openStore();
    await store.write(ids.blobId(ownerBucket), sourceOf(patternBytes(10)), identity);
    rmSync(join(dataDir, 'blobs', ownerBucket), { recursive: true });
    const id = ids.blobId(ownerBucket);
    await store.write(id, sourceOf(patternBytes(10)), identity);
    expect((await store.list({ prefix: '', after: '', limit: 5 })).blobIds).toEqual([id]);
  });

  it('survive writers and deleters at the same time', async () => {
    const { store } = openStore();
    const work = Array.from({ length: 40 }, async (_, at) => {
      const id = ids.blobId(ownerBucket);
      await store.write(id, sourceOf(patternBytes(100)), identity);
      if (at % 2 === 0) await store.delete([id]);
    });
    await Promise.all(work);
    expect((await store.list({ prefix: '', after: '', limit: 100 })).blobIds.length).toBe(20);
  });

  it('list in byte order across buckets whose names begin alike', async () => {
    const { store } = openStore();
    const buckets = ['a~1', 'a-b~1', 'a.b~1', 'ab~1'] as BucketId[];
    const made = buckets.map((bucket) => ids.blobId(bucket));
    for (const id of made) await store.write(id, sourceOf(patternBytes(1)), identity);
    const found = await store.list({ prefix: '', after: '', limit: 10 });
    expect(found.blobIds).toEqual([...made].sort());
    const second = await store.list({ prefix: '', after: found.blobIds[1] ?? '', limit: 10 });
    expect(second.blobIds).toEqual([...made].sort().slice(2));
    const onlyA = await store.list({ prefix: 'a~', after: '', limit: 10 });
    expect(onlyA.blobIds.length).toBe(1);
  });
});

describe('failures', () => {
  it('of an earlier process leave nothing half written behind the next start', () => {
    const { dataDir } = openStore();
    writeFileSync(join(dataDir, 'tmp', 'left'), 'half');
    mkdirSync(join(dataDir, 'tmp', 'folder'));
    openStore(dataDir);
    expect(readdirSync(join(dataDir, 'tmp'))).toEqual([]);
  });

  it.each([
    '../evil/0123456789',
    'a~1/../../x',
    'a~1/01234567/9',
    '/0123456789',
    'a~1/',
    'a~1/0123',
  ])('include every use of a name like %j', async (id) => {
    const { store } = openStore();
    const written = store.write(id as BlobId, sourceOf(patternBytes(1)), identity);
    await expect(written).rejects.toMatchObject({ code: 'InternalError' });
    const opened = store.open(id as BlobId, { offsetBytes: 0, lengthBytes: 1 });
    await expect(opened).rejects.toMatchObject({ code: 'InternalError' });
  });

  it('of a full disk are known from others', () => {
    const codeOf = (errno: string) =>
      translateError(Object.assign(new Error(errno), { code: errno }), 'x').code;
    expect(['ENOSPC', 'EDQUOT', 'EMFILE', 'EIO', 'ENOENT'].map(codeOf)).toEqual([
      'StorageFull',
      'StorageFull',
      'SlowDown',
      'InternalError',
      'InternalError',
    ]);
  });

  it('reports StorageFull, and leaves nothing, when the system lets no more be written', () => {
    const { dataDir } = openStore();
    const script = fileURLToPath(new URL('../kit/write-too-much.ts', import.meta.url));
    // 1 MiB is the largest file that this shell lets its children write; beyond it a write fails
    // with EFBIG.
    const run = spawnSync(
      'bash',
      ['-c', `ulimit -f 1024; exec "$0" "$@"`, process.execPath, script, dataDir],
      {
        encoding: 'utf8',
      },
    );
    expect(run.stdout, run.stderr).toBe('StorageFull, then 1000 bytes\n');
    expect(readdirSync(join(dataDir, 'tmp'))).toEqual([]);
  });
});
