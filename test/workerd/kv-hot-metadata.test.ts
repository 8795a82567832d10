import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import {
  decodeGate,
  decodePointer,
  encodeGate,
  encodePointer,
  gateName,
  pointerName,
} from '../../src/adapters/cloudflare/hot-records.ts';
import { createKvHotMetadata } from '../../src/adapters/cloudflare/kv-hot-metadata.ts';
import { createMemoryHotMetadata } from '../../src/adapters/shared/memory-hot-metadata.ts';
import { makeBucketId } from '../../src/core/buckets/blob-home.ts';
import { type CorsRule, NO_SETTINGS } from '../../src/ports/bucket-settings.ts';
import type { BucketGate, BucketName, ObjectKey, Pointer, VersionId } from '../../src/ports/domain.ts';
import { toGateSettings } from '../../src/ports/pointer.ts';
import type { Log } from '../../src/ports/system.ts';
import { hotMetadataContract } from '../contract/hot-metadata.contract.ts';
import { counting } from './counting.ts';

const log: Log = { info() {}, error() {} };
const FRESH_SECONDS = 5;

/** A hot metadata as a new isolate has it, with a clock of its own and counted calls. */
function isolate(kv: KVNamespace = env.HOT) {
  const clock = { ms: 1_750_000_000_000, nowMs: () => clock.ms };
  const memory = createMemoryHotMetadata({
    clock,
    maxEntries: 1000,
    maxBytes: 1_000_000,
    negativeFreshSeconds: 2,
    maxAgeSeconds: FRESH_SECONDS,
  });
  const counted = counting(kv);
  return { hot: createKvHotMetadata(counted.target, memory, log), calls: counted.calls, clock };
}

hotMetadataContract({ name: 'memory before KV', make: () => isolate().hot });

const CORS_RULE: CorsRule = {
  id: 'ü',
  allowedMethods: ['GET'],
  allowedOrigins: ['https://*.example'],
  allowedHeaders: ['*'],
  exposeHeaders: [],
  maxAgeSeconds: 60,
};

let made = 0;
const freshBucket = () => `kv-${Date.now().toString(36)}-${++made}` as BucketName;
const key = 'ä//../😀' as ObjectKey;

function gateOf(bucket: BucketName, acl: 'public-read' | 'private' = 'public-read', life = 'life1'): BucketGate {
  return {
    bucketId: makeBucketId(bucket, life),
    revision: 1,
    access: { acl, policyJson: null, policyPublicPrefixes: [] },
    settings: toGateSettings(NO_SETTINGS),
  };
}
function pointerOf(etag: string): Pointer {
  return {
    key,
    ownerId: null,
    acl: null,
    encryption: null,
    versionId: 'v1' as VersionId,
    isNull: true,
    sizeBytes: 3,
    etag,
    lastModifiedMs: 1_700_000_000_000,
    headers: { contentType: 'text/plain' },
    userMetadata: { a: 'ü' },
    storageClass: 'STANDARD',
    segments: [],
    inlineBytes: new Uint8Array([0, 128, 255]),
  };
}
async function publish(bucket: BucketName, gate: BucketGate | null, pointer: Pointer | null, ofLife?: BucketGate) {
  const bucketId = (ofLife ?? gate)?.bucketId ?? null;
  await env.HOT.put(gateName(bucket), encodeGate({ sequence: 1, gate }));
  await env.HOT.put(pointerName(bucket, key), encodePointer({ sequence: 1, bucketId, pointer }));
}

