// Read policies and pointers as records of KV: their names, and what comes back of them.
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import {
  decodePointer,
  decodeReadPolicy,
  encodePointer,
  encodeReadPolicy,
  pointerName,
} from '../../../src/adapters/cloudflare/kv/hot-records.ts';
import { type CorsRule, NO_SETTINGS } from '../../../src/domain/bucket-settings.ts';
import type { BucketName, ObjectKey, Pointer } from '../../../src/domain/nouns.ts';
import { makeBucketId } from '../../../src/domain/owner-bucket.ts';
import { pointerOf, readPolicyOf } from '../../contract/pointer-samples.ts';

const CORS_RULE: CorsRule = {
  id: 'ü',
  allowedMethods: ['GET'],
  allowedOrigins: ['https://*.example'],
  allowedHeaders: ['*'],
  exposeHeaders: [],
  maxAgeSeconds: 60,
};

const key = 'ä//../😀' as ObjectKey;

describe('records in KV', () => {
  const stamp = { sequence: 2 ** 40, atMs: 1_750_000_000_000, untilMs: 1_750_000_120_000 };

  it('have a name that KV takes for every key', async () => {
    const bucket = 'b'.repeat(63) as BucketName;
    const keys = [
      '.',
      '..',
      '/',
      'ü'.repeat(400),
      '\u0000',
      `${'x'.repeat(1023)}a`,
      `${'x'.repeat(1023)}b`,
    ];
    const names = keys.map((text) => pointerName(bucket, text as ObjectKey));
    expect(new Set(names).size).toBe(keys.length);
    for (const [at, name] of names.entries()) await env.HOT.put(name, `${at}`);
    const found = await env.HOT.get(names, 'text');
    expect([...found.values()]).toEqual(keys.map((_, at) => `${at}`));
    expect(names.at(-1)).not.toContain('x'.repeat(100));
  });

  it('keep a readPolicy exactly, with its settings', () => {
    const cors = [CORS_RULE];
    const record = {
      ...stamp,
      readPolicy: { ...readPolicyOf('b' as BucketName), settings: { ...NO_SETTINGS, cors } },
    };
    expect(decodeReadPolicy(encodeReadPolicy(record))).toEqual(record);
  });

  it('keep a pointer exactly, also with segments and no inline bytes', () => {
    const bucketId = makeBucketId('b' as BucketName, 'r');
    const segments = [{ blobId: 'b~r/1', offsetBytes: 5, lengthBytes: 2 ** 40 }];
    const pointer = { ...pointerOf(key, 'e'), segments, inlineBytes: null } as unknown as Pointer;
    const record = { ...stamp, bucketId, revision: 7, pointer };
    expect(decodePointer(encodePointer(record))).toEqual(record);
  });
});
