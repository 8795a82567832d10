// All that a platform does by its clock waits for what it does: each command of a run is held and
// failed in its turn. A run that ends while one is held has not waited for it; a failed one is
// logged, or rejects the run.
import { expect, it } from 'vitest';
import { monthOf, monthsLater, monthText } from '../../src/core/billing/month.ts';
import { deleteBucket } from '../../src/core/buckets/delete-bucket.ts';
import { confirmTime } from '../../src/core/clock/confirm-time.ts';
import { maintain } from '../../src/core/maintenance.ts';
import { openBucket } from '../../src/core/opened-bucket/bucket-handle.ts';
import { setBucketSettings } from '../../src/core/opened-bucket/set-bucket-settings.ts';
import { createWebhook } from '../../src/core/outbox/webhooks.ts';
import { parseBucketName } from '../../src/core/parse-names.ts';
import { ROOT_ACCOUNT } from '../../src/domain/root-account.ts';
import type { Ports } from '../../src/ports/index.ts';
import { createCommitBarrier } from './commit-barrier.ts';
import { afterDays, rule } from './lifecycle/samples.ts';
import {
  createMemoryCore,
  openTestBucket,
  putBytes,
  sampleBytes,
  withPorts,
} from './memory-core.ts';
import { startUpload } from './multipart-kit.ts';

const DAY_SECONDS = 24 * 3600;
/** Days of the run; a day before its end usage is first reported to the payment service. */
const RUN_AFTER_DAYS = 45;
/** Every command of a run, of which most come more than once. */
const KINDS = [
  'abortStaleUploads',
  'applyLifecycle',
  'closeStorageHours',
  'condemnBlobs',
  'dropOrphanRows',
  'dropUploadsOfIncarnation',
  'enqueueDeliveries',
  'forgetIncarnation',
  'forgetKeyIndex',
  'forgetStorageHours',
  'keepInvoice',
  'notePrices',
  'notePush',
  'record',
  'setClosing',
  'setSeenTime',
  'setSweptUpTo',
  'setUsageReported',
];
const RUNNING = { stopping: new AbortController().signal };

/** A core with something of every kind to do: `log` gets the errors of the run. */
async function startBusyCore(errors: string[], wrap: (ports: Ports) => Ports) {
  const log = { info: () => {}, error: (event: string) => void errors.push(event) };
  const plain = createMemoryCore();
  const usagePush = { push: async () => {} };
  const core = withPorts(plain, { log, usagePush });
  const { directory, ledger, clock } = core.ports;
  const accountId = ROOT_ACCOUNT.id;
  await createWebhook(core, accountId, {
    url: 'https://hooks.example/',
    description: '',
    types: ['*'],
    isEnabled: true,
  });
  const dayMs = clock.nowMs() + (RUN_AFTER_DAYS - 2) * DAY_SECONDS * 1000;
  await directory.call('setPushTarget', { accountId, customerId: 'cus_1', dayMs });
  // A first run, which notes from when on there are bills and days to tell of.
  await maintain(core, RUNNING);

  const bucket = await openTestBucket(core, 'busy-bucket');
  await putBytes(core, bucket, 'old', sampleBytes(100));
  await startUpload(core, bucket, 'stale');
  const lifecycle = {
    rules: [rule({ expiration: afterDays(1) })],
    setAtMs: clock.nowMs(),
  } as const;
  await setBucketSettings(core, bucket, {
    lifecycle: { ...lifecycle, transitionMinimum: 'all_storage_classes_128K' },
  });
  await openTestBucket(core, 'gone-bucket');
  const gone = await openBucket(core, parseBucketName('gone-bucket'), () => {});
  await startUpload(core, gone, 'never-completed');
  await deleteBucket(core, gone);
  const row = {
    hourMs: clock.nowMs(),
    bucketId: null,
    accessKeyId: null,
    meter: 'class-a/STANDARD',
    quantity: 7n,
  } as const;
  await ledger.call('record', {
    accountId,
    batches: [{ source: 'x', sequence: 1, rows: [row] }],
    nowMs: clock.nowMs(),
  });
  core.advanceSeconds(RUN_AFTER_DAYS * DAY_SECONDS);
  // A time without runs that is this long is believed on the operator's word alone.
  await confirmTime(core, clock.nowMs());
  return { ...core, ports: wrap(core.ports) };
}

it('maintenance waits for each command, and says which kind of work failed', async () => {
  const barrier = createCommitBarrier();
  const commands: string[] = [];
  for (;;) {
    const errors: string[] = [];
    const core = await startBusyCore(errors, barrier.wrap);
    const run = () =>
      maintain(core, RUNNING).then(
        () => 'done',
        () => 'rejected',
      );
    const { reply, held } = await barrier.run(run, commands.length + 1);
    if (held === null) {
      expect([reply, errors]).toEqual(['done', []]);
      break;
    }
    const isTold = reply === 'rejected' || errors.length > 0;
    expect([held, isTold]).toEqual([{ ...held, answeredBefore: false }, true]);
    commands.push(held.name);
  }
  // A kind of work that is missing here is not done any more; one that is new belongs here.
  expect([...new Set(commands)].toSorted()).toEqual(KINDS);
});

it('maintenance bills what it finds', async () => {
  const core = await startBusyCore([], (ports) => ports);
  await maintain(core, RUNNING);
  const period = monthText(monthsLater(monthOf(core.ports.clock.nowMs()), -2));
  expect(
    await core.ports.directory.call('getInvoice', { accountId: ROOT_ACCOUNT.id, period }),
  ).not.toBeNull();
});
