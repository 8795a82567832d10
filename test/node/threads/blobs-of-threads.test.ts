// Blobs that another thread than the first writes and gives up again: one thread deletes.
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { AwsClient } from 'aws4fetch';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { PUBLIC_ACCESS } from '../../access-samples.ts';
import { openTestBucket, putBytes } from '../../core/memory-core.ts';
import { connectionClient } from '../kit/connection-client.ts';
import { ROOT, startThreadedPlatform, type ThreadedPlatform } from '../kit/threaded-platform.ts';

// It starts two threads, which takes seconds on a busy machine.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const BUCKET = 'blobs-of-threads';
/** Too large for the index. */
const BODY = Buffer.alloc(3_000_000, 'quayside');

let platform: ThreadedPlatform;
beforeAll(async () => {
  platform = await startThreadedPlatform();
});
afterAll(() => platform.close());

/** Files below a folder of the data folder. */
function filesIn(name: string): string[] {
  const entries = readdirSync(join(platform.dataDir, name), {
    recursive: true,
    withFileTypes: true,
  });
  return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

it('blobs of another thread are written, and deleted when their commit is refused', async () => {
  const bucket = await openTestBucket(platform.core, BUCKET);
  await putBytes(platform.core, bucket, 'object', BODY);
  const [first] = filesIn('blobs');
  expect(filesIn('blobs')).toEqual([first]);

  const aws = new AwsClient({ ...ROOT, service: 's3', region: 'auto' });
  const client = connectionClient(await platform.connectTo(1));
  const put = async (key: string, headers: Record<string, string>) => {
    const url = `${platform.url}/${BUCKET}/${key}`;
    const hash = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' };
    const signed = await aws.sign(url, { method: 'PUT', headers: { ...hash, ...headers } });
    return client.send('PUT', `/${BUCKET}/${key}`, Object.fromEntries(signed.headers), BODY);
  };
  expect((await put('object', { 'if-none-match': '*' })).status).toBe(412);
  await expect.poll(() => filesIn('blobs')).toEqual([first]);
  expect((await put('other', { 'if-none-match': '*' })).status).toBe(200);
  expect(filesIn('blobs')).toHaveLength(2);
  expect(filesIn('tmp')).toEqual([]);
  client.close();
});

/** Descriptors of this process, which are those of all its threads, by what they lead to. */
function openBlobs(): string[] {
  const leadsTo = (fd: string) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`);
    } catch {
      // Closed meanwhile.
      return '';
    }
  };
  const blobs = join(platform.dataDir, 'blobs');
  return readdirSync('/proc/self/fd')
    .map(leadsTo)
    .filter((path) => path.startsWith(blobs));
}

it.runIf(process.platform === 'linux')(
  'blobs are closed by each thread that has read them once one deletes them',
  async () => {
    const bucket = await openTestBucket(platform.core, 'read-by-threads');
    await bucket.call('setBucketAccess', { access: PUBLIC_ACCESS });
    const before = filesIn('blobs');
    await putBytes(platform.core, bucket, 'kept', BODY);
    await putBytes(platform.core, bucket, 'deleted', Buffer.from(BODY).fill('other'));
    const client = connectionClient(await platform.connectTo(1));
    for (const key of ['kept', 'deleted']) {
      const reply = await client.send('GET', `/read-by-threads/${key}`);
      expect([reply.status, reply.body.length]).toEqual([200, BODY.length]);
    }
    await expect.poll(() => openBlobs().length).toBe(2);

    const { blobStore } = platform.core.ports;
    const { blobIds } = await blobStore.list({ prefix: '', after: '', limit: 100 });
    const newBlobs = blobIds.filter((id) => !before.some((name) => id.endsWith(name)));
    const deleted = newBlobs.toSorted().slice(1);
    expect(deleted).toHaveLength(1);
    await blobStore.delete(deleted);
    await expect.poll(() => openBlobs().length).toBe(1);
    // It was not deleted, and stays open.
    expect(openBlobs().filter((path) => path.includes('(deleted)'))).toEqual([]);
    client.close();
  },
);
