// The keys of the service over the whole core: the master key and how it changes; KMS keys, what
// they open, for whom.
import { describe, expect, it } from 'vitest';
import { decryptSecret, encryptSecret } from '../../../src/core/encryption/encrypted-secret.ts';
import { changeKmsKey, createKmsKey, listKmsKeys } from '../../../src/core/encryption/kms-keys.ts';
import { toMasterKey } from '../../../src/core/encryption/master-keys.ts';
import { changeEncryption } from '../../../src/core/objects/change-encryption.ts';
import { copyObject } from '../../../src/core/objects/copy-object.ts';
import type { BucketHandle } from '../../../src/core/opened-bucket/bucket-handle.ts';
import type { AccountId, ObjectVersion } from '../../../src/domain/nouns.ts';
import {
  createMemoryCore,
  INLINE_MAX_BYTES,
  key,
  type MemoryCore,
  openTestBucket,
  sampleBytes,
} from '../memory-core.ts';
import { startUpload } from '../multipart-kit.ts';
import { code, copy, expectBytes, MINE, named, put, read } from './encryption-kit.ts';

describe('the master key', () => {
  const rotated = (core: MemoryCore, fills: readonly number[]): MemoryCore => ({
    ...core,
    settings: {
      ...core.settings,
      masterKeys: fills.map((fill) => toMasterKey(new Uint8Array(32).fill(fill))),
    },
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
    const missing = expect.stringContaining(`master key ${core.settings.masterKeys[0]?.id}`);
    await expect(read(newest, old)).rejects.toMatchObject({
      code: 'ServiceUnavailable',
      message: missing,
    });
  });

  it('is named when it is missing and encrypted the secret of an access key', () => {
    const [old, other] = [7, 9].map((fill) => [toMasterKey(new Uint8Array(32).fill(fill))]);
    const encrypted = encryptSecret(old ?? [], 'a secret', 'access key a');
    expect(() => decryptSecret(other ?? [], encrypted, 'access key a')).toThrow(
      `master key ${old?.[0]?.id}`,
    );
    expect(decryptSecret([...(other ?? []), ...(old ?? [])], encrypted, 'access key a')).toBe(
      'a secret',
    );
  });

  it('is replaced by the newest one in a copy, which moves no bytes', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const old = await put(core, bucket, sampleBytes(100), { kind: 'server' }, 'old');
    const copied = await copyObject(
      rotated(core, [9, 7]),
      bucket,
      copy(old, 'old', { kind: 'server' }),
    );
    expect(core.blobStore.blobs.size).toBe(1);
    expectBytes(await read(rotated(core, [9]), copied), sampleBytes(100));
  });

  it('is reported as missing, and only where it is needed', async () => {
    const core = rotated(createMemoryCore(), []);
    const bucket = await openTestBucket(core);
    await expect(put(core, bucket, sampleBytes(100), { kind: 'server' })).rejects.toEqual(
      code('ServiceUnavailable'),
    );
    await expect(put(core, bucket, sampleBytes(100), named(null))).rejects.toEqual(
      code('ServiceUnavailable'),
    );
    const own = await put(core, bucket, sampleBytes(100), { kind: 'customer', key: MINE });
    expectBytes(await read(core, own), sampleBytes(100));
    expect(core.blobStore.blobs.size).toBe(1);
  });
});

