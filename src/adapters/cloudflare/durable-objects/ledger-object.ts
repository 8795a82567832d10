// The Durable Object of one account's ledger, by the account's id. do-ledger.ts is
// its only caller.
import { DurableObject } from 'cloudflare:workers';
import { LEDGER_RULES } from '../../../core/ledger-rules.ts';
import { type CallOutcome, runIndexCall } from '../../../index/call-outcome.ts';
import { createLedgerIndex } from '../../../index/ledger-index.ts';
import { LEDGER_SCHEMA } from '../../../index/tables/ledger-schema.ts';
import { migrate } from '../../../index/tables/schema.ts';
import type { LedgerApi } from '../../../ports/ledger.ts';
import type { WorkerEnv } from '../env.ts';
import { createDoSql } from './do-sqlite.ts';
import { createRecordGroups, type RecordInGroups, type RecordInput } from './record-groups.ts';

export class LedgerObject extends DurableObject<WorkerEnv> {
  readonly #ledger: LedgerApi;
  readonly #record: RecordInGroups;

  constructor(ctx: DurableObjectState, env: WorkerEnv) {
    super(ctx, env);
    const sql = createDoSql(ctx.storage);
    // Synchronous, so no call can come in between; a failed migration makes every
    // call fail with its reason.
    migrate(sql, LEDGER_SCHEMA);
    const ledger = createLedgerIndex(sql, LEDGER_RULES);
    this.#ledger = ledger;
    this.#record = createRecordGroups({
      record: (input) => runIndexCall(ledger, 'record', input),
      nowMs: () => Date.now(),
      wait: (ms) => scheduler.wait(ms),
    });
  }

  /**
   * Runs one call. Atomic and, once the response is out, durable. Never throws;
   * failures are in the reply. Usage that comes close behind other usage waits a
   * moment for more.
   */
  call(name: keyof LedgerApi, input: unknown): CallOutcome | Promise<CallOutcome> {
    if (name === 'record') return this.#record(input as RecordInput);
    return runIndexCall(this.#ledger, name, input as never);
  }
}
