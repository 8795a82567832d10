// Encrypted objects over the whole core: what is stored is sealed, what comes out is what went in, and nothing else does.
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { BucketHandle } from '../../../src/core/buckets/bucket-handle.ts';
import type { Core } from '../../../src/core/core.ts';
import { changeEncryption } from '../../../src/core/encryption/change-encryption.ts';
import type { CustomerKey, EncryptionWish } from '../../../src/core/encryption/key-keeping.ts';
import { toMasterKey } from '../../../src/core/encryption/master-keys.ts';
import { changeNamedKey, createNamedKey, listNamedKeys } from '../../../src/core/encryption/named-keys.ts';
import { sealedSize } from '../../../src/core/encryption/sealed-layout.ts';
import { uploadPartCopy } from '../../../src/core/multipart/upload-part.ts';
import { copyObject } from '../../../src/core/objects/copy-object.ts';
import { type ByteRange, openBody } from '../../../src/core/objects/read-object.ts';
import { CHUNK_BYTES } from '../../../src/crypto/sealed-chunks.ts';
import type { AccountId, ObjectVersion } from '../../../src/ports/domain.ts';
import {
  bodyOf,
  createMemoryCore,
  INLINE_MAX_BYTES,
  key,
  type MemoryCore,
  openTestBucket,
  putBytes,
  sampleBytes,
  withPorts,
} from '../memory-core.ts';
import { completeParts, copyOf, putPart, startUpload } from '../multipart-kit.ts';

const code = (expected: string) => expect.objectContaining({ code: expected });
/** Of large bodies `toEqual` would take seconds. */
function expectBytes(found: Uint8Array, wanted: Uint8Array): void {
  expect([found.length, Buffer.from(found).equals(Buffer.from(wanted))]).toEqual([wanted.length, true]);
}
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');

function customerKey(fill: number): CustomerKey {
  const bytes = new Uint8Array(32).fill(fill);
  return { bytes, md5: createHash('md5').update(bytes).digest('base64') };
}
const MINE = customerKey(1);
const OTHER = customerKey(2);
const named = (keyId: string | null, isDoubled = false) => ({
  kind: 'named' as const,
  keyId,
  isDoubled,
  isBucketKey: false,
  context: null,
});
const WISHES: readonly (readonly [string, EncryptionWish])[] = [
  ["a client's key", { kind: 'customer', key: MINE }],
  ['the master key', { kind: 'server' }],
  ['a named key', named('seeded-key')],
  ['a named key, twice', named('seeded-key', true)],
];
const keyFor = (version: ObjectVersion) => (version.encryption?.kind === 'customer' ? MINE : null);

function put(core: Core, bucket: BucketHandle, bytes: Uint8Array, encryption: EncryptionWish | null, name = 'a') {
  return putBytes(core, bucket, name, bytes, { body: bodyOf(bytes, 30_000), encryption });
}

async function read(
  core: Core,
  version: ObjectVersion,
  range: ByteRange = { offsetBytes: 0, lengthBytes: version.sizeBytes },
  withKey: CustomerKey | null = keyFor(version),
): Promise<Uint8Array> {
  const { body } = await openBody(core, version, range, withKey);
  if (body === null) return new Uint8Array();
  return new Uint8Array(await new Response(body as ConstructorParameters<typeof Response>[0]).arrayBuffer());
}

function copy(source: ObjectVersion, name: string, encryption: EncryptionWish | null, sourceKey = keyFor(source)) {
  return { ...copyOf(source, name), sourceKey, encryption };
}

const SIZES = [0, 1, INLINE_MAX_BYTES, INLINE_MAX_BYTES + 1, CHUNK_BYTES - 1, CHUNK_BYTES, CHUNK_BYTES + 1, 300_000];

