import type { TxtRecords } from '../../ports/txt-records.ts';

/** TXT records that stand in memory, for tests. */
export function createMemoryTxtRecords(
  records: ReadonlyMap<string, readonly string[]> = new Map(),
): TxtRecords {
  return { read: async (name) => records.get(name) ?? [] };
}
