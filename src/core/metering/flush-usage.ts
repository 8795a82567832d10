// Brings what the meter has counted to the ledger. A batch whose outcome is unknown
// is sent again as it was, so that it is counted once (idempotent). Node calls
// `flush` every few seconds and at its end, a Worker `flushSoon` with every
// response (background-flush.ts says when that sends). Never fails: what can't be
// sent waits.

import type { UsageBatch } from '../../domain/billing/usage.ts';
import type { AccountId } from '../../domain/nouns.ts';
import { startOfHour } from '../../domain/time.ts';
import { withTimeout } from '../../ports/with-timeout.ts';
import type { Core } from '../core.ts';
import { createBackgroundFlush } from './background-flush.ts';
import { createReportCrossing, type ReportCrossing } from './report-crossing.ts';
import { usageRows } from './usage-rows.ts';

export type UsageFlusher = {
  /**
   * Sends what there is. Resolves when everything is sent or has failed, with
   * whether nothing is left, counted or drained.
   */
  flush(): Promise<boolean>;
  /**
   * Has all usage of one account brought to the ledger by a call of another kind.
   * Resolves with what `send` gives, when the ledger has what it was given; what a
   * failed one had is sent again. It has no timeout of its own: the caller sets one.
   */
  sendWith<Result>(
    accountId: AccountId,
    send: (batches: readonly UsageBatch[]) => Promise<Result>,
  ): Promise<Result>;
  /**
   * Takes over a batch that was sent with an unknown outcome; it is sent again
   * soon.
   */
  adopt(accountId: AccountId, batch: UsageBatch): void;
  /**
   * Has the next flush look for alerts of an account's caps, whose usage the ledger
   * got another way.
   */
  lookForAlerts(accountId: AccountId): void;
  /**
   * Flushes in the background, unless nothing is left or another response has begun
   * it. To be called inside a request: no I/O, no throw. Cost: a look at the clock.
   */
  flushSoon(): void;
  /**
   * Sends all there is, in two rounds: one for batches that were under way, one for
   * what was counted meanwhile.
   */
  close(): Promise<void>;
};

/** Counts that go to places of their own when usage does. */
export type UsageCompanion = {
  /** Sends what there is; what fails waits for the next time. No throw. */
  flush(): Promise<void>;
  isAnythingLeft(): boolean;
};

/**
 * Batches of an account that were drained from the meter and are not in the ledger
 * yet.
 */
type Pending = { readonly batches: readonly PendingBatch[]; readonly hourMs: number };
/**
 * `attempt` of the next sending; null for an adopted batch, which others sent before
 * in a way of their own.
 */
type PendingBatch = { readonly batch: UsageBatch; attempt: 'first' | 'repeat' | null };
type PendingBatches = Map<AccountId, Pending>;

/**
 * Batches of one account that wait. After a failure there is one an hour, so these
 * are two days of a ledger that fails; counters have the rest.
 */
const BATCHES_MAX = 48;
/**
 * Batches of one account that wait, adopted ones included, which come one by one.
 */
const ADOPTED_MAX = 1000;
/** `source`: a name that no other process has had. */
type FlusherOptions = {
  readonly source: string;
  readonly intervalMs: number;
  readonly companion?: UsageCompanion;
  /** Called for each alert that a cap comes to; absent: as `createReportCrossing` does. */
  readonly reportCrossing?: ReportCrossing;
};