describe.each(WISHES)('an object encrypted with %s', (_, wish) => {
  it.each(SIZES)('gives %i bytes back, whole and in ranges', async (size) => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const bytes = sampleBytes(size);
    const version = await put(core, bucket, bytes, wish);
    expect(version.sizeBytes).toBe(size);
    expectBytes(await read(core, version), bytes);
    for (const [from, to] of [
      [0, 1],
      [size - 1, size],
      [size >> 1, size],
      [1, size - 1],
      [CHUNK_BYTES - 5, CHUNK_BYTES + 5],
    ]) {
      if (from === undefined || to === undefined || from < 0 || to > size || from >= to) continue;
      const range = { offsetBytes: from, lengthBytes: to - from };
      expectBytes(await read(core, version, range), bytes.subarray(from, to));
    }
  });

  it('is stored sealed, in a blob and in its row', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const text = 'nobody must read this';
    const small = new TextEncoder().encode(text.slice(0, INLINE_MAX_BYTES));
    const { inlineBytes } = await put(core, bucket, small, wish);
    expect(Buffer.from(inlineBytes ?? []).includes(text.slice(0, 6))).toBe(false);
    const large = new TextEncoder().encode(text.repeat(10_000));
    const version = await put(core, bucket, large, wish);
    const layers = wish.kind === 'named' && wish.isDoubled ? 2 : 1;
    const [blob] = core.blobStore.blobs.values();
    expect(blob?.bytes).toHaveLength(sealedSize(large.length, layers));
    expect(Buffer.from(blob?.bytes ?? []).includes(text.slice(0, 6))).toBe(false);
    expect(blob?.identity.encryption).toEqual(version.encryption);
    // No key of anybody stands in the facts as it is.
    const facts = JSON.stringify(version.encryption);
    for (const secret of [MINE.md5, Buffer.from(MINE.bytes).toString('base64')]) expect(facts).not.toContain(secret);
  });

  it('has the same size and other bytes each time', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    await put(core, bucket, sampleBytes(1000), wish, 'a');
    await put(core, bucket, sampleBytes(1000), wish, 'b');
    const [a, b] = [...core.blobStore.blobs.values()].map(({ bytes }) => Buffer.from(bytes));
    expect(a?.length).toBe(b?.length);
    expect(a?.subarray(0, 16).equals(b?.subarray(0, 16) ?? Buffer.alloc(0))).toBe(false);
  });

  it('is refused when a bit of it was flipped, wherever, or its end is missing', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const version = await put(core, bucket, sampleBytes(CHUNK_BYTES + 100), wish);
    const [blob] = core.blobStore.blobs.values();
    if (blob === undefined) throw new Error('no blob');
    const last = blob.bytes.length - 1;
    for (const at of [0, 1000, CHUNK_BYTES, CHUNK_BYTES + 15, CHUNK_BYTES + 40, last]) {
      blob.bytes[at] = (blob.bytes[at] ?? 0) ^ 4;
      await expect(read(freshTiers(core), version)).rejects.toEqual(code('InternalError'));
      blob.bytes[at] = (blob.bytes[at] ?? 0) ^ 4;
    }
    expectBytes(await read(freshTiers(core), version), sampleBytes(CHUNK_BYTES + 100));
    // Cut to whole chunks, with an index that believes it: the first chunk was not sealed as the last.
    const layers = wish.kind === 'named' && wish.isDoubled ? 2 : 1;
    const [segment] = version.segments;
    if (segment === undefined) throw new Error('no segment');
    const segments = [{ ...segment, lengthBytes: sealedSize(CHUNK_BYTES, layers) }];
    const cut = { ...version, sizeBytes: CHUNK_BYTES, segments } as ObjectVersion;
    await expect(read(freshTiers(core), cut)).rejects.toEqual(code('InternalError'));
  });
});

/** The same core with nothing in its memory. */
function freshTiers(core: MemoryCore): MemoryCore {
  return withPorts(core, { edgeCache: createMemoryCore().ports.edgeCache });
}

describe('entity tags', () => {
  it('tell the MD5 where the server alone holds the key', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const bytes = sampleBytes(100);
    expect((await put(core, bucket, bytes, { kind: 'server' })).etag).toBe(md5(bytes));
    for (const wish of [{ kind: 'customer', key: MINE } as const, named('seeded-key')]) {
      const { etag } = await put(core, bucket, bytes, wish);
      expect(etag).toMatch(/^[0-9a-f]{32}$/);
      expect(etag).not.toBe(md5(bytes));
    }
  });
});

