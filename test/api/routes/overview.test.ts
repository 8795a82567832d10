// What the first page of a console costs: every page of it asks for the account at a glance.
import { beforeAll, describe, expect, it } from 'vitest';
import { openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { parseBucketName } from '../../../src/core/parse-names.ts';
import type { Ports } from '../../../src/ports/index.ts';
import { putBytes, sampleBytes } from '../../core/memory-core.ts';
import { startMemoryApi } from '../memory-api.ts';

const BUCKETS = 100;
/** Buckets that startMemoryApi makes, and the bytes in each. */
const FIRST_BUCKETS = 2;
const FIRST_BYTES = BigInt('note.txt'.length + 2 * 'photos/1.jpg'.length);

async function startCountedApi() {
  let indexCalls = 0;
  const count = (ports: Ports): Ports => ({
    ...ports,
    metadataIndex: {
      ...ports.metadataIndex,
      call(bucket, name, input) {
        indexCalls += 1;
        return ports.metadataIndex.call(bucket, name, input);
      },
    },
  });
  const api = await startMemoryApi(undefined, count);
  const headers = { 'content-type': 'application/json' };
  const make = (name: string) =>
    api.send({ method: 'POST', path: '/buckets', headers, body: JSON.stringify({ name }) });

  /** Asks for the account at a glance, and counts what that asks of buckets. */
  async function glance() {
    indexCalls = 0;
    const { status, json } = await api.send({
      method: 'GET',
      path: '/overview',
      headers: {},
      body: null,
    });
    expect(status).toBe(200);
    const { buckets, stored } = json;
    return { indexCalls, count: buckets.count, bytes: BigInt(stored.current.bytes) };
  }

  async function put(bucket: string, key: string, sizeBytes: number): Promise<void> {
    const opened = await openBucket(api.core, parseBucketName(bucket), () => undefined);
    await putBytes(api.core, opened, key, sampleBytes(sizeBytes));
  }

  return { api, make, glance, put };
}

describe('an account of many buckets at a glance', () => {
  let counted: Awaited<ReturnType<typeof startCountedApi>>;
  const known = BigInt(FIRST_BUCKETS) * FIRST_BYTES;

  beforeAll(async () => {
    counted = await startCountedApi();
    for (let at = FIRST_BUCKETS; at < BUCKETS; at++) await counted.make(`many-${at}`);
  });

  it('asks each bucket once, and no bucket again for page after page', async () => {
    expect(await counted.glance()).toEqual({ indexCalls: 2 * BUCKETS, count: 100, bytes: known });
    for (let page = 0; page < 5; page++)
      expect(await counted.glance()).toEqual({ indexCalls: 0, count: 100, bytes: known });
  });

  it('asks a bucket that is new, and counts none that is gone', async () => {
    await counted.make('many-extra');
    await counted.put('many-extra', 'k', 5);
    expect(await counted.glance()).toMatchObject({ indexCalls: 0, count: 101 });
    const path = '/buckets/many-50';
    await counted.api.send({ method: 'DELETE', path, headers: {}, body: null });
    const one = await counted.glance();
    expect(one).toEqual({ indexCalls: 2, count: 100, bytes: known + 5n });
  });

  it('is half a minute old at most', async () => {
    await counted.put('many-60', 'k', 7);
    counted.api.core.advanceSeconds(30);
    const fresh = await counted.glance();
    expect(fresh).toEqual({ indexCalls: 2 * BUCKETS, count: 100, bytes: known + 12n });
  });
});

it('the overview of few buckets is exact', async () => {
  const { glance, put } = await startCountedApi();
  const before = await glance();
  await put('fuzz-bucket-one', 'more', 9);
  expect(await glance()).toEqual({
    indexCalls: 2 * FIRST_BUCKETS,
    count: FIRST_BUCKETS,
    bytes: before.bytes + 9n,
  });
});
