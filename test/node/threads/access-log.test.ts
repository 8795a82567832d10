// The access log of two threads: one file with a whole line for each request, also while it is
// opened anew, and all lines are there at the end.
import { once } from 'node:events';
import { existsSync, readFileSync, renameSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseMetricsPage } from '../../wire/kit/metrics-page.ts';
import { connectionClient } from '../kit/connection-client.ts';
import { startNodeProcess } from '../kit/node-process.ts';
import { useNodeProcesses } from '../kit/platform-client.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

useNodeProcesses();

const CLIENTS = 24;
const ROUNDS = 60;
const METRICS_TOKEN = 'metrics-token-of-access-log';

/** The targets of a file's lines, each of which must be whole. */
function targetsIn(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).target);
}

it('the access log is one file of whole lines, opened anew by a signal', async () => {
  const path = join(temporaryFolder(), 'access.log');
  const node = await startNodeProcess(temporaryFolder(), {
    QUAYSIDE_THREADS: '2',
    QUAYSIDE_ACCESS_LOG: 'json',
    QUAYSIDE_ACCESS_LOG_FILE: path,
    QUAYSIDE_METRICS_TOKEN: METRICS_TOKEN,
  });
  const sockets = Array.from(
    { length: CLIENTS },
    (): Socket => connect(Number(new URL(node.url).port), '127.0.0.1'),
  );
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  const clients = sockets.map(connectionClient);

  let requests = 0;
  /** Each client asks for one thing after the other that is not there. */
  const askAll = async (part: string) => {
    await Promise.all(
      clients.map(async (client, at) => {
        for (let round = 0; round < ROUNDS; round++) {
          const { status } = await client.send('GET', `/no-such-bucket/${part}-${at}-${round}`);
          expect(status).toBe(404);
          requests += 1;
        }
      }),
    );
  };
  await askAll('before');
  const running = askAll('during');
  renameSync(path, `${path}.0`);
  node.child.kill('SIGHUP');
  await running;
  await expect.poll(() => existsSync(path)).toBe(true);
  await askAll('after');

  const metrics = await clients[0]?.send('GET', '/-/metrics', {
    authorization: `Bearer ${METRICS_TOKEN}`,
  });
  const page = parseMetricsPage(metrics?.body.toString() ?? '');
  const connectionsOf = (thread: string) => page.value('quayside_thread_connections', { thread });
  expect(connectionsOf('0')).toBeGreaterThan(0);
  expect(connectionsOf('1')).toBeGreaterThan(0);
  for (const client of clients) client.close();
  expect(await node.end('SIGTERM')).toBe(0);

  const [former, current] = [targetsIn(`${path}.0`), targetsIn(path)];
  expect(former).toContain('/no-such-bucket/before-0-0');
  expect(current).toContain('/no-such-bucket/after-0-0');
  // Each thread hands its lines over in turn, so that the last request need not be the last line.
  expect(current).toContain('/-/metrics');
  const targets = [...former, ...current];
  expect(new Set(targets).size).toBe(requests + 1);
  expect(targets).toHaveLength(requests + 1);
});
