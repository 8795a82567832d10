// What a cap has to say of representations: nothing is looked up, read or made for a payer whose
// cap is reached, and where only caches may serve, what would have to be made first is not served.
import { beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createDerivedBodies,
  type StoredDerived,
} from '../../../src/adapters/shared/derived-bodies.ts';
import { createDecide } from '../../../src/core/auth/decide.ts';
import { createCapGuard } from '../../../src/core/caps/cap-guard.ts';
import { setCap } from '../../../src/core/caps/set-cap.ts';
import { HOSTING_DEFAULTS } from '../../../src/core/hosting/read-hosting.ts';
import { setHosting } from '../../../src/core/hosting/set-hosting.ts';
import { createUsageFlusher } from '../../../src/core/metering/flush-usage.ts';
import { hasCode } from '../../../src/domain/errors.ts';
import { createDelivery, type Delivery } from '../../../src/http/delivery/create-delivery.ts';
import { FailureWithHeaders } from '../../../src/http/failure-with-headers.ts';
import { PUBLIC_ACCESS } from '../../access-samples.ts';
import { bytesCap } from '../../core/caps/cap-samples.ts';
import {
  createMemoryCore,
  type MemoryCore,
  openTestBucket,
  putBytes,
  withPorts,
} from '../../core/memory-core.ts';
import { makeRequest } from '../s3/kit/make-request.ts';
import { deliverySettings } from './delivery-settings.ts';

const BR = { 'accept-encoding': 'br' };
const SIZE = 5000;
const MIB = 1024 * 1024;

let core: MemoryCore;
let delivery: Delivery;
/** What was done below memory. */
let looked: string[];
let made: string[];

/** `memoryMaxBytes` 0: nothing that is derived stays in memory. */
async function open(tier: 'edge' | 'bucket', memoryMaxBytes = 1_000_000): Promise<void> {
  const plain = createMemoryCore();
  const stored = new Map<string, StoredDerived>();
  looked = [];
  made = [];
  const store = {
    async get(name: string) {
      looked.push(name);
      return stored.get(name) ?? null;
    },
    put: async (name: string, bytes: StoredDerived) => void stored.set(name, bytes),
  };
  const limit = { concurrency: 1, waitingMax: 9, slotMs: 60_000 };
  const derived = createDerivedBodies({
    ...{
      tier,
      memoryMaxBytes,
      store,
      clock: plain.ports.clock,
      background: plain.ports.background,
      sharesWork: true,
    },
    limits: { coding: limit, image: limit },
    async derive(_source, recipe) {
      made.push(recipe.kind);
      return { bytes: new Uint8Array(100).fill(made.length), contentType: null };
    },
  });
  core = withPorts(plain, { derived });
  const bucket = await openTestBucket(core, 'shop');
  await bucket.call('setBucketAccess', { access: PUBLIC_ACCESS });
  await setHosting(core, bucket, { ...HOSTING_DEFAULTS, images: { sizes: 'any', maxSize: 500 } });
  await putBytes(core, bucket, 'cat.png', new Uint8Array(SIZE));
  await putBytes(core, bucket, 'page.html', new Uint8Array(SIZE));
  const flusher = createUsageFlusher(core, { source: 'test', intervalMs: 1 });
  const caps = createCapGuard(core, flusher, 'test', () => undefined);
  delivery = createDelivery(core, deliverySettings(), createDecide(), caps);
}

/** Status and bytes, or the code of the refusal. */
async function read(target: string, headers: Record<string, string> = {}, method = 'GET') {
  const request = makeRequest({ method, target: `/shop/${target}`, headers });
  try {
    const answer = await delivery.deliver(request, 'shop', target.replace(/\?.*/, ''), 'id');
    const { length } = new Uint8Array(await answer.arrayBuffer());
    await core.settle();
    return { status: answer.status, length, etag: answer.headers.get('etag') ?? '' };
  } catch (error) {
    const failure = error instanceof FailureWithHeaders ? error.failure : error;
    if (!hasCode(failure, 'UsageCapReached')) throw error;
    await core.settle();
    return { status: 'UsageCapReached' };
  }
}

/** A cap that is reached already, or from now on lets through what caches hold. */
async function cap(level: 'refused' | 'cached'): Promise<void> {
  const { ownerId } = (await openTestBucket(core, 'shop')).record();
  core.ports.meter
    .of({ accountId: ownerId, bucketId: null, accessKeyId: null })
    .count('B', 1_000, 'memory', 'STANDARD');
  await createUsageFlusher(core, { source: 'before', intervalMs: 1 }).flush();
  await setCap(
    core,
    ownerId,
    level === 'refused' ? bytesCap(1n) : bytesCap(90_000n, { cachedFromPercent: 1 }),
  );
  looked = [];
  made = [];
}