describe("a client's key", () => {
  it('must come, must be the right one, and must not come for nothing', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const whole = { offsetBytes: 0, lengthBytes: 100 };
    const sealed = await put(core, bucket, sampleBytes(100), { kind: 'customer', key: MINE });
    await expect(read(core, sealed, whole, null)).rejects.toEqual(code('InvalidRequest'));
    await expect(read(core, sealed, whole, OTHER)).rejects.toEqual(code('InvalidRequest'));
    const server = await put(core, bucket, sampleBytes(100), { kind: 'server' });
    await expect(read(core, server, whole, MINE)).rejects.toEqual(code('InvalidRequest'));
  });
});

describe('the master key', () => {
  const rotated = (core: MemoryCore, fills: readonly number[]): MemoryCore => ({
    ...core,
    settings: { ...core.settings, masterKeys: fills.map((fill) => toMasterKey(new Uint8Array(32).fill(fill))) },
  });

  it('can be changed, as long as the old one is kept', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const old = await put(core, bucket, sampleBytes(100), { kind: 'server' }, 'old');
    const oldNamed = await put(core, bucket, sampleBytes(100), named('seeded-key'), 'named');
    const both = rotated(core, [9, 7]);
    expectBytes(await read(both, old), sampleBytes(100));
    expectBytes(await read(both, oldNamed), sampleBytes(100));
    const young = await put(both, bucket, sampleBytes(100), { kind: 'server' }, 'young');
    const newest = rotated(core, [9]);
    expectBytes(await read(newest, young), sampleBytes(100));
    await expect(read(newest, old)).rejects.toEqual(code('InternalError'));
  });

  it('moves on with a copy, which moves no bytes', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const old = await put(core, bucket, sampleBytes(100), { kind: 'server' }, 'old');
    const copied = await copyObject(rotated(core, [9, 7]), bucket, copy(old, 'old', { kind: 'server' }));
    expect(core.blobStore.blobs.size).toBe(1);
    expectBytes(await read(rotated(core, [9]), copied), sampleBytes(100));
  });

  it('is missed aloud, and only where it is needed', async () => {
    const core = rotated(createMemoryCore(), []);
    const bucket = await openTestBucket(core);
    await expect(put(core, bucket, sampleBytes(100), { kind: 'server' })).rejects.toEqual(code('ServiceUnavailable'));
    await expect(put(core, bucket, sampleBytes(100), named(null))).rejects.toEqual(code('ServiceUnavailable'));
    const own = await put(core, bucket, sampleBytes(100), { kind: 'customer', key: MINE });
    expectBytes(await read(core, own), sampleBytes(100));
    expect(core.blobStore.blobs.size).toBe(1);
  });
});

