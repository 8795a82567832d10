// The dispatcher: sends what waits in one database's outbox. It takes rows under a lease, POSTs them signed, and settles
// each: delivered, tried again later, or a dead letter. Bounded: so many at once, so many of them to one endpoint, and an
// endpoint that fails gets a pause. It holds nothing that a crash could lose; the home says when to run it.
import type { Directory } from '../../ports/directory.ts';
import { hasCode } from '../../ports/errors.ts';
import type { Ports } from '../../ports/index.ts';
import type { ObjectEvent } from '../../ports/object-event.ts';
import {
  type Delivery,
  type DeliveryResult,
  type Dispatcher,
  type OutboxQueue,
  WebhookFailure,
} from '../../ports/outbox.ts';
import { earlier, HOUR_MS } from '../../ports/time.ts';
import type { WebhookEndpoint } from '../../ports/webhooks.ts';
import type { CoreSettings } from '../core.ts';
import { createEndpointPauses, retryDelayMs } from './retry-times.ts';
import { renderS3Event } from './s3-event.ts';
import { signatureHeaders } from './secrets.ts';

/** Attempts under way at once, in all and to one endpoint. A Worker may have six connections at once; more wait there. */
const CONCURRENCY = 16;
const PER_ENDPOINT = 4;
/** A lease is so much longer than the longest attempt, milliseconds: settling takes a commit. */
const leaseOf = (timeoutMs: number) => 2 * timeoutMs + 1000;
/** Webhooks that a run remembers, and for how long it believes them, milliseconds. */
const KNOWN_MAX = 1000;
const KNOWN_MS = 5000;

/** What it works with; a Durable Object has no more than that. */
export type DispatcherCore = {
  readonly ports: Pick<Ports, 'clock' | 'log' | 'webhookSender'> & { readonly directory: Pick<Directory, 'call'> };
  readonly settings: Pick<CoreSettings, 'webhooks' | 'masterKeys'>;
};

/** `region`: of events that no request made. */
export function createDispatcher(core: DispatcherCore, queue: OutboxQueue, region: string): Dispatcher {
  const { clock, directory, log, webhookSender } = core.ports;
  const { webhooks: limits, masterKeys } = core.settings;
  const leaseMs = leaseOf(limits.timeoutMs);
  const inUse = new Map<string, number>();
  const pauses = createEndpointPauses();
  const known = new Map<string, { webhook: WebhookEndpoint | null; untilMs: number }>();
  let wake = Promise.withResolvers<void>();
  let lastEndpoint = '';

  async function findWebhook(id: string): Promise<WebhookEndpoint | null> {
    const kept = known.get(id);
    if (kept !== undefined && kept.untilMs > clock.nowMs()) return kept.webhook;
    const webhook = await directory.call('getWebhook', { id });
    if (known.size >= KNOWN_MAX) known.clear();
    known.set(id, { webhook, untilMs: clock.nowMs() + KNOWN_MS });
    return webhook;
  }

  async function attempt(delivery: Delivery): Promise<DeliveryResult> {
    const { id, attempts: claim, endpointId } = delivery;
    const result = { id, claim, dueAtMs: null, status: null, error: null };
    const webhook = await findWebhook(endpointId);
    if (webhook === null || webhook.accountId !== delivery.accountId) {
      return { ...result, outcome: 'dead', error: 'The webhook does not exist any more.' };
    }
    if (!webhook.isEnabled) return { ...result, outcome: 'dead', error: 'The webhook is disabled.' };
    if (claim > limits.attemptsMax) return { ...result, outcome: 'dead', error: 'Its last attempt did not end.' };
    const sent = await send(webhook, delivery);
    if (sent.isTaken) pauses.clear(endpointId);
    else pauses.add(endpointId, clock.nowMs(), limits.retryBaseMs);
    if (sent.isTaken) return { ...result, outcome: 'delivered', status: sent.status };
    const failed = { ...result, status: sent.status, error: sent.error };
    if (claim >= limits.attemptsMax) return { ...failed, outcome: 'dead' };
    const delayMs = Math.max(retryDelayMs(claim, limits.retryBaseMs, Math.random()), sent.retryAfterMs);
    return { ...failed, outcome: 'retry', dueAtMs: clock.nowMs() + delayMs };
  }

  async function send(webhook: WebhookEndpoint, delivery: Delivery) {
    const body = bodyOf(delivery, region);
    const nowMs = clock.nowMs();
    const signed = signatureHeaders(masterKeys, webhook, { id: delivery.messageId, body, nowMs });
    const headers = { 'content-type': 'application/json', 'user-agent': 'Quayside-Webhook/1', ...signed };
    try {
      const answer = await webhookSender.post({ url: webhook.url, headers, body, timeoutMs: limits.timeoutMs });
      const { status } = answer;
      const isTaken = status >= 200 && status < 300;
      return { isTaken, status, error: `It answered ${status}.`, retryAfterMs: retryAfterOf(answer.retryAfter) };
    } catch (error) {
      if (error instanceof WebhookFailure)
        return { isTaken: false, status: null, error: error.message, retryAfterMs: 0 };
      throw error;
    }
  }

  async function deliver(delivery: Delivery): Promise<void> {
    const { id, attempts: claim } = delivery;
    let result: DeliveryResult;
    try {
      result = await attempt(delivery);
    } catch (cause) {
      // A fault of ours (no master key, the directory fails): it is tried again, as often as any other.
      log.error('webhook-attempt-failed', { id, webhook: delivery.endpointId, cause });
      const isLast = claim >= limits.attemptsMax;
      const error = hasCode(cause, 'ServiceUnavailable') ? cause.message : 'Internal error.';
      const dueAtMs = clock.nowMs() + retryDelayMs(claim, limits.retryBaseMs, Math.random());
      result = { id, claim, outcome: isLast ? 'dead' : 'retry', dueAtMs, status: null, error };
    }
    await queue.settleDeliveries({ results: [result], nowMs: clock.nowMs() });
  }

  async function claimNext(free: number) {
    const nowMs = clock.nowMs();
    const limitsOf: Record<string, number> = {};
    for (const [id, used] of inUse) limitsOf[id] = PER_ENDPOINT - used;
    for (const id of pauses.now(nowMs)) limitsOf[id] = 0;
    // Of the same moment: a pause that ends while rows are claimed was left out of them.
    const pauseEndMs = pauses.firstEndMs(nowMs);
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
        const mayClaim = failure === null && stopping?.aborted !== true && running.size < CONCURRENCY;
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

function bodyOf({ kind, payload }: Delivery, region: string): string {
  return kind === 's3' ? renderS3Event(JSON.parse(payload ?? '{}') as ObjectEvent, region) : (payload ?? '');
}

/** What an endpoint asks for at most, milliseconds. */
const RETRY_AFTER_MAX_MS = HOUR_MS;

/** Retry-After in seconds, as milliseconds; 0 for anything else. Source: RFC 9110 section 10.2.3. */
function retryAfterOf(value: string | null): number {
  return value !== null && /^\d{1,9}$/.test(value) ? Math.min(Number(value) * 1000, RETRY_AFTER_MAX_MS) : 0;
}
