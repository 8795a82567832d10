// Writing, reading and copying of objects, and what failures leave behind.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { NO_EXPECTATION } from '../../../src/core/objects/body-expectation.ts';
import { copyObject } from '../../../src/core/objects/copy-object.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import { putObject } from '../../../src/core/objects/put-object.ts';
import {
  cutSegments,
  getObject,
  openBody,
  piecesOf,
} from '../../../src/core/objects/read-object.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { BlobId, Segment } from '../../../src/domain/nouns.ts';
import type { BlobStore } from '../../../src/ports/blob-store.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import {
  ATTRIBUTES,
  bodyOf,
  createMemoryCore,
  INLINE_MAX_BYTES,
  key,
  openTestBucket,
  readWhole,
  sampleBytes,
  withPorts,
} from '../memory-core.ts';
import { copyOf } from '../multipart-kit.ts';

const put = (bytes: Uint8Array, name = 'a') => ({
  key: key(name),
  attributes: ATTRIBUTES,
  body: bodyOf(bytes),
  expectation: NO_EXPECTATION,
  condition: null,
});
const code = (expected: string) => expect.objectContaining({ code: expected });

describe('putObject and getObject', () => {
  it.each([0, 1, INLINE_MAX_BYTES, INLINE_MAX_BYTES + 1, 100_000])(
    'stores %i bytes and gives them back',
    async (size) => {
      const core = createMemoryCore();
      const bucket = await openTestBucket(core);
      const bytes = sampleBytes(size);
      const stored = await putObject(core, bucket, put(bytes));
      const found = await getObject(bucket, key('a'));
      expect(found).toEqual(stored);
      expect(found.etag).toBe(createHash('md5').update(bytes).digest('hex'));
      expect(await readWhole(core, found)).toEqual(bytes);
      expect(core.blobStore.blobs.size).toBe(size > INLINE_MAX_BYTES ? 1 : 0);
    },
  );

  it('gives each range of a version that has several segments', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const [one, two] = [sampleBytes(20, 1), sampleBytes(30, 2)];
    const first = await putObject(core, bucket, put(one, 'one'));
    const second = await putObject(core, bucket, put(two, 'two'));
    const whole = new Uint8Array([...one, ...two]);
    const version = {
      ...first,
      etag: 'x-2',
      sizeBytes: 50,
      segments: [...first.segments, ...second.segments],
    } as typeof first;
    for (let start = 0; start < 50; start += 7) {
      for (const lengthBytes of [1, 50 - start]) {
        const { body } = await openBody(core, version, { offsetBytes: start, lengthBytes });
        const bytes = new Uint8Array(
          await new Response(body as ReadableStream<Uint8Array>).arrayBuffer(),
        );
        expect(bytes).toEqual(whole.slice(start, start + lengthBytes));
      }
    }
  });

  it('reads only the requested range of a body that memory does not admit', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const bytes = sampleBytes(2 ** 19);
    const version = await putObject(core, bucket, { ...put(bytes), body: bodyOf(bytes, 65_536) });
    const asked: [string, number][] = [];
    const { blobStore } = core.ports;
    const watched = withPorts(core, {
      blobStore: {
        ...blobStore,
        open(id, range) {
          asked.push(['open', range.lengthBytes]);
          return blobStore.open(id, range);
        },
        read(id, range) {
          asked.push(['read', range.lengthBytes]);
          return blobStore.read(id, range);
        },
      },
    });
    // More than a quarter of the memory tier's MiB, and neither end where a slice of 64 KiB ends.
    const range = { offsetBytes: 1000, lengthBytes: 5 * 65_536 };
    const { body } = await openBody(watched, version, range);
    const read = new Uint8Array(
      await new Response(body as ReadableStream<Uint8Array>).arrayBuffer(),
    );
    expect(read).toEqual(bytes.slice(1000, 1000 + range.lengthBytes));
    expect(asked).toEqual([['open', 64_536], ...Array(4).fill(['open', 65_536]), ['open', 1000]]);
    // A short one takes whole slices, and the next reader finds them.
    asked.length = 0;
    await openBody(watched, version, { offsetBytes: 0, lengthBytes: 10 });
    expect(asked).toEqual([['read', 65_536]]);
    expect((await openBody(watched, version, { offsetBytes: 50_000, lengthBytes: 10 })).tier).toBe(
      'memory',
    );
  });

  it('serves a small blob from memory the second time', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const version = await putObject(core, bucket, put(sampleBytes(1000)));
    const range = { offsetBytes: 10, lengthBytes: 20 };
    expect((await openBody(core, version, range)).tier).toBe('bucket');
    await core.settle();
    const second = await openBody(core, version, range);
    expect(second.tier).toBe('memory');
    expect(second.body).toEqual(sampleBytes(1000).slice(10, 30));
  });

  it('never takes a part that was cut from a larger blob for the whole blob', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const whole = await putObject(core, bucket, put(sampleBytes(1000)));
    const [segment] = whole.segments;
    const cut = {
      ...whole,
      etag: 'x-1',
      sizeBytes: 100,
      segments: [{ ...segment, lengthBytes: 100 }],
    } as typeof whole;
    await readWhole(core, cut);
    await core.settle();
    expect(await readWhole(core, whole)).toEqual(sampleBytes(1000));
  });
});

