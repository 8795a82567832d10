// Group commit of usage: isolates flush at the same marks of the clock, and each row
// written is paid. The first call of a burst is recorded at once, so that usage that
// comes alone waits for nothing; those close behind it are recorded together. Each
// caller is answered when its own is durable.
import type { CallOutcome } from '../../../index/call-outcome.ts';
import type { RecordInput } from '../../../ports/ledger.ts';

export type RecordInGroups = (input: RecordInput) => CallOutcome | Promise<CallOutcome>;

/**
 * Least time between two records, milliseconds. An object that waits is billed: half
 * of this costs what a fifth of a row does.
 */
const GAP_MS = 250;
/** Calls of one group; with more it is recorded at once. */
const CALLS_MAX = 1_000;

/** Outcome for all but the first of a group: the first alone reports its alerts. */
const NO_ALERTS: CallOutcome = { isOk: true, value: [] };

type Waiting = {
  readonly input: RecordInput;
  readonly resolve: (outcome: CallOutcome) => void;
};
type Group = { readonly calls: Waiting[] };

/** Groups calls of `record`, which never throws. All of them are of one account. */
export function createRecordGroups(options: {
  readonly record: (input: RecordInput) => CallOutcome;
  readonly nowMs: () => number;
  readonly wait: (ms: number) => Promise<void>;
}): RecordInGroups {
  let lastAtMs = Number.NEGATIVE_INFINITY;
  let open: Group | null = null;

  function recordGroup(group: Group): void {
    if (open === group) open = null;
    const [first, ...others] = group.calls.splice(0);
    if (first === undefined) return;
    lastAtMs = options.nowMs();
    const batches = [first, ...others].flatMap(({ input }) => input.batches);
    const outcome = options.record({ ...first.input, batches });
    first.resolve(outcome);
    for (const { resolve } of others) resolve(outcome.isOk ? NO_ALERTS : outcome);
  }

  async function recordLater(group: Group, waitMs: number): Promise<void> {
    await options.wait(waitMs);
    recordGroup(group);
  }

  return (input) => {
    const waitMs = GAP_MS - (options.nowMs() - lastAtMs);
    if (open === null && (waitMs <= 0 || waitMs > GAP_MS)) {
      lastAtMs = options.nowMs();
      return options.record(input);
    }

    const group: Group = open ?? { calls: [] };
    const { promise, resolve } = Promise.withResolvers<CallOutcome>();
    group.calls.push({ input, resolve });
    if (open === null) {
      open = group;
      void recordLater(group, waitMs);
    } else if (group.calls.length >= CALLS_MAX) recordGroup(group);
    return promise;
  };
}
