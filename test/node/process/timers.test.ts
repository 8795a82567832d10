// What node.ts starts and ends beside the server, seen from outside of the process: bills, logs of
// buckets, messages. The work itself has tests of its own; these fail when its wiring is gone.
import { statSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type NodeProcess, startNodeProcess } from '../kit/node-process.ts';
import { aws, expectOk, signIn, useNodeProcesses } from '../kit/platform-client.ts';
import { openRawClient } from '../kit/raw-socket.ts';
import { readRecordedUsage } from '../kit/recorded-usage.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const DAY_MS = 24 * 3600 * 1000;
/** An hour, in seconds: a timer of that setting does not fire in a test. */
const NEVER = '3600';

useNodeProcesses();
let dataDir: string;
const ends: (() => void)[] = [];
beforeEach(() => {
  dataDir = temporaryFolder();
});
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** Runs one statement on the database of the folder. */
function sql(statement: string, ...values: (string | number)[]): Record<string, SQLOutputValue>[] {
  const database = new DatabaseSync(join(dataDir, 'index.sqlite'), { timeout: 5000 });
  try {
    return database.prepare(statement).all(...values);
  } finally {
    database.close();
  }
}

/**
 * A server that leaves every request unanswered until `answerAll`, and from then on answers at
 * once.
 */