/** Makes the flusher of a process. */
export function createUsageFlusher(
  core: Core,
  { source, intervalMs, companion, reportCrossing = createReportCrossing(core) }: FlusherOptions,
): UsageFlusher {
  const { clock, log, meter } = core.ports;
  const pending: PendingBatches = new Map();
  const collect = createCollector(core, pending, source);
  const unalerted = new Set<AccountId>();
  const record = createRecorder(core, { pending, unalerted, reportCrossing });
  const isAnythingLeft = () =>
    meter.hasUses() || pending.size + unalerted.size > 0 || companion?.isAnythingLeft() === true;

  async function flush(): Promise<boolean> {
    await companion?.flush();
    collect(null);
    const accounts = new Set([...pending.keys(), ...unalerted]);
    await Promise.all([...accounts].map(record));
    return !isAnythingLeft();
  }

  const flushSoon = createBackgroundFlush(core, { source, intervalMs, flush, isAnythingLeft });

  return {
    flush,
    sendWith(accountId, send) {
      collect(accountId);
      return sendBatches(pending, accountId, pending.get(accountId)?.batches ?? [], send);
    },
    adopt(accountId, batch) {
      const nowMs = clock.nowMs();
      const waiting = pending.get(accountId) ?? { batches: [], hourMs: startOfHour(nowMs) };
      // Dropped in the customer's favour, where a ledger fails for very long.
      if (waiting.batches.length >= ADOPTED_MAX)
        return log.error('usage-not-recorded', { accountId, batches: 1 });
      pending.set(accountId, {
        ...waiting,
        batches: [...waiting.batches, { batch, attempt: null }],
      });
      flushSoon();
    },
    lookForAlerts(accountId) {
      unalerted.add(accountId);
      flushSoon();
    },
    async close() {
      await flush();
      await flush();
    },
    flushSoon,
  };
}

/**
 * Makes the draining of the meter into batches: of one account, or of all but those
 * with a batch of this hour that waits.
 */
function createCollector({ ports }: Core, pending: PendingBatches, source: string) {
  const { clock, meter } = ports;
  let sequence = 0;

  return (only: AccountId | null): void => {
    const nowMs = clock.nowMs();
    const hourMs = startOfHour(nowMs);
    const drained = meter.drain((accountId) => {
      if (only !== null) return accountId === only;
      const waiting = pending.get(accountId);
      if (waiting === undefined) return true;
      return waiting.hourMs < hourMs && waiting.batches.length < BATCHES_MAX;
    });

    const byAccount = Map.groupBy(drained, ({ owner }) => owner.accountId);
    for (const [accountId, usages] of byAccount) {
      sequence += 1;
      const batch = { source, sequence, rows: usages.flatMap(usageRows) };
      const before = pending.get(accountId)?.batches ?? [];
      pending.set(accountId, { batches: [...before, { batch, attempt: 'first' }], hourMs });
    }
  };
}

type Recording = {
  readonly pending: PendingBatches;
  /** Accounts whose usage the ledger has and whose alerts nobody looked for. */
  readonly unalerted: Set<AccountId>;
  readonly reportCrossing: ReportCrossing;
};

/**
 * Makes the record of an account's batches, which reports the alerts that its caps
 * come to. What fails stays.
 */
function createRecorder({ ports, settings }: Core, recording: Recording) {
  const { clock, ledger, log } = ports;
  const { pending, unalerted, reportCrossing } = recording;

  return async (accountId: AccountId): Promise<void> => {
    const batches = pending.get(accountId)?.batches ?? [];
    const wasUnalerted = unalerted.delete(accountId);
    try {
      const alerts = await sendBatches(pending, accountId, batches, (sent) => {
        const record = () =>
          ledger.call('record', { accountId, batches: sent, nowMs: clock.nowMs() });
        return withTimeout(settings.tierLimitMs, 'the ledger', record);
      });
      // A Durable Object of the release before gives none.
      for (const { cap, ...crossing } of alerts ?? []) reportCrossing(accountId, cap, crossing);
    } catch (cause) {
      if (wasUnalerted) unalerted.add(accountId);
      log.error('usage-not-recorded', { accountId, batches: batches.length, cause });
    }
  };
}

/**
 * Sends batches of an account, and removes them from `pending` once the ledger has
 * them. Race: the ledger records them after the timeout. Guard: batches have ids,
 * and one that comes again is counted once.
 */
async function sendBatches<Result>(
  pending: PendingBatches,
  accountId: AccountId,
  batches: readonly PendingBatch[],
  send: (batches: readonly UsageBatch[]) => Promise<Result>,
): Promise<Result> {
  const sent = batches.map(({ batch, attempt }) =>
    attempt === null ? batch : { ...batch, attempt },
  );
  for (const pendingBatch of batches)
    if (pendingBatch.attempt === 'first') pendingBatch.attempt = 'repeat';
  const result = await send(sent);

  const waiting = pending.get(accountId);
  const rest = waiting?.batches.filter((batch) => !batches.includes(batch)) ?? [];
  if (rest.length === 0) pending.delete(accountId);
  else if (waiting !== undefined) pending.set(accountId, { ...waiting, batches: rest });
  return result;
}
