// What an owner sees and sets: caps in money go by the account's own card, also by one that the
// operator wrote, and a cap stands by what is spent, not by what processes have leased of it.
import { expect, it } from 'vitest';
import { putRateCard, setAccountCard } from '../../../src/core/billing/prices/account-card.ts';
import { listCaps, setCap } from '../../../src/core/caps/set-cap.ts';
import type { AccountId } from '../../../src/domain/nouns.ts';
import { HOUR_MS } from '../../../src/domain/time.ts';
import { createMemoryCore } from '../memory-core.ts';
import { bytesCap } from './cap-samples.ts';

const accountId = 'alice' as AccountId;
const CAP = bytesCap(1_000_000n, { unit: 'money', cachedFromPercent: 60 });
/** One a thousand calls, in a currency of its own. */
const OWN_CARD = {
  ...{
    id: 'own',
    name: 'Own',
    currency: 'EUR',
    source: 'https://example.org/',
    asOf: '2026-01-01',
  },
  ...{ monthHours: 'calendar', notes: ['A test.'] },
  lines: [
    {
      ...{ label: 'Calls', meters: ['class-a/STANDARD'] },
      ...{ unit: { name: 'thousand', size: 1000 }, tiers: [{ price: '1' }] },
    },
  ],
};

async function withUse(quantity: bigint) {
  const core = createMemoryCore();
  const nowMs = core.ports.clock.nowMs();
  const row = {
    hourMs: nowMs - (nowMs % HOUR_MS),
    bucketId: null,
    accessKeyId: null,
    meter: 'class-a/STANDARD',
  } as const;
  const batches = [{ source: 'test', sequence: 1, rows: [{ ...row, quantity }] }];
  await core.ports.ledger.call('record', { accountId, batches, nowMs });
  return { core, nowMs };
}

it("a cap in money goes by the account's card, and keeps it", async () => {
  const { core } = await withUse(700n);
  await putRateCard(core, 'own', OWN_CARD);
  await setAccountCard(core, accountId, 'own');
  expect(await setCap(core, accountId, CAP)).toMatchObject({
    cardId: 'own',
    card: { currency: 'EUR' },
  });
  await setAccountCard(core, accountId, null);
  expect(await listCaps(core, accountId)).toMatchObject([
    { spent: 700_000n, percent: 70, level: 'cached' },
  ]);
  expect(await setCap(core, accountId, { ...CAP, cardId: 'aws-s3-us-east-1' })).toMatchObject({
    card: null,
  });
  await expect(setCap(core, accountId, { ...CAP, cardId: 'none' })).rejects.toMatchObject({
    code: 'InvalidArgument',
  });
});

it('a cap stands by what is spent, whoever has leased the rest', async () => {
  const { core, nowMs } = await withUse(0n);
  await setCap(core, accountId, bytesCap(100n, { cachedFromPercent: 60 }));
  const owner = { accountId, bucketId: null, accessKeyId: null };
  const { standings } = await core.ports.ledger.call('leaseCaps', {
    accountId,
    holder: 'process',
    batches: [],
    held: [],
    waiting: [{ owner, operationClass: 'B', bytesOut: 100 }],
    nowMs,
  });
  expect(standings).toMatchObject([{ units: 100, left: 100 }]);
  expect(await listCaps(core, accountId)).toMatchObject([{ spent: 0n, level: 'open' }]);
});

it.each([
  ['an id of other signs', { id: 'a b' }, 'id: '],
  ['an id that is too long', { id: 'a'.repeat(65) }, 'id: '],
  ['a limit of nothing', { limit: 0n }, 'limit: '],
  ['a limit that no number holds', { limit: 2n ** 53n }, 'limit: '],
  ['an alert beyond the limit', { alertPercents: [50, 101] }, 'alertPercents: '],
  ['an alert between two numbers', { alertPercents: [50.5] }, 'alertPercents: '],
  ['too many alerts', { alertPercents: Array.from({ length: 11 }, (_, i) => i + 1) }, 'alertPer'],
  ['a share of nothing', { cachedFromPercent: 0 }, 'cachedFromPercent: '],
])('%s is no cap, and leaves the one that stands', async (_, change, detail) => {
  const core = createMemoryCore();
  const cap = bytesCap(1000n);
  await setCap(core, accountId, cap);
  await expect(setCap(core, accountId, { ...cap, ...change })).rejects.toMatchObject({
    code: 'InvalidArgument',
    message: expect.stringContaining(detail),
  });
  expect(await listCaps(core, accountId)).toMatchObject([{ cap }]);
});

it('a cap may be as wide as its bounds', async () => {
  const core = createMemoryCore();
  const widest = {
    ...bytesCap(2n ** 53n - 1n),
    id: 'a_-'.padEnd(64, '9'),
    alertPercents: [1, 2, 3, 4, 5, 6, 7, 8, 9, 100],
    cachedFromPercent: 100,
  };
  expect(await setCap(core, accountId, widest)).toMatchObject(widest);
});