describe('named keys', () => {
  it('are made once, listed, and make unreadable what they protect while they are disabled', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    expect(await createNamedKey(core, 'mine', null)).toMatchObject({
      isNew: true,
      key: { id: 'mine', isEnabled: true },
    });
    expect(await createNamedKey(core, 'mine')).toMatchObject({ isNew: false });
    const version = await put(core, bucket, sampleBytes(100), named('mine'));
    await changeNamedKey(core, 'mine', { isEnabled: false });
    await expect(read(core, version)).rejects.toEqual(code('KMS.DisabledException'));
    await expect(put(core, bucket, sampleBytes(1), named('mine'), 'b')).rejects.toEqual(code('KMS.DisabledException'));
    const [listed, ...rest] = await listNamedKeys(core, { after: '', limit: 10 });
    expect([listed, rest]).toEqual([expect.objectContaining({ id: 'mine', isEnabled: false }), []]);
    expect(listed).not.toHaveProperty('wrappedKey');
    await changeNamedKey(core, 'mine', { isEnabled: true });
    expectBytes(await read(core, version), sampleBytes(100));
  });

  it('take the place of the key before, and nothing else of the object changes', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    await createNamedKey(core, 'old');
    await createNamedKey(core, 'new');
    const sizes = [100, INLINE_MAX_BYTES + 1];
    for (const wish of [{ kind: 'server' } as const, named('old')]) {
      for (const size of sizes) {
        const version = await put(core, bucket, sampleBytes(size), wish);
        await changeEncryption(core, bucket, version, named('new'));
        const found = await bucket.call('getVersion', { key: key('a'), versionId: null });
        const changed = found?.kind === 'object' ? found.object : version;
        expect({ ...changed, encryption: null }).toEqual({ ...version, encryption: null });
        expect(changed.encryption).toMatchObject({ kind: 'named', keyId: 'new', isDoubled: false });
        await changeNamedKey(core, 'old', { isEnabled: false });
        expectBytes(await read(core, changed), sampleBytes(size));
        await changeNamedKey(core, 'old', { isEnabled: true });
      }
    }
  });

  it('come to no object that was written meanwhile, nor to one that they can not be for', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const replaced = await put(core, bucket, sampleBytes(100), { kind: 'server' });
    const young = await put(core, bucket, sampleBytes(200), { kind: 'server' });
    const change = (version: ObjectVersion) => changeEncryption(core, bucket, version, named('seeded-key'));
    await expect(change(replaced)).rejects.toEqual(code('NoSuchKey'));
    expectBytes(await read(core, young), sampleBytes(200));
    for (const wish of [null, { kind: 'customer', key: MINE } as const, named('seeded-key', true)]) {
      await expect(change(await put(core, bucket, sampleBytes(1), wish))).rejects.toEqual(code('InvalidRequest'));
    }
    await createNamedKey(core, 'shut');
    const shut = await put(core, bucket, sampleBytes(1), named('shut'));
    await changeNamedKey(core, 'shut', { isEnabled: false });
    await expect(change(shut)).rejects.toEqual(code('KMS.DisabledException'));
  });

  it('protect new objects of those accounts alone that they were given to', async () => {
    const core = createMemoryCore();
    const operators = await openTestBucket(core);
    const ownerId = 'tenant' as AccountId;
    const bucket: BucketHandle = { ...operators, record: () => ({ ...operators.record(), ownerId }) };
    await createNamedKey(core, 'theirs');
    const putWith = (name: string) => put(core, bucket, sampleBytes(100), named('theirs'), name);
    const asUnknown = put(core, bucket, sampleBytes(1), named('unknown')).catch(({ code, message }) => [code, message]);
    const [unknownCode, unknownMessage] = (await asUnknown) as [string, string];
    const refused = { code: unknownCode, message: unknownMessage.replace('unknown', 'theirs') };
    await expect(putWith('a')).rejects.toMatchObject(refused);
    await changeNamedKey(core, 'theirs', { accountIds: [ownerId] });
    const version = await putWith('a');
    await changeNamedKey(core, 'theirs', { accountIds: ['somebody-else' as AccountId] });
    await expect(putWith('b')).rejects.toMatchObject(refused);
    await expect(copyObject(core, bucket, copy(version, 'b', named('theirs')))).rejects.toMatchObject(refused);
    await expect(startUpload(core, bucket, 'c', { encryption: named('theirs') })).rejects.toMatchObject(refused);
    expectBytes(await read(core, version), sampleBytes(100));
    expect((await put(core, operators, sampleBytes(100), named('theirs'), 'd')).encryption?.kind).toBe('named');
    await changeNamedKey(core, 'theirs', { accountIds: null });
    expect((await putWith('b')).encryption?.kind).toBe('named');
  });

  it('are made when first wanted only if the operator named them, or nobody named any', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    await expect(put(core, bucket, sampleBytes(1), named('unknown'))).rejects.toEqual(code('KMS.NotFoundException'));
    await expect(changeNamedKey(core, 'unknown', { isEnabled: true })).rejects.toEqual(code('KMS.NotFoundException'));
    await expect(createNamedKey(core, 'no spaces')).rejects.toEqual(code('InvalidArgument'));
    await put(core, bucket, sampleBytes(1), named('seeded-key'));
    const { encryption } = await put(core, bucket, sampleBytes(1), named(null));
    expect(encryption).toMatchObject({ kind: 'named', keyId: 'alias/aws/s3' });
    const keys = await listNamedKeys(core, { after: '', limit: 10 });
    expect(keys.map(({ id }) => id)).toEqual(['alias/aws/s3', 'seeded-key']);
  });
});