async function startHeldServer(answer: (response: ServerResponse) => void) {
  const paths: string[] = [];
  const readPolicy = Promise.withResolvers<void>();
  const server = createServer(async (request: IncomingMessage, response) => {
    paths.push(request.url ?? '');
    await readPolicy.promise;
    answer(response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, paths, answerAll: readPolicy.resolve };
}

/** Ends the node while `server` delays a request of it, which gets its response only then. */
async function endDuringRequest(
  node: NodeProcess,
  server: { readonly answerAll: () => void },
): Promise<void> {
  const ended = node.end('SIGTERM');
  await expect.poll(() => node.stdout()).toContain('stopping');
  server.answerAll();
  expect(await ended).toBe(0);
}

const put = (node: NodeProcess, path: string, body?: string) =>
  expectOk(
    aws.fetch(`${node.url}/${path}`, { method: 'PUT', ...(body === undefined ? {} : { body }) }),
  );

/**
 * Makes what was used just now the use of a month that is over, and of a whole day that is, for
 * which is reported to Stripe.
 */
function makeUseOld() {
  const now = new Date();
  const monthMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2);
  const dayMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - 3 * DAY_MS;
  // Into the tables that programs before the journal wrote.
  const recorded = readRecordedUsage(join(dataDir, 'index.sqlite'));
  for (const { accountId, bucketId, accessKeyId, meter, quantity } of recorded) {
    const values = [accountId, bucketId ?? '', accessKeyId ?? '', meter, 0, Number(quantity)];
    sql(
      'INSERT INTO ledger_months ' +
        '(month_ms, account_id, bucket_id, access_key_id, meter, high, low) ' +
        'VALUES (?, ?, ?, ?, ?, ?, ?)',
      monthMs,
      ...values,
    );
    sql(
      'INSERT INTO ledger_hours (hour_ms, account_id, bucket_id, access_key_id, meter, high, low)' +
        ' VALUES (?, ?, ?, ?, ?, ?, ?)',
      dayMs,
      ...values,
    );
  }
  sql('DELETE FROM ledger_pages');
  const period = new Date(monthMs).toISOString().slice(0, 7);
  sql("INSERT OR REPLACE INTO closing (id, period, after) VALUES (0, ?, '')", period);
  sql('UPDATE push_targets SET day_ms = ?', dayMs);
  return { period, dayMs };
}

it('the server closes months and reports to Stripe by its clock, and ends in order', async () => {
  const first = await startNodeProcess(dataDir, { QUAYSIDE_SWEEP_INTERVAL_SECONDS: NEVER });
  await put(first, 'used');
  await put(first, 'used/k', 'x');
  const { call } = await signIn(first.url);
  await expectOk(call('PUT', '/billing/stripe-customer', { customerId: 'cus_1' }));
  expect(await first.end('SIGTERM')).toBe(0);
  const { period, dayMs } = makeUseOld();

  const stripe = await startHeldServer((response) => {
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end('{"object":"billing.meter_event"}');
  });
  const second = await startNodeProcess(dataDir, {
    QUAYSIDE_SWEEP_INTERVAL_SECONDS: '1',
    QUAYSIDE_STRIPE_SECRET_KEY: 'sk_test_of_the_clocks',
    QUAYSIDE_STRIPE_URL: stripe.url,
  });
  await expect.poll(() => stripe.paths.length).toBe(1);
  const again = await signIn(second.url);
  const invoice = (await (
    await expectOk(again.call('GET', `/invoices/${period}`))
  ).json()) as object;
  expect(invoice).toMatchObject({ period });
  const progress = () => sql('SELECT day_ms, told, tried FROM push_targets')[0];
  expect(progress()).toMatchObject({ day_ms: dayMs, told: '', tried: 'class-a/STANDARD' });
  await endDuringRequest(second, stripe);
  // The run that was under way has noted that Stripe has all of that day.
  expect(progress()).toMatchObject({ told: '', tried: '' });
  expect(progress()?.day_ms).toBeGreaterThan(dayMs);
});

it('the server writes the logs of buckets by its clock, and the rest at its end', async () => {
  const logObjects = () => sql("SELECT key FROM objects WHERE key LIKE 'log/%'").length;
  const settings = { QUAYSIDE_BUCKET_LOG_SECONDS: '1' };
  const first = await startNodeProcess(dataDir, settings);
  await put(first, 'logs');
  await put(first, 'logged');
  const Statement = [
    {
      Effect: 'Allow',
      Principal: { Service: 'logging.s3.amazonaws.com' },
      Action: 's3:PutObject',
      Resource: 'arn:aws:s3:::logs/log/*',
      Condition: { ArnLike: { 'aws:SourceArn': 'arn:aws:s3:::logged' } },
    },
  ];
  await put(first, 'logs?policy', JSON.stringify({ Version: '2012-10-17', Statement }));
  const target =
    '<LoggingEnabled><TargetBucket>logs</TargetBucket>' +
    '<TargetPrefix>log/</TargetPrefix></LoggingEnabled>';
  await put(first, 'logged?logging', `<BucketLoggingStatus>${target}</BucketLoggingStatus>`);
  await put(first, 'logged/by-the-clock', 'x');
  // No further request comes, whose line would bring the older ones along.
  await expect.poll(logObjects).toBe(1);
  expect(await first.end('SIGTERM')).toBe(0);
  expect(logObjects()).toBe(1);

  const second = await startNodeProcess(dataDir, { QUAYSIDE_BUCKET_LOG_SECONDS: NEVER });
  await put(second, 'logged/at-the-end', 'x');
  expect(logObjects()).toBe(1);
  expect(await second.end('SIGTERM')).toBe(0);
  expect(logObjects()).toBe(2);
});

it('the server sends by its outbox, and ends when the attempt under way is noted', async () => {
  const hook = await startHeldServer((response) => response.writeHead(204).end());
  const node = await startNodeProcess(dataDir, { QUAYSIDE_WEBHOOK_PRIVATE_TARGETS: 'on' });
  const { call } = await signIn(node.url);
  const { arn } = (await (await expectOk(call('POST', '/webhooks', { url: hook.url }))).json()) as {
    arn: string;
  };
  await put(node, 'events');
  const events = '<Event>s3:ObjectCreated:*</Event>';
  const queue = `<QueueConfiguration><Queue>${arn}</Queue>${events}</QueueConfiguration>`;
  await put(
    node,
    'events?notification',
    `<NotificationConfiguration>${queue}</NotificationConfiguration>`,
  );
  await put(node, 'events/k', 'x');
  await expect.poll(() => hook.paths.length).toBeGreaterThanOrEqual(1);
  await endDuringRequest(node, hook);
  const states = sql('SELECT state FROM outbox ORDER BY id').map(({ state }) => state);
  // One attempt was under way; what waits behind it in its order is for the next start.
  expect(states[0]).toBe('delivered');
});

it('the server counts connections, hides its files, and logs what it cut off', async () => {
  const token = 'metrics-of-the-clocks';
  const node = await startNodeProcess(dataDir, {
    QUAYSIDE_DRAIN_SECONDS: '0',
    QUAYSIDE_METRICS_TOKEN: token,
  });
  const headers = { authorization: `Bearer ${token}` };
  const metrics = await (await expectOk(fetch(`${node.url}/-/metrics`, { headers }))).text();
  expect(metrics).toContain('quayside_connections');
  await put(node, 'photos');
  await put(node, 'photos/k', 'x');
  expect(statSync(join(dataDir, 'index.sqlite')).mode & 0o077).toBe(0);
  const client = await openRawClient(node.url);
  client.send('PUT /photos/stuck HTTP/1.1\r\nHost: h\r\nContent-Length: 10\r\n\r\nabc');
  expect(await node.end('SIGTERM')).toBe(0);
  expect(node.stderr() + node.stdout()).toContain('connections-cut');
});

it('the server goes on when nobody reads its output', async () => {
  const node = await startNodeProcess(dataDir, { QUAYSIDE_ACCESS_LOG: 'json' });
  for (const stream of [node.child.stdout, node.child.stderr]) stream?.destroy();
  for (const _ of [1, 2, 3]) await put(node, 'photos');
  expect(await node.end('SIGTERM')).toBe(0);
});
