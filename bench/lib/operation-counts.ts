// What one operation asks of Cloudflare: calls of bindings, and rows written by workerd's own
// count. test/workerd/operation-costs.test.ts measures each and fails when one has changed;
// bench/costs.ts makes prices of them.

export type OperationCounts = {
  /** Calls of the index of the bucket, and rows that they write. */
  readonly indexCalls: number;
  readonly indexRows: number;
  /** Rows that the ledger writes when the isolate flushes after this operation alone. */
  readonly ledgerRows: number;
  readonly directoryCalls: number;
  readonly kvReads: number;
  /** Operations of R2: writes of objects or parts; reads, without those of the entrypoint. */
  readonly r2ClassA: number;
  readonly r2ClassB: number;
  /** Calls of the entrypoint behind Workers Cache, and how often it ran. */
  readonly entrypointCalls: number;
  readonly entrypointRuns: number;
  /** Requests of the client. */
  readonly requests: number;
};

const NOTHING: OperationCounts = {
  indexCalls: 0,
  indexRows: 0,
  ledgerRows: 1,
  directoryCalls: 0,
  kvReads: 0,
  r2ClassA: 0,
  r2ClassB: 0,
  entrypointCalls: 0,
  entrypointRuns: 0,
  requests: 1,
};

const of = (counts: Partial<OperationCounts>): OperationCounts => ({ ...NOTHING, ...counts });

export const OPERATION_COUNTS = {
  'PUT of 100 kB': of({ indexCalls: 1, indexRows: 2, r2ClassA: 1 }),
  'PUT of 100 kB, counted at once': of({ indexCalls: 1, indexRows: 3, r2ClassA: 1 }),
  'PUT of 100 kB over another': of({ indexCalls: 1, indexRows: 5, r2ClassA: 1 }),
  'PUT of 10 KiB': of({ indexCalls: 1, indexRows: 3 }),
  'PUT of 8 MiB': of({ indexCalls: 1, indexRows: 2, r2ClassA: 1 }),
  'GET of 100 kB, cold everywhere': of({ indexCalls: 1, entrypointCalls: 1, entrypointRuns: 1 }),
  'GET of 100 kB from the edge': of({ entrypointCalls: 1 }),
  'GET of 100 kB from memory': of({}),
  'GET of 10 KiB, cold everywhere': of({ indexCalls: 1 }),
  'GET of 10 KiB from the edge': of({}),
  'GET of 10 KiB from memory': of({}),
  'GET of 8 MiB, cold everywhere': of({ indexCalls: 1, entrypointCalls: 1, entrypointRuns: 1 }),
  'GET of 8 MiB from the edge': of({ entrypointCalls: 1 }),
  'GET of 8 MiB from memory': of({ entrypointCalls: 1 }),
  'list of 4 objects': of({ indexCalls: 2 }),
  'DELETE of 100 kB': of({ indexCalls: 1, indexRows: 4 }),
  'DELETE of 10 KiB': of({ indexCalls: 1, indexRows: 3 }),
  'DELETE of 100 small objects in one request': of({ indexCalls: 1, indexRows: 201 }),
  'multipart of ten parts': of({ indexCalls: 13, indexRows: 17, r2ClassA: 10, requests: 12 }),
  'multipart of ten parts, separate rows': of({
    indexCalls: 13,
    indexRows: 47,
    r2ClassA: 10,
    requests: 12,
  }),
} as const satisfies Readonly<Record<string, OperationCounts>>;

export type OperationName = keyof typeof OPERATION_COUNTS;

/** Bytes that go out in pieces which are counted, and so take CPU of the Worker. */
export const BODY_BYTES: Partial<Record<OperationName, number>> = {
  'GET of 8 MiB, cold everywhere': 8 * 2 ** 20,
  'GET of 8 MiB from the edge': 8 * 2 ** 20,
  'GET of 8 MiB from memory': 8 * 2 ** 20,
};

/**
 * Bodies of 10 KiB that fill a pack: the rows that their PUTs and the packing write
 * together, and the size of the pack. Two calls of the index and one write of R2 come
 * with it.
 */
export const PACKED_BODIES = { bodies: 410, rows: 1649, sizeBytes: 4_224_008 };

/**
 * PUTs of new keys whose totals count late, from one that writes the totals to before the
 * next that does, and the rows that they write together.
 */
export const LATE_PUTS = { puts: 33, rows: 67 };

/**
 * Commits of a bucket that come together under dense load, and write one row of totals:
 * those of 8 ms, at 500 a second.
 */
export const COMMITS_PER_GROUP = 4;
