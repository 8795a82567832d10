// Compression at rest on the Node platform as a process, as its owner meets it: set by the JSON
// API, carried out by the server's own clock; readers notice nothing, the folder and the bucket's
// totals do.
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { logBytes } from '../../contract/index/compressed-blobs.contract.ts';
import { startNodeProcess } from '../kit/node-process.ts';
import { aws, signIn, useNodeProcesses } from '../kit/platform-client.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

useNodeProcesses();

const SHORT_DAYS = { QUAYSIDE_LIFECYCLE_DAY_SECONDS: '1', QUAYSIDE_SWEEP_INTERVAL_SECONDS: '1' };
const LOG = logBytes(3 * 1024 * 1024);
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

type Totals = { readonly saved: { readonly compressed: string } };

/** What the owner of the bucket asks the JSON API. */
async function ownerOf(url: string) {
  const { call } = await signIn(url);
  return {
    totals: async () =>
      (await (await call('GET', '/buckets/archive/totals')).json()) as { items: Totals[] },
    async patch(path: string, change: unknown) {
      const etag = (await call('GET', path)).headers.get('etag') ?? '';
      const answer = await call('PATCH', path, change, { 'if-match': etag });
      return { status: answer.status, json: await answer.json() };
    },
  };
}

function blobSizes(dataDir: string): number[] {
  const files = readdirSync(join(dataDir, 'blobs'), { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map((file) => statSync(join(file.parentPath, file.name)).size);
}

it('old bodies are compressed, and no reader notices', async () => {
  const dataDir = temporaryFolder();
  const node = await startNodeProcess(dataDir, SHORT_DAYS);
  const bucket = `${node.url}/archive`;
  const api = await ownerOf(node.url);
  await aws.fetch(bucket, { method: 'PUT' });
  const put = {
    method: 'PUT',
    body: LOG,
    headers: { 'content-type': 'text/plain', 'x-amz-acl': 'public-read' },
  };
  expect((await aws.fetch(`${bucket}/log`, put)).status).toBe(200);
  const before = await aws.fetch(`${bucket}/log`, { headers: { 'accept-encoding': 'identity' } });
  const bodyBefore = sha256(new Uint8Array(await before.arrayBuffer()));

  expect((await api.patch('/buckets/archive', { compression: { afterDays: 0 } })).status).toBe(400);
  const set = await api.patch('/buckets/archive', { compression: { afterDays: 1 } });
  expect(set).toMatchObject({ status: 200, json: { compression: { afterDays: 1 } } });
  const isCompressed = () => blobSizes(dataDir).some((size) => size < LOG.length / 4);
  await expect.poll(isCompressed, { timeout: 30_000, interval: 100 }).toBe(true);

  for (const _ of ['cold', 'warm']) {
    for (const read of [fetch, aws.fetch.bind(aws)]) {
      const whole = await read(`${bucket}/log`, { headers: { 'accept-encoding': 'identity' } });
      expect(sha256(new Uint8Array(await whole.arrayBuffer()))).toBe(bodyBefore);
      for (const name of ['etag', 'last-modified', 'content-length', 'content-type']) {
        expect(whole.headers.get(name)).toBe(before.headers.get(name));
      }
      for (const [from, to] of [[1_048_570, 2_097_160] as const, [100_000, 165_000] as const]) {
        const part = await read(`${bucket}/log`, { headers: { range: `bytes=${from}-${to}` } });
        expect(part.status).toBe(206);
        expect(sha256(new Uint8Array(await part.arrayBuffer()))).toBe(
          sha256(LOG.subarray(from, to + 1)),
        );
      }
    }
  }
  const copy = { method: 'PUT', headers: { 'x-amz-copy-source': '/archive/log' } };
  expect((await aws.fetch(`${bucket}/copy`, copy)).status).toBe(200);
  const copied = await aws.fetch(`${bucket}/copy`);
  expect(sha256(new Uint8Array(await copied.arrayBuffer()))).toBe(bodyBefore);
  const { items } = await api.totals();
  const storedBytes = Math.min(...blobSizes(dataDir));
  expect(items).toMatchObject([{ current: { objects: 2, bytes: `${2 * LOG.length}` } }]);
  // Each of the two spares its share of it. A blob's file has a footer.
  const spared = Number(items[0]?.saved.compressed) / 2;
  expect(LOG.length - spared).toBeLessThanOrEqual(storedBytes);
  expect(LOG.length - spared).toBeGreaterThan(storedBytes - 1000);
  expect(await node.end('SIGTERM')).toBe(0);
});
