// Links over kill -9: places of downloads that ran come back after their time and never more than
// there are, what was completed stays counted, and a file that was being dropped goes on.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '../../../src/adapters/node/index/node-sqlite.ts';
import { LINK_PERMIT_MS } from '../../../src/domain/links/link-limits.ts';
import { startNodeProcess } from '../kit/node-process.ts';
import { type ApiCall, aws, expectOk, signIn, useNodeProcesses } from '../kit/platform-client.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

useNodeProcesses();

const LARGE = Buffer.alloc(24 * 1024 * 1024, 'quayside');
const FILE = Buffer.alloc(700_000, 'a file that somebody sends');
const SETTINGS = { QUAYSIDE_METER_FLUSH_SECONDS: '1' };

/** Calls of the JSON API that must succeed. */
const jsonOf = (call: ApiCall) => async (method: string, path: string, body?: unknown) =>
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what a test asserts
  (await (await expectOk(call(method, path, body, { 'if-match': '*' }))).json()) as any;

async function start(dataDir: string) {
  const node = await startNodeProcess(dataDir, SETTINGS);
  const { call } = await signIn(node.url);
  return { node, json: jsonOf(call), at: (url: string) => node.url + new URL(url).pathname };
}

it('permits, counts and statistics of share links outlive a process that is killed', async () => {
  const dataDir = temporaryFolder();
  const first = await start(dataDir);
  for (const [path, body] of [
    ['links', undefined],
    ['links/large', LARGE],
  ] as const)
    await expectOk(
      aws.fetch(`${first.node.url}/${path}`, {
        method: 'PUT',
        ...(body === undefined ? {} : { body }),
      }),
    );
  const make = (limits: object) =>
    first.json('POST', '/buckets/links/share-links', {
      target: { kind: 'object', key: 'large' },
      ...limits,
    });
  const limited = await make({ limits: { downloads: 4 } });
  const plain = await make({});
  const usageAt = async ({ json }: typeof first) =>
    (await json('GET', `/buckets/links/share-links/${limited.id}`)).usage.downloads;
  const completedAt = async ({ json }: typeof first) => {
    const { items } = await json('GET', `/buckets/links/share-links/${plain.id}/statistics`);
    return (items[0]?.completed ?? 0) as number;
  };
  const take = async (url: string) => {
    const reply = await fetch(url);
    return { status: reply.status, bytes: (await reply.arrayBuffer()).byteLength };
  };

  // One download is complete, two run and are at rest; visits of the other link are summed.
  expect((await take(first.at(limited.url))).bytes).toBe(LARGE.length);
  await expect.poll(() => usageAt(first)).toBe(1);
  const running = await Promise.all(
    [1, 2].map((visitor) =>
      fetch(first.at(limited.url), { headers: { 'user-agent': `visitor ${visitor}` } }),
    ),
  );
  expect(running.map(({ status }) => status)).toEqual([200, 200]);
  for (let at = 0; at < 2; at++) await take(first.at(plain.url));
  await expect.poll(() => completedAt(first)).toBe(2);
  for (let at = 0; at < 3; at++) await take(first.at(plain.url));
  await first.node.end('SIGKILL');
  for (const { body } of running) await body?.cancel().catch(() => undefined);

  const second = await start(dataDir);
  expect(await usageAt(second)).toBe(1);
  const left = await completedAt(second);
  expect([left >= 2, left <= 5]).toEqual([true, true]);
  // The dead hold two places of the three that are left.
  const busy = await Promise.all(
    Array.from({ length: 6 }, (_, visitor) =>
      fetch(second.at(limited.url), { headers: { 'user-agent': `early ${visitor}` } }),
    ),
  );
  expect(busy.filter(({ status }) => status === 200)).toHaveLength(1);
  for (const { status } of busy) expect([200, 429]).toContain(status);
  await Promise.all(busy.map((reply) => reply.arrayBuffer()));
  await expect.poll(() => usageAt(second)).toBe(2);
  await second.node.end('SIGKILL');

  // Their time passes: two minutes at most.
  const sql = openSqlite(join(dataDir, 'index.sqlite'), { readOnly: false });
  const permits = sql.all<{ until: number }>('SELECT until_ms AS until FROM share_permits');
  expect(permits).toHaveLength(2);
  for (const { until } of permits) expect(until).toBeLessThan(Date.now() + LINK_PERMIT_MS);
  sql.all('UPDATE share_permits SET until_ms = until_ms - ?', LINK_PERMIT_MS);
  sql.close();

  const third = await start(dataDir);
  const late = await Promise.all(
    Array.from({ length: 8 }, (_, visitor) =>
      fetch(third.at(limited.url), { headers: { 'user-agent': `late ${visitor}` } }),
    ),
  );
  const sizes = await Promise.all(
    late.map(async (reply) => (await reply.arrayBuffer()).byteLength),
  );
  expect(sizes.filter((bytes) => bytes === LARGE.length)).toHaveLength(2);
  await expect.poll(() => usageAt(third)).toBe(4);
  expect((await take(third.at(limited.url))).status).toBe(410);
});

