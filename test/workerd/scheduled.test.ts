import { createScheduledController, runDurableObjectAlarm } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { createR2BlobStore } from '../../src/adapters/cloudflare/bodies/r2-blob-store.ts';
import { createDoDirectory } from '../../src/adapters/cloudflare/clients/do-directory.ts';
import { createDoLedger } from '../../src/adapters/cloudflare/clients/do-ledger.ts';
import { systemClock } from '../../src/adapters/shared/system-clock.ts';
import { NO_SETTINGS } from '../../src/domain/bucket-settings.ts';
import type { LifecycleRule } from '../../src/domain/lifecycle.ts';
import type { AccountId, BlobId } from '../../src/domain/nouns.ts';
import type { Upload } from '../../src/ports/index-calls/upload-calls.ts';
import { accountQueueId } from '../../src/ports/outbox.ts';
import worker from '../../src/worker.ts';
import { identityOf, patternBytes, sourceOf } from '../contract/bodies.ts';
import { uploadOf } from '../contract/index/samples.ts';
import { bucketObject, freshBucketName, objectOf, PUBLIC, recordOf } from './kit/bucket.ts';
import { sweepFrom } from './kit/sweep-from.ts';

const directory = () =>
  createDoDirectory(env.DIRECTORY, {
    clock: systemClock,
    background: { run: () => undefined },
    hostFreshSeconds: 5,
  });

it('the cron trigger sweeps: an unreferenced blob goes once older than the grace', async () => {
  const name = freshBucketName();
  await directory().call('addBucket', { ownerId: 'owner' as AccountId, name, createdAtMs: 0 });
  const { id } = await bucketObject(name).call('createBucket', {
    bucket: recordOf(name, PUBLIC),
  });
  const store = createR2BlobStore(env.BLOBS);
  // Ids begin with the time of their making: one of 1970, one of the far future.
  const [old, young] = [`${id}/${'0'.repeat(27)}` as BlobId, `${id}/${'z'.repeat(27)}` as BlobId];
  for (const blobId of [old, young])
    await store.write(blobId, sourceOf(patternBytes(10)), identityOf({ bucket: name }));

  await sweepFrom(name);

  const left = await store.list({ prefix: `${id}/`, after: '', limit: 10 });
  expect(left.blobIds).toEqual([young]);
});

it('the cron trigger carries lifecycle rules out', async () => {
  const name = freshBucketName();
  await directory().call('addBucket', { ownerId: 'owner' as AccountId, name, createdAtMs: 0 });
  const filter = { prefix: 'tmp/', tags: {}, sizeGreaterThan: null, sizeLessThan: null };
  const rule: LifecycleRule = {
    ...{
      id: 'r',
      isEnabled: true,
      isOldForm: false,
      filter,
      transitions: [],
      noncurrentTransitions: [],
    },
    ...{ noncurrentExpiration: null, abortUploadsAfterDays: null },
    expiration: { days: 1, dateMs: null, expiredObjectDeleteMarker: null },
  };
  const lifecycle = {
    rules: [rule],
    transitionMinimum: 'all_storage_classes_128K',
    setAtMs: 1,
  } as const;
  const record = { ...recordOf(name, PUBLIC), settings: { ...NO_SETTINGS, lifecycle } };
  const bucket = await bucketObject(name).call('createBucket', { bucket: record });
  for (const key of ['kept', 'tmp/a']) {
    const object = objectOf(key, key);
    await bucketObject(name).call('commitObject', {
      bucket,
      object,
      condition: null,
      newReferences: [],
    });
  }
  await sweepFrom(name);
  const input = { bucket, prefix: '', delimiter: '', after: '', maxKeys: 10 };
  const { objects } = await bucketObject(name).call('listObjects', input);
  expect(objects.map(({ key }) => key)).toEqual(['kept']);
  expect(await bucketObject(name).call('getLifecycleRun', { bucket })).toMatchObject({
    setAtMs: 1,
    place: null,
  });
});

it('the cron trigger gives up uploads that rest, in a bucket without rules', async () => {
  const name = freshBucketName();
  await directory().call('addBucket', { ownerId: 'owner' as AccountId, name, createdAtMs: 0 });
  const bucket = await bucketObject(name).call('createBucket', { bucket: recordOf(name, PUBLIC) });
  const DAY_MS = 86_400_000;
  const [old, young] = [25, 23].map((hours) =>
    uploadOf('u', { createdAtMs: Date.now() - (hours * DAY_MS) / 24 }),
  );
  for (const upload of [old, young])
    await bucketObject(name).call('createUpload', { bucket, upload: upload as Upload });
  await sweepFrom(name);
  const input = {
    bucket,
    prefix: '',
    delimiter: '',
    afterKey: '',
    afterUploadId: '',
    maxUploads: 10,
  };
  const { uploads } = await bucketObject(name).call('listUploads', input);
  expect(uploads.map(({ uploadId }) => uploadId)).toEqual([young?.uploadId]);
});

