// The blob store contract on local R2: once with the real limits, once with so small ones that
// bodies go in parts.
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { decodeBlobIdentity } from '../../../src/adapters/cloudflare/bodies/blob-identity.ts';
import { createR2BlobStore } from '../../../src/adapters/cloudflare/bodies/r2-blob-store.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { BlobId, BucketName, ObjectKey } from '../../../src/domain/nouns.ts';
import { makeBucketId } from '../../../src/domain/owner-bucket.ts';
import type { BlobIdentity } from '../../../src/ports/blob-store.ts';
import { blobStoreContract } from '../../contract/blob-store.contract.ts';
import { isSameBytes, patternBytes, readAll, sourceOf } from '../../contract/bodies.ts';

const MiB = 1024 * 1024;
const inParts = { singlePutMaxBytes: MiB, partBytes: 5 * MiB };

blobStoreContract({ name: 'R2', make: () => createR2BlobStore(env.BLOBS) });
blobStoreContract({ name: 'R2 in parts', make: () => createR2BlobStore(env.BLOBS, inParts) });

const owner = makeBucketId('r2-test' as BucketName, 'life');
let made = 0;
const freshId = () => `${owner}/blob${++made}` as BlobId;
const identity: BlobIdentity = {
  bucket: 'r2-test' as BucketName,
  key: 'a\u0000"\\😀/../' as ObjectKey,
  headers: { contentType: 'text/plain; charset="x"', cacheControl: 'no-store' },
  userMetadata: { author: 'Jürgen', empty: '' },
  part: { uploadId: 'u1', partNumber: 7 },
  encryption: null,
};

