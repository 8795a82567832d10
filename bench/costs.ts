// What one operation costs on Cloudflare by the price lists, ledger and logs in: the counts that
// test/workerd/operation-costs.test.ts measures, times the prices of the simulator.
import {
  BODY_BYTES,
  COMMITS_PER_GROUP,
  LATE_PUTS,
  OPERATION_COUNTS,
  type OperationCounts,
  type OperationName,
  PACKED_BODIES,
} from './lib/operation-counts.ts';
import { printTable } from './lib/table.ts';
import { CPU_MS, costOf, createUsage, PRICES_READ_ON, type Usage } from './simulate/prices.ts';

/**
 * Operations that share a flush of their isolate, and flushes that share a row of the ledger: a
 * busy isolate's in a minute, and those of the isolates that flush at one mark.
 */
const DENSE = { operationsPerFlush: 30, flushesPerRow: 10 };
const LONE = { operationsPerFlush: 1, flushesPerRow: 1 };

/** The Durable Object's own work for a call, milliseconds. */
const OBJECT_MS = 1;

function usageOf(
  counts: OperationCounts,
  bodyBytes: number,
  { operationsPerFlush, flushesPerRow }: typeof LONE,
) {
  const flushes = Math.min(1, counts.requests / operationsPerFlush);
  const calls = counts.indexCalls + counts.directoryCalls;
  const runs = counts.requests + counts.entrypointRuns;
  const usage: Usage = {
    ...createUsage(),
    workerRequests: counts.requests + counts.entrypointCalls,
    workerCpuMs:
      runs * CPU_MS.invocation +
      (calls + counts.entrypointCalls) * CPU_MS.call +
      (bodyBytes / 1e6) * CPU_MS.countedMegabyte,
    invocations: runs + calls + flushes,
    kvReads: counts.kvReads,
    objectRequests: calls,
    objectActiveMs: calls * OBJECT_MS,
    rowsWritten: counts.indexRows,
    ledgerRequests: flushes,
    ledgerActiveMs: flushes * OBJECT_MS,
    ledgerRowsWritten: (counts.ledgerRows * flushes) / flushesPerRow,
    classA: counts.r2ClassA,
    classB: counts.r2ClassB + counts.entrypointRuns,
  };
  return usage;
}

const dollars = (usd: number) => (usd * 1e6).toFixed(2);

process.stdout.write(`US dollars for a million, prices read on ${PRICES_READ_ON}.\n`);
const { bodies } = PACKED_BODIES;
const small = OPERATION_COUNTS['PUT of 10 KiB'];
/** With its share of a pack: of its rows, of two calls, of one write of R2. */
const packed = {
  ...small,
  indexRows: PACKED_BODIES.rows / bodies,
  indexCalls: small.indexCalls + 2 / bodies,
  r2ClassA: 1 / bodies,
};
const late = OPERATION_COUNTS['PUT of 100 kB'];
const sharedRows = 1 - 1 / COMMITS_PER_GROUP;
const operations: readonly (readonly [string, OperationCounts])[] = [
  ...Object.entries(OPERATION_COUNTS),
  [
    'PUT of 100 kB, its share of the totals included',
    { ...late, indexRows: LATE_PUTS.rows / LATE_PUTS.puts },
  ],
  ['PUT of 10 KiB, pack included', packed],
  [
    `the same, ${COMMITS_PER_GROUP} commits at once`,
    { ...packed, indexRows: packed.indexRows - sharedRows },
  ],
];
const rows = operations.map(([name, counts]) => {
  const bodyBytes = BODY_BYTES[name as OperationName] ?? 0;
  const lone = costOf(usageOf(counts, bodyBytes, LONE));
  const dense = costOf(usageOf(counts, bodyBytes, DENSE));
  return [
    name,
    `${Number(counts.indexRows.toFixed(2))}`,
    `${counts.ledgerRows}`,
    dollars(dense.workers),
    dollars(dense.objects),
    dollars(dense.r2),
    dollars(lone.ledger),
    dollars(dense.ledger),
    dollars(lone.total),
    dollars(dense.total),
  ];
});
const head = ['operation', 'index rows', 'ledger rows', 'Workers', 'index', 'R2'];
printTable([[...head, 'ledger lone', 'dense', 'all in, lone', 'dense'], ...rows]);
