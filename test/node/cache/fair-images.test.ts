// A flood of images of one account, over TCP: those of another are made all the same, and soon.
import { request } from 'node:http';
import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { type NodeBindings, serve } from '../../../src/adapters/node/serve.ts';
import { readRequest } from '../../../src/adapters/node/server/http-request.ts';
import { createDerivedBodies } from '../../../src/adapters/shared/derived-bodies.ts';
import { createApp } from '../../../src/app.ts';
import { parseConfig } from '../../../src/config.ts';
import { createBucket } from '../../../src/core/buckets/create-bucket.ts';
import { HOSTING_DEFAULTS } from '../../../src/core/hosting/read-hosting.ts';
import { setHosting } from '../../../src/core/hosting/set-hosting.ts';
import { openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { parseBucketName } from '../../../src/core/parse-names.ts';
import { PRIVATE_ACCESS } from '../../../src/domain/bucket-access.ts';
import type { Account, AccountId } from '../../../src/domain/nouns.ts';
import { PUBLIC_ACCESS } from '../../access-samples.ts';
import { ATTRIBUTES, createMemoryCore, putBytes, withPorts } from '../../core/memory-core.ts';

const WAITING_MAX = 16;
const accountOf = (letter: string): Account => ({
  id: letter.repeat(64) as AccountId,
  displayName: letter,
});

/** A server that makes an image when the test says so. */
async function start() {
  const plain = createMemoryCore();
  const making: { readonly width: number | null; finish(): void }[] = [];
  /** Widths that were looked for; what is looked for in vain waits to be made at once. */
  const asked = new Set<number>();
  const limit = { concurrency: 1, waitingMax: WAITING_MAX, slotMs: 60_000 };
  const derived = createDerivedBodies({
    tier: 'bucket',
    memoryMaxBytes: 1_000_000,
    store: {
      get: async (name) => {
        const [, width] = /w(\d+)/.exec(name.split(';').at(-1) ?? '') ?? [];
        asked.add(Number(width));
        return null;
      },
      put: async () => {},
    },
    derive: (_source, recipe) =>
      new Promise((resolve) => {
        const width = recipe.kind === 'image' ? recipe.widthPx : null;
        making.push({
          width,
          finish: () => resolve({ bytes: new Uint8Array(1), contentType: 'image/png' }),
        });
      }),
    clock: plain.ports.clock,
    background: plain.ports.background,
    limits: { coding: limit, image: limit },
    sharesWork: true,
  });
  const core = withPorts(plain, { derived });
  for (const letter of ['a', 'b']) {
    const name = parseBucketName(`images-of-${letter}`);
    await createBucket(core, accountOf(letter), name, PRIVATE_ACCESS);
    await (await openBucket(core, name, () => undefined)).call('setBucketAccess', {
      access: PUBLIC_ACCESS,
    });
    const bucket = await openBucket(core, name, () => undefined);
    await setHosting(core, bucket, { ...HOSTING_DEFAULTS, images: { sizes: 'any', maxSize: 500 } });
    const attributes = { ...ATTRIBUTES, headers: { contentType: 'image/png' } };
    await putBytes(core, bucket, 'photo.png', new Uint8Array(10), { attributes });
  }
  const config = { ...parseConfig({}), ...core.settings };
  const app = createApp<NodeBindings>(core.ports, config, ({ env }) => readRequest(env));
  const { log } = core.ports;
  const server = await serve(app.fetch, { host: '127.0.0.1', port: 0, log });
  onTestFinished(() => server.close(0).then(() => undefined));
  const { port } = new URL(server.url);
  const statuses: (number | undefined)[] = [];
  const get = (letter: string, width: number, localAddress: string) =>
    new Promise<number | undefined>((resolve, reject) => {
      const path = `/images-of-${letter}/photo.png?w=${width}`;
      const sent = request(
        { host: '127.0.0.1', port, path, localAddress, agent: false },
        (response) => {
          response.resume();
          statuses.push(response.statusCode);
          resolve(response.statusCode);
        },
      );
      sent.on('error', reject).end();
    });
  return { get, making, statuses, asked };
}

it('another account waits for one image of a flood, not for all, and is not refused', async () => {
  const { get, making, statuses, asked } = await start();
  // One is made, as many wait as may of a bucket, and the others are turned away.
  const flood = Array.from({ length: 40 }, (_, at) => get('a', at + 1, `127.0.1.${at % 8}`));
  await expect
    .poll(() => [making.length, statuses.length])
    .toEqual([1, 40 - 1 - (WAITING_MAX * 3) / 4]);
  const others = [get('b', 400, '127.0.0.2'), get('b', 401, '127.0.0.2')];
  let isAnswered = false;
  const answered = Promise.all(others).finally(() => {
    isAnswered = true;
  });
  await expect.poll(() => asked.has(400) && asked.has(401)).toBe(true);
  let made = 0;
  while (!isAnswered) {
    const image = making.shift();
    if (image !== undefined) made += 1;
    image?.finish();
    await nextTick();
  }
  expect(await answered).toEqual([200, 200]);
  expect(made).toBeLessThanOrEqual(6);
  while (statuses.length < 42) {
    for (const image of making.splice(0)) image.finish();
    await nextTick();
  }
  await Promise.all(flood);
  expect(statuses.filter((status) => status === 503)).toHaveLength(27);
});
