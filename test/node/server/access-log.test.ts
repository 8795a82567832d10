// The access log of the Node platform: the same line on both paths, what was really sent, and
// the files of a process.
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createHeaderFinder } from '../../../src/adapters/node/fast-path/find-header.ts';
import { withPorts } from '../../core/memory-core.ts';
import { cpuMsOf, LONGEST, QUICK_MS } from '../../cpu-time.ts';
import {
  createStockedCore,
  openTestServer,
  PUBLIC_BUCKET,
  put,
  type TestServer,
} from '../fast-path/both-paths.ts';
import { startNodeProcess } from '../kit/node-process.ts';
import { aws, useNodeProcesses } from '../kit/platform-client.ts';
import { openRawClient } from '../kit/raw-socket.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

useNodeProcesses();

const doors: TestServer[] = [];
afterEach(() => {
  for (const { server } of doors.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

type Line = Record<string, unknown>;

/**
 * Servers with the fast path, without it, and with its part behind node:http alone, over the same
 * objects, and the lines of each.
 */
async function openLogged(): Promise<
  { url: string; door: TestServer; lines: Line[]; etag: string }[]
> {
  const core = await createStockedCore();
  await put(core, PUBLIC_BUCKET, 'large', 900_000);
  const etag = await put(core, PUBLIC_BUCKET, 'inline', 10);
  const opened: { url: string; door: TestServer; lines: Line[]; etag: string }[] = [];
  for (const way of [
    { hasFastConnections: true },
    { hasFastConnections: false },
    { hasFastConnections: false, hasFastPath: true },
  ]) {
    const lines: Line[] = [];
    const accessLog = { write: (line: string) => void lines.push(JSON.parse(line)) };
    const door = openTestServer(withPorts(core, { accessLog }), {
      ...way,
      settings: { accessLog: 'json' },
    });
    doors.push(door);
    door.server.listen(0, '127.0.0.1');
    await once(door.server, 'listening');
    opened.push({
      url: `http://127.0.0.1:${(door.server.address() as AddressInfo).port}`,
      door,
      lines,
      etag,
    });
  }
  return opened;
}

async function ask(url: string, request: string): Promise<string> {
  const client = await openRawClient(url);
  client.send(`${request}\r\n\r\n`);
  const head = await client.until(/\r\n\r\n/);
  const hasBody = !request.startsWith('HEAD') && !head.startsWith('HTTP/1.1 304');
  const length = hasBody ? Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0) : 0;
  await client.until(new RegExp(`\\r\\n\\r\\n[^]{${length}}`));
  client.socket.destroy();
  return client.received();
}

describe('a line', () => {
  it('is the same on both paths, but for fields that are fresh in each', async () => {
    const servers = await openLogged();
    const headers =
      'Host: h\r\nReferer: https://a.example/?token=1\r\n' +
      'user-AGENT:  curl "x" \r\nX-Forwarded-For: 6.6.6.6';
    const seen: Line[][] = [];
    const fastPathResponses: number[] = [];
    for (const { url, lines, door, etag } of servers) {
      await ask(url, `GET /${PUBLIC_BUCKET}/big HTTP/1.1\r\n${headers}`);
      const siteHeaders = headers.replace('Host: h', 'Host: site.web.test');
      const page = `GET /index.html HTTP/1.1\r\n${siteHeaders}`;
      for (const _ of [1, 2]) await ask(url, page);
      await ask(url, `GET /${PUBLIC_BUCKET}/inline HTTP/1.1\r\n${headers}`);
      await expect.poll(() => lines.length).toBe(4);
      lines.length = 0;
      const before = door.fastPathResponses();
      for (const name of ['big', 'inline', 'empty'])
        await ask(url, `GET /${PUBLIC_BUCKET}/${name} HTTP/1.1\r\n${headers}`);
      await ask(url, `HEAD /${PUBLIC_BUCKET}/inline HTTP/1.1\r\n${headers}`);
      await ask(
        url,
        `GET /${PUBLIC_BUCKET}/inline HTTP/1.1\r\n${headers}\r\nIf-None-Match: "${etag}"`,
      );
      await ask(url, page);
      await expect.poll(() => lines.length).toBe(6);
      fastPathResponses.push(door.fastPathResponses() - before);
      seen.push(
        lines.map(
          ({ time: _t, requestId: _i, durationMs: _d, isWhole: _w, metadataTier: _m, ...rest }) =>
            rest,
        ),
      );
    }
    // Six requests: `empty` is cold for the first way, and behind node:http HEAD is the app's.
    expect(fastPathResponses).toEqual([5, 0, 5]);
    expect(seen[0]).toEqual(seen[1]);
    expect(seen[2]).toEqual(seen[1]);
    expect(seen[0]?.[0]).toMatchObject({
      remoteAddress: '127.0.0.1',
      method: 'GET',
      target: '/pub/big',
      protocol: 'HTTP/1.1',
      status: 200,
      bodyBytes: 50_000,
      surface: 'delivery',
      operation: 'GetObject',
      bucket: 'pub',
      bodyTier: 'memory',
      accessKeyId: null,
      referer: 'https://a.example/?token=[redacted]',
    });
    expect(seen[0]?.map(({ status, bodyBytes, surface }) => [status, bodyBytes, surface])).toEqual([
      [200, 50_000, 'delivery'],
      [200, 10, 'delivery'],
      [200, 0, 'delivery'],
      [200, 0, 'delivery'],
      [304, 0, 'delivery'],
      [200, 300, 'website'],
    ]);
  });

  it('has the size of an error, and its reason by status', async () => {
    const [, { url, lines } = { url: '', lines: [] }] = await openLogged();
    const answer = await ask(url, `GET /${PUBLIC_BUCKET}/none HTTP/1.1\r\nHost: h`);
    await expect.poll(() => lines.length).toBe(1);
    const length = Number(/content-length: (\d+)/i.exec(answer)?.[1]);
    expect(lines[0]).toMatchObject({
      status: 404,
      bodyBytes: length,
      bucket: 'pub',
      isWhole: true,
    });
    await ask(url, 'GET /no-such-bucket-of-anybody/k HTTP/1.1\r\nHost: h');
    await expect.poll(() => lines.length).toBe(2);
    expect(lines[1]).toMatchObject({ status: 404, bucket: null });
  });

  it('says how much of a response went out when its client left', async () => {
    const [, { url, lines } = { url: '', lines: [] }] = await openLogged();
    const client = await openRawClient(url);
    client.socket.pause();
    // Pipelined, so that the bytes of several answers wait in the connection when it breaks.
    for (let i = 0; i < 20; i++)
      client.send(`GET /${PUBLIC_BUCKET}/large?x HTTP/1.1\r\nHost: h\r\n\r\n`);
    await expect
      .poll(() => lines.filter(({ isWhole }) => isWhole === true).length)
      .toBeGreaterThanOrEqual(1);
    client.socket.destroy();
    await expect.poll(() => lines.some(({ isWhole }) => isWhole === false)).toBe(true);
    for (const { isWhole, bodyBytes } of lines) {
      if (isWhole === true) expect(bodyBytes).toBe(900_000);
      else expect(bodyBytes).toBeLessThanOrEqual(900_000);
    }
  });
});

describe('a header finder', () => {
  it('finds a header by its name and nothing else', () => {
    const chunk = Buffer.from(
      'GET /referer:x HTTP/1.1\r\nHost: h\r\nX-Referer: no\r\n' +
        'ReFeRer:\t a: b \r\nReferer: late\r\nEmpty:\r\n\r\n',
    );
    const find = createHeaderFinder(chunk);
    expect(find('referer')).toBe('a: b');
    expect(find('empty')).toBe('');
    expect(find('user-agent')).toBeNull();
  });

  it('is not slow for blanks in a value', async () => {
    const value = `a${' \t'.repeat(LONGEST / 2)}b`;
    const chunk = Buffer.from(`GET / HTTP/1.1\r\nReferer: ${value} \r\n\r\n`);
    expect(await cpuMsOf(() => createHeaderFinder(chunk)('referer'))).toBeLessThan(QUICK_MS);
    expect(createHeaderFinder(chunk)('referer')).toBe(value);
  });
});

describe('the log of a process', () => {
  it('goes to a file, into a new one after a rotation, and is whole at the end', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'access.log');
    const node = await startNodeProcess(join(folder, 'data'), {
      QUAYSIDE_ACCESS_LOG: 'combined',
      QUAYSIDE_ACCESS_LOG_FILE: path,
    });
    const count = (of: string) =>
      existsSync(of) ? readFileSync(of, 'utf8').split('\n').length - 1 : 0;
    expect((await aws.fetch(`${node.url}/bucket-one`, { method: 'PUT' })).status).toBe(200);
    await expect.poll(() => count(path)).toBe(1);
    expect(readFileSync(path, 'utf8')).toMatch(
      /^127\.0\.0\.1 - node-platform-tests \[.*\] "PUT \/bucket-one HTTP\/1\.1" 200 0 "-" /,
    );
    for (const [at, signal] of (['SIGHUP', 'SIGUSR1'] as const).entries()) {
      renameSync(path, `${path}.${at}`);
      node.child.kill(signal);
      await expect.poll(() => existsSync(path)).toBe(true);
      const signed = await aws.sign(`${node.url}/bucket-one`, { aws: { signQuery: true } });
      expect((await fetch(signed)).status).toBe(200);
      await expect.poll(() => count(path)).toBe(1);
      expect(readFileSync(path, 'utf8')).toMatch(
        /GET \/bucket-one\?.*X-Amz-Signature=\[redacted\]/,
      );
      expect(readFileSync(path, 'utf8')).not.toMatch(/Signature=[0-9a-f]/);
    }
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => fetch(`${node.url}/-/health`)),
    );
    for (const answer of answers) await answer.text();
    expect(await node.end('SIGTERM')).toBe(0);
    expect(count(path)).toBe(51);
    expect(node.stdout()).not.toContain('GET /');
  });

  it('goes to stdout as JSON', async () => {
    const node = await startNodeProcess(temporaryFolder(), { QUAYSIDE_ACCESS_LOG: 'json' });
    await (await fetch(`${node.url}/-/health?password=x`)).text();
    await expect.poll(() => node.stdout()).toContain('"event":"access"');
    const line =
      node
        .stdout()
        .split('\n')
        .find((text) => text.includes('"event":"access"')) ?? '';
    expect(JSON.parse(line)).toMatchObject({
      status: 200,
      target: '/-/health?password=[redacted]',
      operation: 'Health',
    });
  });

  it('keeps the program from starting when its file cannot be opened', async () => {
    const env = { QUAYSIDE_ACCESS_LOG: 'json', QUAYSIDE_ACCESS_LOG_FILE: '/proc/none/access.log' };
    await expect(startNodeProcess(temporaryFolder(), env)).rejects.toThrow(
      /can't start: ENOENT.*access\.log/,
    );
  });
});
