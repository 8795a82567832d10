// What do metering and caps cost a hot public GET? The fast path alone, in one process, without a
// socket: CPU µs per answer, with a meter that does nothing, with the real one, in a bucket whose
// owner has receipts, and with a cap. The variants take turns. And what a receipt costs who wants
// one.
import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openNodePorts } from '../src/adapters/node/node-ports.ts';
import { readRequest } from '../src/adapters/node/server/http-request.ts';
import { createConsoleLog } from '../src/adapters/shared/console-log.ts';
import { systemClock } from '../src/adapters/shared/system-clock.ts';
import { parseConfig } from '../src/config.ts';
import { createDecide } from '../src/core/auth/decide.ts';
import { createReceipts } from '../src/core/billing/receipts/take-receipt.ts';
import { createCapGuard } from '../src/core/caps/cap-guard.ts';
import { setCap } from '../src/core/caps/set-cap.ts';
import type { Core } from '../src/core/core.ts';
import { createUsageFlusher } from '../src/core/metering/flush-usage.ts';
import { openBucket } from '../src/core/opened-bucket/bucket-handle.ts';
import { setBucketSettings } from '../src/core/opened-bucket/set-bucket-settings.ts';
import { parseBucketName } from '../src/core/parse-names.ts';
import type { BucketSettings } from '../src/domain/bucket-settings.ts';
import type { AccountId, BucketId } from '../src/domain/nouns.ts';
import { ROOT_ACCOUNT } from '../src/domain/root-account.ts';
import { HOUR_MS } from '../src/domain/time.ts';
import { createDelivery } from '../src/http/delivery/create-delivery.ts';
import type { UsageCounter } from '../src/ports/metering.ts';
import { bodyOf, makePublicObject } from './lib/public-object.ts';
import { median, printTable } from './lib/table.ts';

const BODY = Buffer.alloc(10 * 1024, 'quayside ');
const LOOPS = 100_000;
const ROUNDS = 15;
const RECEIPTS = 3_000;
/**
 * CPU of a whole request of the fast path, µs: the least that was measured (bench/README.md,
 * delivery).
 */
const LANE_REQUEST_MICROS = 7;

const folder = await mkdtemp(join(tmpdir(), 'quayside-bench-'));
const log = createConsoleLog(systemClock, 'off');
const config = parseConfig({});
const { ports, close } = await openNodePorts(config, {
  dataDir: folder,
  log,
  onCrash: () => process.exit(1),
});
const owner = { accountId: ROOT_ACCOUNT.id, bucketId: null, accessKeyId: null };
const idle: UsageCounter = {
  owner,
  allowances: null,
  count: () => undefined,
  note: () => undefined,
  countOpen: () => ({ sent: () => true, end: () => undefined }),
  countApart: () => {
    throw new Error('Nothing here has a receipt.');
  },
  alsoRead: () => undefined,
  block: () => undefined,
  fail: () => undefined,
};

/** A door with the object in memory, and how often a call of it answers. */
async function openTestServer(
  core: Core,
  bucketName: string,
  {
    isCapped = false,
    receipts = null,
  }: { isCapped?: boolean; receipts?: BucketSettings['receipts'] } = {},
): Promise<() => void> {
  const name = parseBucketName(bucketName);
  const { record } = await makePublicObject(core, bucketName, bodyOf(BODY));
  await setBucketSettings(core, await openBucket(core, name, () => undefined), { receipts });
  if (isCapped) {
    await setCap(core, ROOT_ACCOUNT.id, {
      id: 'bench',
      scope: { kind: 'bucket', bucketId: record.id },
      unit: 'bytes',
      limit: 2n ** 52n,
      period: 'month',
      alertPercents: [50],
      cachedFromPercent: 90,
      cardId: null,
      liftedUntilMs: null,
    });
  }
  const flusher = createUsageFlusher(core, { source: bucketName, intervalMs: 5000 });
  const { deliver, answerAtOnce } = createDelivery(
    core,
    config,
    createDecide(),
    createCapGuard(core, flusher, bucketName, () => undefined),
  );
  const incoming = {
    method: 'GET',
    url: `/${bucketName}/object`,
    headers: { host: 'h' },
    httpVersion: '1.1',
    socket: {},
  };
  const request = readRequest({
    incoming: incoming as unknown as IncomingMessage,
    outgoing: {} as ServerResponse,
  });
  await deliver(request, bucketName, 'object', 'id');
  const read = {
    isHead: false,
    rawPath: incoming.url,
    host: 'h',
    ifNoneMatch: null,
    range: null,
    header: () => null,
  };
  return () => {
    if (answerAtOnce(read) === null) throw new Error(`${bucketName}: the fast path did not answer`);
  };
}

