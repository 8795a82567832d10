// The dispatcher: sends what waits in one database's outbox. It takes rows under a lease, has each
// attempted (attempt-delivery.ts), and settles it. Bounded: so many at once, so many of them to one
// endpoint, and an endpoint that fails gets a pause. It holds nothing that a crash could lose; the
// home says when to run it.

import { earlier } from '../../domain/time.ts';
import type { Delivery, Dispatcher, OutboxQueue } from '../../ports/outbox.ts';
import { createAttempts, type DispatcherCore } from './attempt-delivery.ts';
import { createEndpointBreaker } from './retry-times.ts';

/**
 * Attempts under way at once, in all and to one endpoint. A Worker may have six connections at
 * once; more wait there.
 */
const CONCURRENCY = 16;
const PER_ENDPOINT = 4;
/** A lease is so much longer than the longest attempt, milliseconds: settling takes a commit. */
const leaseOf = (timeoutMs: number) => 2 * timeoutMs + 1000;

/** `region`: of events that no request made. */
export function createDispatcher(
  core: DispatcherCore,
  queue: OutboxQueue,
  region: string,
): Dispatcher {
  const { clock } = core.ports;
  const leaseMs = leaseOf(core.settings.webhooks.timeoutMs);
  const inUse = new Map<string, number>();
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
    for (const [id, used] of inUse) limitsOf[id] = PER_ENDPOINT - used;
    for (const id of breaker.now(nowMs)) limitsOf[id] = 0;
    // Of the same moment: a pause that ends while rows are claimed was left out of them.
    const pauseEndMs = breaker.firstEndMs(nowMs);
    const { deliveries, nextDueAtMs } = await queue.claimDeliveries({
      nowMs,
      leaseMs,
      limit: free,
      perEndpoint: PER_ENDPOINT,
      limits: limitsOf,
      after: lastEndpoint,
    });
    return { deliveries, nextDueAtMs: earlier(nextDueAtMs, pauseEndMs) };
  }

  function use(endpointId: string, change: number): void {
    const used = (inUse.get(endpointId) ?? 0) + change;
    if (used > 0) inUse.set(endpointId, used);
    else inUse.delete(endpointId);
  }

  return {
    kick: () => wake.resolve(),
    async run(stopping) {
      const running = new Set<Promise<void>>();
      let failure: { cause: unknown } | null = null;
      const start = (delivery: Delivery) => {
        use(delivery.endpointId, 1);
        lastEndpoint = delivery.endpointId;
        const promise = deliver(delivery)
          .catch((cause: unknown) => {
            failure ??= { cause };
          })
          .finally(() => {
            use(delivery.endpointId, -1);
            running.delete(promise);
          });
        running.add(promise);
      };
      for (;;) {
        wake = Promise.withResolvers<void>();
        const mayClaim =
          failure === null && stopping?.aborted !== true && running.size < CONCURRENCY;
        // What settles while rows are claimed may be due before what the claim tells of.
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
