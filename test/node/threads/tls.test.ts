// TLS on several threads: each speaks it at the one port, and resumes what another one began.
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { text } from 'node:stream/consumers';
import { connect, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { RENEW_SIGNAL } from '../../../src/adapters/node/tls/open-tls.ts';
import { parseMetricsPage } from '../../wire/kit/metrics-page.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import { startThreadedPlatform, type ThreadedPlatform } from '../kit/threaded-platform.ts';
import { writePair } from '../tls/tls-kit.ts';

// Each test connects until the right thread has the connection.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 });

const METRICS_TOKEN = 'metrics-token-of-threads-with-tls';
const folder = temporaryFolder();
let platform: ThreadedPlatform;

beforeAll(async () => {
  const { certFile, keyFile } = writePair(folder);
  platform = await startThreadedPlatform({
    QUAYSIDE_METRICS_TOKEN: METRICS_TOKEN,
    QUAYSIDE_TLS_CERT: certFile,
    QUAYSIDE_TLS_KEY: keyFile,
  });
});
afterAll(() => platform.close());

/** Asks for a path; resolves with the head and with what the connection was. */
async function ask(path: string, session?: Buffer) {
  const before = platform.connections();
  const socket: TLSSocket = connect({
    port: platform.port,
    rejectUnauthorized: false,
    ALPNProtocols: ['h2', 'http/1.1'],
    session,
  });
  const sessions: Buffer[] = [];
  socket.on('session', (given) => sessions.push(given));
  await once(socket, 'secureConnect');
  socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  let head = '';
  while (!/\r\n\r\n/.test(head)) head += String((await once(socket, 'data'))[0]);
  const thread = platform.connections().findIndex((count, at) => count > (before[at] ?? 0));
  const certificate = socket.getPeerCertificate().fingerprint256;
  const was = {
    certificate,
    alpn: socket.alpnProtocol,
    isResumed: socket.isSessionReused(),
    thread,
  };
  socket.destroy();
  await expect.poll(platform.connections).toEqual(before);
  return { ...was, head, session: sessions.at(-1) };
}

/** Asks until the thread of that number has answered. */
async function askThread(thread: number, path: string, session?: Buffer) {
  for (;;) {
    const answer = await ask(path, session);
    if (answer.thread === thread) return answer;
  }
}

describe('TLS on two threads', () => {
  it('answers S3 and what is handed to the first thread, by HTTP/1.1, on both', async () => {
    for (const thread of [0, 1]) {
      const health = await askThread(thread, '/-/health');
      expect(health.head).toMatch(/^HTTP\/1\.1 200 /);
      expect(health.alpn).toBe('http/1.1');
      const bucket = await askThread(thread, '/no-such-bucket/key');
      expect(bucket.head).toMatch(/^HTTP\/1\.1 40[34] /);
    }
  });

  it('resumes on one thread the session that began on the other', async () => {
    const { session } = await askThread(0, '/-/health');
    expect(session).toBeDefined();
    expect((await askThread(1, '/-/health', session)).isResumed).toBe(true);
  });

  it('shows a new certificate on both at once after a signal', async () => {
    const former = await askThread(1, '/-/health');
    writePair(folder);
    const worker = platform.workers.get(1);
    if (worker === undefined) throw new Error('There is no second thread.');
    const letters = vi.spyOn(worker, 'postMessage');
    process.emit(RENEW_SIGNAL);
    for (const thread of [0, 1])
      await expect
        .poll(async () => (await askThread(thread, '/-/health')).certificate)
        .not.toBe(former.certificate);
    // Each thread looks at the files by itself, too, some seconds later.
    expect(JSON.stringify(letters.mock.calls)).toContain('renewTls');
  });

  it('says once when the certificate expires', async () => {
    const headers = { authorization: `Bearer ${METRICS_TOKEN}` };
    const { port } = platform;
    const sent = get({ port, path: '/-/metrics', headers, rejectUnauthorized: false });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    const validTo = (response.socket as TLSSocket).getPeerCertificate().valid_to;
    const page = parseMetricsPage(await text(response));
    const expiresAtMs = page.value('quayside_tls_certificate_expires_seconds') * 1000;
    expect(expiresAtMs).toBe(Date.parse(validTo));
  });

  it('hears of no signal once it is closed', async () => {
    const listenersBefore = process.listenerCount(RENEW_SIGNAL);
    const pair = writePair(temporaryFolder());
    const other = await startThreadedPlatform({
      QUAYSIDE_TLS_CERT: pair.certFile,
      QUAYSIDE_TLS_KEY: pair.keyFile,
    });
    const listeners = process.listenerCount(RENEW_SIGNAL);
    const withoutTls = await startThreadedPlatform();
    expect(process.listenerCount(RENEW_SIGNAL)).toBe(listeners);
    expect(listeners).toBeGreaterThan(listenersBefore);
    await Promise.all([withoutTls.close(), other.close()]);
    expect(process.listenerCount(RENEW_SIGNAL)).toBeLessThan(listeners);
  });
});
