// Alarms by which objects bill on their own: hours of buckets come to the ledger a day after they
// are over, empty buckets sleep, ledgers close months, and a cron wakes what has no alarm.
import {
  abortAllDurableObjects,
  createScheduledController,
  runDurableObjectAlarm,
  runInDurableObject,
} from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { createDoDirectory } from '../../src/adapters/cloudflare/clients/do-directory.ts';
import { createDoLedger } from '../../src/adapters/cloudflare/clients/do-ledger.ts';
import { systemClock } from '../../src/adapters/shared/system-clock.ts';
import { accountRunTime, collectionTime } from '../../src/domain/billing/alarm-times.ts';
import { NO_SETTINGS } from '../../src/domain/bucket-settings.ts';
import type { AccountId } from '../../src/domain/nouns.ts';
import { accountQueueId } from '../../src/ports/outbox.ts';
import worker from '../../src/worker.ts';
import { deletionOf } from '../contract/index/samples.ts';
import { bucketObject, freshBucketName, objectOf, PUBLIC, recordOf } from './kit/bucket.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A day ahead of all real alarms, which do not go off by themselves therefore. */
const FIRST_DAY_MS = Date.UTC(2031, 0, 29);

const directory = () =>
  createDoDirectory(env.DIRECTORY, {
    clock: systemClock,
    background: { run: () => undefined },
    hostFreshSeconds: 0,
  });

/** Sets the clock, which the directory believes from then on. */
async function setTime(nowMs: number): Promise<void> {
  if (vi.isFakeTimers()) vi.setSystemTime(nowMs);
  await directory().call('setSeenTime', { atMs: nowMs, steady: null });
}

beforeEach(async () => {
  vi.useFakeTimers({ now: FIRST_DAY_MS, toFake: ['Date'] });
  const closing = await directory().call('getClosing', {});
  onTestFinished(async () => {
    vi.useRealTimers();
    await setTime(Date.now());
    if (closing !== null) await directory().call('setClosing', closing);
  });
  await setTime(FIRST_DAY_MS + 10 * HOUR_MS);
});

const alarmOf = (stub: DurableObjectStub) =>
  runInDurableObject(stub, (_object, { storage }) => storage.getAlarm());

/** A bucket of an account of its own, with what its object did. */
async function makeBucket({ isCapped = false } = {}) {
  const name = freshBucketName();
  const ownerId = `of-${name}` as AccountId;
  const { call } = bucketObject(name);
  const settings = { ...NO_SETTINGS, ...(isCapped && { isCapped: true as const }) };
  const record = await call('createBucket', {
    bucket: { ...recordOf(name, PUBLIC), ownerId, settings },
  });
  await directory().call('addBucket', { ownerId, name, createdAtMs: 0 });
  const stub = () => env.BUCKETS.get(env.BUCKETS.idFromName(name));
  const ledgerStub = () => env.LEDGER.get(env.LEDGER.idFromName(ownerId));
  return {
    name,
    ownerId,
    call,
    record,
    alarm: () => alarmOf(stub()),
    run: () => runDurableObjectAlarm(stub()),
    ledgerAlarm: () => alarmOf(ledgerStub()),
    runLedger: () => runDurableObjectAlarm(ledgerStub()),
    async put(sizeBytes: number) {
      const object = { ...objectOf('a', `${sizeBytes}`), sizeBytes, lastModifiedMs: Date.now() };
      await call('commitObject', { bucket: record, object, condition: null, newReferences: [] });
    },
    remove: () => call('deleteObjects', { bucket: record, ...deletionOf(['a'], Date.now()) }),
    /** Byte-hours as the ledger has them. */
    async stored() {
      const all = { accountId: ownerId, fromMs: 0, toMs: Date.UTC(2100, 0), groupBy: [] };
      const sums = await createDoLedger(env.LEDGER).call('query', all);
      return (
        Number(sums.find(({ meter }) => meter === 'storage/STANDARD')?.quantity ?? 0n) / HOUR_MS
      );
    },
    bills: async () =>
      (await directory().call('listInvoices', { accountId: ownerId, before: '', limit: 9 })).map(
        ({ period }) => period,
      ),
  };
}