describe('cutSegments', () => {
  const segment = (blob: string, offsetBytes: number, lengthBytes: number): Segment => ({
    blobId: blob as BlobId,
    offsetBytes,
    lengthBytes,
  });
  const segments = [segment('a', 5, 10), segment('b', 0, 1), segment('c', 100, 20)];

  it.each([
    [0, 31, segments],
    [0, 10, [segment('a', 5, 10)]],
    [9, 2, [segment('a', 14, 1), segment('b', 0, 1)]],
    [10, 1, [segment('b', 0, 1)]],
    [11, 20, [segment('c', 100, 20)]],
    [30, 1, [segment('c', 119, 1)]],
  ])('gives the segments from %i, %i bytes', (offsetBytes, lengthBytes, expected) => {
    expect(cutSegments(segments, { offsetBytes, lengthBytes })).toEqual(expected);
  });
});

describe('piecesOf', () => {
  const [a, b] = ['a' as BlobId, 'b' as BlobId];
  const segments: Segment[] = [
    { blobId: a, offsetBytes: 5, lengthBytes: 30 },
    { blobId: b, offsetBytes: 0, lengthBytes: 10 },
  ];

  it.each([1, 2, 7, 10, 16, 35, 100])(
    'covers every range exactly once with slices of %i bytes',
    (sliceBytes) => {
      for (let offsetBytes = 0; offsetBytes < 40; offsetBytes++) {
        for (let lengthBytes = 1; lengthBytes <= 40 - offsetBytes; lengthBytes++) {
          const range = { offsetBytes, lengthBytes };
          const pieces = piecesOf(segments, range, sliceBytes);
          const bytes = pieces.flatMap(({ slice, part }) =>
            Array.from(
              { length: part.lengthBytes },
              (_, i) => `${slice.blobId}${slice.offsetBytes + part.offsetBytes + i}`,
            ),
          );
          const wanted = cutSegments(segments, range).flatMap((cut) =>
            Array.from(
              { length: cut.lengthBytes },
              (_, i) => `${cut.blobId}${cut.offsetBytes + i}`,
            ),
          );
          expect(bytes).toEqual(wanted);
          for (const { slice } of pieces) {
            const first = Math.floor(slice.offsetBytes / sliceBytes);
            expect(Math.floor((slice.offsetBytes + slice.lengthBytes - 1) / sliceBytes)).toBe(
              first,
            );
          }
        }
      }
    },
  );
});

describe('a body that differs from its announced digests', () => {
  const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');

  it.each([10, 1000])('leaves nothing behind, of %i bytes', async (size) => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const bytes = sampleBytes(size);
    const expectations = [
      { contentMd5Hex: md5(sampleBytes(size, 1)), checksum: null },
      {
        contentMd5Hex: md5(bytes),
        checksum: { algorithm: 'CRC32' as const, expected: () => 'AAAAAA==' },
      },
    ];
    for (const expectation of expectations) {
      await expect(putObject(core, bucket, { ...put(bytes), expectation })).rejects.toEqual(
        code('BadDigest'),
      );
    }
    await core.settle();
    expect(core.blobStore.blobs.size).toBe(0);
    await expect(getObject(bucket, key('a'))).rejects.toEqual(code('NoSuchKey'));
  });

  it('refuses a body of unknown length, and one above the limit, before reading it', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const body = (lengthBytes: number | null) => ({
      lengthBytes,
      pump: () => Promise.reject(new Error('must not be read')),
    });
    await expect(
      putObject(core, bucket, { ...put(sampleBytes(1)), body: body(null) }),
    ).rejects.toEqual(code('MissingContentLength'));
    await expect(
      putObject(core, bucket, { ...put(sampleBytes(1)), body: body(5 * 2 ** 30 + 1) }),
    ).rejects.toEqual(code('EntityTooLarge'));
  });

  it('refuses a body that took longer than the sweeper may assume', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const bytes = sampleBytes(100);
    const slow = {
      lengthBytes: 100,
      async pump(onChunk: (chunk: Uint8Array) => void | Promise<void>) {
        core.advanceSeconds(1801);
        await onChunk(bytes);
      },
    };
    await expect(putObject(core, bucket, { ...put(bytes), body: slow })).rejects.toEqual(
      code('RequestTimeout'),
    );
    await core.settle();
    expect(core.blobStore.blobs.size).toBe(0);
  });
});

