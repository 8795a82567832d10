// What one attempt to deliver an event comes to, by what the endpoint answers and by which attempt
// it is, and whether the endpoint is left alone for a while.
import { expect, it } from 'vitest';
import { createAttempts } from '../../../src/core/outbox/attempt-delivery.ts';
import {
  createEndpointBreaker,
  type EndpointBreaker,
} from '../../../src/core/outbox/retry-times.ts';
import { createWebhook, updateWebhook } from '../../../src/core/outbox/webhooks.ts';
import type { AccountId } from '../../../src/domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import { type Delivery, type OutboxQueueId, WebhookFailure } from '../../../src/ports/outbox.ts';
import { createMemoryCore, withPorts } from '../memory-core.ts';

type Answer = { readonly status: number; readonly retryAfter: string | null } | Error;
const answer = (status: number, retryAfter: string | null = null): Answer => ({
  status,
  retryAfter,
});

async function setUp(given: Answer) {
  const breaker: string[] = [];
  let posts = 0;
  const core = withPorts(createMemoryCore(), {
    webhookSender: {
      post: async () => {
        posts += 1;
        if (given instanceof Error) throw given;
        return given;
      },
    },
  });
  const hook = {
    url: 'https://hooks.example.com/',
    description: '',
    types: ['*'],
    isEnabled: true,
  };
  const { webhook } = await createWebhook(core, ROOT_ACCOUNT.id, hook);
  const watched: EndpointBreaker = {
    ...createEndpointBreaker(),
    add: (id) => void breaker.push(`add ${id === webhook.id}`),
    clear: (id) => void breaker.push(`clear ${id === webhook.id}`),
  };
  const attempt = createAttempts(core, watched, 'auto');
  const delivery = (attempts: number, changes: Partial<Delivery> = {}): Delivery => ({
    id: 7,
    queueId: 'directory' as OutboxQueueId,
    accountId: ROOT_ACCOUNT.id,
    endpointId: webhook.id,
    orderingKey: '',
    messageId: 'message',
    kind: 'plain',
    type: 'thing.happened',
    payload: '{}',
    state: 'waiting',
    attempts,
    createdAtMs: core.ports.clock.nowMs(),
    dueAtMs: null,
    finishedAtMs: null,
    lastStatus: null,
    lastError: null,
    ...changes,
  });
  return { core, webhook, attempt, delivery, breaker, posts: () => posts };
}

const { attemptsMax, retryBaseMs } = createMemoryCore().settings.webhooks;

it.each([
  [200, 'delivered'],
  [204, 'delivered'],
  [299, 'delivered'],
  [199, 'retry'],
  [300, 'retry'],
  [404, 'retry'],
  [500, 'retry'],
])('a first answer of %d is %s', async (status, outcome) => {
  const { attempt, delivery, breaker } = await setUp(answer(status));
  expect(await attempt(delivery(1))).toMatchObject({ id: 7, claim: 1, outcome, status });
  expect(breaker).toEqual([outcome === 'delivered' ? 'clear true' : 'add true']);
});

it.each([
  [attemptsMax - 1, 'retry'],
  [attemptsMax, 'dead'],
])('attempt %d that fails is %s', async (attempts, outcome) => {
  const { attempt, delivery } = await setUp(answer(500));
  expect(await attempt(delivery(attempts))).toMatchObject({
    outcome,
    status: 500,
    error: 'It answered 500.',
  });
});

it('no attempt is made beyond the last, whose end nobody saw', async () => {
  const { attempt, delivery, posts } = await setUp(answer(200));
  expect(await attempt(delivery(attemptsMax + 1))).toMatchObject({
    outcome: 'dead',
    error: 'Its last attempt did not end.',
  });
  expect(posts()).toBe(0);
  expect(await attempt(delivery(attemptsMax))).toMatchObject({ outcome: 'delivered' });
});

it('an endpoint that cannot be reached is tried again, and says why', async () => {
  const { attempt, delivery, breaker } = await setUp(new WebhookFailure('No route.'));
  expect(await attempt(delivery(1))).toMatchObject({
    outcome: 'retry',
    status: null,
    error: 'No route.',
  });
  expect(breaker).toEqual(['add true']);
});

it.each([
  [null, 0],
  ['60', 60_000],
  ['999999999', 3_600_000],
  ['1234567890', 0],
  ['soon', 0],
])('Retry-After of %j is waited for: %d ms', async (retryAfter, leastMs) => {
  const { core, attempt, delivery } = await setUp(answer(503, retryAfter));
  const { dueAtMs } = await attempt(delivery(1));
  const waitMs = (dueAtMs ?? 0) - core.ports.clock.nowMs();
  expect(waitMs).toBeGreaterThanOrEqual(Math.max(leastMs, 1));
  if (leastMs > 0) expect(waitMs).toBe(leastMs);
  else expect(waitMs).toBeLessThanOrEqual(24 * 3_600_000 + 2 * retryBaseMs);
});

it('an event for a webhook that is gone, disabled or another’s is dropped', async () => {
  const { core, webhook, attempt, delivery, posts } = await setUp(answer(200));
  const gone = { outcome: 'dead', error: 'The webhook does not exist any more.' };
  expect(await attempt(delivery(1, { endpointId: 'wh_nobody' }))).toMatchObject(gone);
  expect(await attempt(delivery(1, { accountId: 'other' as AccountId }))).toMatchObject(gone);
  // What was found is believed for some seconds.
  await updateWebhook(core, ROOT_ACCOUNT.id, webhook.id, { isEnabled: false });
  expect(await attempt(delivery(1))).toMatchObject({ outcome: 'delivered' });
  core.advanceSeconds(60);
  expect(await attempt(delivery(1))).toMatchObject({
    outcome: 'dead',
    error: 'The webhook is disabled.',
  });
  expect(posts()).toBe(1);
});