describe('a bucket', () => {
  it('brings each day once, at a moment of its own behind midnight', async () => {
    const bucket = await makeBucket();
    expect(await bucket.alarm()).toBe(null);
    await bucket.put(100);
    for (const day of [0, 1, 2]) {
      const dayMs = FIRST_DAY_MS + day * DAY_MS;
      const dueMs = collectionTime(bucket.name, { hourMs: dayMs, isCapped: false });
      expect(dueMs - dayMs - DAY_MS).toBeGreaterThan(10 * 60_000 - 1);
      expect(dueMs - dayMs - DAY_MS).toBeLessThan(4 * HOUR_MS);
      expect(await bucket.alarm()).toBe(dueMs);

      // Commits leave the alarm as it stands, and so does an object that begins anew.
      await bucket.put(100);
      await abortAllDurableObjects();
      expect(await bucket.alarm()).toBe(dueMs);
      await setTime(dueMs);
      expect(await bucket.run()).toBe(true);
      const hours = 14 + 24 * day + Math.floor((dueMs - dayMs - DAY_MS) / HOUR_MS);
      expect(await bucket.stored()).toBe(hours * 100);
    }
  });

  it('sleeps once nothing is stored, and what it stored is in the ledger', async () => {
    const bucket = await makeBucket();
    await bucket.put(60);
    vi.setSystemTime(Date.now() + HOUR_MS / 2);
    await bucket.remove();
    await setTime((await bucket.alarm()) ?? 0);
    expect(await bucket.run()).toBe(true);
    expect(await bucket.stored()).toBe(30);
    expect(await bucket.alarm()).toBe(null);
    expect(await bucket.run()).toBe(false);
  });

  it('brings each hour where a cap looks at it', async () => {
    const bucket = await makeBucket({ isCapped: true });
    const startMs = Date.now();
    await bucket.put(100);
    for (const hours of [1, 2]) {
      const dueMs = (await bucket.alarm()) ?? 0;
      expect(dueMs).toBeGreaterThan(startMs + hours * HOUR_MS);
      expect(dueMs).toBeLessThan(startMs + (hours + 1) * HOUR_MS);
      await setTime(dueMs);
      await bucket.run();
      expect(await bucket.stored()).toBe(100 * hours);
    }
  });

  it('comes to be collected by the hour when it is capped', async () => {
    const bucket = await makeBucket();
    await bucket.put(100);
    expect(await bucket.alarm()).toBeGreaterThan(FIRST_DAY_MS + DAY_MS);
    await bucket.call('setBucketSettings', {
      bucket: bucket.record,
      settings: { isCapped: true },
    } as never);
    expect(await bucket.alarm()).toBeLessThan(FIRST_DAY_MS + DAY_MS);
  });

  it('tries again when the clock is in doubt, and loses nothing', async () => {
    const bucket = await makeBucket();
    await bucket.put(100);
    const dueMs = (await bucket.alarm()) ?? 0;
    vi.setSystemTime(dueMs);
    await directory().call('setSeenTime', { atMs: dueMs - 5 * DAY_MS, steady: null });
    await bucket.run();
    expect(await bucket.stored()).toBe(0);
    expect(await bucket.alarm()).toBe(dueMs + 20 * 60_000);
    await setTime(dueMs + 20 * 60_000);
    await bucket.run();
    expect(await bucket.stored()).toBeGreaterThanOrEqual(1400);
  });

  it('without an alarm, of an earlier release, has one as soon as it is called', async () => {
    const bucket = await makeBucket();
    await bucket.put(100);
    const dueMs = await bucket.alarm();
    const stub = env.BUCKETS.get(env.BUCKETS.idFromName(bucket.name));
    await runInDurableObject(stub, (_object, { storage }) => storage.deleteAlarm());
    await abortAllDurableObjects();
    expect(await bucket.alarm()).toBe(null);
    await bucket.call('listIncarnations', { name: bucket.name });
    expect(await bucket.alarm()).toBe(dueMs);
  });
});

