// The Node platform as a process: its start, its orderly end, and its death in the middle of
// writes.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { AwsClient, AwsV4Signer } from 'aws4fetch';
import { describe, expect, it } from 'vitest';
import { VERSION } from '../../../src/ports/version.ts';
import { isSameBytes, patternBytes } from '../../contract/bodies.ts';
import { ROOT_KEY, runNodeProcess, startNodeProcess } from '../kit/node-process.ts';
import { aws, expectOk, useNodeProcesses } from '../kit/platform-client.ts';
import { openRawClient } from '../kit/raw-socket.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

useNodeProcesses();

describe('start', () => {
  it('prints no warning of Node, as of experimental modules that it uses', async () => {
    const node = await startNodeProcess(temporaryFolder());
    expect(await node.end('SIGTERM')).toBe(0);
    expect(node.stderr()).toBe('');
  });

  it('makes a root key that its owner alone can read, and shows a pipe only its path', async () => {
    const dataDir = temporaryFolder();
    const noKeys = { QUAYSIDE_ROOT_ACCESS_KEY: '', QUAYSIDE_ROOT_SECRET_KEY: '' };
    const first = await startNodeProcess(dataDir, noKeys);
    const path = join(dataDir, 'root-key.json');
    const { accessKey, secretKey } = JSON.parse(readFileSync(path, 'utf8'));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(first.stdout()).toContain(accessKey);
    expect(first.stdout()).toContain(path);
    expect(first.stdout() + first.stderr()).not.toContain(secretKey);
    expect(await first.end('SIGTERM')).toBe(0);

    const second = await startNodeProcess(dataDir, noKeys);
    const client = new AwsClient({
      accessKeyId: accessKey,
      secretAccessKey: secretKey,
      service: 's3',
      region: 'auto',
    });
    expect((await client.fetch(second.url)).status).toBe(200);
    expect(await second.end('SIGINT')).toBe(0);
    expect(second.stdout()).toContain(path);
    expect(second.stdout() + second.stderr()).not.toContain(secretKey);
  });

  it('survives the signals to reopen logs, without a log file and without a debugger', async () => {
    const node = await startNodeProcess(temporaryFolder());
    for (const signal of ['SIGHUP', 'SIGUSR1'] as const) {
      node.child.kill(signal);
      for (const _ of [1, 2, 3]) expect((await fetch(`${node.url}/-/health`)).status).toBe(200);
    }
    expect(node.stderr()).not.toContain('Debugger');
    expect(await node.end('SIGTERM')).toBe(0);
  });

  it('leaves a data folder alone that another process uses', async () => {
    const dataDir = temporaryFolder();
    await startNodeProcess(dataDir);
    const { exitCode, output } = await runNodeProcess({ QUAYSIDE_DATA_DIR: dataDir });
    expect(exitCode).toBe(1);
    expect(output).toMatch(/can't start: .*another Quayside process is using it/);
  });

  it('names a misspelt setting on stderr without its value, and its version', async () => {
    const node = await startNodeProcess(temporaryFolder(), { QUAYSIDE_MASTERKEY: 'very-secret' });
    expect(node.stdout()).toContain(`Quayside ${VERSION} is ready: `);
    const lines = node
      .stderr()
      .split('\n')
      .filter((line) => line.includes('unknown-setting'));
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { variable: 'QUAYSIDE_MASTERKEY', nearest: 'QUAYSIDE_MASTER_KEY' },
    ]);
    expect(node.stdout() + node.stderr()).not.toContain('very-secret');
    await node.end('SIGTERM');
  });

  it('prints what is wrong when it cannot start, and nothing else', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const cases: [NodeJS.ProcessEnv, RegExp][] = [
      [{ QUAYSIDE_PORT: 'http' }, /QUAYSIDE_PORT must be/],
      [{ QUAYSIDE_ROOT_ACCESS_KEY: 'only-half' }, /QUAYSIDE_ROOT_SECRET_KEY is not set/],
      [{ QUAYSIDE_DATA_DIR: '/dev/null/data' }, /\/dev\/null\/data/],
      [{ QUAYSIDE_PORT: `${port}` }, /EADDRINUSE.* set QUAYSIDE_PORT\.\n/],
      [{ QUAYSIDE_HOST: '192.0.2.1' }, /EADDRNOTAVAIL.* set QUAYSIDE_HOST\.\n/],
    ];
    const runs = cases.map(([env]) =>
      runNodeProcess({ QUAYSIDE_DATA_DIR: temporaryFolder(), ...env }),
    );
    for (const [at, { exitCode, output }] of (await Promise.all(runs)).entries()) {
      expect(exitCode).toBe(1);
      expect(output).toMatch(cases[at]?.[1] ?? /never/);
      expect(output.trim().split('\n').length).toBe(1);
    }
    taken.close();
  });
});

