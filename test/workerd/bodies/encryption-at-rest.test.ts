// What lies in R2 and KV for encrypted objects: no plain byte; and what was changed in R2 behind
// our back is refused.
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { pageOfOne } from '../../../src/adapters/cloudflare/durable-objects/pointer-pages.ts';
import { encodePage } from '../../../src/adapters/cloudflare/pointers/pointer-page.ts';
import { createBucket } from '../../../src/core/buckets/create-bucket.ts';
import type { CustomerKey, RequestedEncryption } from '../../../src/core/encryption/envelope.ts';
import { NO_EXPECTATION } from '../../../src/core/objects/body-expectation.ts';
import { putObject } from '../../../src/core/objects/put-object.ts';
import { getObject, openBody } from '../../../src/core/objects/read-object.ts';
import { openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { parseObjectKey } from '../../../src/core/parse-names.ts';
import type { BucketName } from '../../../src/domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import { sourceOf } from '../../contract/bodies.ts';
import { freshBucketName, PRIVATE, PUBLIC } from '../kit/bucket.ts';
import { createIsolate, type Isolate } from '../kit/isolate.ts';

const SECRET = 'the text that nobody may find in R2. ';
const SMALL = new TextEncoder().encode(SECRET);
const LARGE = new TextEncoder().encode(SECRET.repeat(40_000));
const MINE: CustomerKey = { bytes: new Uint8Array(32).fill(0xa5), md5: '' };
const SETTINGS = { QUAYSIDE_MASTER_KEY: '0123456789abcdef'.repeat(4) };

const REQUESTED: Readonly<Record<string, RequestedEncryption>> = {
  own: { kind: 'customer', key: MINE },
  server: { kind: 'server' },
  named: { kind: 'named', keyId: null, isDoubled: true, isBucketKey: false, context: null },
};

const isolate = () => createIsolate({ settings: SETTINGS });

async function fill(): Promise<BucketName> {
  const { core } = isolate();
  const name = freshBucketName();
  await createBucket(core, ROOT_ACCOUNT, name, PRIVATE);
  const bucket = await openBucket(core, name, () => undefined);
  await bucket.call('setBucketAccess', { access: PUBLIC });
  for (const [requested, encryption] of Object.entries(REQUESTED)) {
    for (const [size, bytes] of [
      ['small', SMALL],
      ['large', LARGE],
    ] as const) {
      await putObject(core, bucket, {
        key: parseObjectKey(`${requested}-${size}`),
        attributes: { headers: {}, userMetadata: {}, storageClass: 'STANDARD' },
        body: sourceOf(bytes),
        expectation: NO_EXPECTATION,
        condition: null,
        encryption,
      });
    }
  }
  return name;
}

async function read({ core }: Isolate, bucketName: BucketName, name: string): Promise<string> {
  const bucket = await openBucket(core, bucketName, () => undefined);
  const version = await getObject(bucket, parseObjectKey(name));
  const whole = { offsetBytes: 0, lengthBytes: version.sizeBytes };
  const { body } = await openBody(core, version, whole, name.startsWith('own') ? MINE : null);
  return new Response(body as BodyInit).text();
}

/** What R2 holds for a bucket. */
async function storedBlobs(name: BucketName) {
  const { objects } = await env.BLOBS.list({ prefix: `b/${name}~`, include: ['customMetadata'] });
  return Promise.all(
    objects.map(async ({ key, customMetadata }) => {
      const bytes = new Uint8Array(
        (await (await env.BLOBS.get(key))?.arrayBuffer()) ?? new ArrayBuffer(),
      );
      return { key, customMetadata, bytes };
    }),
  );
}

const textOf = (bytes: Uint8Array) => new TextDecoder('latin1').decode(bytes);

describe('encrypted objects on Cloudflare', () => {
  it('are encrypted in R2 and in what the public reads from KV', async () => {
    const name = await fill();
    const reader = isolate();
    for (const key of Object.keys(REQUESTED).flatMap((requested) => [
      `${requested}-small`,
      `${requested}-large`,
    ])) {
      const wanted = key.endsWith('small') ? SECRET : SECRET.repeat(40_000);
      expect((await read(reader, name, key)) === wanted).toBe(true);
      const answer = await reader.fetch(`http://files.example/${name}/${key}`);
      if (key.startsWith('own')) expect(answer.status).toBe(400);
      else expect([answer.status, (await answer.text()) === wanted]).toEqual([200, true]);
      await reader.settle();
    }
    const blobs = await storedBlobs(name);
    expect(blobs).toHaveLength(3);
    for (const { bytes } of blobs) {
      expect(bytes.length).toBeGreaterThan(LARGE.length);
      expect(textOf(bytes)).not.toContain(SECRET.slice(0, 12));
    }
    // What a place gets, and KV where the bucket's pages are there.
    for (const key of ['own-small', 'server-small', 'named-small'].map(parseObjectKey)) {
      const { bucket, object } = await reader.core.ports.metadataIndex.call(name, 'resolve', {
        name,
        key,
      });
      if (bucket === null || object === null) throw new Error('not found');
      const stamp = { feedId: 'feed', sequence: 1, readAtMs: 0 };
      const text = encodePage(pageOfOne(bucket, key, object, stamp));
      expect(text).toContain('wrappedKey');
      for (const plain of [SECRET, SMALL.toBase64()])
        expect(text).not.toContain(plain.slice(0, 12));
    }
  });

  it('are refused where a bit of a blob was flipped', async () => {
    const name = await fill();
    for (const { key, customMetadata, bytes } of await storedBlobs(name)) {
      bytes[70_000] = (bytes[70_000] ?? 0) ^ 1;
      await env.BLOBS.put(key, bytes, { customMetadata: customMetadata ?? {} });
    }
    for (const requested of Object.keys(REQUESTED)) {
      const begun = read(isolate(), name, `${requested}-large`);
      await expect(begun).rejects.toThrow();
      expect(await read(isolate(), name, `${requested}-small`)).toBe(SECRET);
    }
  });

  it('need a master key, and the answer says so', async () => {
    const name = await fill();
    const without = createIsolate();
    await expect(read(without, name, 'server-large')).rejects.toMatchObject({
      code: 'ServiceUnavailable',
    });
    const answer = await without.fetch(`http://files.example/${name}/server-large`);
    expect([answer.status, await answer.text()]).toEqual([
      503,
      expect.stringContaining('QUAYSIDE_MASTER_KEY'),
    ]);
    expect(await read(without, name, 'own-small')).toBe(SECRET);
  });

  it('need the master key that encrypted them, and the answer names it', async () => {
    const name = await fill();
    const { core } = isolate();
    const other = createIsolate({ settings: { QUAYSIDE_MASTER_KEY: 'f'.repeat(64) } });
    const answer = await other.fetch(`http://files.example/${name}/server-large`);
    const missing = expect.stringContaining(`master key ${core.settings.masterKeys[0]?.id}`);
    expect([answer.status, await answer.text()]).toEqual([503, missing]);
  });
});