describe('a ledger', () => {
  /** Stores for two days, to the beginning of February, and wakes the bucket for each. */
  async function storeIntoFebruary() {
    const bucket = await makeBucket();
    await bucket.put(1_000_000_000);
    for (let at = 0; at < 3; at += 1) {
      await setTime((await bucket.alarm()) ?? 0);
      await bucket.run();
    }
    return bucket;
  }

  it('closes the month of its account a day after its end, and then goes on', async () => {
    const bucket = await storeIntoFebruary();
    await directory().call('setClosing', { period: '2031-01', after: '' });
    for (const day of [1, 2]) {
      const nextMs = accountRunTime(bucket.ownerId, Date.UTC(2031, 1, day));
      await setTime(nextMs);
      expect(await bucket.runLedger()).toBe(true);
      expect(await bucket.bills()).toEqual(day === 1 ? [] : ['2031-01']);
    }
    // Nothing was used since, so it sleeps until February is due.
    expect(await bucket.ledgerAlarm()).toBe(accountRunTime(bucket.ownerId, Date.UTC(2031, 2, 2)));
  });

  it('is woken by the cron when it has no alarm and a month is open', async () => {
    const bucket = await storeIntoFebruary();
    const stub = env.LEDGER.get(env.LEDGER.idFromName(bucket.ownerId));
    await runInDurableObject(stub, (_object, { storage }) => storage.deleteAlarm());
    await abortAllDurableObjects();
    const after = `${bucket.ownerId.slice(0, -1)}`;
    await directory().call('setClosing', { period: '2031-01', after });
    const cron = () =>
      worker.scheduled(createScheduledController({ cron: '47 * * * *' }), {
        ...env,
        QUAYSIDE_LOG_LEVEL: 'off',
      } as typeof env);

    // Its own alarm has half a day.
    await setTime(Date.UTC(2031, 1, 2, 11));
    await cron();
    expect(await bucket.ledgerAlarm()).toBe(null);
    await setTime(Date.UTC(2031, 1, 2, 13));
    await cron();
    expect(await bucket.ledgerAlarm()).toBe(
      accountRunTime(bucket.ownerId, Date.UTC(2031, 1, 2, 13)),
    );
    expect(await directory().call('getClosing', {})).toEqual({ period: '2031-01', after });

    await setTime((await bucket.ledgerAlarm()) ?? 0);
    await bucket.runLedger();
    expect(await bucket.bills()).toEqual(['2031-01']);
  });

  it('reports days from the making of the first webhook on, each once', async () => {
    const bucket = await makeBucket();
    const { ownerId: accountId } = bucket;
    await bucket.put(100);
    const webhook = { id: accountId, accountId, url: 'https://127.0.0.1/', description: '' };
    const days = async () => {
      const { deliveries } = await directory().call('listDeliveries', {
        queueId: accountQueueId(accountId),
        endpointId: accountId,
        before: null,
        limit: 9,
        state: 'waiting',
      });
      return deliveries.map(({ payload }) => JSON.parse(payload ?? '').data.day).reverse();
    };
    for (let day = 0; day < 4; day += 1) {
      await setTime((await bucket.alarm()) ?? 0);
      await bucket.run();
      if (day === 2) {
        const enabled = {
          types: ['usage.*'],
          secrets: [],
          isEnabled: true,
          createdAtMs: Date.now(),
        };
        await directory().call('putWebhook', {
          webhook: { ...webhook, ...enabled },
          known: null,
          max: 9,
        });
      }
      await setTime((await bucket.ledgerAlarm()) ?? 0);
      for (const _ of [1, 2]) await bucket.runLedger();
    }
    expect(await days()).toEqual(['2031-01-31', '2031-02-01']);
  });
});
