// What users are promised of a bad line: nothing corrupt, nothing twice, nothing lost.
import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import type { Client } from '../../src/client/index.ts';
import { bytesOf, MiB, useClientServer } from './client-server.ts';
import { FAULTS, type Fault, type FaultProxy, someOf, startFaultProxy } from './fault-proxy.ts';
import { startLateProxy } from './late-proxy.ts';

const server = useClientServer();
let proxy: FaultProxy | null = null;
afterEach(async () => {
  await proxy?.end();
  proxy = null;
});

const SHARE = 0.05;
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex');

/** Runs the work for each number, so many at once. */
async function eachOf(count: number, parallel: number, work: (number: number) => Promise<unknown>) {
  let next = 0;
  const run = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: parallel }, run));
}

/** Sends small objects over the line, then compares all versions with what was sent. */
async function sendSmall(client: Client, count: number): Promise<void> {
  const bucket = await server.newBucket({ versioning: 'enabled' });
  const bodyOf = (number: number) => bytesOf(20 + (number % 900), number + 1);
  await eachOf(count, 24, (number) => client.upload(bucket, `small/${number}`, bodyOf(number)));
  const versions: { key: string; etag: string | null }[] = [];
  for await (const version of server.byToken().objects.versions(bucket)) versions.push(version);
  const shown = versions.map(({ key, etag }) => `${key} ${etag}`).sort();
  const sent = Array.from({ length: count }, (_, at) => `small/${at} ${md5(bodyOf(at))}`).sort();
  expect(shown).toEqual(sent);
}

describe('a line that loses, cuts and spoils one request in twenty', () => {
  it('gets 1,000 small objects across with a token, each once and whole', {
    timeout: 60_000,
  }, async () => {
    proxy = await startFaultProxy(server.url(), someOf(SHARE, 7));
    await sendSmall(server.byToken({ endpoint: proxy.url }), 1000);
    for (const fault of FAULTS) expect(proxy.counts[fault], fault).toBeGreaterThan(2);
  });

  it('gets 200 across with an access key', { timeout: 60_000 }, async () => {
    proxy = await startFaultProxy(server.url(), someOf(SHARE, 8));
    await sendSmall(server.byKey({ endpoint: proxy.url }), 200);
    expect(Object.values(proxy.counts).reduce((a, b) => a + b)).toBeGreaterThan(5);
  });

  it('gets a large object across in parts, and back', { timeout: 60_000 }, async () => {
    proxy = await startFaultProxy(server.url(), someOf(0.2, 9));
    const bucket = await server.newBucket();
    const client = server.byToken({
      endpoint: proxy.url,
      retries: { attempts: 12, baseMs: 5, maxMs: 50 },
    });
    const bytes = bytesOf(16 * MiB);
    const sent = await client.upload(bucket, 'large', bytes, { partSizeBytes: 5 * MiB });
    expect(sent.sizeBytes).toBe(bytes.length);
    const download = await client.download(bucket, 'large');
    expect(md5(await download.bytes())).toBe(md5(bytes));
    expect(download.verifiedBy()).toBe('crc64nvme');
  });
});

describe('an answer that is lost', () => {
  /** Does that to the first requests of that method, and lets all others pass. */
  const firstOf =
    (method: string, ...faults: Fault[]) =>
    (request: IncomingMessage) =>
      request.method === method ? (faults.shift() ?? null) : null;

  it.each(['byToken', 'byKey'] as const)(
    'makes no second version, nor a false refusal (%s)',
    async (kind) => {
      proxy = await startFaultProxy(server.url(), firstOf('PUT', 'lost-answer', 'refused'));
      const bucket = await server.newBucket({ versioning: 'enabled' });
      const client = server[kind]({ endpoint: proxy.url });
      const options = {
        ifNoneMatch: '*',
        metadata: { from: 'Łódź' },
        contentType: 'text/plain',
      } as const;
      const sent = await client.upload(bucket, 'once', 'text', options);
      expect(sent.etag).toBe(md5(Buffer.from('text')));
      const versions = [];
      for await (const version of server.byToken().objects.versions(bucket)) versions.push(version);
      expect(versions).toMatchObject([{ key: 'once', versionId: sent.versionId }]);
    },
  );

  it.each(['byToken', 'byKey'] as const)(
    'makes no second version while the server is still at the first (%s)',
    async (kind) => {
      const bucket = await server.newBucket({ versioning: 'enabled' });
      const keys = ['new', 'replaced'];
      await server.byToken().upload(bucket, 'replaced', 'before');
      const late = await startLateProxy(server.url());
      try {
        const client = server[kind]({ endpoint: late.url });
        for (const key of keys) {
          const sent = await client.upload(bucket, key, 'text');
          expect(sent.etag).toBe(md5(Buffer.from('text')));
        }
        expect(late.heldCount()).toBe(keys.length);
      } finally {
        await late.end();
      }
      const versions: string[] = [];
      for await (const { key, etag } of server.byToken().objects.versions(bucket)) {
        versions.push(`${key} ${etag}`);
      }
      const [text, before] = ['text', 'before'].map((words) => md5(Buffer.from(words)));
      expect(versions.sort()).toEqual(
        [`new ${text}`, `replaced ${text}`, `replaced ${before}`].sort(),
      );
    },
  );

  it('writes again over what somebody else wrote between the look and the write', async () => {
    const bucket = await server.newBucket({ versioning: 'enabled' });
    const others = ['theirs', 'theirs again'];
    const between = async () => {
      const text = others.shift();
      if (text !== undefined) await server.byToken().upload(bucket, 'shared', text);
    };
    const late = await startLateProxy(server.url(), { between, isLost: true });
    try {
      await server.byToken({ endpoint: late.url }).upload(bucket, 'shared', 'mine');
    } finally {
      await late.end();
    }
    const etags: (string | null)[] = [];
    for await (const { etag } of server.byToken().objects.versions(bucket)) etags.push(etag);
    // Newest first; each is there once.
    const words = ['mine', 'theirs again', 'theirs'];
    expect(etags).toEqual(words.map((text) => md5(Buffer.from(text))));
  });

  it('is no excuse to take the object of somebody else for ours', async () => {
    proxy = await startFaultProxy(server.url(), firstOf('PUT', 'refused'));
    const bucket = await server.newBucket();
    await server.byToken().upload(bucket, 'taken', 'text', { contentType: 'text/html' });
    const client = server.byToken({ endpoint: proxy.url });
    const options = { ifNoneMatch: '*', contentType: 'text/plain' } as const;
    await expect(client.upload(bucket, 'taken', 'text', options)).rejects.toMatchObject({
      code: 'PreconditionFailed',
      retryable: false,
    });
  });

  it('makes nothing twice by a POST, which is known again', async () => {
    proxy = await startFaultProxy(server.url(), firstOf('POST', 'lost-answer'));
    const client = server.byToken({ endpoint: proxy.url });
    const made = await client.tokens.create({ body: { name: 'once' } });
    const tokens = [];
    for await (const token of server.byToken().tokens.list()) tokens.push(token);
    expect(tokens.filter(({ name }) => name === 'once').map(({ id }) => id)).toEqual([made.id]);
  });
});
