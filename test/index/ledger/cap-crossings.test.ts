// Alerts of caps as the ledger gives them to whoever records usage: each once in a period, and all
// of the period again with a batch that comes again, since the first reply may be lost.
import { expect, it } from 'vitest';
import { LEDGER_RULES } from '../../../src/core/ledger-rules.ts';
import type { UsageBatch } from '../../../src/domain/billing/usage.ts';
import type { AccountId } from '../../../src/domain/nouns.ts';
import { startOfHour } from '../../../src/domain/time.ts';
import { createLedgerIndex } from '../../../src/index/ledger-index.ts';
import { LEDGER_SCHEMA } from '../../../src/index/tables/ledger-schema.ts';
import { bytesCap } from '../../core/caps/cap-samples.ts';
import { openMigrated } from '../kit/open-migrated.ts';

const accountId = 'alice' as AccountId;
const NOW_MS = Date.UTC(2026, 10, 2, 1, 30);

const batchOf = (sequence: number, bytes: bigint): UsageBatch => ({
  source: 'process',
  sequence,
  rows: [
    {
      hourMs: startOfHour(NOW_MS),
      bucketId: null,
      accessKeyId: null,
      meter: 'egress/memory',
      quantity: bytes,
    },
  ],
  attempt: 'first',
});

it('an alert is given once, and again with the batch that comes again', () => {
  const ledger = createLedgerIndex(openMigrated(LEDGER_SCHEMA), LEDGER_RULES);
  const cap = bytesCap(1000n, { alertPercents: [50, 80] });
  ledger.putCap({ accountId, cap, known: null });
  const record = (batch: UsageBatch) =>
    ledger.record({ accountId, batches: [batch], nowMs: NOW_MS }).map(({ percent }) => percent);

  expect(record(batchOf(1, 499n))).toEqual([]);
  expect(record(batchOf(2, 1n))).toEqual([50]);
  expect(record({ ...batchOf(2, 1n), attempt: 'repeat' })).toEqual([50]);
  expect(record(batchOf(3, 1n))).toEqual([]);
  expect(record(batchOf(4, 400n))).toEqual([80]);
  // With all alerts reported, a repeated batch has them all.
  expect(record({ ...batchOf(4, 400n), attempt: 'repeat' })).toEqual([50, 80]);
  expect(record(batchOf(5, 1n))).toEqual([]);
});
