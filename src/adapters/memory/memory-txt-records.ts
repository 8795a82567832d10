// TXT records in memory, for tests of host proofs.
import type { TxtRecords } from '../../ports/txt-records.ts';

/** Makes the port over these records, by name. */
export function createMemoryTxtRecords(
  records: ReadonlyMap<string, readonly string[]> = new Map(),
): TxtRecords {
  return { read: async (name) => records.get(name) ?? [] };
}
