// How much of an answer went out, with a server and a client over a socket.
import { createServer, get, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { onSent } from '../../../src/adapters/node/server/sent-response.ts';
import type { SentAnswer } from '../../../src/http/request.ts';

const ANNOUNCED_BYTES = 1_000_000;
const BODY = 'x'.repeat(1000);

/** What is reported of an answer that `write` sends. */
async function reportOf(write: (response: ServerResponse) => void): Promise<SentAnswer> {
  const reported = Promise.withResolvers<SentAnswer>();
  const server = createServer((incoming, outgoing) => {
    onSent(incoming, outgoing, reported.resolve);
    write(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  get({ host: '127.0.0.1', port, agent: false }, (response) =>
    response.on('error', () => {}).resume(),
  );
  const report = await reported.promise;
  server.closeAllConnections();
  server.close();
  return report;
}

it('a log counts the announced length when all of it went out', async () => {
  const report = await reportOf((response) =>
    response.writeHead(200, { 'content-length': BODY.length }).end(BODY),
  );
  expect(report).toEqual({ protocol: 'HTTP/1.1', bodyBytes: BODY.length, isWhole: true });
});

it('a log counts bytes taken of a response of unknown length, chunk sizes included', async () => {
  const { bodyBytes, isWhole } = await reportOf((response) => {
    response.write(BODY);
    response.end(BODY);
  });
  expect(isWhole).toBe(true);
  expect(bodyBytes).toBeGreaterThanOrEqual(2 * BODY.length);
  expect(bodyBytes).toBeLessThan(2 * BODY.length + 100);
});

it('a log does not count the announced length of a response that was cut off', async () => {
  const { bodyBytes, isWhole } = await reportOf((response) => {
    response.writeHead(200, { 'content-length': ANNOUNCED_BYTES });
    response.write(BODY, () => response.destroy());
  });
  expect(isWhole).toBe(false);
  expect(bodyBytes).toBeGreaterThan(0);
  expect(bodyBytes).toBeLessThanOrEqual(BODY.length);
});

it('a log counts nothing of a response without a body, whatever its head says', async () => {
  const report = await reportOf((response) =>
    response.writeHead(304, { 'content-length': ANNOUNCED_BYTES }).end(),
  );
  expect(report).toMatchObject({ bodyBytes: 0, isWhole: true });
});
