// Accounts with more sums of the ledger than one query gives: their forecasts and simulations are
// made all the same.
import { expect, it } from 'vitest';
import { deleteAccount } from '../../../src/core/accounts/delete-account.ts';
import { forecastMonth } from '../../../src/core/billing/invoices/forecast-month.ts';
import { readStoredByHour } from '../../../src/core/billing/read-usage.ts';
import { queryInParts } from '../../../src/core/metering/query-usage.ts';
import type { UsageSum } from '../../../src/domain/billing/usage.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { Account, BucketId } from '../../../src/domain/nouns.ts';
import { HOUR_MS } from '../../../src/domain/time.ts';
import { withPorts } from '../memory-core.ts';
import { addAccount, type BillingCore, createBillingCore } from './billing-core.ts';

/** A core whose ledger returns at most so many sums at once. */
function withSmallAnswers(core: BillingCore, most: number) {
  const { ledger } = core.ports;
  const asked: number[] = [];
  const call: typeof ledger.call = async (name, input) => {
    const answer = await ledger.call(name, input);
    if (name !== 'query') return answer;
    const sums = (answer as readonly UsageSum[]).length;
    asked.push(sums);
    if (sums > most) throw new StorageError('InvalidRequest');
    return answer;
  };
  return { small: withPorts(core, { ledger: { call } }), asked };
}

/** 20 hours in which something was stored, and requests of many kinds. */
async function used(core: BillingCore, account: Account) {
  const nowMs = core.ports.clock.nowMs();
  const fromMs = nowMs - (nowMs % HOUR_MS) - 20 * HOUR_MS;
  for (let hour = 0; hour < 20; hour++) {
    await core.use(account, fromMs + hour * HOUR_MS, 'storage/STANDARD', BigInt(1000 + hour));
    for (let kind = 0; kind < 5; kind++)
      await core.use(account, fromMs + hour * HOUR_MS, `operation/K${kind}`, 1n);
  }
  return { accountId: account.id, fromMs, toMs: fromMs + 20 * HOUR_MS };
}

it('the hours of a time come in as many parts as it takes', async () => {
  const core = createBillingCore();
  const query = { ...(await used(core, await addAccount(core, 'a'))), groupBy: ['hour'] } as const;
  const { small, asked } = withSmallAnswers(core, 30);
  const parts: UsageSum[] = [];
  for await (const sums of queryInParts(small, query)) parts.push(...sums);
  expect(parts).toEqual(await core.ports.ledger.call('query', query));
  expect(asked).toEqual([120, 60, 30, 30, 60, 30, 30]);
  const one = queryInParts(withSmallAnswers(core, 5).small, query);
  await expect(one.next()).rejects.toMatchObject({ code: 'InvalidRequest' });
});

it('only what is wanted counts: meters of other kinds do not make a query too large', async () => {
  const core = createBillingCore();
  const hours = {
    ...(await used(core, await addAccount(core, 'a'))),
    meter: 'storage/STANDARD',
  } as const;
  const { small, asked } = withSmallAnswers(core, 20);
  const bytes = await readStoredByHour(small, hours.accountId, hours);
  expect(bytes).toEqual(Array.from({ length: 20 }, (_, hour) => BigInt(1000 + hour)));
  expect(asked).toEqual([20]);
});

it('a forecast is the same, however many parts it comes in', async () => {
  const core = createBillingCore();
  const account = await addAccount(core, 'a');
  await used(core, account);
  const { small, asked } = withSmallAnswers(core, 7);
  expect(await forecastMonth(small, account)).toEqual(await forecastMonth(core, account));
  expect(asked.length).toBeGreaterThan(4);
});

it('an account is deleted, however many buckets it used', async () => {
  const core = createBillingCore();
  const { id } = await addAccount(core, 'a');
  const nowMs = core.ports.clock.nowMs();
  const hourMs = nowMs - (nowMs % HOUR_MS) - 12 * HOUR_MS;
  const batches = Array.from({ length: 12 }, (_, at) => {
    const row = {
      hourMs: hourMs + at * HOUR_MS,
      bucketId: `bucket-${at}~1` as BucketId,
      accessKeyId: null,
    };
    return {
      source: 'test',
      sequence: at,
      rows: [{ ...row, meter: 'class-a/STANDARD' as const, quantity: 1n }],
    };
  });
  await core.ports.ledger.call('record', { accountId: id, batches, nowMs });
  const { small, asked } = withSmallAnswers(core, 9);
  const swept: string[] = [];
  const { metadataIndex } = small.ports;
  const call: typeof metadataIndex.call = (name, call, input) => {
    swept.push(name);
    return metadataIndex.call(name, call, input);
  };
  await deleteAccount(withPorts(small, { metadataIndex: { ...metadataIndex, call } }), id);
  expect(Math.max(...asked)).toBe(12);
  expect(swept.sort()).toEqual(batches.map((_, at) => `bucket-${at}`).sort());
  expect(await core.ports.directory.call('getAccount', { id })).toBe(null);
});