describe('KMS keys', () => {
  it('are made once and listed, and while disabled their objects are unreadable', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    expect(await createKmsKey(core, 'mine', null)).toMatchObject({
      isNew: true,
      key: { id: 'mine', isEnabled: true },
    });
    expect(await createKmsKey(core, 'mine')).toMatchObject({ isNew: false });
    const version = await put(core, bucket, sampleBytes(100), named('mine'));
    await changeKmsKey(core, 'mine', { isEnabled: false });
    await expect(read(core, version)).rejects.toEqual(code('KMS.DisabledException'));
    await expect(put(core, bucket, sampleBytes(1), named('mine'), 'b')).rejects.toEqual(
      code('KMS.DisabledException'),
    );
    const [listed, ...rest] = await listKmsKeys(core, { after: '', limit: 10 });
    expect([listed, rest]).toEqual([expect.objectContaining({ id: 'mine', isEnabled: false }), []]);
    expect(listed).not.toHaveProperty('wrappedKey');
    await changeKmsKey(core, 'mine', { isEnabled: true });
    expectBytes(await read(core, version), sampleBytes(100));
  });

  it('replace the key before, and nothing else of the object changes', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    await createKmsKey(core, 'old');
    await createKmsKey(core, 'new');
    const sizes = [100, INLINE_MAX_BYTES + 1];
    for (const requested of [{ kind: 'server' } as const, named('old')]) {
      for (const size of sizes) {
        const version = await put(core, bucket, sampleBytes(size), requested);
        await changeEncryption(core, bucket, version, named('new'));
        const found = await bucket.call('getVersion', { key: key('a'), versionId: null });
        const changed = found?.kind === 'object' ? found.object : version;
        expect({ ...changed, encryption: null }).toEqual({ ...version, encryption: null });
        expect(changed.encryption).toMatchObject({ kind: 'named', keyId: 'new', isDoubled: false });
        await changeKmsKey(core, 'old', { isEnabled: false });
        expectBytes(await read(core, changed), sampleBytes(size));
        await changeKmsKey(core, 'old', { isEnabled: true });
      }
    }
  });

  it('wrap no object that was written meanwhile, nor one that they can not be for', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    const replaced = await put(core, bucket, sampleBytes(100), { kind: 'server' });
    const young = await put(core, bucket, sampleBytes(200), { kind: 'server' });
    const change = (version: ObjectVersion) =>
      changeEncryption(core, bucket, version, named('seeded-key'));
    await expect(change(replaced)).rejects.toEqual(code('NoSuchKey'));
    expectBytes(await read(core, young), sampleBytes(200));
    for (const requested of [
      null,
      { kind: 'customer', key: MINE } as const,
      named('seeded-key', true),
    ]) {
      await expect(change(await put(core, bucket, sampleBytes(1), requested))).rejects.toEqual(
        code('InvalidRequest'),
      );
    }
    await createKmsKey(core, 'shut');
    const shut = await put(core, bucket, sampleBytes(1), named('shut'));
    await changeKmsKey(core, 'shut', { isEnabled: false });
    await expect(change(shut)).rejects.toEqual(code('KMS.DisabledException'));
  });

  it('protect new objects of those accounts alone that they were granted to', async () => {
    const core = createMemoryCore();
    const operators = await openTestBucket(core);
    const ownerId = 'tenant' as AccountId;
    const bucket: BucketHandle = {
      ...operators,
      record: () => ({ ...operators.record(), ownerId }),
    };
    await createKmsKey(core, 'theirs');
    const putWith = (name: string) => put(core, bucket, sampleBytes(100), named('theirs'), name);
    const asUnknown = put(core, bucket, sampleBytes(1), named('unknown')).catch(
      ({ code, message }) => [code, message],
    );
    const [unknownCode, unknownMessage] = (await asUnknown) as [string, string];
    const refused = { code: unknownCode, message: unknownMessage.replace('unknown', 'theirs') };
    await expect(putWith('a')).rejects.toMatchObject(refused);
    await changeKmsKey(core, 'theirs', { accountIds: [ownerId] });
    const version = await putWith('a');
    await changeKmsKey(core, 'theirs', { accountIds: ['somebody-else' as AccountId] });
    await expect(putWith('b')).rejects.toMatchObject(refused);
    await expect(
      copyObject(core, bucket, copy(version, 'b', named('theirs'))),
    ).rejects.toMatchObject(refused);
    await expect(
      startUpload(core, bucket, 'c', { encryption: named('theirs') }),
    ).rejects.toMatchObject(refused);
    expectBytes(await read(core, version), sampleBytes(100));
    expect(
      (await put(core, operators, sampleBytes(100), named('theirs'), 'd')).encryption?.kind,
    ).toBe('named');
    await changeKmsKey(core, 'theirs', { accountIds: null });
    expect((await putWith('b')).encryption?.kind).toBe('named');
  });

  it('are made at first use only if the operator named them, or nobody named any', async () => {
    const core = createMemoryCore();
    const bucket = await openTestBucket(core);
    await expect(put(core, bucket, sampleBytes(1), named('unknown'))).rejects.toEqual(
      code('KMS.NotFoundException'),
    );
    await expect(changeKmsKey(core, 'unknown', { isEnabled: true })).rejects.toEqual(
      code('KMS.NotFoundException'),
    );
    await expect(createKmsKey(core, 'no spaces')).rejects.toEqual(code('InvalidArgument'));
    await put(core, bucket, sampleBytes(1), named('seeded-key'));
    const { encryption } = await put(core, bucket, sampleBytes(1), named(null));
    expect(encryption).toMatchObject({ kind: 'named', keyId: 'alias/aws/s3' });
    const keys = await listKmsKeys(core, { after: '', limit: 10 });
    expect(keys.map(({ id }) => id)).toEqual(['alias/aws/s3', 'seeded-key']);
  });
});
