// Hot answers behind node:http that their client does not take at once.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createHttpServer } from '../../../src/adapters/node/serve.ts';
import { createResponseCounts } from '../../../src/adapters/node/server/response-counts.ts';
import { createConsoleLog } from '../../../src/adapters/shared/console-log.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import { renderMetrics } from '../../../src/http/system/metrics-text.ts';
import { FAST_RESPONSE } from '../../http/delivery/fast-path/fast-response-sample.ts';
import { parseMetricsPage } from '../../wire/kit/metrics-page.ts';
import { openRawClient } from '../kit/raw-socket.ts';

/** More than the system takes for a client that reads nothing. */
const BODY_BYTES = 32 * 1024 * 1024;
const REQUEST = 'GET /b/k HTTP/1.1\r\nHost: h\r\n\r\n';

async function start() {
  const counts = createResponseCounts();
  const body = Buffer.alloc(BODY_BYTES, 'x');
  const server = createHttpServer(() => new Response('app'), {
    log: createConsoleLog(systemClock, 'off'),
    counts,
    fastPath: {
      answer: () => ({ ...FAST_RESPONSE, headers: { 'content-length': `${BODY_BYTES}` }, body }),
      answerSigned: () => null,
      answerFully: () => new Response('app'),
      decidingHeaders: [],
      signingHeaders: [],
      requestId: () => '0123456789ABCDEF',
      served: null,
    },
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const client = await openRawClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const metric = (name: string) => parseMetricsPage(renderMetrics(counts.families())).value(name);
  return {
    server,
    client,
    open: () => metric('quayside_responses_open'),
    cut: () => metric('quayside_responses_cut_short_total'),
  };
}

it('hot responses are whole when the server closes meanwhile', async () => {
  const { server, client, open, cut } = await start();
  client.socket.pause();
  client.send(REQUEST);
  await expect.poll(open).toBe(1);
  const closed = once(server.close(), 'close');
  server.closeIdleConnections();
  await new Promise((resolve) => setTimeout(resolve, 50));
  server.closeIdleConnections();
  client.socket.resume();
  await expect.poll(() => client.received().length).toBeGreaterThan(BODY_BYTES);
  expect(client.received().indexOf('\r\n\r\n') + 4 + BODY_BYTES).toBe(client.received().length);
  await expect.poll(open).toBe(0);
  server.closeIdleConnections();
  await closed;
  expect(cut()).toBe(0);
});

it('hot responses are cut when their client leaves, and end only their connection', async () => {
  const { server, client, open, cut } = await start();
  client.socket.pause();
  client.send(REQUEST);
  await expect.poll(open).toBe(1);
  client.socket.resetAndDestroy();
  await expect.poll(open).toBe(0);
  expect(cut()).toBe(1);
  const another = await openRawClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  another.send(REQUEST);
  await expect.poll(() => another.received().length, { timeout: 5000 }).toBeGreaterThan(BODY_BYTES);
  another.send(REQUEST);
  await expect
    .poll(() => another.received().length, { timeout: 5000 })
    .toBeGreaterThan(2 * BODY_BYTES);
  expect([open(), cut()]).toEqual([0, 1]);
  another.socket.destroy();
});
