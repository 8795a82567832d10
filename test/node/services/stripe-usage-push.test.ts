// Stripe's side of usage, against a small server that answers as Stripe's API does.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createStripeUsagePush } from '../../../src/adapters/shared/stripe-usage-push.ts';
import type { UsageEvent } from '../../../src/ports/usage-push.ts';

type Received = {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly form: URLSearchParams;
};
type Answer = (response: ServerResponse, at: number) => void;

const EVENT: UsageEvent = {
  identifier: 'quayside-abc-20261120-class-a-STANDARD',
  eventName: 'quayside_class_a_standard',
  customerId: 'cus_123',
  value: 12_345_678_901_234n,
  atMs: Date.UTC(2026, 10, 20, 23, 59, 59),
};

const stopping: (() => void)[] = [];
afterEach(() => {
  for (const stop of stopping.splice(0)) stop();
});

async function fakeStripe(answer: Answer) {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    received.push({
      path: request.url ?? '',
      headers: request.headers,
      form: new URLSearchParams(body),
    });
    response.setHeader('content-type', 'application/json');
    answer(response, received.length);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stopping.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const push = createStripeUsagePush({
    stripeSecretKey: 'sk_test_secret',
    stripeUrl: `http://127.0.0.1:${port}`,
  });
  if (push === null) throw new Error('There is a key.');
  return { received, push };
}

const ok = (response: ServerResponse) => response.end('{"object":"billing.meter_event"}');
const refuse = (status: number, message: string) => (response: ServerResponse) => {
  response.statusCode = status;
  // The package then does not wait before it tries again.
  response.setHeader('stripe-should-retry', status === 400 ? 'false' : 'true');
  response.end(JSON.stringify({ error: { type: 'invalid_request_error', message } }));
};

describe('usage for Stripe', () => {
  it('goes nowhere without a key', () => {
    expect(
      createStripeUsagePush({ stripeSecretKey: null, stripeUrl: 'https://api.stripe.com' }),
    ).toBe(null);
  });

  it('is one meter event, with its identifier and as the idempotency key', async () => {
    const { received, push } = await fakeStripe(ok);
    await push.push(EVENT);
    expect(received).toHaveLength(1);
    const [{ path, headers, form } = { path: '', headers: {}, form: new URLSearchParams() }] =
      received;
    expect(path).toBe('/v1/billing/meter_events');
    expect(headers.authorization).toBe('Bearer sk_test_secret');
    expect(headers['idempotency-key']).toBe(EVENT.identifier);
    expect(Object.fromEntries(form)).toEqual({
      event_name: EVENT.eventName,
      identifier: EVENT.identifier,
      timestamp: String(EVENT.atMs / 1000),
      'payload[stripe_customer_id]': 'cus_123',
      'payload[value]': '12345678901234',
    });
  });

  it('is sent again when Stripe fails in passing, as the same event', async () => {
    const { received, push } = await fakeStripe((response, at) =>
      at === 1 ? refuse(500, 'oops')(response) : ok(response),
    );
    await push.push(EVENT);
    expect(received.map(({ form }) => form.get('identifier'))).toEqual([
      EVENT.identifier,
      EVENT.identifier,
    ]);
    expect(new Set(received.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('is done when Stripe knows it already', async () => {
    const { push } = await fakeStripe(
      refuse(400, `An event already exists with identifier ${EVENT.identifier}.`),
    );
    await expect(push.push(EVENT)).resolves.toBeUndefined();
  });

  it('is left out where Stripe has no meter for it', async () => {
    const { push } = await fakeStripe(
      refuse(400, 'No active meter found for event_name quayside_class_a_standard'),
    );
    await expect(push.push(EVENT)).resolves.toBeUndefined();
  });

  it('distinguishes a refusal from an unknown outcome, and shows no key', async () => {
    const refused = await fakeStripe(refuse(400, 'No such customer'));
    await expect(refused.push.push(EVENT)).rejects.toMatchObject({
      code: 'InvalidRequest',
      message: 'Stripe: 400 No such customer',
    });
    const cut = await fakeStripe((response) => response.destroy());
    const failure = await cut.push.push(EVENT).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'ServiceUnavailable' });
    expect(String((failure as Error).stack)).not.toContain('sk_test');
    expect(cut.received.length).toBe(3);
  });
});
