// Downloads as people make them: named files, digests to check them by, and clients that break and
// go on.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CopyObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { openToEveryone } from '../kit/clients/bucket-work.ts';
import { sampleBytes } from '../kit/clients/client.ts';
import { client, describeCore, itUnless } from '../kit/clients/suite.ts';
import { curlTrust } from '../kit/clients/transport.ts';
import { expectError } from '../kit/clients/xml.ts';
import { eventually } from '../kit/eventually.ts';

const { s3, send, anonymous, presigned, target } = client;
const run = promisify(execFile);

const MiB = 1024 * 1024;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('base64');
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('base64');

const curlReason = await run('curl', ['--version']).then(
  () => null,
  () => 'there is no curl on this machine',
);

describeCore('the name of a download', () => {
  const bucket = useBucket(client);
  const read = (key: string, query: Record<string, string>, method = 'GET') =>
    anonymous({ method, bucket, key, query });

  beforeAll(async () => {
    await openToEveryone(client, bucket);
    await send({ method: 'PUT', bucket, key: 'f/Übersicht 1.txt', body: 'x' });
    await send({
      method: 'PUT',
      bucket,
      key: 'own',
      body: 'x',
      headers: { 'content-disposition': 'inline; filename="own.pdf"' },
    });
  });

  it('is that of the object, the one asked for, or the stored one', async () => {
    expect((await read('f/Übersicht 1.txt', {})).headers['content-disposition']).toBeUndefined();
    for (const method of ['GET', 'HEAD']) {
      const reply = await read('f/Übersicht 1.txt', { download: '' }, method);
      expect([reply.status, reply.headers['content-disposition']]).toEqual([
        200,
        `attachment; filename="_bersicht 1.txt"; filename*=UTF-8''%C3%9Cbersicht%201.txt`,
      ]);
    }
    const named = await read('f/Übersicht 1.txt', { download: 'report "a".txt' });
    expect(named.headers['content-disposition']).toBe(
      `attachment; filename="report _a_.txt"; filename*=UTF-8''report%20%22a%22.txt`,
    );
    expect((await read('own', { download: '' })).headers['content-disposition']).toBe(
      'attachment; filename="own.pdf"',
    );
    expectError(await read('own', { download: 'x'.repeat(300) }), 400, 'InvalidArgument');
  });

  it('stands in a link too', async () => {
    const link = (query: Record<string, string>) =>
      fetch(target.url + presigned({ method: 'GET', bucket, key: 'f/Übersicht 1.txt', query }));
    const given = await link({ download: 'a.txt' });
    expect(given.headers.get('content-disposition')).toBe('attachment; filename="a.txt"');
    const wished = await link({ 'response-content-disposition': 'inline', download: 'a.txt' });
    expect(wished.headers.get('content-disposition')).toBe('inline');
  });
});