/**
 * Receipts of an account with usage of so many buckets, some under way at once. CPU of all threads.
 */
async function measureReceipts(core: Core): Promise<string[][]> {
  const rows: string[][] = [];
  for (const buckets of [1, 10_000]) {
    const accountId = `account-${buckets}` as AccountId;
    const bucketIds = Array.from({ length: buckets }, (_, at) => `bucket-${at}~1` as BucketId);
    const usage = bucketIds.map((bucketId) => ({
      ...{ hourMs: Date.now() - (Date.now() % HOUR_MS), bucketId, accessKeyId: null },
      ...{ meter: 'class-a/STANDARD' as const, quantity: 1n },
    }));
    const batches = [{ source: 'bench', sequence: 1, rows: usage }];
    await core.ports.ledger.call('record', { accountId, batches, nowMs: Date.now() });
    const flusher = createUsageFlusher(core, { source: accountId, intervalMs: 5000 });
    const takeReceipt = createReceipts(core, flusher, accountId);
    const use = {
      operationClass: 'B',
      bytesOut: BODY.length,
      tier: 'memory',
      storageClass: 'STANDARD',
      alsoRead: [],
    } as const;
    for (const width of [1, 64]) {
      const ms: number[] = [];
      const before = process.cpuUsage();
      const client = async () => {
        while (ms.length < RECEIPTS) {
          const sinceMs = performance.now();
          const { price } = await takeReceipt(
            { accountId, bucketId: null, accessKeyId: null },
            use,
          );
          if (price === null) throw new Error('The ledger did not answer.');
          ms.push(performance.now() - sinceMs);
        }
      };
      await Promise.all(Array.from({ length: width }, client));
      const { user, system } = process.cpuUsage(before);
      const name = `usage of ${buckets} buckets, ${width} at once`;
      rows.push([name, ((user + system) / ms.length).toFixed(0), median(ms).toFixed(2)]);
    }
  }
  return rows;
}

try {
  const metered: Core = { ports, settings: config };
  const unmetered: Core = {
    ports: { ...ports, meter: { ...ports.meter, ofReadPolicy: () => idle } },
    settings: config,
  };
  const doors = [
    { name: 'no meter', ask: await openTestServer(unmetered, 'unmetered'), micros: [] as number[] },
    { name: 'metered', ask: await openTestServer(metered, 'metered'), micros: [] as number[] },
    {
      name: 'metered, receipts for the owner',
      ask: await openTestServer(metered, 'receipts', { receipts: 'owner' }),
      micros: [] as number[],
    },
    {
      name: 'metered, with a cap',
      ask: await openTestServer(metered, 'capped', { isCapped: true }),
      micros: [] as number[],
    },
  ];
  for (let round = 0; round < ROUNDS; round++) {
    for (const { ask, micros } of doors) {
      const before = process.cpuUsage();
      for (let at = 0; at < LOOPS; at++) ask();
      const { user, system } = process.cpuUsage(before);
      micros.push((user + system) / LOOPS);
    }
  }
  const least = median(doors[0]?.micros ?? []);
  const rows = doors.map(({ name, micros }) => {
    const added = median(micros) - least;
    return [
      name,
      median(micros).toFixed(3),
      added.toFixed(3),
      `${((100 * added) / LANE_REQUEST_MICROS).toFixed(1)} %`,
    ];
  });
  printTable([['hot GET of 10 KiB', 'CPU µs', 'added', 'of a request in the lane'], ...rows]);
  printTable([
    ['a receipt', 'CPU µs', 'ms until it is there'],
    ...(await measureReceipts(metered)),
  ]);
} finally {
  await close(1000);
  await rm(folder, { recursive: true, force: true });
}
