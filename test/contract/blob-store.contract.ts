// What every blob store must do. Bound to an adapter in a file of that adapter.
import { describe, expect } from 'vitest';
import type { BlobId, BucketId, BucketName, ObjectKey, Segment } from '../../src/domain/nouns.ts';
import { makeBucketId } from '../../src/domain/owner-bucket.ts';
import type { BlobIdentity, BlobStore } from '../../src/ports/blob-store.ts';
import { brokenSource, isSameBytes, patternBytes, readAll, sourceOf } from './bodies.ts';
import { type Subject, testsOf } from './subject.ts';

const MiB = 1024 * 1024;

const identity: BlobIdentity = {
  bucket: 'photos' as BucketName,
  key: 'holiday/../ä//😀 +%2F.jpg' as ObjectKey,
  headers: { contentType: 'image/jpeg' },
  userMetadata: { author: 'Jürgen' },
  part: null,
  encryption: null,
};

let made = 0;
/** A bucket that no other test has, also where stores outlive a test. */
function freshBucketId(): BucketId {
  made += 1;
  const random = Math.floor(Math.random() * 36 ** 6).toString(36);
  const unique = `${Date.now().toString(36)}${made.toString(36)}${random}`;
  return makeBucketId('contract.bucket-1' as BucketName, unique);
}

/**
 * Ids in the shape of real ones: 27 characters, in order of `number`; `minute` moves the time part.
 */
function blobId(bucketId: BucketId, number: number, minute = 0): BlobId {
  const time = `01k9${minute.toString(32).padStart(2, '0')}abc`;
  return `${bucketId}/${time}${number.toString(32).padStart(18, '0')}` as BlobId;
}

