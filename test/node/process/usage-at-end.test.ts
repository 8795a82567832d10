// What a process that ends leaves in the ledger: everything when it is asked to end, all but the
// last seconds when it is killed.
import { join } from 'node:path';
import {
  CreateBucketCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { beforeEach, expect, it } from 'vitest';
import { ROOT_KEY, startNodeProcess } from '../kit/node-process.ts';
import { useNodeProcesses } from '../kit/platform-client.ts';
import { readRecordedUsage } from '../kit/recorded-usage.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

useNodeProcesses();
let dataDir: string;
beforeEach(() => {
  dataDir = temporaryFolder();
});

const clientOf = (endpoint: string) =>
  new S3Client({
    endpoint,
    region: 'auto',
    credentials: { ...ROOT_KEY },
    forcePathStyle: true,
    maxAttempts: 1,
  });

/** Requests of a class as the ledger on the disk has them. */
function recorded(meter: string): number {
  const rows = readRecordedUsage(join(dataDir, 'index.sqlite'));
  return rows
    .filter((row) => row.meter === meter)
    .reduce((sum, { quantity }) => sum + Number(quantity), 0);
}

async function use(url: string, reads: number): Promise<void> {
  const s3 = clientOf(url);
  await s3.send(new PutObjectCommand({ Bucket: 'used', Key: 'k', Body: 'x' }));
  for (let at = 0; at < reads; at++) {
    const { Body } = await s3.send(new GetObjectCommand({ Bucket: 'used', Key: 'k' }));
    await Body?.transformToByteArray();
  }
  s3.destroy();
}

it('the server keeps all usage over an orderly end, and goes on adding after it', async () => {
  const settings = { QUAYSIDE_METER_FLUSH_SECONDS: '25' };
  const first = await startNodeProcess(dataDir, settings);
  await clientOf(first.url).send(new CreateBucketCommand({ Bucket: 'used' }));
  await use(first.url, 7);
  expect(recorded('class-b/STANDARD')).toBe(0);
  expect(await first.end('SIGTERM')).toBe(0);
  expect(recorded('class-b/STANDARD')).toBe(7);
  expect(recorded('class-a/STANDARD')).toBe(2);
  const second = await startNodeProcess(dataDir, settings);
  await use(second.url, 5);
  expect(await second.end('SIGTERM')).toBe(0);
  expect(recorded('class-b/STANDARD')).toBe(12);
});

it('the server loses at most what was used since the last flush when it is killed', async () => {
  const node = await startNodeProcess(dataDir, { QUAYSIDE_METER_FLUSH_SECONDS: '1' });
  await clientOf(node.url).send(new CreateBucketCommand({ Bucket: 'used' }));
  await use(node.url, 7);
  await expect.poll(() => recorded('class-b/STANDARD')).toBe(7);
  await use(node.url, 3);
  await node.end('SIGKILL');
  const left = recorded('class-b/STANDARD');
  expect(left).toBeGreaterThanOrEqual(7);
  expect(left).toBeLessThanOrEqual(10);
});
