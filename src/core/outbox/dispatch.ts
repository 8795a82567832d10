// The dispatcher: delivers the messages in one database's outbox. It claims rows
// for a time, attempts each delivery (attempt-delivery.ts), and settles it. Its
// concurrency is bounded, in all and for each endpoint, and a circuit breaker rests
// endpoints that fail. A crash loses nothing, since claims expire. The platform
// decides when it runs.

import { earlier } from '../../domain/time.ts';
import type { Delivery, Dispatcher, OutboxQueue } from '../../ports/outbox.ts';
import { createAttempts, type DispatcherCore } from './attempt-delivery.ts';
import { createEndpointBreaker } from './retry-times.ts';

/**
 * Attempts under way at once. A Worker may have six connections at once; more wait
 * there.
 */
const CONCURRENCY = 16;
/** Attempts under way at once to one endpoint. */
const PER_ENDPOINT = 4;

/**
 * The time of a claim, milliseconds: longer than the longest attempt, since
 * settling takes a commit.
 */
const claimMsOf = (timeoutMs: number) => 2 * timeoutMs + 1000;

/** Creates a dispatcher. `region`: of events that no request made. */
export function createDispatcher(
  core: DispatcherCore,
  queue: OutboxQueue,
  region: string,
): Dispatcher {
  const { clock } = core.ports;
  const claimMs = claimMsOf(core.settings.webhooks.timeoutMs);
  const runningByEndpoint = new Map<string, number>();
  const breaker = createEndpointBreaker();
  const attempt = createAttempts(core, breaker, region);
  let wake = Promise.withResolvers<void>();
  let lastEndpoint = '';

  async function deliver(delivery: Delivery): Promise<void> {
    const result = await attempt(delivery);
    await queue.settleDeliveries({ results: [result], nowMs: clock.nowMs() });
  }

  async function claimNext(free: number) {
    const nowMs = clock.nowMs();
    const limitsOf: Record<string, number> = {};
    for (const [id, count] of runningByEndpoint) limitsOf[id] = PER_ENDPOINT - count;
    for (const id of breaker.now(nowMs)) limitsOf[id] = 0;
    // A rest ends while rows are claimed without it, and nobody would wake up for
    // it. Guard: its end is read at the same moment as the limits.
    const restEndMs = breaker.firstEndMs(nowMs);
    const { deliveries, nextDueAtMs } = await queue.claimDeliveries({
      nowMs,
      claimMs: claimMs,
      limit: free,
      perEndpoint: PER_ENDPOINT,
      limits: limitsOf,
      after: lastEndpoint,
    });
    return { deliveries, nextDueAtMs: earlier(nextDueAtMs, restEndMs) };
  }

  function countRunning(endpointId: string, change: number): void {
    const count = (runningByEndpoint.get(endpointId) ?? 0) + change;
    if (count > 0) runningByEndpoint.set(endpointId, count);
    else runningByEndpoint.delete(endpointId);
  }

  return {
    kick: () => wake.resolve(),
    async run(stopping) {
      const running = new Set<Promise<void>>();
      let failure: { cause: unknown } | null = null;
      const start = (delivery: Delivery) => {
        countRunning(delivery.endpointId, 1);
        lastEndpoint = delivery.endpointId;
        const promise = deliver(delivery)
          .catch((cause: unknown) => {
            failure ??= { cause };
          })
          .finally(() => {
            countRunning(delivery.endpointId, -1);
            running.delete(promise);
          });
        running.add(promise);
      };

      for (;;) {
        wake = Promise.withResolvers<void>();
        const mayClaim =
          failure === null && stopping?.aborted !== true && running.size < CONCURRENCY;
        // A message that settles while rows are claimed may be due before the time
        // of the claim.
        const isExact = running.size === 0;
        let nextDueAtMs: number | null = null;
        if (mayClaim) {
          const claimed = await claimNext(CONCURRENCY - running.size);
          for (const delivery of claimed.deliveries) start(delivery);
          nextDueAtMs = claimed.nextDueAtMs;
        }

        if (running.size === 0 && failure !== null) throw (failure as { cause: unknown }).cause;
        if (running.size === 0 && (isExact || !mayClaim)) return nextDueAtMs;
        if (running.size === 0) continue;
        await Promise.race([...running, wake.promise]);
      }
    },
  };
}
