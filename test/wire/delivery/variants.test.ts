// Compressed variants of public objects, as browsers and tools meet them: made once behind an
// answer, chosen by Accept-Encoding, each with a tag of its own.
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import { CopyObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { openToEveryone } from '../kit/clients/bucket-work.ts';
import { client, describeCore, itUnless } from '../kit/clients/suite.ts';
import { eventually } from '../kit/eventually.ts';

const { s3, send, anonymous } = client;

/** Why an answer to a client that takes compression may not be what the server sent. */
const frontReason =
  client.target.platform === 'workers' ? 'miniflare compresses what comes plain by itself' : null;

const UNDO = { br: brotliDecompressSync, zstd: zstdDecompressSync, gzip: gunzipSync } as const;
const CODINGS = ['br', 'zstd', 'gzip'] as const;

/** Long enough for the thorough compression of some 100 KiB on a busy machine. */
const MADE_LIMIT_MS = 15_000;

/** Text that compresses well, and is like no other. */
const textOf = (seed: string, lines: number) =>
  Array.from(
    { length: lines },
    (_, n) => `.rule-${seed}-${n} { margin: ${n % 7}px; padding: ${n % 5}px }\n`,
  ).join('');

describeCore('a compressible object', () => {
  const bucket = useBucket(client);
  const bodies = { 'inline.css': textOf('a', 150), 'blob.css': textOf('b', 3000) };
  const read = (key: string, headers: Record<string, string> = {}, method = 'GET') =>
    anonymous({ method, bucket, key, headers });
  /** Asks until the variant is made, which happens behind the answers. */
  async function readMade(key: string, coding: string) {
    const endsAtMs = performance.now() + MADE_LIMIT_MS;
    for (;;) {
      const reply = await read(key, { 'accept-encoding': coding });
      // Miniflare compresses by itself what comes plain: only the tag tells whose work it is.
      const isOurs =
        reply.headers['content-encoding'] === coding && reply.headers.etag?.includes(`-${coding}-`);
      if (isOurs || performance.now() > endsAtMs) return reply;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  beforeAll(async () => {
    await openToEveryone(client, bucket);
    for (const [key, body] of Object.entries(bodies)) {
      await send({ method: 'PUT', bucket, key, body, headers: { 'content-type': 'text/css' } });
    }
  });

  for (const [key, body] of Object.entries(bodies)) {
    for (const coding of CODINGS) {
      it(`goes out in ${coding} (${key})`, async () => {
        const plain = await read(key);
        expect([plain.text === body, plain.headers['content-encoding']]).toEqual([true, undefined]);
        expect(plain.headers.vary).toMatch(/Accept-Encoding/i);
        const made = await readMade(key, coding);
        expect(UNDO[coding](made.body).toString()).toBe(body);
        expect(made.headers).toMatchObject({
          'content-length': `${made.body.length}`,
          'content-type': 'text/css',
          'last-modified': plain.headers['last-modified'],
        });
        expect(made.headers.vary).toMatch(/Accept-Encoding/i);
        expect(made.headers.etag).not.toBe(plain.headers.etag);
        expect(made.headers.etag).not.toMatch(/^W/);
        const head = await read(key, { 'accept-encoding': coding }, 'HEAD');
        for (const name of ['etag', 'content-length', 'content-encoding', 'vary']) {
          expect(head.headers[name], name).toBe(made.headers[name]);
        }
        const known = await read(key, {
          'accept-encoding': coding,
          'if-none-match': made.headers.etag ?? '',
        });
        expect([known.status, known.headers.etag]).toEqual([304, made.headers.etag]);
        const range = { range: 'bytes=5-', 'if-range': made.headers.etag ?? '' };
        const rest = await read(key, { 'accept-encoding': coding, ...range });
        expect([rest.status, rest.body.equals(made.body.subarray(5))]).toEqual([206, true]);
      });
    }
  }

  itUnless(frontReason)('gives ranges of what is stored to whoever names no variant', async () => {
    await readMade('blob.css', 'br');
    const part = await read('blob.css', { 'accept-encoding': 'br', range: 'bytes=0-9' });
    expect([part.status, part.text]).toEqual([206, bodies['blob.css'].slice(0, 10)]);
    expect(part.headers['content-range']).toBe(`bytes 0-9/${bodies['blob.css'].length}`);
  });

  itUnless(frontReason)('is as it was stored for signed reads', async () => {
    await readMade('blob.css', 'br');
    const reply = await send({
      method: 'GET',
      bucket,
      key: 'blob.css',
      headers: { 'accept-encoding': 'br' },
    });
    expect([reply.text === bodies['blob.css'], reply.headers['content-encoding']]).toEqual([
      true,
      undefined,
    ]);
  });

  it('is new in every coding once it is overwritten', async () => {
    const key = 'changing.css';
    const put = (body: string) =>
      send({ method: 'PUT', bucket, key, body, headers: { 'content-type': 'text/css' } });
    await put(textOf('old', 2000));
    await readMade(key, 'gzip');
    await put(textOf('new', 2000));
    const fresh = await eventually(
      () => read(key, { 'accept-encoding': 'gzip' }),
      ({ headers, text, body }) =>
        (headers['content-encoding'] === 'gzip' ? gunzipSync(body).toString() : text) ===
        textOf('new', 2000),
    );
    expect(fresh.status).toBe(200);
    await readMade(key, 'gzip');
  });

  it('shares what was made with its copies', async () => {
    const { headers } = await readMade('blob.css', 'gzip');
    await s3.send(
      new CopyObjectCommand({ Bucket: bucket, Key: 'copy.css', CopySource: `${bucket}/blob.css` }),
    );
    const copy = await readMade('copy.css', 'gzip');
    expect([copy.headers.etag, gunzipSync(copy.body).toString()]).toEqual([
      headers.etag,
      bodies['blob.css'],
    ]);
  });

  itUnless(frontReason)(
    'leaves alone what has a coding of its own, and what must not be transformed',
    async () => {
      const body = textOf('c', 500);
      for (const [key, headers] of Object.entries({
        own: { 'content-encoding': 'x-own' },
        fixed: { 'cache-control': 'no-transform' },
      })) {
        await send({
          method: 'PUT',
          bucket,
          key,
          body,
          headers: { 'content-type': 'text/css', ...headers },
        });
        for (let time = 0; time < 3; time++) {
          const reply = await read(key, { 'accept-encoding': 'gzip, br, zstd' });
          expect([reply.text === body, reply.headers.vary]).toEqual([true, undefined]);
        }
      }
    },
  );

  it('can be switched off', async () => {
    const settings = JSON.stringify({ compression: false });
    await send({ method: 'PUT', bucket, query: { hosting: '' }, body: settings });
    const plain = await eventually(
      () => read('blob.css', { 'accept-encoding': 'br' }),
      ({ headers }) => !headers.etag?.includes('-br-'),
    );
    expect(plain.headers.vary ?? '').not.toMatch(/Accept-Encoding/i);
  });
});