describe('a cap that is reached', () => {
  it.each(['edge', 'bucket'] as const)(
    'stops the making, with an %s below memory',
    async (tier) => {
      await open(tier);
      await cap('refused');
      for (const method of ['GET', 'HEAD']) {
        for (const target of ['cat.png?w=10', 'cat.png?w=11', 'cat.png', 'page.html']) {
          expect((await read(target, BR, method)).status, target).toBe('UsageCapReached');
        }
        expect(
          (
            await read(
              'page.html',
              { ...BR, 'if-range': '"x-br-00000000"', range: 'bytes=0-1' },
              method,
            )
          ).status,
        ).toBe('UsageCapReached');
      }
      expect([looked, made]).toEqual([[], []]);
    },
  );

  it('stops the making of what a reader goes on with', async () => {
    await open('bucket', 0);
    await read('page.html', BR);
    const { etag = '' } = await read('page.html', BR);
    expect(etag).toContain('-br-');
    await cap('refused');
    expect((await read('page.html', { ...BR, 'if-range': etag, range: 'bytes=0-1' })).status).toBe(
      'UsageCapReached',
    );
    expect([looked, made]).toEqual([[], []]);
  });
});

describe('a cap whose last byte is sent', () => {
  it('lets a HEAD of an image through, which sends none, and makes nothing for a GET', async () => {
    await open('bucket', 0);
    const { ownerId } = (await openTestBucket(core, 'shop')).record();
    // An image here is of 100 bytes.
    await setCap(core, ownerId, bytesCap(100n));
    expect(await read('cat.png?w=10')).toMatchObject({ status: 200, length: 100 });

    made = [];
    expect(await read('cat.png?w=11', {}, 'HEAD')).toMatchObject({ status: 200, length: 0 });
    expect(made).toEqual(['image']);
    expect((await read('cat.png?w=12')).status).toBe('UsageCapReached');
    expect(made).toEqual(['image']);
  });
});

describe('a cap with room for answers that go out at once', () => {
  it('serves each, also where one uses up what was granted to another meanwhile', async () => {
    const plain = createMemoryCore();
    const readPolicy = { opened: 0, open: () => {} };
    const isOpen = new Promise<void>((resolve) => {
      readPolicy.open = resolve;
    });
    const { blobStore } = plain.ports;
    core = withPorts(plain, {
      blobStore: {
        ...blobStore,
        async open(...input) {
          readPolicy.opened += 1;
          if (readPolicy.opened === 2) readPolicy.open();
          await isOpen;
          return blobStore.open(...input);
        },
      },
    });
    const bucket = await openTestBucket(core, 'shop');
    await bucket.call('setBucketAccess', { access: PUBLIC_ACCESS });
    for (const name of ['a', 'b']) await putBytes(core, bucket, name, new Uint8Array(2 * MIB));
    await setCap(core, bucket.record().ownerId, bytesCap(BigInt(5 * MIB)));
    const flusher = createUsageFlusher(core, { source: 'test', intervalMs: 1 });
    const caps = createCapGuard(core, flusher, 'test', () => undefined);
    delivery = createDelivery(core, deliverySettings(), createDecide(), caps);

    const first = read('a');
    await expect.poll(() => readPolicy.opened).toBe(1);
    const [one, other] = await Promise.all([first, read('b')]);
    expect([one.status, other.status]).toEqual([200, 200]);
  });
});

it('a reached cap lets nothing be opened, also where no other feature looks', async () => {
  await open('bucket');
  await cap('refused');
  const { blobStore } = core.ports;
  const calls = (['read', 'open', 'openRuns'] as const).map((name) => vi.spyOn(blobStore, name));
  expect((await read('page.html')).status).toBe('UsageCapReached');
  for (const call of calls) expect(call).not.toHaveBeenCalled();
});

describe('a cap that lets through what caches hold', () => {
  beforeEach(() => open('bucket'));

  it('gives what memory has, and makes nothing', async () => {
    await read('cat.png?w=10');
    await read('page.html', BR);
    await read('page.html', BR);
    await cap('cached');
    expect(await read('cat.png?w=10')).toMatchObject({ status: 200, length: 100 });
    expect(await read('page.html', BR)).toMatchObject({ status: 200, length: 100 });
    expect((await read('cat.png?w=11')).status).toBe('UsageCapReached');
    expect([looked, made]).toEqual([[], []]);
  });

  it('gives the object as it is where a variant would have to be made', async () => {
    await read('page.html');
    await cap('cached');
    for (let round = 0; round < 2; round++)
      expect(await read('page.html', BR)).toMatchObject({ status: 200, length: SIZE });
    expect([looked, made]).toEqual([[], []]);
  });

  it('gives what the edge has', async () => {
    await open('edge', 0);
    await read('cat.png?w=10');
    await cap('cached');
    expect(await read('cat.png?w=10')).toMatchObject({ status: 200, length: 100 });
    expect((await read('cat.png?w=11')).status).toBe('UsageCapReached');
    expect([looked.length, made]).toEqual([2, []]);
  });

  it('does not give what only the bucket below has', async () => {
    await open('bucket', 0);
    await read('cat.png?w=10');
    await cap('cached');
    expect((await read('cat.png?w=10')).status).toBe('UsageCapReached');
    expect([looked, made]).toEqual([[], []]);
  });
});

it('a cap that is far away stops nothing', async () => {
  await open('bucket');
  const { ownerId } = (await openTestBucket(core, 'shop')).record();
  await setCap(core, ownerId, bytesCap(1_000_000n));
  expect(await read('cat.png?w=10')).toMatchObject({ status: 200, length: 100 });
  expect(await read('page.html', BR)).toMatchObject({ status: 200, length: SIZE });
  expect(await read('page.html', BR)).toMatchObject({ status: 200, length: 100 });
  expect(made).toEqual(['image', 'coding']);
});