describeCore('digests', () => {
  const bucket = useBucket(client);
  const small = sampleBytes(1000, 71);
  const large = sampleBytes(300_000, 72);
  /** Small, and in a blob, as what lies in a pack is. */
  const stored = sampleBytes(40_000, 73);

  beforeAll(async () => {
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'stored', Body: stored }));
    await openToEveryone(client, bucket);
    await s3.send(new PutObjectCommand({ Bucket: bucket, Key: 'small', Body: small }));
    await s3.send(
      new PutObjectCommand({
        Bucket: bucket,
        Key: 'large',
        Body: large,
        ChecksumAlgorithm: 'SHA256',
      }),
    );
  });

  for (const how of ['anonymous', 'send'] as const) {
    it(`are told on request (${how === 'send' ? 'signed' : 'public'})`, async () => {
      const read = (key: string, headers: Record<string, string>, method = 'GET') =>
        client[how]({ method, bucket, key, headers });
      expect(
        Object.keys((await read('large', {})).headers).filter((name) => name.includes('digest')),
      ).toEqual([]);
      for (const [key, bytes] of Object.entries({ small, stored, large })) {
        const reply = await read(key, {
          'want-repr-digest': 'sha-256=5, md5=1',
          'want-content-digest': 'sha-256=1',
        });
        expect(reply.headers).toMatchObject({
          'repr-digest': `sha-256=:${sha256(bytes)}:`,
          'content-digest': `sha-256=:${sha256(bytes)}:`,
        });
      }
      const part = await read('large', {
        range: 'bytes=0-9',
        'want-repr-digest': 'md5=1',
        'want-content-digest': 'md5=1',
        'want-digest': 'sha-256, md5;q=0.5',
      });
      expect(part.headers).toMatchObject({
        'repr-digest': `md5=:${md5(large)}:`,
        digest: `SHA-256=${sha256(large)}`,
      });
      expect(part.headers['content-digest']).toBeUndefined();
      for (const [key, bytes] of Object.entries({ small, stored, large })) {
        const head = await read(key, { 'want-repr-digest': 'sha-256=1' }, 'HEAD');
        expect(head.headers['repr-digest']).toBe(`sha-256=:${sha256(bytes)}:`);
      }
      const ofStored = await read('stored', { range: 'bytes=0-9', 'want-digest': 'sha-256' });
      expect(ofStored.headers.digest).toBe(`SHA-256=${sha256(stored)}`);
    });
  }
});

/**
 * Reads an answer until about `wantedBytes`, then breaks the connection; all of it when there is
 * not more.
 */
async function take(
  answer: Response,
  abort: AbortController,
  wantedBytes: number,
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of answer.body ?? []) {
    chunks.push(chunk);
    sizeBytes += chunk.length;
    if (sizeBytes >= wantedBytes) break;
  }
  abort.abort();
  return Buffer.concat(chunks).subarray(0, wantedBytes);
}

/** A way to the server that breaks each connection after so many bytes of answers. */
async function startCutter(limitBytes: number): Promise<{ port: number; close: () => void }> {
  const { hostname, port } = new URL(target.url);
  const cutter = createServer((socket) => {
    const upstream = connect({ host: hostname, port: Number(port) });
    let passedBytes = 0;
    const cut = () => {
      socket.destroy();
      upstream.destroy();
    };
    for (const end of [socket, upstream]) end.on('error', cut).on('close', cut);
    socket.pipe(upstream);
    upstream.on('data', (chunk: Buffer) => {
      socket.write(chunk.subarray(0, limitBytes - passedBytes));
      passedBytes += chunk.length;
      if (passedBytes >= limitBytes) socket.end();
    });
  });
  await new Promise<void>((resolve) => cutter.listen(0, '127.0.0.1', resolve));
  return { port: (cutter.address() as AddressInfo).port, close: () => cutter.close() };
}

