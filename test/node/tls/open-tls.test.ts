// Renewal of the certificate while connections go on, and resumption of sessions across renewals
// and servers.
import { once } from 'node:events';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { makeSelfSigned } from '../kit/self-signed.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import {
  connectSession,
  connectTls,
  createTestLog,
  openTestTls,
  requestOn,
  startAsking,
  type TestTlsServer,
  writePair,
} from './tls-kit.ts';

const fine = () => new Response('fine', { headers: { 'content-length': '4' } });
const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n';

async function fingerprintOf(port: number): Promise<string> {
  const socket = await connectTls(port);
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

/** One request on a connection that stays. */
async function askOn(socket: TLSSocket): Promise<string> {
  socket.write(GET);
  const [chunk] = (await once(socket, 'data')) as [Buffer];
  return chunk.toString('latin1');
}

const renewPair = ({ files }: TestTlsServer) => void writePair(dirname(files.certFile));

describe('a certificate', () => {
  it('is renewed when its files change, and no connection ends', async () => {
    const { log, lines } = createTestLog();
    const server = await startAsking(fine, { tls: { lookMs: 20, log } });
    const before = await fingerprintOf(server.port);
    const http1 = await connectTls(server.port);
    const http2 = connectSession(server.port);
    expect(await askOn(http1)).toMatch(/^HTTP\/1\.1 200 /);
    expect((await requestOn(http2, { ':path': '/' })).status).toBe(200);

    renewPair(server);
    await expect.poll(() => fingerprintOf(server.port)).not.toBe(before);
    expect(lines).toContainEqual({
      event: 'tls-renewed',
      fields: { notAfter: '2049-12-31T23:59:59.000Z' },
    });
    expect(await askOn(http1)).toMatch(/^HTTP\/1\.1 200 /);
    expect((await requestOn(http2, { ':path': '/' })).status).toBe(200);
    expect(http1.getPeerCertificate().fingerprint256).toBe(before);
  });

  it('is renewed under load without a request that fails', async () => {
    const server = await startAsking(fine, { tls: { lookMs: 5 } });
    let isOver = false;
    const prints = new Set<string>();
    const client = async () => {
      let asked = 0;
      for (; !isOver; asked++) {
        const socket = await connectTls(server.port);
        prints.add(socket.getPeerCertificate().fingerprint256);
        for (let i = 0; i < 3; i++) expect(await askOn(socket)).toMatch(/^HTTP\/1\.1 200 /);
        socket.destroy();
      }
      return asked;
    };
    const clients = Array.from({ length: 4 }, client);
    for (let i = 0; i < 5; i++) {
      renewPair(server);
      const size = prints.size;
      await expect.poll(() => prints.size).toBeGreaterThan(size);
    }
    isOver = true;
    const asked = await Promise.all(clients);
    expect(Math.min(...asked)).toBeGreaterThan(0);
    expect(prints.size).toBeGreaterThanOrEqual(5);
  });

  it('stays when the new pair is broken, until one works', async () => {
    const { log, lines } = createTestLog();
    const server = await startAsking(fine, { tls: { lookMs: 20, log } });
    const failures = () => lines.filter(({ event }) => event === 'tls-renewal-failed').length;
    const before = await fingerprintOf(server.port);
    const next = makeSelfSigned();

    await writeFile(server.files.certFile, next.cert);
    await expect.poll(failures).toBe(1);
    expect(await fingerprintOf(server.port)).toBe(before);
    rmSync(server.files.keyFile);
    await expect.poll(failures).toBe(2);
    expect(await fingerprintOf(server.port)).toBe(before);

    writeFileSync(server.files.keyFile, next.key, { mode: 0o600 });
    await expect.poll(() => fingerprintOf(server.port)).not.toBe(before);
    const metrics = await server.families();
    const renewals = metrics.find(({ name }) => name === 'quayside_tls_renewals_total');
    expect(renewals?.samples.map(({ labels, value }) => [labels.result, value])).toEqual([
      ['done', 1],
      ['failed', failures()],
    ]);
  });

  it('is read anew by SIGHUP', async () => {
    const server = await startAsking(fine, { tls: { lookMs: 60_000 } });
    const before = await fingerprintOf(server.port);
    renewPair(server);
    expect(await fingerprintOf(server.port)).toBe(before);
    process.emit('SIGHUP');
    await expect.poll(() => fingerprintOf(server.port)).not.toBe(before);
  });

  it('is warned of where everybody may read the key, or it is not good yet', async () => {
    const { log, lines } = createTestLog();
    const files = writePair(temporaryFolder(), { notBefore: '400101000000Z' });
    chmodSync(files.keyFile, 0o604);
    await openTestTls(files, { log });
    expect(lines.map(({ event }) => event)).toEqual([
      'tls-key-readable',
      'tls-certificate-not-yet-valid',
    ]);
  });
});

/** Connects, asks, and gives the ticket that came. */
async function ticketOf(
  port: number,
  session?: Buffer,
): Promise<{ readonly ticket: Buffer | undefined; readonly isReused: boolean }> {
  const socket = await connectTls(port, session === undefined ? {} : { session });
  await askOn(socket);
  return { ticket: socket.getSession(), isReused: socket.isSessionReused() };
}

describe('a session', () => {
  it('is resumed, also after a renewal and by another server of the same secret', async () => {
    const server = await startAsking(fine, { tls: { lookMs: 20 } });
    const other = await startAsking(fine, { tls: {} });
    const { ticket, isReused } = await ticketOf(server.port);
    expect(isReused).toBe(false);
    expect((await ticketOf(server.port, ticket)).isReused).toBe(true);
    expect((await ticketOf(other.port, ticket)).isReused).toBe(true);

    const before = await fingerprintOf(server.port);
    renewPair(server);
    await expect.poll(() => fingerprintOf(server.port)).not.toBe(before);
    expect((await ticketOf(server.port, ticket)).isReused).toBe(true);
  });

  it('is not resumed by a server of another secret, nor with a key of another day', async () => {
    let nowMs = Date.UTC(2030, 0, 1);
    const server = await startAsking(fine, { tls: { lookMs: 5, nowMs: () => nowMs } });
    const ticketSecret = new Uint8Array(32).fill(1);
    const stranger = await startAsking(fine, { tls: { ticketSecret, nowMs: () => nowMs } });
    const { ticket } = await ticketOf(server.port);
    expect((await ticketOf(stranger.port, ticket)).isReused).toBe(false);
    expect((await ticketOf(server.port, ticket)).isReused).toBe(true);
    nowMs += 24 * 3600 * 1000;
    await expect.poll(async () => (await ticketOf(server.port, ticket)).isReused).toBe(false);
  });
});

describe('the protocol', () => {
  it('is chosen by ALPN: HTTP/2, HTTP/1.1, or HTTP/1.1 for who names none', async () => {
    const server = await startAsking(fine);
    const protocolOf = async (ALPNProtocols?: string[]) =>
      (await connectTls(server.port, ALPNProtocols === undefined ? {} : { ALPNProtocols }))
        .alpnProtocol;
    expect(await protocolOf(['h2', 'http/1.1'])).toBe('h2');
    expect(await protocolOf(['http/1.1'])).toBe('http/1.1');
    expect(await protocolOf()).toBe(false);
    await expect(protocolOf(['spdy/3'])).rejects.toThrow();

    const without = await startAsking(fine, { tls: { isHttp2On: false } });
    const socket = await connectTls(without.port, { ALPNProtocols: ['h2', 'http/1.1'] });
    expect(socket.alpnProtocol).toBe('http/1.1');
    expect(await askOn(socket)).toMatch(/^HTTP\/1\.1 200 /);
  });

  it('is TLS 1.2 at least, with forward secrecy', async () => {
    const server = await startAsking(fine);
    const versionOf = async (version: 'TLSv1.1' | 'TLSv1.2' | 'TLSv1.3', ciphers?: string) =>
      (
        await connectTls(server.port, {
          minVersion: version,
          maxVersion: version,
          ...(ciphers === undefined ? {} : { ciphers }),
        })
      ).getProtocol();
    expect(await versionOf('TLSv1.3')).toBe('TLSv1.3');
    expect(await versionOf('TLSv1.2')).toBe('TLSv1.2');
    await expect(versionOf('TLSv1.1', 'DEFAULT@SECLEVEL=0')).rejects.toThrow();
    await expect(versionOf('TLSv1.2', 'ECDHE-ECDSA-AES128-SHA256')).rejects.toThrow();
  });

  it('of TLS 1.2 knows no renegotiation', async () => {
    const server = await startAsking(fine);
    const socket = await connectTls(server.port, { maxVersion: 'TLSv1.2' });
    const failed = once(socket, 'error');
    socket.renegotiate({ rejectUnauthorized: false }, () => undefined);
    expect(await failed).toMatchObject([{ code: 'ERR_SSL_NO_RENEGOTIATION' }]);
    expect(await askOn(await connectTls(server.port))).toMatch(/^HTTP\/1\.1 200 /);
  });
});
