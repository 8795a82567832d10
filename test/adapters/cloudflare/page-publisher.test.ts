// When the publisher writes a page to KV, and what a KV that fails or is slow does to it.
import { expect, it } from 'vitest';
import { createPagePublisher } from '../../../src/adapters/cloudflare/durable-objects/page-publisher.ts';
import {
  decodePage,
  kvPageName,
  PAGE_MAX_AGE_SECONDS,
  type PointerPage,
} from '../../../src/adapters/cloudflare/pointers/pointer-page.ts';
import type { BucketId, BucketName, ObjectKey } from '../../../src/domain/nouns.ts';

const bucket = 'published' as BucketName;
const pageOf = (from: string, sequence = 1): PointerPage => ({
  feedId: 'feed',
  sequence,
  readAtMs: 1_750_000_000_000,
  bucketId: 'id' as BucketId,
  revision: 1,
  from: from as ObjectKey,
  to: null,
  pointers: new Map(),
});

function makePublisher(behave: () => Promise<void> = async () => undefined) {
  const clock = { ms: 1_750_000_000_000, nowMs: () => clock.ms };
  const puts: [name: string, sequence: number | undefined, ttl: number][] = [];
  const failures: string[] = [];
  const put = async (name: string, text: string, options: { expirationTtl: number }) => {
    puts.push([name, decodePage(text)?.sequence, options.expirationTtl]);
    await behave();
  };
  const publisher = createPagePublisher({
    bucket,
    kv: { put } as never,
    clock,
    log: { info: () => undefined, error: (event) => void failures.push(event) },
  });
  const sequences = () => puts.map(([, sequence]) => sequence);
  return { publisher, clock, puts, failures, sequences };
}

it('a page is written when it is read a second time, and again if that did not help', async () => {
  const { publisher, clock, puts, sequences } = makePublisher();
  publisher.offer(pageOf(''));
  expect(publisher.isDue()).toBe(false);
  publisher.offer(pageOf(''));
  expect(publisher.isDue()).toBe(true);
  await publisher.drain();
  expect(puts).toEqual([[kvPageName(bucket, ''), 1, PAGE_MAX_AGE_SECONDS]]);
  clock.ms += 29_999;
  publisher.offer(pageOf('', 2));
  expect(publisher.isDue()).toBe(false);
  clock.ms += 1;
  publisher.offer(pageOf('', 3));
  await publisher.drain();
  expect(sequences()).toEqual([1, 3]);
});

it('the publisher writes the last state of what waits, some at a time', async () => {
  let running = 0;
  let most = 0;
  const { publisher, sequences } = makePublisher(async () => {
    running += 1;
    most = Math.max(most, running);
    await new Promise((resolve) => setTimeout(resolve, 1));
    running -= 1;
  });
  for (const sequence of [1, 2, 3])
    for (let at = 0; at < 20; at++) publisher.offer(pageOf(`k${at}`, sequence));
  await Promise.all([publisher.drain(), publisher.drain()]);
  expect(sequences()).toEqual(Array.from({ length: 20 }, () => 3));
  expect(most).toBe(6);
  expect(publisher.isDue()).toBe(false);
});

it('the publisher keeps no more waiting than it can write soon', async () => {
  const { publisher, puts } = makePublisher();
  for (let round = 0; round < 2; round++)
    for (let at = 0; at < 2000; at++) publisher.offer(pageOf(`k${at}`));
  await publisher.drain();
  expect(puts.length).toBe(256);
});

it('the publisher goes on when KV fails', async () => {
  const { publisher, clock, sequences, failures } = makePublisher(() =>
    Promise.reject(new Error('expected by the test')),
  );
  for (const sequence of [1, 2]) publisher.offer(pageOf('', sequence));
  await publisher.drain();
  clock.ms += 30_000;
  publisher.offer(pageOf('', 3));
  await publisher.drain();
  expect(sequences()).toEqual([2, 3]);
  expect(failures).toEqual(['publish-failed', 'publish-failed']);
});