/** A small generator, so that a failing run can be repeated. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1664525 + 1013904223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

describeCore('a download that breaks', () => {
  const bucket = useBucket(client);
  const SIZE = 3 * MiB + 321;
  const versions = [sampleBytes(SIZE, 81), sampleBytes(SIZE, 82)];
  /** Overwrites by a copy, for which no byte moves. */
  const put = (version: number) =>
    s3.send(
      new CopyObjectCommand({
        Bucket: bucket,
        Key: 'file.bin',
        CopySource: `${bucket}/version-${version}`,
      }),
    );
  const links = {
    public: () => `${target.url}/${bucket}/file.bin`,
    presigned: () => target.url + presigned({ method: 'GET', bucket, key: 'file.bin' }),
  };

  beforeAll(async () => {
    await openToEveryone(client, bucket);
    for (const [version, Body] of versions.entries()) {
      await s3.send(new PutObjectCommand({ Bucket: bucket, Key: `version-${version}`, Body }));
    }
    await put(0);
  });

  for (const [kind, link] of Object.entries(links)) {
    it(`goes on where it stopped, again and again (${kind})`, async () => {
      const next = random(7);
      for (let download = 0; download < 2; download++) {
        let got = Buffer.alloc(0);
        let etag = '';
        let breaks = 0;
        while (got.length < SIZE) {
          const abort = new AbortController();
          const headers: Record<string, string> =
            got.length === 0 ? {} : { range: `bytes=${got.length}-`, 'if-range': etag };
          const answer = await fetch(link(), { headers, signal: abort.signal });
          expect(answer.status).toBe(got.length === 0 ? 200 : 206);
          if (got.length > 0) {
            expect(answer.headers.get('content-range')).toBe(
              `bytes ${got.length}-${SIZE - 1}/${SIZE}`,
            );
          }
          etag = answer.headers.get('etag') ?? '';
          got = Buffer.concat([got, await take(answer, abort, 1 + Math.floor(next() * MiB))]);
          breaks++;
        }
        expect(got.equals(versions[0] ?? Buffer.alloc(0))).toBe(true);
        expect(breaks).toBeGreaterThan(2);
      }
    });

    it(`is never a mix of two versions (${kind})`, async () => {
      const next = random(11);
      for (let download = 0; download < 3; download++) {
        await put(0);
        let got = Buffer.alloc(0);
        let etag = '';
        let version = 1;
        for (let breaks = 0; got.length < SIZE; breaks++) {
          const abort = new AbortController();
          const headers: Record<string, string> =
            got.length === 0 ? {} : { range: `bytes=${got.length}-`, 'if-range': etag };
          const answer = await fetch(link(), { headers, signal: abort.signal });
          expect([200, 206]).toContain(answer.status);
          // A whole answer is another version, or the first: what came before does not count any
          // more.
          if (answer.status === 200) got = Buffer.alloc(0);
          etag = answer.headers.get('etag') ?? '';
          got = Buffer.concat([got, await take(answer, abort, 1 + Math.floor(next() * 1.5 * MiB))]);
          if (breaks < 3) {
            await put(version);
            version = 1 - version;
          }
        }
        expect(versions.some((bytes) => bytes.equals(got))).toBe(true);
      }
    });

    it(`is refused with 412 where it must not begin anew (${kind})`, async () => {
      await put(0);
      const first = await fetch(link());
      await first.arrayBuffer();
      const headers = { range: 'bytes=100-', 'if-match': first.headers.get('etag') ?? '' };
      const goesOn = await fetch(link(), { headers });
      await goesOn.arrayBuffer();
      expect(goesOn.status).toBe(206);
      await put(1);
      const read = async () => {
        const refused = await fetch(link(), { headers });
        await refused.arrayBuffer();
        return refused.status;
      };
      expect(await eventually(read, (status) => status === 412)).toBe(412);
    });

    itUnless(curlReason)(`is taken up by curl -C - (${kind})`, async () => {
      await put(0);
      const folder = await mkdtemp(join(tmpdir(), 'quayside-curl-'));
      try {
        const file = join(folder, 'file.bin');
        const url = link();
        const cutter = await startCutter(MiB);
        const broken = run('curl', [
          ...curlTrust(target.url),
          '-sS',
          '--connect-to',
          `::127.0.0.1:${cutter.port}`,
          '-o',
          file,
          url,
        ]);
        await expect(broken).rejects.toThrow();
        cutter.close();
        const { size } = await stat(file);
        expect(size).toBeGreaterThan(0);
        expect(size).toBeLessThan(SIZE);
        const { stdout } = await run('curl', [
          ...curlTrust(target.url),
          '-sS',
          '-C',
          '-',
          '-w',
          '%{http_code} %{size_download}',
          '-o',
          file,
          url,
        ]);
        expect(stdout).toBe(`206 ${SIZE - size}`);
        expect((await readFile(file)).equals(versions[0] ?? Buffer.alloc(0))).toBe(true);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    });
  }
});
