// Brings what the meter counted to the ledger. A batch whose outcome is not known is sent again as it was, so it is counted
// once; until it is through, the account's counters go on counting. Node calls `flush` every few seconds and at its end, a
// Worker some seconds after the first use (`afterUse`). Never fails: what can't be sent waits.
import type { AccountId } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import type { UsageBatch } from '../../ports/ledger.ts';
import { startOfHour } from '../../ports/time.ts';
import type { Core } from '../core.ts';
import { usageRows } from './usage-rows.ts';

export type UsageFlusher = {
  /** Sends what there is. Resolves when everything is through or has failed; whether nothing is left. */
  flush(): Promise<boolean>;
  /** Sends all of one account; rejects when the ledger does not have it then. */
  flushAccount(accountId: AccountId): Promise<void>;
  /** Takes a batch that somebody else tried to record, and does not know whether it was; it is sent with the next flush. */
  adopt(accountId: AccountId, batch: UsageBatch): void;
  /** The same as `flush`, when the time has come that is set between two flushes: for work behind an answer. */
  afterUse(): Promise<void>;
  /** Sends all there is, in two rounds: one for what waited for an answer, one for what was counted meanwhile. */
  close(): Promise<void>;
};

/** What of an account was drained and is not through yet. */
type Pending = { batches: UsageBatch[]; hourMs: number };

/** Batches of one account that wait: an hour each, so two days of a ledger that fails. Counters hold the rest. */
const BATCHES_MAX = 48;
/** The same with batches of others, which come one by one. */
const ADOPTED_MAX = 1000;
/** Flushes in a row that `afterUse` tries before it leaves the rest to the next use. */
const ATTEMPTS = 3;

/** `source`: a name that no other process has had. `intervalMs`: between two flushes. */
export function createUsageFlusher(
  { ports: { clock, ledger, log, meter } }: Core,
  { source, intervalMs }: { readonly source: string; readonly intervalMs: number },
): UsageFlusher {
  const pending = new Map<AccountId, Pending>();
  let sequence = 0;

  /** Takes what was counted out of the meter, but of accounts that still wait for an answer of this hour. */
  function collect(only: AccountId | null = null): void {
    const nowMs = clock.nowMs();
    const hourMs = startOfHour(nowMs);
    const drained = meter.drain((accountId) => {
      if (only !== null) return accountId === only;
      const waits = pending.get(accountId);
      return waits === undefined || (waits.hourMs < hourMs && waits.batches.length < BATCHES_MAX);
    });
    const byAccount = Map.groupBy(drained, ({ owner }) => owner.accountId);
    for (const [accountId, usages] of byAccount) {
      sequence += 1;
      const batch = { source, sequence, rows: usages.flatMap(usageRows) };
      const waits = pending.get(accountId) ?? { batches: [], hourMs };
      pending.set(accountId, { batches: [...waits.batches, batch], hourMs });
    }
  }

  async function send(accountId: AccountId, { batches }: Pending): Promise<void> {
    try {
      await ledger.call('record', { accountId, batches, nowMs: clock.nowMs() });
    } catch (cause) {
      log.error('usage-not-recorded', { accountId, batches: batches.length, cause });
      return;
    }
    const left = pending.get(accountId);
    if (left === undefined) return;
    const rest = left.batches.filter((batch) => !batches.includes(batch));
    if (rest.length === 0) pending.delete(accountId);
    else pending.set(accountId, { ...left, batches: rest });
  }

  async function flush(): Promise<boolean> {
    collect();
    await Promise.all([...pending].map(([accountId, waits]) => send(accountId, waits)));
    return pending.size === 0;
  }

  return {
    flush,
    async flushAccount(accountId) {
      collect(accountId);
      const waits = pending.get(accountId);
      if (waits === undefined) return;
      await send(accountId, waits);
      const isLeft = pending.get(accountId)?.batches.some((batch) => waits.batches.includes(batch)) === true;
      if (isLeft) throw new StorageError('ServiceUnavailable', { detail: 'The ledger can not be asked now.' });
    },
    adopt(accountId, batch) {
      const nowMs = clock.nowMs();
      const waits = pending.get(accountId) ?? { batches: [], hourMs: startOfHour(nowMs) };
      // In the customer's favour, where a ledger fails for very long.
      if (waits.batches.length >= ADOPTED_MAX) return log.error('usage-not-recorded', { accountId, batches: 1 });
      pending.set(accountId, { ...waits, batches: [...waits.batches, batch] });
    },
    async close() {
      await flush();
      await flush();
    },
    async afterUse() {
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        await new Promise((resolve) => setTimeout(resolve, intervalMs));
        if (await flush()) return;
      }
    },
  };
}
