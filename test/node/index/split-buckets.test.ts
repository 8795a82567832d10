// A bucket that is split while it fills, on Node with two threads: reads, lists and deletions by
// each thread are those of one index, and so is the end of the bucket.
import { AwsClient } from 'aws4fetch';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readShardMap, shardsWithKeys } from '../../../src/index/router/shard-map.ts';
import { openTestBucket, putBytes } from '../../core/memory-core.ts';
import { connectionClient } from '../kit/connection-client.ts';
import { ROOT, startThreadedPlatform, type ThreadedPlatform } from '../kit/threaded-platform.ts';

const OBJECTS = 250;
const ROWS = 50;
const nameOf = (at: number) => `f${at % 7}/k${String(at).padStart(4, '0')}`;
const NAMES = Array.from({ length: OBJECTS }, (_, at) => nameOf(at)).toSorted();

let platform: ThreadedPlatform;
const THREADS = [0, 1];
const aws = new AwsClient({ ...ROOT, service: 's3', region: 'auto' });

beforeAll(async () => {
  platform = await startThreadedPlatform({ QUAYSIDE_SHARD_ROWS: `${ROWS}` });
});
afterAll(() => platform.close());

/** A signed request to that thread, by a connection of its own. */
async function send(thread: number, method: string, path: string) {
  const headers = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
  const request = await aws.sign(`${platform.url}${path}`, { method, headers });
  const signed = Object.fromEntries([...request.headers].filter(([name]) => name !== 'host'));
  const client = connectionClient(await platform.connectTo(thread));
  const response = await client.send(method, path, signed);
  client.close();
  return response;
}

const textsOf = (xml: string, element: string) =>
  [...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g'))].map(([, text]) => text);

it('a bucket is split as it fills, and nobody notices', { timeout: 60_000 }, async () => {
  const bucket = await openTestBucket(platform.core, 'filling');
  const { name } = bucket.record();
  for (let from = 0; from < OBJECTS; from += 50) {
    const some = Array.from({ length: 50 }, (_, at) => nameOf(from + at));
    await Promise.all(
      some.map((key) => putBytes(platform.core, bucket, key, new TextEncoder().encode(key))),
    );
  }
  const shards = async () =>
    shardsWithKeys((await readShardMap(platform.core.ports.metadataIndex, name)) ?? ([] as never));
  await expect.poll(async () => (await shards()).length, { timeout: 20_000 }).toBeGreaterThan(3);

  for (const thread of THREADS) {
    const all = await send(thread, 'GET', '/filling?list-type=2');
    expect(textsOf(all.body.toString(), 'Key')).toEqual(NAMES);
    const folders = await send(thread, 'GET', '/filling?list-type=2&delimiter=%2F');
    expect(textsOf(folders.body.toString(), 'Prefix').filter((text) => text !== '')).toEqual(
      Array.from({ length: 7 }, (_, at) => `f${at}/`),
    );
    for (const key of [NAMES[0], NAMES[119], NAMES[249]]) {
      const read = await send(thread, 'GET', `/filling/${key}`);
      expect([read.status, read.body.toString()]).toEqual([200, key]);
    }
    expect((await send(thread, 'GET', '/filling/none')).status).toBe(404);
  }
  expect((await send(0, 'DELETE', '/filling')).status).toBe(409);
  for (const [at, key] of NAMES.entries()) {
    const { status } = await send(at % 2, 'DELETE', `/filling/${key}`);
    expect(status).toBe(204);
    const seen = await send(1 - (at % 2), 'HEAD', `/filling/${key}`);
    expect(seen.status).toBe(404);
  }
  expect((await send(1, 'DELETE', '/filling')).status).toBe(204);
  expect((await send(0, 'HEAD', '/filling')).status).toBe(404);
});