describe('copies', () => {
  const targets: readonly (readonly [string, EncryptionWish | null])[] = [['nothing', null], ...WISHES];

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
      expect(core.blobStore.blobs.size).toBe(JSON.stringify(before) === JSON.stringify(after) ? 1 : 2);
      if (after === null || after.kind === 'server') expect(copied.etag).toBe(md5(bytes));
      else if (before === null || before.kind === 'server') expect(copied.etag).not.toBe(md5(bytes));
    },
  );

  it('of a small body take another key too, and keep the checksum', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const source = await put(core, bucket, sampleBytes(10), { kind: 'customer', key: MINE });
    const wanted = { ...copy(source, 'b', { kind: 'customer', key: OTHER }), checksumAlgorithm: 'SHA256' as const };
    const copied = await copyObject(core, bucket, wanted);
    expect(copied.checksum?.value).toBe(createHash('sha256').update(sampleBytes(10)).digest('base64'));
    expectBytes(await read(core, copied, undefined, OTHER), sampleBytes(10));
    await expect(read(core, copied, undefined, MINE)).rejects.toEqual(code('InvalidRequest'));
  });

  it("need the source's key, empty sources too", async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    for (const size of [0, 100]) {
      const source = await put(core, bucket, sampleBytes(size), { kind: 'customer', key: MINE });
      for (const wrong of [null, OTHER]) {
        await expect(copyObject(core, bucket, copy(source, 'b', null, wrong))).rejects.toEqual(code('InvalidRequest'));
      }
    }
  });

  it('that the index refuses leave no bytes behind', async () => {
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

  async function upload(core: Core, bucket: BucketHandle, wish: EncryptionWish | null) {
    const begun = await startUpload(core, bucket, 'm', { encryption: wish });
    const address = (partNumber: number) => ({ ...begun, partNumber });
    const send = (partNumber: number, bytes: Uint8Array, customerKey: CustomerKey | null) =>
      putPart(core, bucket, begun, partNumber, bytes, { body: bodyOf(bytes, 100_000), customerKey });
    const complete = (parts: readonly { partNumber: number; md5: string }[], customerKey: CustomerKey | null) =>
      completeParts(core, bucket, begun, parts, { customerKey });
    return { address, send, complete };
  }

  it.each(WISHES)('with %s are sealed part by part and complete without moving a byte', async (_, wish) => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const withKey = wish.kind === 'customer' ? MINE : null;
    const { address, send, complete } = await upload(core, bucket, wish);
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
    expect(parts.map(({ encryption }) => encryption?.kind)).toEqual([wish.kind, wish.kind, wish.kind]);
    const before = core.blobStore.blobs.size;
    const version = await complete(parts, withKey);
    expect(core.blobStore.blobs.size).toBe(before);
    const whole = Buffer.concat([one, large.subarray(50, 50 + PART), three]);
    expect(version.sizeBytes).toBe(whole.length);
    expect(Buffer.from(await read(core, version)).equals(whole)).toBe(true);
    for (const offsetBytes of [0, PART - 10, PART + 1, 2 * PART - 5, whole.length - 20]) {
      const range = { offsetBytes, lengthBytes: 20 };
      expect(Buffer.from(await read(core, version, range))).toEqual(whole.subarray(offsetBytes, offsetBytes + 20));
    }
    if (wish.kind !== 'server') expect(parts[0]?.md5).not.toBe(md5(one));
  });

  it("refuse parts without the upload's key, with another one, or with one for nothing", async () => {
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
