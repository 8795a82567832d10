// The Durable Object of one account's ledger, by the account's id. Calls come from
// do-ledger.ts. Its alarm does the scheduled work on the account's bills: every day
// while it uses something, else once a month.
import { DurableObject } from 'cloudflare:workers';
import { LEDGER_RULES } from '../../../core/ledger-rules.ts';
import type { AccountId } from '../../../domain/nouns.ts';
import { isLedgerCommand, LEDGER_CALLS } from '../../../index/call-kinds.ts';
import { type CallOutcome, runIndexCall } from '../../../index/call-outcome.ts';
import { createLedgerIndex } from '../../../index/ledger-index.ts';
import { LEDGER_SCHEMA } from '../../../index/tables/ledger-schema.ts';
import { migrate } from '../../../index/tables/schema.ts';
import { lastUsedHour } from '../../../index/usage/uncollected.ts';
import type { Ledger, LedgerApi, RecordInput } from '../../../ports/ledger.ts';
import type { Sql } from '../../../ports/sql.ts';
import { createConsoleLog } from '../../shared/console-log.ts';
import { systemClock } from '../../shared/system-clock.ts';
import type { WorkerEnv } from '../env.ts';
import { refuseCall } from '../protocol.ts';
import { type AccountAlarm, createAccountAlarm } from './account-alarm.ts';
import { createDoSql } from './do-sqlite.ts';
import { createObjectAlarm, type ObjectAlarm } from './object-alarm.ts';
import { createRecordGroups, type RecordInGroups } from './record-groups.ts';

/** What the account's scheduled work needs of its ledger. */
export type AccountWork = {
  readonly accountId: AccountId;
  /** The last hour with usage; null: there was none. */
  readonly lastUsedMs: number | null;
  /** The ledger that this object is. */
  readonly ledger: Ledger;
};

/** worker.ts makes the class itself, with what it takes of core. */
export abstract class LedgerObject extends DurableObject<WorkerEnv> {
  readonly #sql: Sql;
  readonly #ledger: LedgerApi;
  readonly #record: RecordInGroups;
  #alarms: Alarms;

  constructor(ctx: DurableObjectState, env: WorkerEnv) {
    super(ctx, env);
    const sql = createDoSql(ctx.storage);
    // Synchronous, so no call can come in between; a failed migration makes every
    // call fail with its reason.
    migrate(sql, LEDGER_SCHEMA);
    const ledger = createLedgerIndex(sql, LEDGER_RULES);
    this.#sql = sql;
    this.#ledger = ledger;
    this.#record = createRecordGroups({
      record: (input) => this.#run('record', input),
      nowMs: () => Date.now(),
      wait: (ms) => scheduler.wait(ms),
    });
    this.#alarms = this.#createAlarms(null);
    void ctx.blockConcurrencyWhile(async () => {
      this.#alarms = this.#createAlarms(await ctx.storage.getAlarm());
    });
  }

  /**
   * Runs one call. Atomic and, once the response is out, durable. Never throws;
   * failures are in the reply. Usage that comes close behind other usage waits a
   * moment for more.
   */
  call(
    name: keyof LedgerApi,
    input: unknown,
    protocol?: number,
  ): CallOutcome | Promise<CallOutcome> {
    const refusal = refuseCall(LEDGER_CALLS, name, protocol);
    if (refusal !== null) return refusal;
    if (name === 'record') return this.#record(input as RecordInput);
    return this.#run(name, input);
  }

  /** Does what is due for the account: bills, reports of days. */
  override async alarm(): Promise<void> {
    const { alarm, work } = this.#alarms;
    alarm.wentOff();
    await work.run();
  }

  /** Does the account's scheduled work; returns when the next is due, null: never. */
  protected abstract runAccount(work: AccountWork): Promise<number | null>;

  #run(name: keyof LedgerApi, input: unknown): CallOutcome {
    const outcome = runIndexCall(this.#ledger, name, input as never);
    const { alarm, work } = this.#alarms;
    // A query wakes up a ledger too that was made before there were alarms.
    if (outcome.isOk && (isLedgerCommand(name) || alarm.atMs() === null)) work.schedule();
    return outcome;
  }

  /** `alarmAtMs`: as the storage has it. */
  #createAlarms(alarmAtMs: number | null): Alarms {
    const accountId = this.ctx.id.name as AccountId;
    const alarm = createObjectAlarm(this.ctx.storage, alarmAtMs);
    const ledger: Ledger = {
      call: async (name, input) => this.#ledger[name](input as never) as never,
    };
    const work = createAccountAlarm({
      accountId,
      alarm,
      lastUsedMs: () => lastUsedHour(this.#sql, accountId),
      work: (lastUsedMs) => this.runAccount({ accountId, lastUsedMs, ledger }),
      nowMs: systemClock.nowMs,
      log: createConsoleLog(systemClock, 'error'),
    });
    return { alarm, work };
  }
}

type Alarms = { readonly alarm: ObjectAlarm; readonly work: AccountAlarm };
