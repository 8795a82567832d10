// What a bill is made of: quantities by meter, whole numbers without bound. Storage is in byte-hours, traffic in bytes,
// requests in requests. The ledger adds usage up, a rate card prices it; nothing here knows money.
import type { MeterKind, MeterName } from '../../ports/ledger.ts';

export type { MeterKind, MeterName };
export type Usage = ReadonlyMap<MeterName, bigint>;

/** The sum of several. */
export function addUsage(...parts: readonly Usage[]): Usage {
  const sum = new Map<MeterName, bigint>();
  for (const part of parts) for (const [meter, quantity] of part) sum.set(meter, (sum.get(meter) ?? 0n) + quantity);
  return sum;
}
