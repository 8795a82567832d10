// One attempt to deliver a message: it is signed and posted to its webhook, and the
// result is delivered, retry or dead letter. Called by the dispatcher, which
// decides when to try, and stores the result.

import { hasCode } from '../../domain/errors.ts';
import type { ObjectEvent } from '../../domain/object-event.ts';
import { HOUR_MS } from '../../domain/time.ts';
import type { WebhookEndpoint } from '../../domain/webhooks.ts';
import type { Directory } from '../../ports/directory.ts';
import type { Ports } from '../../ports/index.ts';
import { type Delivery, type DeliveryResult, WebhookFailure } from '../../ports/outbox.ts';
import { withTimeout } from '../../ports/with-timeout.ts';
import type { CoreSettings } from '../core.ts';
import { type EndpointBreaker, retryDelayMs } from './retry-times.ts';
import { renderS3Event } from './s3-event.ts';
import { signatureHeaders } from './secrets.ts';

/** Entries of the cache of webhooks. Our own limit. */
const CACHED_MAX = 1000;
/** TTL of the cache of webhooks, milliseconds. Our own limit. */
const CACHED_MS = 5000;

/**
 * The part of the core that the dispatcher needs; a Durable Object has no more than
 * that.
 */
export type DispatcherCore = {
  readonly ports: Pick<Ports, 'clock' | 'log' | 'webhookSender'> & {
    readonly directory: Pick<Directory, 'call'>;
  };
  readonly settings: Pick<CoreSettings, 'webhooks' | 'masterKeys'>;
};

/**
 * Attempts a delivery. Never rejects: an internal error is a failed attempt too.
 */
export type AttemptDelivery = (delivery: Delivery) => Promise<DeliveryResult>;

/**
 * Creates the attempts of a dispatcher. `region`: of events that no request made. A
 * failure opens the circuit breaker of the endpoint, a success closes it.
 */
export function createAttempts(
  core: DispatcherCore,
  breaker: EndpointBreaker,
  region: string,
): AttemptDelivery {
  const { clock, directory, log, webhookSender } = core.ports;
  const { webhooks: limits, masterKeys } = core.settings;
  const cache = new Map<string, { webhook: WebhookEndpoint | null; untilMs: number }>();

  async function findWebhook(id: string): Promise<WebhookEndpoint | null> {
    const cached = cache.get(id);
    if (cached !== undefined && cached.untilMs > clock.nowMs()) return cached.webhook;

    // A call that hangs would occupy its slot, and the endpoint's, for good.
    const webhook = await withTimeout(limits.timeoutMs, 'the directory', () =>
      directory.call('getWebhook', { id }),
    );
    if (cache.size >= CACHED_MAX) cache.clear();
    cache.set(id, { webhook, untilMs: clock.nowMs() + CACHED_MS });
    return webhook;
  }

  async function attempt(delivery: Delivery): Promise<DeliveryResult> {
    const { id, attempts: claim, endpointId } = delivery;
    const result = { id, claim, dueAtMs: null, status: null, error: null };
    const webhook = await findWebhook(endpointId);
    if (webhook === null || webhook.accountId !== delivery.accountId) {
      return { ...result, outcome: 'dead', error: 'The webhook does not exist any more.' };
    }
    if (!webhook.isEnabled)
      return { ...result, outcome: 'dead', error: 'The webhook is disabled.' };
    if (claim > limits.attemptsMax)
      return { ...result, outcome: 'dead', error: 'Its last attempt did not end.' };

    const sent = await send(webhook, delivery);
    if (sent.isTaken) breaker.clear(endpointId);
    else breaker.add(endpointId, clock.nowMs(), limits.retryBaseMs);
    if (sent.isTaken) return { ...result, outcome: 'delivered', status: sent.status };

    const failed = { ...result, status: sent.status, error: sent.error };
    if (claim >= limits.attemptsMax) return { ...failed, outcome: 'dead' };
    const delayMs = Math.max(
      retryDelayMs(claim, limits.retryBaseMs, Math.random()),
      sent.retryAfterMs,
    );
    return { ...failed, outcome: 'retry', dueAtMs: clock.nowMs() + delayMs };
  }

  async function send(webhook: WebhookEndpoint, delivery: Delivery) {
    const body = bodyOf(delivery, region);
    const nowMs = clock.nowMs();
    const signed = signatureHeaders(masterKeys, webhook, { id: delivery.messageId, body, nowMs });
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Quayside-Webhook/1',
      ...signed,
    };
    try {
      const response = await webhookSender.post({
        url: webhook.url,
        headers,
        body,
        timeoutMs: limits.timeoutMs,
      });
      const { status } = response;
      const isTaken = status >= 200 && status < 300;
      return {
        isTaken,
        status,
        error: `It answered ${status}.`,
        retryAfterMs: retryAfterOf(response.retryAfter),
      };
    } catch (error) {
      if (error instanceof WebhookFailure)
        return { isTaken: false, status: null, error: error.message, retryAfterMs: 0 };
      throw error;
    }
  }

  return async (delivery) => {
    const { id, attempts: claim } = delivery;
    try {
      return await attempt(delivery);
    } catch (cause) {
      // No master key, or the directory fails: it is retried like any other
      // failure.
      log.error('webhook-attempt-failed', { id, webhook: delivery.endpointId, cause });
      const isLast = claim >= limits.attemptsMax;
      const error = hasCode(cause, 'ServiceUnavailable') ? cause.message : 'Internal error.';
      const dueAtMs = clock.nowMs() + retryDelayMs(claim, limits.retryBaseMs, Math.random());
      return { id, claim, outcome: isLast ? 'dead' : 'retry', dueAtMs, status: null, error };
    }
  };
}

function bodyOf({ kind, payload }: Delivery, region: string): string {
  return kind === 's3'
    ? renderS3Event(JSON.parse(payload ?? '{}') as ObjectEvent, region)
    : (payload ?? '');
}

/** Longest Retry-After of an endpoint that is obeyed, milliseconds. */
const RETRY_AFTER_MAX_MS = HOUR_MS;

/**
 * Reads Retry-After in seconds, as milliseconds; 0 for anything else. Source: RFC
 * 9110 section 10.2.3.
 */
function retryAfterOf(value: string | null): number {
  return value !== null && /^\d{1,9}$/.test(value)
    ? Math.min(Number(value) * 1000, RETRY_AFTER_MAX_MS)
    : 0;
}
