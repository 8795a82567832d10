// A clock that jumps ahead for seconds, under the real writer thread: what is stored and used then
// stands where it belongs.
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it } from 'vitest';
import { openSqlite } from '../../../src/adapters/node/index/node-sqlite.ts';
import { openSqliteMetadataIndex } from '../../../src/adapters/node/index/sqlite-metadata-index.ts';
import { createSteadyClock } from '../../../src/adapters/node/services/steady-clock.ts';
import { confirmTime } from '../../../src/core/clock/confirm-time.ts';
import { readTimeState, trustTime } from '../../../src/core/clock/trust-time.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import {
  createMemoryCore,
  openTestBucket,
  putBytes,
  sampleBytes,
  withPorts,
} from '../../core/memory-core.ts';
import { readRecordedUsage } from '../kit/recorded-usage.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const DAY_MS = 86_400_000;

it('a jump for seconds brings nothing into the future; a confirmed one counts on', async () => {
  const path = join(temporaryFolder(), 'index.sqlite');
  const jumpMs = new Float64Array(new SharedArrayBuffer(8));
  const workerData = { path, jump: jumpMs.buffer };
  const thread = new Worker(new URL('../kit/jumping-index-writer.ts', import.meta.url), {
    workerData,
  });
  const onCrash = (error: unknown) => expect.unreachable(String(error));
  const index = await openSqliteMetadataIndex({
    path,
    thread,
    watcher: { block() {}, unblock() {} },
    onCrash,
  });
  const { metadataIndex, directory, ledger } = index;
  const clock = { nowMs: () => Date.now() + (jumpMs[0] ?? 0) };
  const steadyClock = createSteadyClock();
  const core = withPorts(createMemoryCore(), {
    metadataIndex,
    directory,
    ledger,
    clock,
    steadyClock,
  });
  const reader = openSqlite(path, { readOnly: true });
  const stateOf = () => ({
    asOfMs:
      reader.all<{ at: number }>('SELECT max(as_of_ms) AS at FROM storage_totals')[0]?.at ?? 0,
    hours: reader.all<{ n: number }>('SELECT count(*) AS n FROM storage_hours')[0]?.n,
    usedMs: Math.max(0, ...readRecordedUsage(path).map(({ hourMs }) => hourMs)),
  });
  const use = (sequence: number) => {
    const hourMs = clock.nowMs() - (clock.nowMs() % 3_600_000);
    const row = {
      hourMs,
      bucketId: null,
      accessKeyId: null,
      meter: 'class-a/STANDARD',
      quantity: 1n,
    } as const;
    const batches = [{ source: 's', sequence, rows: [row] }];
    return ledger.call('record', { accountId: ROOT_ACCOUNT.id, batches, nowMs: clock.nowMs() });
  };
  try {
    const bucket = await openTestBucket(core);
    expect(await trustTime(core)).not.toBe(null);
    await putBytes(core, bucket, 'a', sampleBytes(10));
    jumpMs[0] = 40 * DAY_MS;
    await putBytes(core, bucket, 'b', sampleBytes(10));
    await use(1);
    expect(await trustTime(core)).toBe(null);
    const jumped = stateOf();
    expect([jumped.asOfMs <= Date.now(), jumped.usedMs <= Date.now(), jumped.hours]).toEqual([
      true,
      true,
      0,
    ]);
    await confirmTime(core, clock.nowMs());
    expect((await readTimeState(core)).jumpMs).toBe(0);
    await putBytes(core, bucket, 'c', sampleBytes(10));
    await use(2);
    const confirmed = stateOf();
    expect([confirmed.asOfMs, confirmed.usedMs].every((ms) => ms > Date.now() + 39 * DAY_MS)).toBe(
      true,
    );
    expect(confirmed.hours).toBeGreaterThan(0);
  } finally {
    reader.close();
    await index.close();
  }
});
