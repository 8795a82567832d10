// What a test's surface has counted since it was asked last, by the meters of the ledger.
import { usageRows } from '../../../../src/core/metering/usage-rows.ts';
import type { TestSurface } from './surface.ts';

/** Quantities by meter, of all owners together. */
export function drainedRows({
  meter,
}: Pick<TestSurface, 'meter'>): Readonly<Record<string, bigint>> {
  const sums: Record<string, bigint> = {};
  for (const row of meter.drain(() => true).flatMap(usageRows)) {
    sums[row.meter] = (sums[row.meter] ?? 0n) + row.quantity;
  }
  return sums;
}
