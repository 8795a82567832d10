// What a bill is made of: quantities by meter, whole numbers without bound. Storage is in byte-hours, traffic in bytes,
// requests in requests. The ledger adds usage up, a rate card prices it; nothing here knows money.

/** What is measured; storage classes by their S3 names. `early-delete`: byte-hours short of a class's minimum. */
export type MeterKind = 'storage' | 'early-delete' | 'class-a' | 'class-b' | 'free' | 'egress' | 'retrieval';
/** `{kind}/{storage class}`; egress has the tier that the bytes came from instead. */
export type MeterName = `${MeterKind}/${string}`;
export type Usage = ReadonlyMap<MeterName, bigint>;

/** The sum of several. */
export function addUsage(...parts: readonly Usage[]): Usage {
  const sum = new Map<MeterName, bigint>();
  for (const part of parts) for (const [meter, quantity] of part) sum.set(meter, (sum.get(meter) ?? 0n) + quantity);
  return sum;
}
