// Usage on Cloudflare, where isolates and Durable Objects end without a word: what an isolate had
// not flushed is lost, what it had is counted once, and what was stored comes to the bill that a
// hand works out, also after its objects began anew.
import { abortAllDurableObjects, runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { createDoDirectory } from '../../src/adapters/cloudflare/clients/do-directory.ts';
import { createDoLedger } from '../../src/adapters/cloudflare/clients/do-ledger.ts';
import { systemClock } from '../../src/adapters/shared/system-clock.ts';
import { recompute } from '../../src/core/billing/invoices/invoice-document.ts';
import { parseStoredInvoice } from '../../src/core/billing/invoices/invoice-json.ts';
import { monthOf, monthsLater, monthText } from '../../src/core/billing/month.ts';
import { createUsageFlusher } from '../../src/core/metering/flush-usage.ts';
import { toUsage } from '../../src/core/metering/query-usage.ts';
import type { AccountId, BucketRecord, ObjectVersion } from '../../src/domain/nouns.ts';
import type { Ledger } from '../../src/ports/ledger.ts';
import { patternBytes } from '../contract/bodies.ts';
import { deletionOf } from '../contract/index/samples.ts';
import { bucketObject, freshBucketName, objectOf, PUBLIC, recordOf, refOf } from './kit/bucket.ts';
import { createIsolate } from './kit/isolate.ts';
import { makePublicBucket } from './kit/public-bucket.ts';

let made = 0;

/**
 * An isolate that lives until nobody asks it any more: it flushes when it is asked to, and never by
 * itself.
 */
function startIsolate(ledger: Ledger = createDoLedger(env.LEDGER)) {
  const { core, fetch, settle } = createIsolate();
  const log = { info: () => undefined, error: () => undefined };
  const quiet = { ...core, ports: { ...core.ports, ledger, log } };
  made += 1;
  const { flush } = createUsageFlusher(quiet, {
    source: `isolate ${Date.now()} ${made}`,
    intervalMs: 1,
  });
  const read = async (url: string, times: number) => {
    for (let at = 0; at < times; at++)
      expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(100);
    await settle();
  };
  return { read, flush };
}

/** Reads of a bucket as the ledger has them. */
async function recorded({ id: bucketId, ownerId: accountId }: BucketRecord) {
  const all = { accountId, bucketId, fromMs: 0, toMs: Date.UTC(2100, 0), groupBy: [] };
  const usage = toUsage(await createDoLedger(env.LEDGER).call('query', all));
  return Number(usage.get('class-b/STANDARD') ?? 0n);
}

it('an isolate that ends loses only what it counted since its last flush', async () => {
  const { put, url, record } = await makePublicBucket();
  await put('a', patternBytes(100));
  const first = startIsolate();
  await first.read(url('a'), 3);
  expect(await first.flush()).toBe(true);
  // This much is counted within one interval, and then the isolate is gone with all that it had in
  // memory.
  await first.read(url('a'), 2);
  const second = startIsolate();
  await second.read(url('a'), 4);
  expect(await second.flush()).toBe(true);
  expect(await recorded(record)).toBe(3 + 4);
});

it('a ledger that is aborted while usage is on its way counts it once', async () => {
  const { put, url, record } = await makePublicBucket();
  await put('a', patternBytes(100));
  const real = createDoLedger(env.LEDGER);
  let aborts = 0;
  const dying: Ledger = {
    async call(name, input) {
      const answer = real.call(name, input);
      // Half of the time before it can have arrived, half of the time when it has been recorded and
      // the answer is out.
      if (aborts % 2 === 1) await answer;
      if (aborts++ < 6) {
        await abortAllDurableObjects();
        await answer.catch(() => undefined);
        throw new Error('Nobody knows what became of it.');
      }
      return answer;
    },
  };
  const isolate = startIsolate(dying);
  let used = 0;
  while (aborts < 6) {
    await isolate.read(url('a'), 2);
    used += 2;
    expect(await isolate.flush()).toBe(false);
  }
  // What waited for an answer, then what was counted meanwhile.
  while (!(await isolate.flush()));
  await isolate.flush();
  expect(await recorded(record)).toBe(used);
});

it('what comes with a time ahead of the object’s own clock is counted by that clock', async () => {
  const name = freshBucketName();
  const { call } = bucketObject(name);
  const bucket = refOf(await call('createBucket', { bucket: recordOf(name, PUBLIC) }));
  const jumpedMs = Date.now() + 40 * 86_400_000;
  const commit = (key: string, lastModifiedMs: number) =>
    call('commitObject', {
      bucket,
      object: { ...objectOf(key, key), lastModifiedMs },
      condition: null,
      newReferences: [],
    });
  await commit('a', Date.now());
  await commit('b', jumpedMs);
  const hours = await call('closeStorageHours', { name, nowMs: jumpedMs, limit: 10 });
  expect(
    hours.filter(({ hourMs, hourCount }) => hourMs + hourCount * 3_600_000 > Date.now()),
  ).toEqual([]);
});

it('what is stored comes to the bill worked out by hand, also after restarts', async () => {
  const HOUR_MS = 3_600_000;
  // One that is due for certain.
  const month = monthsLater(monthOf(Date.now()), -2);
  const at = (hours: number) => Date.UTC(month.year, month.month - 1, 3) + hours * HOUR_MS;
  const ownerId = `stored-${Date.now()}` as AccountId;
  const directory = createDoDirectory(env.DIRECTORY, {
    ...{ clock: systemClock, background: { run: () => undefined }, hostFreshSeconds: 5 },
  });
  // A byte-hour of STANDARD is 1,000 micro-units, of STANDARD_IA 500.
  const line = (storageClass: string, price: string) => ({
    ...{
      label: storageClass,
      meters: [`storage/${storageClass}`, `early-delete/${storageClass}`],
    },
    ...{ unit: { name: 'byte-month', size: 1, perMonth: true }, tiers: [{ price }] },
  });
  const card = {
    id: ownerId,
    name: 'x',
    currency: 'EUR',
    source: 'https://example.com/',
    asOf: '2026-11-21',
    monthHours: 720,
  };
  const json = JSON.stringify({
    ...card,
    lines: [line('STANDARD', '0.72'), line('STANDARD_IA', '0.36')],
  });
  await directory.call('putAccount', {
    account: { id: ownerId, displayName: 'stored' },
    keys: [],
  });
  await directory.call('putRateCard', { id: ownerId, validFrom: '', json, known: null });
  await directory.call('setAccountCard', {
    accountId: ownerId,
    choice: { validFrom: '', cardId: ownerId },
    known: [],
  });
  const name = freshBucketName();
  await directory.call('addBucket', { ownerId, name, createdAtMs: at(0) });
  const { call } = bucketObject(name);
  const bucket = refOf(
    await call('createBucket', { bucket: { ...recordOf(name, PUBLIC), ownerId } }),
  );
  const put = (key: string, hours: number, sizeBytes: number, storageClass = 'STANDARD') => {
    const object: ObjectVersion = {
      ...objectOf(key, `${key}${hours}`),
      lastModifiedMs: at(hours),
      sizeBytes,
      storageClass,
    };
    // Commits of a bucket with quotas wait for no others: the bucket's alarm would be first.
    const quotas = { own: null, isShared: false };
    const ref = { ...bucket, quotas };
    return call('commitObject', { bucket: ref, object, condition: null, newReferences: [] });
  };
  await put('a', 0, 1000);
  await put('b', 1.5, 600, 'STANDARD_IA');
  await put('a', 2.25, 400);
  await call('deleteObjects', { bucket, ...deletionOf(['a', 'b'], at(10)) });
  const bill = async () => {
    const kept = await directory.call('getInvoice', {
      accountId: ownerId,
      period: monthText(month),
    });
    return kept === null ? null : parseStoredInvoice(kept);
  };
  const wakeBucket = () => runDurableObjectAlarm(env.BUCKETS.get(env.BUCKETS.idFromName(name)));
  const wakeLedger = () => runDurableObjectAlarm(env.LEDGER.get(env.LEDGER.idFromName(ownerId)));
  expect(await wakeBucket()).toBe(true);
  await abortAllDurableObjects();
  // Nothing is stored any more, so nothing will be due.
  expect(await wakeBucket()).toBe(false);
  await directory.call('setClosing', { period: monthText(month), after: '' });
  expect(await wakeLedger()).toBe(true);
  const first = await bill();
  const standard = (1000n * 9n) / 4n + (400n * 31n) / 4n;
  const [cold, early] = [(600n * 17n) / 2n, (600n * (1440n - 17n)) / 2n];
  expect(first?.usage).toEqual(
    new Map([
      ['early-delete/STANDARD_IA', early],
      ['storage/STANDARD', standard],
      ['storage/STANDARD_IA', cold],
    ]),
  );
  expect(first?.invoice.totalMicro).toBe(standard * 1000n + (cold + early) * 500n);
  await abortAllDurableObjects();
  expect(await wakeLedger()).toBe(true);
  const again = await bill();
  expect(again).toEqual(first);
  if (again !== null) expect(recompute(again)).toEqual(again.invoice);
});