/** Runs the contract. */
export function blobStoreContract(subject: Subject<BlobStore>): void {
  const test = testsOf(subject);

  describe(`blob store: ${subject.name}`, () => {
    for (const lengthBytes of [0, 1, 70_000, 3 * MiB + 1]) {
      test(`gives back ${lengthBytes} bytes as they came`, async (store) => {
        const id = blobId(freshBucketId(), 1);
        const bytes = patternBytes(lengthBytes);
        expect(await store.write(id, sourceOf(bytes), identity)).toEqual({
          sizeBytes: lengthBytes,
        });
        if (lengthBytes === 0) return;
        const found = await readAll(await store.open(id, { offsetBytes: 0, lengthBytes }));
        expect(isSameBytes(found, bytes)).toBe(true);
      });
    }

    test('puts bytes where equal ones may be', async (store) => {
      const id = blobId(freshBucketId(), 1);
      const bytes = patternBytes(4 * MiB + 3);
      const directory = { offsetBytes: 4 * MiB };
      for (const _ of [1, 2]) await store.put(id, bytes, { ...identity, directory });
      const whole = { offsetBytes: 0, lengthBytes: bytes.length };
      expect(isSameBytes(await readAll(await store.open(id, whole)), bytes)).toBe(true);
      const part = await store.read(id, { offsetBytes: 1_000_001, lengthBytes: 9 });
      expect(isSameBytes(part, bytes.subarray(1_000_001, 1_000_010))).toBe(true);
    });

    test('takes a body of unknown length', async (store) => {
      const id = blobId(freshBucketId(), 1);
      const bytes = patternBytes(200_000);
      expect(await store.write(id, sourceOf(bytes, { isLengthKnown: false }), identity)).toEqual({
        sizeBytes: 200_000,
      });
      const found = await readAll(await store.open(id, { offsetBytes: 0, lengthBytes: 200_000 }));
      expect(isSameBytes(found, bytes)).toBe(true);
    });

    test('takes a body in tiny chunks', async (store) => {
      const id = blobId(freshBucketId(), 1);
      const bytes = patternBytes(3000);
      await store.write(id, sourceOf(bytes, { chunkBytes: 1 }), identity);
      const found = await readAll(await store.open(id, { offsetBytes: 0, lengthBytes: 3000 }));
      expect(isSameBytes(found, bytes)).toBe(true);
    });

    test('keeps chunks in order when the source does not wait for them', async (store) => {
      const id = blobId(freshBucketId(), 1);
      const bytes = patternBytes(2 * MiB);
      const pumpAtOnce = {
        lengthBytes: bytes.length,
        async pump(onChunk: (chunk: Uint8Array) => void | Promise<void>) {
          for (let at = 0; at < bytes.length; at += 50_000) {
            const waits = onChunk(bytes.slice(at, at + 50_000));
            if (waits !== undefined) await waits;
          }
        },
      };
      await store.write(id, pumpAtOnce, identity);
      const found = await readAll(
        await store.open(id, { offsetBytes: 0, lengthBytes: bytes.length }),
      );
      expect(isSameBytes(found, bytes)).toBe(true);
    });

    test('gives exact ranges at both ends and in the middle', async (store) => {
      const id = blobId(freshBucketId(), 1);
      const sizeBytes = MiB + 3;
      const bytes = patternBytes(sizeBytes);
      await store.write(id, sourceOf(bytes), identity);
      const ranges: [number, number][] = [
        [0, 1],
        [sizeBytes - 1, 1],
        [0, sizeBytes - 1],
        [1, sizeBytes - 1],
        [65_535, 2],
        [262_143, 524_290],
      ];
      for (const [offsetBytes, lengthBytes] of ranges) {
        const found = await readAll(await store.open(id, { offsetBytes, lengthBytes }));
        const expected = bytes.subarray(offsetBytes, offsetBytes + lengthBytes);
        expect(isSameBytes(found, expected), `${lengthBytes} bytes at ${offsetBytes}`).toBe(true);
        const read = await store.read(id, { offsetBytes, lengthBytes });
        expect(isSameBytes(read, expected), `${lengthBytes} bytes at ${offsetBytes}, read`).toBe(
          true,
        );
      }
    });

    test('refuses a missing blob with ObjectDamaged', async (store) => {
      const opened = store.open(blobId(freshBucketId(), 1), { offsetBytes: 0, lengthBytes: 1 });
      await expect(opened).rejects.toMatchObject({ code: 'ObjectDamaged' });
      const read = store.read(blobId(freshBucketId(), 1), { offsetBytes: 0, lengthBytes: 1 });
      await expect(read).rejects.toMatchObject({ code: 'ObjectDamaged' });
    });

    test('never gives fewer bytes than asked: a range past the end is an error', async (store) => {
      const id = blobId(freshBucketId(), 1);
      await store.write(id, sourceOf(patternBytes(1000)), identity);
      const read = async () => readAll(await store.open(id, { offsetBytes: 0, lengthBytes: MiB }));
      await expect(read()).rejects.toMatchObject({ code: 'ObjectDamaged' });
      const readWhole = store.read(id, { offsetBytes: 1, lengthBytes: MiB });
      await expect(readWhole).rejects.toMatchObject({ code: 'ObjectDamaged' });
    });

    test('leaves nothing of a body whose source fails midway', async (store) => {
      const bucketId = freshBucketId();
      const id = blobId(bucketId, 1);
      const written = store.write(id, brokenSource(patternBytes(2 * MiB), 5 * MiB), identity);
      await expect(written).rejects.toMatchObject({ code: 'IncompleteBody' });
      await expect(store.open(id, { offsetBytes: 0, lengthBytes: 1 })).rejects.toMatchObject({
        code: 'ObjectDamaged',
      });
      expect(await store.list({ prefix: `${bucketId}/`, after: '', limit: 10 })).toEqual({
        blobIds: [],
        isTruncated: false,
      });
    });

    for (const declared of [9_999, 10_001]) {
      test(`refuses a source of 10000 bytes that declared ${declared}`, async (store) => {
        const bucketId = freshBucketId();
        const source = { ...sourceOf(patternBytes(10_000)), lengthBytes: declared };
        const written = store.write(blobId(bucketId, 1), source, identity);
        await expect(written).rejects.toMatchObject({ code: 'IncompleteBody' });
        expect(
          (await store.list({ prefix: `${bucketId}/`, after: '', limit: 10 })).blobIds,
        ).toEqual([]);
      });
    }

    test('keeps two blobs apart that are written at the same time', async (store) => {
      const bucketId = freshBucketId();
      const bodies = [patternBytes(MiB, 7), patternBytes(MiB + 1, 8)];
      await Promise.all(
        bodies.map((body, at) => store.write(blobId(bucketId, at), sourceOf(body), identity)),
      );
      for (const [at, body] of bodies.entries()) {
        const found = await readAll(
          await store.open(blobId(bucketId, at), { offsetBytes: 0, lengthBytes: body.length }),
        );
        expect(isSameBytes(found, body)).toBe(true);
      }
    });

    test('serves two readers of one blob at the same time, each its own range', async (store) => {
      const id = blobId(freshBucketId(), 1);
      const bytes = patternBytes(MiB);
      await store.write(id, sourceOf(bytes), identity);
      const halves = await Promise.all(
        [0, MiB / 2].map(async (offsetBytes) =>
          readAll(await store.open(id, { offsetBytes, lengthBytes: MiB / 2 })),
        ),
      );
      expect(
        halves.map((half, at) =>
          isSameBytes(half, bytes.subarray((at * MiB) / 2, ((at + 1) * MiB) / 2)),
        ),
      ).toEqual([true, true]);
    });

    test('can be cancelled midway and read again', async (store) => {
      const id = blobId(freshBucketId(), 1);
      const bytes = patternBytes(2 * MiB);
      await store.write(id, sourceOf(bytes), identity);
      const reader = (
        await store.open(id, { offsetBytes: 0, lengthBytes: bytes.length })
      ).getReader();
      await reader.read();
      await reader.cancel();
      const found = await readAll(
        await store.open(id, { offsetBytes: 0, lengthBytes: bytes.length }),
      );
      expect(isSameBytes(found, bytes)).toBe(true);
    });

    describe('runs', () => {
      /** Blobs of these sizes, and everything of them but their first and last byte. */
      async function runsOf(store: BlobStore, sizes: readonly number[]) {
        const bucketId = freshBucketId();
        const bodies = sizes.map((sizeBytes, at) => patternBytes(sizeBytes, at));
        for (const [at, body] of bodies.entries())
          await store.write(blobId(bucketId, at), sourceOf(body), identity);
        const runs = sizes.map((sizeBytes, at): Segment => {
          return { blobId: blobId(bucketId, at), offsetBytes: 1, lengthBytes: sizeBytes - 2 };
        });
        return {
          runs,
          expected: new Uint8Array(await new Blob(bodies.map((b) => b.slice(1, -1))).arrayBuffer()),
        };
      }

      for (const sizes of [[5 * MiB], [10, 3 * MiB, 70_000, 12], [2 * MiB, 2 * MiB]]) {
        test(`come as one stream, in order: ${sizes.join(', ')} bytes`, async (store) => {
          const { runs, expected } = await runsOf(store, sizes);
          expect(isSameBytes(await readAll(await store.openRuns(runs)), expected)).toBe(true);
        });
      }

      test('fail at once when the first is missing, midway for a later one', async (store) => {
        const { runs } = await runsOf(store, [2 * MiB, 10]);
        const missing: Segment = {
          blobId: blobId(freshBucketId(), 9),
          offsetBytes: 0,
          lengthBytes: 10,
        };
        await expect(store.openRuns([missing, ...runs])).rejects.toMatchObject({
          code: 'ObjectDamaged',
        });
        const stream = await store.openRuns([...runs, missing]);
        await expect(readAll(stream)).rejects.toThrow();
      });

      test('can be cancelled, before and while they are read, and read again', async (store) => {
        const { runs, expected } = await runsOf(store, [2 * MiB, 2 * MiB]);
        await (await store.openRuns(runs)).cancel();
        const reader = (await store.openRuns(runs)).getReader();
        await reader.read();
        await reader.cancel();
        expect(isSameBytes(await readAll(await store.openRuns(runs)), expected)).toBe(true);
      });
    });

    test('deletes, and does not mind what is not there', async (store) => {
      const bucketId = freshBucketId();
      const [first, second] = [blobId(bucketId, 1), blobId(bucketId, 2)];
      await store.write(first, sourceOf(patternBytes(10)), identity);
      await store.write(second, sourceOf(patternBytes(10)), identity);
      await store.delete([first, blobId(bucketId, 3)]);
      await store.delete([first]);
      await store.delete([]);
      await expect(store.open(first, { offsetBytes: 0, lengthBytes: 1 })).rejects.toMatchObject({
        code: 'ObjectDamaged',
      });
      const found = await readAll(await store.open(second, { offsetBytes: 0, lengthBytes: 10 }));
      expect(isSameBytes(found, patternBytes(10))).toBe(true);
    });

    test('lists in byte order, in pages, within the prefix', async (store) => {
      const bucketId = freshBucketId();
      const ids = [0, 1, 2].flatMap((minute) =>
        [1, 2, 3].map((number) => blobId(bucketId, number, minute * 31)),
      );
      for (const id of [...ids].reverse())
        await store.write(id, sourceOf(patternBytes(3)), identity);
      const prefix = `${bucketId}/`;
      const found: BlobId[] = [];
      const pageSizes: number[] = [];
      for (let after = ''; ; ) {
        const page = await store.list({ prefix, after, limit: 4 });
        found.push(...page.blobIds);
        pageSizes.push(page.blobIds.length);
        after = page.blobIds.at(-1) ?? after;
        if (!page.isTruncated) break;
      }
      expect(found).toEqual(ids);
      expect(pageSizes).toEqual([4, 4, 1]);
      expect(await store.list({ prefix, after: ids[4] ?? '', limit: 2 })).toEqual({
        blobIds: ids.slice(5, 7),
        isTruncated: true,
      });
      expect(await store.list({ prefix, after: ids.at(-1) ?? '', limit: 2 })).toEqual({
        blobIds: [],
        isTruncated: false,
      });
      const narrow = await store.list({
        prefix: (ids[3] ?? '').slice(0, -10),
        after: '',
        limit: 10,
      });
      expect(narrow).toEqual({ blobIds: ids.slice(3, 6), isTruncated: false });
    });

    test('does not say that there is more after a page that ends exactly', async (store) => {
      const bucketId = freshBucketId();
      const ids = [1, 2].map((number) => blobId(bucketId, number));
      for (const id of ids) await store.write(id, sourceOf(patternBytes(1)), identity);
      expect(await store.list({ prefix: `${bucketId}/`, after: '', limit: 2 })).toEqual({
        blobIds: ids,
        isTruncated: false,
      });
    });
  });
}