describe('R2 blobs', () => {
  it('carry the identity of their object', async () => {
    const id = freshId();
    await createR2BlobStore(env.BLOBS).write(id, sourceOf(patternBytes(10)), identity);
    const head = await env.BLOBS.head(`b/${id}`);
    expect(decodeBlobIdentity(head?.customMetadata)).toEqual({ identity, leftOut: [] });
  });

  it.each([
    ['STANDARD_IA', 'InfrequentAccess'],
    ['REDUCED_REDUNDANCY', 'Standard'],
    [undefined, 'Standard'],
  ])('of the class %s are %s in R2, whole, streamed or in parts', async (storageClass, wanted) => {
    const blob = storageClass === undefined ? identity : { ...identity, storageClass };
    const asked: (string | undefined)[] = [];
    const noting = new Proxy(env.BLOBS, {
      get(bucket, name) {
        const call = Reflect.get(bucket, name);
        if (typeof call !== 'function') return call;
        return (...given: unknown[]) => {
          if (name === 'put') asked.push((given[2] as R2PutOptions).storageClass);
          if (name === 'createMultipartUpload')
            asked.push((given[1] as R2MultipartOptions).storageClass);
          return call.apply(bucket, given);
        };
      },
    });
    for (const [bytes, limits] of [
      [10, undefined],
      [2 * MiB, undefined],
      [6 * MiB, inParts],
    ] as const) {
      await createR2BlobStore(noting, limits).write(freshId(), sourceOf(patternBytes(bytes)), blob);
    }
    expect(asked.map((each) => each ?? 'Standard')).toEqual([wanted, wanted, wanted]);
  });

  it('carry what opens them, the longest too, before any header', async () => {
    const encryption = {
      kind: 'named',
      keyId: 'k'.repeat(256),
      wrappedKey: 'w'.repeat(88),
      isDoubled: true,
      isBucketKey: true,
      context: 'c'.repeat(1024),
    } as const;
    const longest = { ...identity, key: '\u0001'.repeat(1024) as ObjectKey, encryption };
    const headers = { contentDisposition: 'd'.repeat(8000) };
    const userMetadata = { a: 'b'.repeat(2047) };
    const id = freshId();
    await createR2BlobStore(env.BLOBS).write(id, sourceOf(patternBytes(10)), {
      ...longest,
      headers,
      userMetadata,
    });
    const found = decodeBlobIdentity((await env.BLOBS.head(`b/${id}`))?.customMetadata);
    expect(found).toEqual({
      identity: { ...longest, headers: {}, userMetadata },
      leftOut: ['hcontentDisposition'],
    });
  });

  it('take the largest identity that core lets through', async () => {
    const largest: BlobIdentity = {
      ...identity,
      key: '\u0001'.repeat(1024) as ObjectKey,
      headers: {
        contentType: 'é'.repeat(100),
        contentDisposition: '"'.repeat(2000),
        expires: '\\'.repeat(4000),
      },
      userMetadata: Object.fromEntries(
        Array.from({ length: 40 }, (_, at) => [`k${at}`, 'ü'.repeat(24)]),
      ),
    };
    const id = freshId();
    await createR2BlobStore(env.BLOBS).write(id, sourceOf(patternBytes(10)), largest);
    const found = decodeBlobIdentity((await env.BLOBS.head(`b/${id}`))?.customMetadata);
    const { expires: _tooLong, ...kept } = largest.headers;
    expect(found).toEqual({ identity: { ...largest, headers: kept }, leftOut: ['hexpires'] });
  });

  it('go in parts of equal size when they are large, whole and in order', async () => {
    const id = freshId();
    const bytes = patternBytes(11 * MiB + 3);
    const store = createR2BlobStore(env.BLOBS, inParts);
    expect(await store.write(id, sourceOf(bytes), identity)).toEqual({ sizeBytes: bytes.length });
    const found = await readAll(
      await store.open(id, { offsetBytes: 0, lengthBytes: bytes.length }),
    );
    expect(isSameBytes(found, bytes)).toBe(true);
    expect((await env.BLOBS.head(`b/${id}`))?.httpEtag).toContain('-3');
  });

  it('leave nothing when the source fails after its last byte', async () => {
    const store = createR2BlobStore(env.BLOBS);
    for (const sizeBytes of [10, 2 * MiB]) {
      const id = freshId();
      const liar = {
        lengthBytes: sizeBytes,
        async pump(onChunk: (chunk: Uint8Array) => void | Promise<void>) {
          await onChunk(patternBytes(sizeBytes));
          throw new StorageError('BadDigest');
        },
      };
      await expect(store.write(id, liar, identity)).rejects.toMatchObject({ code: 'BadDigest' });
      expect(await env.BLOBS.head(`b/${id}`)).toBeNull();
    }
  });

  it('give R2 as the reason when R2 fails first, and end the pump', async () => {
    const broken = failingBucket({
      put: () => Promise.reject(new Error('put: We failed (10001)')),
    });
    const source = sourceOf(patternBytes(4 * MiB));
    const written = createR2BlobStore(broken).write(freshId(), source, identity);
    await expect(written).rejects.toMatchObject({
      code: 'InternalError',
      message: 'R2 could not store a blob.',
    });
  });

  it('are asked for again after a passing failure, three times at most', async () => {
    let calls = 0;
    const passing = failingBucket({
      delete: (keys) =>
        ++calls < 3 ? Promise.reject(new Error('delete: Slow (10058)')) : env.BLOBS.delete(keys),
    });
    await createR2BlobStore(passing).delete([freshId()]);
    expect(calls).toBe(3);
    const lasting = failingBucket({
      delete: () => Promise.reject(new Error(`delete: Slow (10058)`)),
    });
    await expect(createR2BlobStore(lasting).delete([freshId()])).rejects.toMatchObject({
      code: 'SlowDown',
    });
  });
});

/** The real bucket with some calls replaced. */
function failingBucket(calls: {
  put?: () => Promise<never>;
  delete?: (keys: string | string[]) => Promise<void>;
}) {
  return {
    delete: (keys: string | string[]) => env.BLOBS.delete(keys),
    ...calls,
  } as unknown as R2Bucket;
}
