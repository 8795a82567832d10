// Brings what the meter counted to the ledger. A batch whose outcome is not known is sent again as
// it was, so it is counted once; until it is through, the account's counters go on counting. Node
// calls `flush` every few seconds and at its end, a Worker `flushSoon` with every answer. Never
// fails: what can't be sent waits. Nothing here waits for a run that the runtime has ended: what a
// run has not done, the next one does.

import type { UsageBatch } from '../../domain/billing/usage.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import { startOfHour } from '../../domain/time.ts';
import { within } from '../../ports/with-timeout.ts';
import type { Core } from '../core.ts';
import { usageRows } from './usage-rows.ts';

export type UsageFlusher = {
  /**
   * Sends what there is. Resolves when everything is through or has failed; whether nothing is
   * left, counted or drained.
   */
  flush(): Promise<boolean>;
  /**
   * Sends all of one account; rejects when the ledger does not have it then. Whoever waits bounds
   * it.
   */
  flushAccount(accountId: AccountId): Promise<void>;
  /**
   * Takes a batch that somebody else tried to record, and does not know whether it was; it is sent
   * soon.
   */
  adopt(accountId: AccountId, batch: UsageBatch): void;
  /**
   * Has what is left flushed behind this answer, unless there is nothing or another answer does so.
   * Call it inside a request: no I/O, no throw. Cost: a look at the clock.
   */
  flushSoon(): void;
  /**
   * Sends all there is, in two rounds: one for what waited for an answer, one for what was counted
   * meanwhile.
   */
  close(): Promise<void>;
};

type Run = { readonly sinceMs: number };

/** What of an account was drained and is not through yet. */
type Pending = { batches: UsageBatch[]; hourMs: number };

/**
 * Batches of one account that wait: an hour each, so two days of a ledger that fails. Counters hold
 * the rest.
 */
const BATCHES_MAX = 48;
/** The same with batches of others, which come one by one. */
const ADOPTED_MAX = 1000;
/** Flushes of one run behind an answer; then the next answer begins another. */
const ROUNDS = 3;
/**
 * A run that is older has died, milliseconds: work behind an answer is ended then, and nobody says
 * so. Source: https://developers.cloudflare.com/workers/runtime-apis/context/#waituntil
 */
const RUN_MAX_MS = 30_000;

/** `source`: a name that no other process has had. `intervalMs`: between two flushes. */
export function createUsageFlusher(
  { ports: { background, clock, ledger, log, meter }, settings: { tierLimitMs } }: Core,
  { source, intervalMs }: { readonly source: string; readonly intervalMs: number },
): UsageFlusher {
  const pending = new Map<AccountId, Pending>();
  const runMs = Math.min(ROUNDS * (intervalMs + tierLimitMs), RUN_MAX_MS);
  let sequence = 0;
  /** The work behind an answer that will flush what is used now; it may have died. */
  let run: Run | null = null;

  /**
   * Takes what was counted out of the meter, but of accounts that still wait for an answer of this
   * hour.
   */
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

  /**
   * A ledger that says nothing for `limitMs` has failed; what it then does late is told by the ids
   * of batches.
   */
  async function send(accountId: AccountId, { batches }: Pending, limitMs: number): Promise<void> {
    try {
      const record = () => ledger.call('record', { accountId, batches, nowMs: clock.nowMs() });
      await within(limitMs, 'the ledger', record);
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
    await Promise.all(
      [...pending].map(([accountId, waits]) => send(accountId, waits, tierLimitMs)),
    );
    return !isAnythingLeft();
  }

  function isAnythingLeft(): boolean {
    return meter.hasUses() || pending.size > 0;
  }

  function isAlive({ sinceMs }: Run, nowMs: number): boolean {
    return sinceMs <= nowMs && nowMs < sinceMs + runMs;
  }

  async function flushInRounds(mine: Run): Promise<void> {
    // One that was taken for dead does not end the next.
    const end = () => {
      if (run === mine) run = null;
    };
    for (let round = 1; round < ROUNDS; round++) {
      await wait(intervalMs);
      await flush();
      // Asked in the turn in which it ends.
      if (!isAnythingLeft()) return end();
    }
    await wait(intervalMs);
    // What is used during the last flush needs a run of its own.
    end();
    await flush();
  }

  function flushSoon(): void {
    if (!isAnythingLeft()) return;
    const nowMs = clock.nowMs();
    if (run !== null && isAlive(run, nowMs)) return;
    const mine = { sinceMs: nowMs };
    run = mine;
    background.run('usage', () => flushInRounds(mine));
  }

  return {
    flush,
    async flushAccount(accountId) {
      collect(accountId);
      const waits = pending.get(accountId);
      if (waits === undefined) return;
      await send(accountId, waits, Number.POSITIVE_INFINITY);
      const isLeft =
        pending.get(accountId)?.batches.some((batch) => waits.batches.includes(batch)) === true;
      if (isLeft)
        throw new StorageError('ServiceUnavailable', {
          detail: 'The ledger can not be asked now.',
        });
    },
    adopt(accountId, batch) {
      const nowMs = clock.nowMs();
      const waits = pending.get(accountId) ?? { batches: [], hourMs: startOfHour(nowMs) };
      // In the customer's favour, where a ledger fails for very long.
      if (waits.batches.length >= ADOPTED_MAX)
        return log.error('usage-not-recorded', { accountId, batches: 1 });
      pending.set(accountId, { ...waits, batches: [...waits.batches, batch] });
      flushSoon();
    },
    async close() {
      await flush();
      await flush();
    },
    flushSoon,
  };
}

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