it('the alarm of a ledger closes a month that is over', async () => {
  const accountId = `billed-${Date.now()}` as AccountId;
  await directory().call('putAccount', {
    account: { id: accountId, displayName: 'billed' },
    keys: [],
  });
  const now = new Date();
  // Not the last one: in its first hour the month that follows it is not due yet.
  const hourMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 2, 3);
  const row = {
    hourMs,
    bucketId: null,
    accessKeyId: null,
    meter: 'class-a/STANDARD',
    quantity: 3_000_000n,
  } as const;
  const batches = [{ source: 'test', sequence: 1, rows: [row] }];
  await createDoLedger(env.LEDGER).call('record', { accountId, batches, nowMs: hourMs });
  const list = () => directory().call('listInvoices', { accountId, before: '', limit: 10 });
  expect(await list()).toEqual([]);

  await directory().call('setClosing', {
    period: new Date(hourMs).toISOString().slice(0, 7),
    after: '',
  });
  for (const _ of [1, 2]) {
    expect(await runDurableObjectAlarm(env.LEDGER.get(env.LEDGER.idFromName(accountId)))).toBe(
      true,
    );
    expect(await list()).toMatchObject([{ currency: 'USD', totalMicro: '9000000' }]);
  }
});

it('the cron triggers do nothing while the clock is in doubt', async () => {
  const settings = { ...env, QUAYSIDE_LOG_LEVEL: 'off' } as typeof env;
  const turn = { startedAtMs: 1, after: null };
  const seen = (atMs: number) => directory().call('setSeenTime', { atMs, steady: null });
  const stateOf = async () => [
    await directory().call('getClosing', {}),
    await directory().call('getSweepCursor', {}),
  ];
  await directory().call('setSweepCursor', turn);
  try {
    // It was seen three weeks ago, or a day ahead.
    for (const days of [-21, 1]) {
      await seen(Date.now() + days * 86_400_000);
      const before = await stateOf();
      for (const cron of ['47 * * * *', '*/10 * * * *']) {
        await worker.scheduled(createScheduledController({ cron }), settings);
      }
      expect(await stateOf()).toEqual(before);
    }
  } finally {
    await seen(Date.now());
  }
  await worker.scheduled(createScheduledController(), settings);
  expect((await directory().call('getSweepCursor', {}))?.startedAtMs).toBeGreaterThan(1);
});

it('the alarm of a ledger tells webhooks what a day used, once', async () => {
  const accountId = `reported-${Date.now()}` as AccountId;
  const account = { id: accountId, displayName: 'reported' };
  await directory().call('putAccount', { account, keys: [] });
  const DAY_MS = 86_400_000;
  const late = Date.now() - DAY_MS / 4;
  const dayMs = late - (late % DAY_MS) - DAY_MS;
  const meter = {
    bucketId: null,
    accessKeyId: null,
    meter: 'class-a/STANDARD',
    quantity: 7n,
  } as const;
  const rows = [dayMs, dayMs - DAY_MS].map((hourMs) => ({ ...meter, hourMs }));
  await createDoLedger(env.LEDGER).call('record', {
    ...{ accountId, batches: [{ source: 'test', sequence: 1, rows }], nowMs: dayMs },
  });
  // An address that nothing is ever sent to: the message waits.
  const webhook = {
    id: accountId,
    accountId,
    url: 'https://127.0.0.1/',
    description: '',
    types: ['usage.*'],
  };
  const enabled = { ...webhook, secrets: [], isEnabled: true, createdAtMs: 0 };
  await directory().call('putWebhook', { webhook: enabled, known: null, max: 9 });
  await directory().call('setUsageReported', { dayMs: dayMs - DAY_MS, after: '' });
  const place = {
    queueId: accountQueueId(accountId),
    endpointId: accountId,
    before: null,
    limit: 9,
  } as const;
  const days = async () => {
    const { deliveries } = await directory().call('listDeliveries', { ...place, state: 'waiting' });
    return deliveries.map(({ payload }) => JSON.parse(payload ?? '').data.day);
  };
  const ledger = env.LEDGER.get(env.LEDGER.idFromName(accountId));
  for (const _ of [1, 2]) expect(await runDurableObjectAlarm(ledger)).toBe(true);
  expect(await days()).toEqual(
    [dayMs, dayMs - DAY_MS].map((ms) => new Date(ms).toISOString().slice(0, 10)),
  );
});
