// The adapter of Stripe on the runtime of Cloudflare; test/node/services/stripe-usage-push.test.ts
// has the rest.
import { afterEach, expect, it, vi } from 'vitest';
import { createStripeUsagePush } from '../../src/adapters/shared/stripe-usage-push.ts';

afterEach(() => vi.unstubAllGlobals());

it("Stripe's package runs here, by fetch: a meter event goes out with its identifier", async () => {
  const sent: { url: string; key: string | null; body: string }[] = [];
  vi.stubGlobal('fetch', async (url: string, init: RequestInit) => {
    sent.push({
      url,
      key: new Headers(init.headers).get('idempotency-key'),
      body: String(init.body),
    });
    return Response.json({ object: 'billing.meter_event' });
  });
  const push = createStripeUsagePush({
    stripeSecretKey: 'sk_test_secret',
    stripeUrl: 'https://api.stripe.com',
  });
  const event = {
    identifier: 'id-1',
    eventName: 'quayside_class_a_standard',
    customerId: 'cus_1',
    value: 7n,
    atMs: 5000,
  };
  await push?.push(event);
  expect(sent).toMatchObject([
    { url: 'https://api.stripe.com/v1/billing/meter_events', key: 'id-1' },
  ]);
  expect(Object.fromEntries(new URLSearchParams(sent[0]?.body))).toMatchObject({
    identifier: 'id-1',
    'payload[value]': '7',
  });
});