describe('a commit that fails', () => {
  const failing = (inner: MetadataIndex, error: unknown, isAfter: boolean): MetadataIndex => ({
    async call(bucket, name, input) {
      if (name !== 'commitObject') return inner.call(bucket, name, input);
      if (isAfter) await inner.call(bucket, name, input);
      throw error;
    },
  });

  it('for sure deletes the blob', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    await putObject(core, bucket, put(sampleBytes(100)));
    const condition = { ifMatch: null, ifNoneMatch: '*' };
    await expect(
      putObject(core, bucket, { ...put(sampleBytes(100, 1)), condition }),
    ).rejects.toEqual(code('PreconditionFailed'));
    await core.settle();
    expect(core.blobStore.blobs.size).toBe(1);
    expect(await readWhole(core, await getObject(bucket, key('a')))).toEqual(sampleBytes(100));
  });

  it.each(['InternalError', 'ServiceUnavailable', 'SlowDown'] as const)(
    'perhaps (%s), keeps the blob: the commit landed',
    async (name) => {
      const core = createMemoryCore();
      await openTestBucket(core);
      const broken = withPorts(core, {
        metadataIndex: failing(core.ports.metadataIndex, new StorageError(name), true),
      });
      const bucket = await openTestBucket(broken);
      await expect(putObject(broken, bucket, put(sampleBytes(100)))).rejects.toEqual(code(name));
      await core.settle();
      const healthy = await openTestBucket(core);
      expect(await readWhole(core, await getObject(healthy, key('a')))).toEqual(sampleBytes(100));
    },
  );

  it('because the store failed leaves no row', async () => {
    const core = createMemoryCore();
    await openTestBucket(core);
    const blobStore: BlobStore = {
      ...core.ports.blobStore,
      write: () => Promise.reject(new StorageError('StorageFull')),
    };
    const bucket = await openTestBucket(core);
    await expect(
      putObject(withPorts(core, { blobStore }), bucket, put(sampleBytes(100))),
    ).rejects.toEqual(code('StorageFull'));
    await expect(getObject(bucket, key('a'))).rejects.toEqual(code('NoSuchKey'));
  });
});

describe('copyObject', () => {
  it('moves no bytes inside a bucket, and survives the source', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const source = await putObject(core, bucket, put(sampleBytes(100)));
    await copyObject(core, bucket, copyOf(source, 'b'));
    await deleteObjects(core, bucket, [{ key: key('a') }]);
    expect(core.blobStore.blobs.size).toBe(1);
    expect(await readWhole(core, await getObject(bucket, key('b')))).toEqual(sampleBytes(100));
  });

  it('copies an inline body', async () => {
    const core = createMemoryCore();
    const [from, to] = [
      await openTestBucket(core, 'from'),
      await openTestBucket(core, 'to-bucket'),
    ];
    const source = await putObject(core, from, put(sampleBytes(5)));
    await copyObject(core, to, copyOf(source, 'b'));
    expect(await readWhole(core, await getObject(to, key('b')))).toEqual(sampleBytes(5));
  });

  it('computes a checksum that the source does not have', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const source = await putObject(core, bucket, put(sampleBytes(100)));
    const copied = await copyObject(core, bucket, {
      ...copyOf(source, 'b'),
      checksumAlgorithm: 'SHA256',
    });
    const value = createHash('sha256').update(sampleBytes(100)).digest('base64');
    expect(copied.checksum).toEqual({ algorithm: 'SHA256', type: 'FULL_OBJECT', value });
    expect(copied.etag).toBe(source.etag);
  });
});
