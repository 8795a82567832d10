// What does it cost on Cloudflare that buckets and accounts bill by alarms of their own, and is
// anybody billed late? 100,000 buckets that rest, of as many accounts or of one, over the end of a
// month, in virtual time with the code of the objects.
import { parseConfig } from '../../src/config.ts';
import { printTable } from '../lib/table.ts';
import { costOf, PRICES_READ_ON, usedSince } from '../simulate/prices.ts';
import { createFleet } from './billing-fleet.ts';

const DAY_MS = 86_400_000;
const HOUR_MS = DAY_MS / 24;
const START_MS = Date.UTC(2026, 10, 29);
const DECEMBER_MS = Date.UTC(2026, 11, 1);
const DUE_MS = DECEMBER_MS + DAY_MS;
const DAYS = 30;

const buckets = Number(process.argv[2] ?? 100_000);
const { billingCloseHours, rateCardId, invoiceIssuer } = parseConfig({});
const settings = { billingCloseHours, rateCardId, invoiceIssuer };

async function measure(accounts: number) {
  const fleet = createFleet(accounts, START_MS, settings);
  for (let at = 0; at < buckets; at += 1) fleet.store(at, 1_000_000_000);
  await fleet.runUntil(DECEMBER_MS);

  // A day in the middle of a month, as far as bills are concerned.
  const [dayStart, runsBefore] = [fleet.usage(), { ...fleet.runs }];
  await fleet.runUntil(DUE_MS);
  const day = usedSince(fleet.usage(), dayStart);
  const runs = {
    bucket: fleet.runs.bucket - runsBefore.bucket,
    account: fleet.runs.account - runsBefore.account,
  };

  const closeStart = fleet.usage();
  let latestMs = 0;
  let bills = 0;
  await fleet.runUntil(DUE_MS + 12 * HOUR_MS);
  for (const accountId of fleet.accountIds) {
    const input = { accountId, before: '', limit: 9 };
    for (const { period, closedAtMs } of await fleet.directory.call('listInvoices', input)) {
      if (period !== '2026-11') continue;
      bills += 1;
      latestMs = Math.max(latestMs, closedAtMs - DUE_MS);
    }
  }
  const close = usedSince(fleet.usage(), closeStart);
  const month = costOf(day).total * (DAYS - 1) + costOf(close).total;
  return [
    accounts,
    runs.bucket,
    (fleet.longestWaitMs() / HOUR_MS).toFixed(2),
    runs.account,
    bills,
    (latestMs / HOUR_MS).toFixed(2),
    (day.rowsWritten + day.ledgerRowsWritten) / buckets,
    (day.objectRequests + day.ledgerRequests) / buckets,
    `$${costOf(day).total.toFixed(2)}`,
    `$${costOf(close).total.toFixed(2)}`,
    `$${month.toFixed(2)}`,
    `$${((month / buckets) * 1e6).toFixed(0)}`,
  ].map((value) => (typeof value === 'number' ? Number(value.toFixed(2)) : value));
}

process.stdout.write(`${buckets} buckets, prices read on ${PRICES_READ_ON}.\n`);
const head = ['accounts', 'bucket alarms a day', 'latest bucket, hours', 'ledger alarms a day'];
const bills = ['bills', 'latest bill, hours', 'rows a bucket-day', 'calls a bucket-day'];
const money = ['a day', 'day of closing', 'a month', 'a million bucket-months'];
printTable([[...head, ...bills, ...money], await measure(buckets), await measure(1)]);
