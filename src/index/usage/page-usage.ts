// What a page of the ledger's journal holds, as text: usage by hour, bucket, access
// key and meter. Pure.

import type { MeterName, UsageRow } from '../../domain/billing/usage.ts';
import type { AccessKeyId, BucketId } from '../../domain/nouns.ts';

/** Quantities by meter, of one hour, bucket and access key. */
type MeterQuantities = Map<MeterName, bigint>;
/** Quantities by `{hourMs} {bucketId} {accessKeyId}`; no id of a bucket has a space. */
export type PageUsage = Map<string, MeterQuantities>;

/** JSON numbers are exact to 2^53; what is more is a text. */
type StoredUsage = Record<string, Record<MeterName, number | string>>;

/** Adds a row to the usage of a page. */
export function addToPage(usage: PageUsage, row: UsageRow): void {
  const name = `${row.hourMs} ${row.bucketId ?? ''} ${row.accessKeyId ?? ''}`;
  const quantities = usage.get(name) ?? new Map();
  usage.set(name, quantities);
  quantities.set(row.meter, (quantities.get(row.meter) ?? 0n) + row.quantity);
}

/** The rows of a page's usage. */
export function* rowsOfPage(text: string): Generator<UsageRow, void, undefined> {
  for (const [name, quantities] of Object.entries(JSON.parse(text) as StoredUsage)) {
    const hourEnd = name.indexOf(' ');
    const bucketEnd = name.indexOf(' ', hourEnd + 1);
    const bucketId = name.slice(hourEnd + 1, bucketEnd) as BucketId | '';
    const accessKeyId = name.slice(bucketEnd + 1) as AccessKeyId | '';
    const owner = {
      hourMs: Number(name.slice(0, hourEnd)),
      bucketId: bucketId === '' ? null : bucketId,
      accessKeyId: accessKeyId === '' ? null : accessKeyId,
    };
    for (const [meter, quantity] of Object.entries(quantities))
      yield { ...owner, meter: meter as MeterName, quantity: BigInt(quantity) };
  }
}

export function parsePage(text: string): PageUsage {
  const usage: PageUsage = new Map();
  for (const row of rowsOfPage(text)) addToPage(usage, row);
  return usage;
}

/** Adds usage to that of a page. */
export function mergeIntoPage(usage: PageUsage, more: PageUsage): void {
  for (const [name, added] of more) {
    const quantities = usage.get(name) ?? new Map();
    usage.set(name, quantities);
    for (const [meter, quantity] of added)
      quantities.set(meter, (quantities.get(meter) ?? 0n) + quantity);
  }
}

/** Splits usage into parts of so many hours, buckets and keys together. */
export function splitPage(usage: PageUsage, entriesMax: number): readonly PageUsage[] {
  const entries = [...usage];
  const parts: PageUsage[] = [];
  for (let at = 0; at < entries.length; at += entriesMax)
    parts.push(new Map(entries.slice(at, at + entriesMax)));
  return parts;
}

/** The hour that an entry of a page is of. */
export function hourOf(name: string): number {
  return Number(name.slice(0, name.indexOf(' ')));
}

export function printPage(usage: PageUsage): string {
  const stored = [...usage].map(([name, quantities]) => {
    const numbers = [...quantities].map(([meter, quantity]) => [
      meter,
      quantity <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(quantity) : `${quantity}`,
    ]);
    return [name, Object.fromEntries(numbers)];
  });
  return JSON.stringify(Object.fromEntries(stored));
}