it('a file that is being dropped goes on where the server says, and is whole', async () => {
  const dataDir = temporaryFolder();
  const first = await start(dataDir);
  await expectOk(aws.fetch(`${first.node.url}/drops`, { method: 'PUT' }));
  const made = await first.json('POST', '/buckets/drops/drop-links', {
    prefix: 'in/',
    template: '{name}',
  });
  const path = new URL(made.url).pathname;
  const { code } = (await (
    await expectOk(fetch(`${first.node.url}${path}/senders`, { method: 'POST', body: '{}' }))
  ).json()) as { code: string };
  const sender = { 'tus-resumable': '1.0.0', 'x-quayside-drop-code': code };
  const created = await expectOk(
    fetch(`${first.node.url}${path}/files`, {
      method: 'POST',
      headers: {
        ...sender,
        'upload-length': `${FILE.length}`,
        'upload-metadata': `filename ${Buffer.from('a.bin').toString('base64')}`,
      },
    }),
  );
  const location = created.headers.get('location') ?? '';
  const patch = (url: string, offset: number, body: BodyInit) =>
    fetch(url + location, {
      method: 'PATCH',
      body,
      duplex: 'half',
      headers: {
        ...sender,
        'upload-offset': `${offset}`,
        'content-type': 'application/offset+octet-stream',
      },
    } as RequestInit);
  const offsetAt = async (url: string) => {
    const reply = await expectOk(fetch(url + location, { method: 'HEAD', headers: sender }));
    return Number(reply.headers.get('upload-offset'));
  };

  await expectOk(patch(first.node.url, 0, FILE.subarray(0, 200_000)));
  const open = new TransformStream<Uint8Array, Uint8Array>();
  const broken = patch(first.node.url, 200_000, open.readable).catch(() => null);
  const writer = open.writable.getWriter();
  await writer.write(FILE.subarray(200_000, 400_000));
  await first.node.end('SIGKILL');
  await broken;

  // It is killed once more, when all bytes have come but their end is not written.
  let { node } = await start(dataDir);
  const offset = await offsetAt(node.url);
  expect(offset).toBe(200_000);
  const rest = patch(node.url, offset, FILE.subarray(offset)).catch(() => null);
  await expect.poll(() => offsetAt(node.url).catch(() => -1)).not.toBe(offset);
  await node.end('SIGKILL');
  await rest;

  ({ node } = await start(dataDir));
  expect(await offsetAt(node.url)).toBe(FILE.length);
  const receipt = await expectOk(fetch(`${node.url}${path}/receipt`, { headers: sender }));
  const sha256 = createHash('sha256').update(FILE).digest('hex');
  expect(((await receipt.json()) as { files: unknown }).files).toEqual([
    expect.objectContaining({ name: 'a.bin', isComplete: true, size: FILE.length, sha256 }),
  ]);
  const got = await expectOk(aws.fetch(`${node.url}/drops/in/a.bin`));
  expect(Buffer.from(await got.arrayBuffer()).equals(FILE)).toBe(true);
  const listed = await (await expectOk(aws.fetch(`${node.url}/drops?list-type=2`))).text();
  expect(listed.match(/<Key>/g)).toHaveLength(1);
  const uploads = await (await expectOk(aws.fetch(`${node.url}/drops?uploads`))).text();
  expect(uploads).not.toContain('<Upload>');
});
