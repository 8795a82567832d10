// Copies and multipart uploads over the whole core, from any encryption to any other: the bytes
// arrive, and move only when another key must protect them.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Core } from '../../../src/core/core.ts';
import type { CustomerKey, RequestedEncryption } from '../../../src/core/encryption/envelope.ts';
import { uploadPartCopy } from '../../../src/core/multipart/upload-part.ts';
import { copyObject } from '../../../src/core/objects/copy-object.ts';
import type { BucketHandle } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { bodyOf, createMemoryCore, openTestBucket, sampleBytes } from '../memory-core.ts';
import { completeParts, putPart, startUpload } from '../multipart-kit.ts';
import {
  code,
  copy,
  ENCRYPTIONS,
  expectBytes,
  MINE,
  md5,
  OTHER,
  put,
  read,
} from './encryption-kit.ts';

describe('encrypted copies', () => {
  const targets: readonly (readonly [string, RequestedEncryption | null])[] = [
    ['nothing', null],
    ...ENCRYPTIONS,
  ];

  it.each(targets.flatMap((from) => targets.map((to) => [...from, ...to] as const)))(
    'from %s (%o) to %s (%o) have the bytes',
    async (_from, before, _to, after) => {
      const core = createMemoryCore();
      const bucket = await openTestBucket(core);
      const bytes = sampleBytes(200_000);
      const source = await put(core, bucket, bytes, before);
      const copied = await copyObject(core, bucket, copy(source, 'b', after));
      expect(copied.encryption?.kind ?? null).toBe(after?.kind ?? null);
      expectBytes(await read(core, copied), bytes);
      // Bytes move only when another key must protect them.
      expect(core.blobStore.blobs.size).toBe(
        JSON.stringify(before) === JSON.stringify(after) ? 1 : 2,
      );
      if (after === null || after.kind === 'server') expect(copied.etag).toBe(md5(bytes));
      else if (before === null || before.kind === 'server')
        expect(copied.etag).not.toBe(md5(bytes));
    },
  );

  it('of a small body can take another key, and keep the checksum', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const source = await put(core, bucket, sampleBytes(10), { kind: 'customer', key: MINE });
    const wanted = {
      ...copy(source, 'b', { kind: 'customer', key: OTHER }),
      checksumAlgorithm: 'SHA256' as const,
    };
    const copied = await copyObject(core, bucket, wanted);
    expect(copied.checksum?.value).toBe(
      createHash('sha256').update(sampleBytes(10)).digest('base64'),
    );
    expectBytes(await read(core, copied, undefined, OTHER), sampleBytes(10));
    await expect(read(core, copied, undefined, MINE)).rejects.toEqual(code('InvalidRequest'));
  });

  it("need the source's key, empty sources too", async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    for (const size of [0, 100]) {
      const source = await put(core, bucket, sampleBytes(size), { kind: 'customer', key: MINE });
      for (const wrong of [null, OTHER]) {
        await expect(copyObject(core, bucket, copy(source, 'b', null, wrong))).rejects.toEqual(
          code('InvalidRequest'),
        );
      }
    }
  });

  it('leave no bytes behind when the index refuses them', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const source = await put(core, bucket, sampleBytes(100), { kind: 'server' });
    const condition = { ifMatch: null, ifNoneMatch: '*' };
    const refused = copyObject(core, bucket, { ...copy(source, 'a', null), condition });
    await expect(refused).rejects.toEqual(code('PreconditionFailed'));
    await core.settle();
    expect(core.blobStore.blobs.size).toBe(1);
  });
});

describe('multipart uploads', () => {
  const PART = 5 * 1024 * 1024;
  /** Made once and in a plain loop: sampleBytes takes a second for as many. */
  const large = new Uint8Array(PART + 100);
  for (let i = 0; i < large.length; i++) large[i] = (i * 7 + (i >> 8)) & 255;

  async function upload(core: Core, bucket: BucketHandle, requested: RequestedEncryption | null) {
    const begun = await startUpload(core, bucket, 'm', { encryption: requested });
    const address = (partNumber: number) => ({ ...begun, partNumber });
    const send = (partNumber: number, bytes: Uint8Array, customerKey: CustomerKey | null) =>
      putPart(core, bucket, begun, partNumber, bytes, {
        body: bodyOf(bytes, 100_000),
        customerKey,
      });
    const complete = (
      parts: readonly { partNumber: number; md5: string }[],
      customerKey: CustomerKey | null,
    ) => completeParts(core, bucket, begun, parts, { customerKey });
    return { address, send, complete };
  }

  it.each(ENCRYPTIONS)(
    'with %s are encrypted part by part and complete without moving a byte',
    async (_, requested) => {
      const core = createMemoryCore();
      const bucket = await openTestBucket(core);
      const withKey = requested.kind === 'customer' ? MINE : null;
      const { address, send, complete } = await upload(core, bucket, requested);
      const [one, three] = [large.subarray(0, PART + 1), sampleBytes(70_000, 3)];
      const source = await put(core, bucket, large, { kind: 'customer', key: OTHER }, 's');
      const parts = [
        await send(1, one, withKey),
        await uploadPartCopy(core, bucket, {
          ...address(2),
          source,
          sourceKey: OTHER,
          customerKey: withKey,
          range: { offsetBytes: 50, lengthBytes: PART },
        }),
        await send(3, three, withKey),
      ];
      expect(parts.map(({ encryption }) => encryption?.kind)).toEqual([
        requested.kind,
        requested.kind,
        requested.kind,
      ]);
      const before = core.blobStore.blobs.size;
      const version = await complete(parts, withKey);
      expect(core.blobStore.blobs.size).toBe(before);
      const whole = Buffer.concat([one, large.subarray(50, 50 + PART), three]);
      expect(version.sizeBytes).toBe(whole.length);
      expect(Buffer.from(await read(core, version)).equals(whole)).toBe(true);
      for (const offsetBytes of [0, PART - 10, PART + 1, 2 * PART - 5, whole.length - 20]) {
        const range = { offsetBytes, lengthBytes: 20 };
        expect(Buffer.from(await read(core, version, range))).toEqual(
          whole.subarray(offsetBytes, offsetBytes + 20),
        );
      }
      if (requested.kind !== 'server') expect(parts[0]?.md5).not.toBe(md5(one));
    },
  );

  it("refuse parts without the upload's key, with another or with a needless one", async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const own = await upload(core, bucket, { kind: 'customer', key: MINE });
    for (const wrong of [null, OTHER]) {
      await expect(own.send(1, sampleBytes(10), wrong)).rejects.toEqual(code('InvalidRequest'));
    }
    const part = await own.send(1, sampleBytes(10), MINE);
    await expect(own.complete([part], OTHER)).rejects.toEqual(code('InvalidRequest'));
    const plain = await upload(core, bucket, null);
    await expect(plain.send(1, sampleBytes(10), MINE)).rejects.toEqual(code('InvalidRequest'));
    // A client that knows no checksums need not prove the key again.
    expect(await own.complete([part], null)).toMatchObject({ sizeBytes: 10 });
  });

  it('copy ranges of encrypted objects into plain ones', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const { address, complete } = await upload(core, bucket, null);
    const source = await put(core, bucket, sampleBytes(200_000), { kind: 'server' }, 's');
    const range = { offsetBytes: 100_000, lengthBytes: 50_000 };
    const part = await uploadPartCopy(core, bucket, { ...address(1), source, range });
    const version = await complete([part], null);
    expect(version.encryption).toBeNull();
    expectBytes(await read(core, version), sampleBytes(200_000).subarray(100_000, 150_000));
  });
});
