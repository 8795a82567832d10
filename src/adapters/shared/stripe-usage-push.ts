// Usage as meter events of Stripe Billing. The package is loaded when the first
// event goes out, and talks by fetch on both platforms. A repeat is made harmless
// twice: by the event's identifier, and by Stripe's idempotency key of the request.
// Source: https://docs.stripe.com/api/billing/meter-event/create
import { StorageError } from '../../domain/errors.ts';
import type { UsageEvent, UsagePush } from '../../ports/usage-push.ts';

export type StripeOptions = {
  readonly stripeSecretKey: string | null;
  /** Where Stripe's API is, without a path. */
  readonly stripeUrl: string;
};

/** Attempts after the first, by the package, with growing pauses. */
const RETRIES = 2;
const TIMEOUT_MS = 10_000;
/** How Stripe says that an event of this identifier was counted before. */
const KNOWN = /already exists with identifier/;
/**
 * Stripe's message that it has no meter of a name: the operator charges for others.
 */
const UNWANTED = /no (active )?meter/i;

/** Null without a key. Cost: one request of Stripe's for each event. */
export function createStripeUsagePush({
  stripeSecretKey,
  stripeUrl,
}: StripeOptions): UsagePush | null {
  if (stripeSecretKey === null) return null;
  const { protocol, hostname, port } = new URL(stripeUrl);
  const scheme = protocol === 'http:' ? 'http' : 'https';
  let client: Promise<MeterEvents> | null = null;

  async function connect(): Promise<MeterEvents> {
    const { default: Stripe } = await import('stripe');
    const stripe = new Stripe(stripeSecretKey ?? '', {
      httpClient: Stripe.createFetchHttpClient(),
      host: hostname,
      port: port === '' ? (scheme === 'http' ? 80 : 443) : port,
      protocol: scheme,
      maxNetworkRetries: RETRIES,
      timeout: TIMEOUT_MS,
      telemetry: false,
    });
    return stripe.billing.meterEvents;
  }

  return {
    async push({ identifier, eventName, customerId, value, atMs }: UsageEvent) {
      client ??= connect();
      const event = {
        event_name: eventName,
        identifier,
        timestamp: Math.floor(atMs / 1000),
        payload: { stripe_customer_id: customerId, value: String(value) },
      };
      try {
        await (await client).create(event, { idempotencyKey: identifier });
      } catch (error) {
        if (!isSettled(error)) throw translateError(error);
      }
    },
  };
}

type MeterEvents = InstanceType<typeof import('stripe').default>['billing']['meterEvents'];
/** What the package puts on its errors. */
type StripeFailure = Error & { readonly statusCode?: number };

const isSettled = (error: unknown): boolean =>
  [KNOWN, UNWANTED].some((pattern) => pattern.test((error as StripeFailure).message));

/**
 * 429 and what the package gave up on may be repeated; other refusals were not
 * counted. Never shows the key.
 */
function translateError(error: unknown): StorageError {
  const { statusCode = 0, message } = error as StripeFailure;
  const wasRefused =
    statusCode >= 400 && statusCode < 500 && statusCode !== 409 && statusCode !== 429;
  const response = statusCode === 0 ? 'no response' : `${statusCode} ${message.slice(0, 200)}`;
  const detail = `Stripe: ${response}`;
  return new StorageError(wasRefused ? 'InvalidRequest' : 'ServiceUnavailable', { detail });
}
