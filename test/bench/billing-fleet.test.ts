// However many buckets and accounts there are, each is billed by an alarm of its own: nobody waits
// for a walk over the others. In virtual time with the code of the objects; `node
// bench/alarms/alarms.ts` does it for 100,000.
import { expect, it } from 'vitest';
import { createFleet } from '../../bench/alarms/billing-fleet.ts';
import { parseConfig } from '../../src/config.ts';
import { createMemoryCore } from '../core/memory-core.ts';

const HOUR_MS = 3_600_000;
const BUCKETS = 400;
const { settings } = createMemoryCore();
expect(parseConfig({}).billingCloseHours).toBe(settings.billingCloseHours);

it('the fleet brings every bucket within hours of a day’s end, and bills every account in time', {
  timeout: 60_000,
}, async () => {
  const fleet = createFleet(BUCKETS / 2, Date.UTC(2026, 10, 28), settings);
  for (let at = 0; at < BUCKETS; at += 1) fleet.store(at, 1_000_000_000);
  const bills = async () => {
    const heads = await Promise.all(
      fleet.accountIds.map((accountId) =>
        fleet.directory.call('listInvoices', { accountId, before: '', limit: 9 }),
      ),
    );
    return heads.flat().filter(({ period }) => period === '2026-11');
  };
  await fleet.runUntil(Date.UTC(2026, 11, 1));
  const before = { ...fleet.runs, usage: fleet.usage() };
  expect(fleet.longestWaitMs()).toBeGreaterThan(2 * HOUR_MS);
  expect(fleet.longestWaitMs()).toBeLessThan(4 * HOUR_MS);

  // The month is due a day after its end.
  await fleet.runUntil(Date.UTC(2026, 11, 2));
  expect(await bills()).toEqual([]);
  expect(fleet.runs.bucket - before.bucket).toBe(BUCKETS);
  expect(fleet.runs.account - before.account).toBe(BUCKETS / 2);
  const day = fleet.usage();
  expect((day.rowsWritten - before.usage.rowsWritten) / BUCKETS).toBeLessThan(5);
  expect((day.ledgerRowsWritten - before.usage.ledgerRowsWritten) / BUCKETS).toBeLessThan(5);

  await fleet.runUntil(Date.UTC(2026, 11, 2, 8));
  const made = await bills();
  expect(made).toHaveLength(BUCKETS / 2);
  // Three days of two GB, of which ten a month are free.
  expect(new Set(made.map(({ totalMicro }) => totalMicro))).toEqual(new Set(['0']));
  expect(fleet.longestWaitMs()).toBeLessThan(4 * HOUR_MS);
  expect(fleet.runs.failed).toBe(0);
});