/** Begins a signed upload of 300,000 bytes to `photos/late`, and sends the head alone. */
async function beginUpload(url: string) {
  await expectOk(aws.fetch(`${url}/photos`, { method: 'PUT' }));
  const signed = await new AwsV4Signer({
    ...ROOT_KEY,
    url: `${url}/photos/late`,
    method: 'PUT',
    service: 's3',
    region: 'auto',
    headers: { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
  }).sign();
  const client = await openRawClient(url);
  const headers = [...signed.headers].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  client.send(
    `PUT /photos/late HTTP/1.1\r\nHost: ${signed.url.host}\r\n` +
      `Content-Length: 300000\r\n${headers}\r\n`,
  );
  return client;
}

describe('SIGTERM', () => {
  it('lets a running upload finish, exits 0, and the object is there afterwards', async () => {
    const dataDir = temporaryFolder();
    const first = await startNodeProcess(dataDir);
    const body = patternBytes(300_000);
    const client = await beginUpload(first.url);
    client.send(body.subarray(0, 150_000));
    await expect.poll(() => readdirSync(join(dataDir, 'tmp')).length).toBe(1);
    const ended = first.end('SIGTERM');
    await expect.poll(() => first.stdout()).toContain('stopping');
    await expect(fetch(first.url)).rejects.toThrow();
    client.send(body.subarray(150_000));
    expect(await client.closed()).toMatch(/^HTTP\/1\.1 200/);
    expect(await ended).toBe(0);

    const second = await startNodeProcess(dataDir);
    const found = await expectOk(aws.fetch(`${second.url}/photos/late`));
    expect(isSameBytes(new Uint8Array(await found.arrayBuffer()), body)).toBe(true);
  });

  it('does not wait longer than its limit', async () => {
    const node = await startNodeProcess(temporaryFolder(), { QUAYSIDE_DRAIN_SECONDS: '0' });
    const client = await openRawClient(node.url);
    client.send('PUT /photos/stuck HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc');
    expect(await node.end('SIGTERM')).toBe(0);
  });

  it('counts once when it comes twice at a time, as Ctrl-C under npm does', async () => {
    const node = await startNodeProcess(temporaryFolder());
    const ended = node.end('SIGINT');
    node.child.kill('SIGINT');
    expect(await ended).toBe(0);
    expect(node.stdout()).toContain('stopped');
  });

  it('ends at once when it comes again later', async () => {
    const node = await startNodeProcess(temporaryFolder());
    const client = await beginUpload(node.url);
    client.send(patternBytes(1000));
    const ended = node.end('SIGINT');
    await expect.poll(() => node.stdout()).toContain('stopping');
    await new Promise((resolve) => setTimeout(resolve, 700));
    node.child.kill('SIGINT');
    expect(await ended).toBe(1);
  });
});

describe('kill -9', () => {
  it('loses no acknowledged object and shows no partial one, three times over', async () => {
    const dataDir = temporaryFolder();
    const acknowledged = new Map<string, Uint8Array>();
    const sizes = [100, 9_000, 40_000, 400_000];
    for (let round = 0; round < 3; round++) {
      const node = await startNodeProcess(dataDir);
      await expectOk(aws.fetch(`${node.url}/photos`, { method: 'PUT' }));
      const storm = Array.from({ length: 8 }, async (_, client) => {
        for (let at = 0; ; at++) {
          const key = `${round}/${client}/${at}`;
          const body = patternBytes(
            sizes[(at + client) % sizes.length] ?? 0,
            round * 1000 + client * 100 + at + 1,
          );
          await expectOk(aws.fetch(`${node.url}/photos/${key}`, { method: 'PUT', body }));
          acknowledged.set(key, body);
          if (acknowledged.size >= (round + 1) * 40) node.child.kill('SIGKILL');
        }
      });
      await Promise.allSettled(storm);
      expect(acknowledged.size).toBeGreaterThanOrEqual((round + 1) * 40);
    }

    const node = await startNodeProcess(dataDir);
    // A second thread has a folder of its own in it.
    const unfinished = readdirSync(join(dataDir, 'tmp'), { recursive: true, withFileTypes: true });
    expect(unfinished.filter((entry) => entry.isFile())).toEqual([]);
    for (const [key, body] of acknowledged) {
      const found = await expectOk(aws.fetch(`${node.url}/photos/${key}`));
      const bytes = new Uint8Array(await found.arrayBuffer());
      expect(isSameBytes(bytes, body), key).toBe(true);
    }
    // What was not acknowledged is either whole or not there: a listed object must read with the
    // size it is listed with.
    const listing = await (await expectOk(aws.fetch(`${node.url}/photos?list-type=2`))).text();
    const listed = [...listing.matchAll(/<Key>(.*?)<\/Key>.*?<Size>(\d+)<\/Size>/gs)];
    expect(listed.length).toBeGreaterThanOrEqual(acknowledged.size);
    for (const [, key, size] of listed) {
      if (acknowledged.has(key ?? '')) continue;
      const found = await expectOk(aws.fetch(`${node.url}/photos/${key}`));
      expect((await found.arrayBuffer()).byteLength).toBe(Number(size));
    }
    expect(await node.end('SIGTERM')).toBe(0);
  });
});