describe('KV hot metadata', () => {
  it('asks KV once for a cold key, with one bulk read, and not at all while memory is fresh', async () => {
    const bucket = freshBucket();
    await publish(bucket, gateOf(bucket), pointerOf('e1'));
    const { hot, calls, clock } = isolate();
    const cold = await hot.get(bucket, key);
    expect(cold).toEqual({
      gate: { value: gateOf(bucket), tier: 'kv', ageSeconds: 0 },
      pointer: { value: pointerOf('e1'), tier: 'kv', ageSeconds: 0 },
    });
    clock.ms += FRESH_SECONDS * 1000 - 1;
    const warm = hot.get(bucket, key);
    expect(warm).not.toBeInstanceOf(Promise);
    expect(warm).toMatchObject({ pointer: { value: pointerOf('e1'), tier: 'memory' } });
    expect(calls).toEqual({ get: 1 });
  });

  it('gives nothing older than the bound from memory', async () => {
    const bucket = freshBucket();
    await publish(bucket, gateOf(bucket), pointerOf('old'));
    const { hot, calls, clock } = isolate();
    await hot.get(bucket, key);
    await publish(bucket, gateOf(bucket), pointerOf('new'));
    clock.ms += FRESH_SECONDS * 1000;
    expect((await hot.get(bucket, key)).pointer).toMatchObject({ value: { etag: 'new' }, tier: 'kv' });
    expect(calls).toEqual({ get: 2 });
  });

  it('never makes one half younger by reading the other', async () => {
    const bucket = freshBucket();
    await publish(bucket, gateOf(bucket), pointerOf('e1'));
    const { hot, clock } = isolate();
    await hot.get(bucket, key);
    hot.evict(bucket, [key]);
    clock.ms += (FRESH_SECONDS - 1) * 1000;
    expect(await hot.get(bucket, key)).toMatchObject({
      gate: { tier: 'memory', ageSeconds: 4 },
      pointer: { tier: 'kv' },
    });
    clock.ms += 1000;
    expect((await hot.get(bucket, key)).gate?.tier).toBe('kv');
  });

  it('takes a pointer only for the life of the bucket that the gate names', async () => {
    const bucket = freshBucket();
    await publish(bucket, gateOf(bucket, 'public-read', 'life2'), pointerOf('dead'), gateOf(bucket));
    const { hot } = isolate();
    expect(await hot.get(bucket, key)).toMatchObject({ gate: { tier: 'kv' }, pointer: null });
  });

  it('knows deleted keys and deleted buckets from KV', async () => {
    const bucket = freshBucket();
    await publish(bucket, gateOf(bucket), null);
    expect((await isolate().hot.get(bucket, key)).pointer).toMatchObject({ value: null, tier: 'kv' });
    await publish(bucket, null, pointerOf('dead'), gateOf(bucket));
    expect(await isolate().hot.get(bucket, key)).toMatchObject({
      gate: { value: null, tier: 'kv' },
      pointer: { value: null },
    });
  });

  it('asks KV nothing more about a bucket that it knows to be closed', async () => {
    const bucket = freshBucket();
    await publish(bucket, gateOf(bucket, 'private'), pointerOf('e1'));
    const { hot, calls } = isolate();
    hot.fill(bucket, 'other' as ObjectKey, { gate: gateOf(bucket, 'private'), pointer: null }, hot.ticket());
    expect(hot.get(bucket, key)).toMatchObject({ gate: { value: gateOf(bucket, 'private') }, pointer: null });
    expect(calls).toEqual({});
  });

  it('takes what it cannot read for a miss', async () => {
    const bucket = freshBucket();
    for (const text of ['', 'x', '{"v":3,"s":1,"g":null}', '[]', 'null', '7']) {
      await env.HOT.put(gateName(bucket), text);
      expect(await isolate().hot.get(bucket, key)).toEqual({ gate: null, pointer: null });
    }
  });

  it('is a miss when KV fails', async () => {
    const failing = { get: () => Promise.reject(new Error('expected by the test')) } as unknown as KVNamespace;
    expect(await isolate(failing).hot.get(freshBucket(), key)).toEqual({ gate: null, pointer: null });
  });

  it('has a name that KV takes for every key', async () => {
    const bucket = 'b'.repeat(63) as BucketName;
    const keys = ['.', '..', '/', 'ü'.repeat(400), '\u0000', `${'x'.repeat(1023)}a`, `${'x'.repeat(1023)}b`];
    const names = keys.map((text) => pointerName(bucket, text as ObjectKey));
    expect(new Set(names).size).toBe(keys.length);
    for (const [at, name] of names.entries()) await env.HOT.put(name, `${at}`);
    const found = await env.HOT.get(names, 'text');
    expect([...found.values()]).toEqual(keys.map((_, at) => `${at}`));
    expect(names.at(-1)).not.toContain('x'.repeat(100));
  });

  it('reads a gate of the version that knew no settings as one of a bucket without', () => {
    const gate = gateOf('b' as BucketName);
    const { settings: _none, ...old } = gate;
    expect(decodeGate(JSON.stringify({ v: 1, s: 7, g: old }))).toEqual({ sequence: 7, gate });
  });

  it('keeps a gate exactly, with its settings', () => {
    const cors = [{ ...CORS_RULE }];
    const record = { sequence: 1, gate: { ...gateOf('b' as BucketName), settings: { ...NO_SETTINGS, cors } } };
    expect(decodeGate(encodeGate(record))).toEqual(record);
  });

  it('keeps a pointer exactly, also with segments and no inline bytes', () => {
    const bucketId = makeBucketId('b' as BucketName, 'r');
    const segments = [{ blobId: 'b~r/1', offsetBytes: 5, lengthBytes: 2 ** 40 }];
    const pointer = { ...pointerOf('e'), segments, inlineBytes: null } as unknown as Pointer;
    const record = { sequence: 2 ** 40, bucketId, pointer };
    expect(decodePointer(encodePointer(record))).toEqual(record);
  });
});
