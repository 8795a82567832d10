// The Durable Object of the account's ledger: the real ledger and its group commit over SQLite in
// memory, reached over a simulated wire.
import { createRecordGroups } from '../../../src/adapters/cloudflare/durable-objects/record-groups.ts';
import { openSqlite } from '../../../src/adapters/node/index/node-sqlite.ts';
import { LEDGER_RULES } from '../../../src/core/ledger-rules.ts';
import { unwrapOutcome } from '../../../src/index/call-outcome.ts';
import { createLedgerIndex } from '../../../src/index/ledger-index.ts';
import { LEDGER_SCHEMA } from '../../../src/index/tables/ledger-schema.ts';
import { migrate } from '../../../src/index/tables/schema.ts';
import type { Ledger, LedgerApi, RecordInput } from '../../../src/ports/ledger.ts';
import type { Usage } from '../prices.ts';
import type { Timeline } from '../timeline.ts';
import { createCountedSql } from './counted-sql.ts';
import { createObjectLoad, createSimulatedObject } from './simulated-object.ts';

/** Rows that a call reads; they cost next to nothing. */
const ROWS_READ_OF_CALL = 5;

export type SimulatedLedger = {
  /** The calls themselves, for nothing and at once. */
  readonly api: LedgerApi;
  /** The port as an isolate in that place has it. */
  at(place: number): Ledger;
  busiestSecond(): number;
  close(): void;
};

export function createSimulatedLedger(timeline: Timeline, usage: Usage): SimulatedLedger {
  const database = openSqlite(':memory:', { readOnly: false });
  const sql = createCountedSql(database);
  migrate(sql, LEDGER_SCHEMA);
  const api = createLedgerIndex(sql, LEDGER_RULES);
  const load = createObjectLoad(timeline);
  const object = createSimulatedObject({
    timeline,
    usage,
    load,
    billedAs: { requests: 'ledgerRequests', activeMs: 'ledgerActiveMs' },
  });

  function run<Name extends keyof LedgerApi>(
    name: Name,
    input: Parameters<LedgerApi[Name]>[0],
  ): ReturnType<LedgerApi[Name]> {
    const before = sql.rowsWritten();
    usage.ledgerRowsRead += ROWS_READ_OF_CALL;
    try {
      return (api[name] as (input: unknown) => ReturnType<LedgerApi[Name]>)(input);
    } finally {
      usage.ledgerRowsWritten += sql.rowsWritten() - before;
    }
  }

  const record = createRecordGroups({
    record: (input) => {
      run('record', input);
      return { isOk: true, value: undefined };
    },
    nowMs: timeline.clock.nowMs,
    wait: timeline.sleep,
  });

  async function serve<Name extends keyof LedgerApi>(
    name: Name,
    input: Parameters<LedgerApi[Name]>[0],
  ): Promise<ReturnType<LedgerApi[Name]>> {
    if (name !== 'record') return run(name, input);
    const outcome = await record(input as RecordInput);
    return unwrapOutcome<ReturnType<LedgerApi[Name]>>(outcome);
  }

  return {
    api,
    at: (place) => ({ call: (name, input) => object.call(place, () => serve(name, input)) }),
    busiestSecond: load.busiest,
    close: () => database.close(),
  };
}
