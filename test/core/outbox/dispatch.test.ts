// The dispatcher over a real outbox in memory, with a clock that stands still and a sender that the
// tests control.
import { describe, expect, it } from 'vitest';
import { enqueue, listDeliveries, replayDeliveries } from '../../../src/core/outbox/deliveries.ts';
import { createDispatcher } from '../../../src/core/outbox/dispatch.ts';
import { retryDelayMs } from '../../../src/core/outbox/retry-times.ts';
import { encodeEventKey } from '../../../src/core/outbox/s3-event.ts';
import { createWebhook, deleteWebhook, updateWebhook } from '../../../src/core/outbox/webhooks.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import type { AccountEvent } from '../../../src/domain/webhooks.ts';
import { createOutboxCalls } from '../../../src/index/outbox/outbox.ts';
import { DEAD_MAX, DELIVERED_MAX, WAITING_MAX } from '../../../src/index/outbox/outbox-rows.ts';
import { OUTBOX_SCHEMA } from '../../../src/index/tables/outbox-schema.ts';
import type { Directory } from '../../../src/ports/directory.ts';
import {
  type NewDelivery,
  type OutboxQueue,
  WebhookFailure,
  type WebhookSender,
} from '../../../src/ports/outbox.ts';
import { openMigrated } from '../../index/kit/open-migrated.ts';
import { createMemoryCore, type MemoryCore, withPorts } from '../memory-core.ts';

const { id: accountId } = ROOT_ACCOUNT;
const HOOK = { url: 'https://hooks.example.com/', description: '', types: ['*'], isEnabled: true };
type Sent = Parameters<WebhookSender['post']>[0];
type Answer = (sent: Sent) => number | Error | Promise<number>;

function setUp(answer: Answer = () => 200) {
  const sent: Sent[] = [];
  const post = async (request: Sent) => {
    sent.push(request);
    const answered = await answer(request);
    if (typeof answered !== 'number') throw answered;
    return { status: answered, retryAfter: null };
  };
  const core = withPorts(createMemoryCore(), { webhookSender: { post } });
  const { directory } = core.ports;
  const queue: OutboxQueue = {
    claimDeliveries: (input) => directory.call('claimDeliveries', input),
    settleDeliveries: (input) => directory.call('settleDeliveries', input),
  };
  const dispatcher = createDispatcher(core, queue, 'auto');
  const tell = (n: number, type = 'thing.happened') =>
    enqueue(core, accountId, type as AccountEvent, { n });
  const numbers = () => sent.map(({ body }) => JSON.parse(body).data.n as number);
  return { core, queue, dispatcher, sent, tell, numbers };
}

/** Lets the clock go on to when something is due, and runs, until nothing is left. */
async function runOut(
  core: MemoryCore,
  dispatcher: ReturnType<typeof createDispatcher>,
): Promise<number> {
  for (let runs = 1; ; runs++) {
    const nextMs = await dispatcher.run();
    if (nextMs === null) return runs;
    core.advanceSeconds(Math.max(0, nextMs - core.ports.clock.nowMs()) / 1000);
  }
}

describe('the dispatcher', () => {
  it('sends to those who want the type, and to nobody twice', async () => {
    const { core, dispatcher, tell, numbers } = setUp();
    await createWebhook(core, accountId, { ...HOOK, types: ['thing.*'] });
    await createWebhook(core, accountId, { ...HOOK, types: ['other.*', 'thingamy'] });
    await createWebhook(core, accountId, { ...HOOK, isEnabled: false });
    expect([await tell(1), await tell(2, 'none.of.it'), await tell(3, 'thing.a.b')]).toEqual([
      1, 0, 1,
    ]);
    expect(await dispatcher.run()).toBe(null);
    await dispatcher.run();
    expect(numbers()).toEqual([1, 3]);
  });

  it('tries again, each time later, and gives up after its attempts', async () => {
    const { core, dispatcher, sent, tell } = setUp(() => 500);
    const { webhook } = await createWebhook(core, accountId, HOOK);
    await tell(1);
    await runOut(core, dispatcher);
    expect(sent).toHaveLength(core.settings.webhooks.attemptsMax);
    expect(new Set(sent.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const times = sent.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const page = { of: null, state: 'dead', before: null, limit: 10 } as const;
    const { deliveries } = await listDeliveries(core, accountId, webhook.id, page);
    expect(deliveries).toMatchObject([
      { attempts: 3, lastStatus: 500, lastError: 'It answered 500.' },
    ]);
  });

  it.each([
    [199, false],
    [200, true],
    [299, true],
    [300, false],
  ])('takes %i as an answer of success: %s', async (status, isTaken) => {
    const { core, dispatcher, sent, tell } = setUp(() => status);
    await createWebhook(core, accountId, HOOK);
    await tell(1);
    await runOut(core, dispatcher);
    expect(sent).toHaveLength(isTaken ? 1 : core.settings.webhooks.attemptsMax);
  });

  it('reports no more of a failure to an account than the sender does', async () => {
    const { core, dispatcher, tell } = setUp(() => new WebhookFailure('The connection broke.'));
    const { webhook } = await createWebhook(core, accountId, HOOK);
    await tell(1);
    await runOut(core, dispatcher);
    const page = { of: null, state: 'dead', before: null, limit: 10 } as const;
    const { deliveries } = await listDeliveries(core, accountId, webhook.id, page);
    expect(deliveries[0]?.lastError).toBe('The connection broke.');
  });

  it('ends an attempt, and retries, when the look-up of the webhook hangs', async () => {
    const { core, queue, tell, numbers } = setUp();
    await createWebhook(core, accountId, HOOK);
    await tell(1);
    let isHanging = true;
    const call = ((...given) => {
      if (isHanging) return new Promise(() => undefined);
      return core.ports.directory.call(...given);
    }) as Directory['call'];
    const webhooks = { ...core.settings.webhooks, timeoutMs: 5 };
    const impatient = {
      ports: { ...core.ports, directory: { call } },
      settings: { ...core.settings, webhooks },
    };
    const dispatcher = createDispatcher(impatient, queue, 'auto');
    expect(await dispatcher.run()).toBeGreaterThan(0);
    expect(numbers()).toEqual([]);
    isHanging = false;
    await runOut(core, dispatcher);
    expect(numbers()).toEqual([1]);
  });

  it('makes dead letters, which can be replayed, for a webhook that is gone or off', async () => {
    const { core, dispatcher, sent, tell, numbers } = setUp();
    const [gone, off] = [
      await createWebhook(core, accountId, HOOK),
      await createWebhook(core, accountId, HOOK),
    ];
    await tell(1);
    await deleteWebhook(core, accountId, gone.webhook.id);
    await updateWebhook(core, accountId, off.webhook.id, { isEnabled: false });
    expect(await dispatcher.run()).toBe(null);
    expect(sent).toEqual([]);
    await updateWebhook(core, accountId, off.webhook.id, { isEnabled: true });
    core.advanceSeconds(60);
    expect(await replayDeliveries(core, accountId, off.webhook.id, { of: null, ids: null })).toBe(
      1,
    );
    await dispatcher.run();
    expect(numbers()).toEqual([1]);
  });

  it('lets a row whose claimer died go to the next, and not count for the dead one', async () => {
    const { core, queue, dispatcher, tell, numbers } = setUp();
    await createWebhook(core, accountId, HOOK);
    await tell(1);
    const claim = { claimMs: 30_000, limit: 1, perEndpoint: 1, limits: {}, after: '' };
    const { deliveries } = await queue.claimDeliveries({
      ...claim,
      nowMs: core.ports.clock.nowMs(),
    });
    const nextMs = (await dispatcher.run()) ?? 0;
    expect([numbers(), nextMs - core.ports.clock.nowMs()]).toEqual([[], 30_000]);
    core.advanceSeconds(31);
    await dispatcher.run();
    expect(numbers()).toEqual([1]);
    const late = {
      id: deliveries[0]?.id ?? 0,
      claim: deliveries[0]?.attempts ?? 0,
      dueAtMs: 0,
      status: null,
      error: 'late',
    };
    await queue.settleDeliveries({
      results: [{ ...late, outcome: 'retry' }],
      nowMs: core.ports.clock.nowMs(),
    });
    expect(await dispatcher.run()).toBe(null);
  });

  it('bounds attempts under way, in all and per webhook; a slow one delays no other', async () => {
    let open = 0;
    let most = 0;
    const release = Promise.withResolvers<void>();
    const quick: number[] = [];
    const { core, dispatcher, tell } = setUp(async ({ url, body }) => {
      if (url.includes('quick')) {
        quick.push(JSON.parse(body).data.n);
        if (quick.length === 20) release.resolve();
        return 200;
      }
      open += 1;
      most = Math.max(most, open);
      await release.promise;
      open -= 1;
      return 200;
    });
    await createWebhook(core, accountId, { ...HOOK, url: 'https://slow.example.com/' });
    await createWebhook(core, accountId, { ...HOOK, url: 'https://quick.example.com/' });
    for (let n = 0; n < 20; n++) await tell(n);
    await dispatcher.run();
    expect([quick.length, most]).toEqual([20, 4]);
  });

  it('sends messages at once that come while it runs', async () => {
    const first = Promise.withResolvers<number>();
    const second = Promise.withResolvers<void>();
    const { core, dispatcher, tell } = setUp(({ body }) => {
      if (JSON.parse(body).data.n === 1) return first.promise;
      second.resolve();
      return 200;
    });
    await createWebhook(core, accountId, HOOK);
    await tell(1);
    const run = dispatcher.run();
    await tell(2);
    dispatcher.kick();
    await second.promise;
    first.resolve(200);
    expect(await run).toBe(null);
  });

  it('knows when a message is due that settles while others are claimed', async () => {
    const { core, queue, tell } = setUp(() => 500);
    await createWebhook(core, accountId, HOOK);
    await tell(1);
    const settled = Promise.withResolvers<void>();
    let claims = 0;
    const slow: OutboxQueue = {
      async claimDeliveries(input) {
        const claimed = await queue.claimDeliveries(input);
        claims += 1;
        if (claims === 2) await settled.promise;
        return claimed;
      },
      async settleDeliveries(input) {
        await queue.settleDeliveries(input);
        settled.resolve();
      },
    };
    const dispatcher = createDispatcher(core, slow, 'auto');
    const run = dispatcher.run();
    dispatcher.kick();
    expect(((await run) ?? 0) - core.ports.clock.nowMs()).toBeLessThanOrEqual(
      core.settings.webhooks.retryBaseMs,
    );
  });

  it('knows of a cooldown that ends while rows are claimed', async () => {
    const { core, queue, tell } = setUp(() => 500);
    await createWebhook(core, accountId, HOOK);
    await tell(1);
    let isPaused = false;
    const slow: OutboxQueue = {
      async claimDeliveries(input) {
        const claimed = await queue.claimDeliveries(input);
        if (isPaused) core.advanceSeconds(60);
        return claimed;
      },
      async settleDeliveries(input) {
        await queue.settleDeliveries(input);
        isPaused = true;
      },
    };
    const nextMs = await createDispatcher(core, slow, 'auto').run();
    expect(nextMs).not.toBe(null);
    expect(nextMs).toBeLessThanOrEqual(core.ports.clock.nowMs());
  });

  it('ends when it is stopped, after the attempts under way', async () => {
    const { core, dispatcher, sent, tell } = setUp(() => {
      stopping.abort();
      return 200;
    });
    const stopping = new AbortController();
    await createWebhook(core, accountId, HOOK);
    for (let n = 0; n < 10; n++) await tell(n);
    await dispatcher.run(stopping.signal);
    expect(sent).toHaveLength(4);
  });
});

describe('the outbox', () => {
  const to = {
    queueId: 'p',
    accountId,
    endpointId: 'e',
    kind: 'plain',
    type: 't',
    messageId: null,
    payload: '{}',
  } as const;
  const open = () => {
    const sql = openMigrated(OUTBOX_SCHEMA);
    return { sql, outbox: createOutboxCalls(sql) };
  };
  const add = (outbox: ReturnType<typeof open>['outbox'], deliveries: readonly NewDelivery[]) =>
    outbox.enqueueDeliveries({ deliveries, nowMs: 1 });
  const claim = (
    outbox: ReturnType<typeof open>['outbox'],
    limits: Record<string, number> = {},
    after = '',
  ) =>
    outbox.claimDeliveries({ nowMs: 2, claimMs: 10, limit: 10, perEndpoint: 10, limits, after })
      .deliveries;

  it('claims one message of each ordering key at a time, in order', () => {
    const { outbox } = open();
    add(outbox, [
      { ...to, orderingKey: 'a', type: '1' },
      { ...to, orderingKey: 'a', type: '2' },
      { ...to, orderingKey: 'b', type: '3' },
      { ...to, orderingKey: '', type: '4' },
      { ...to, orderingKey: '', type: '5' },
    ]);
    const taken = claim(outbox);
    expect(taken.map(({ type }) => type)).toEqual(['1', '3', '4', '5']);
    const settle = (outcome: 'delivered' | 'dead', at: number) => {
      const { id = 0, attempts = 0 } = taken[at] ?? {};
      const result = { id, claim: attempts, outcome, dueAtMs: null, status: null, error: null };
      outbox.settleDeliveries({ results: [result], nowMs: 2 });
    };
    expect(claim(outbox)).toEqual([]);
    settle('dead', 0);
    expect(claim(outbox).map(({ type }) => type)).toEqual(['2']);
    settle('delivered', 1);
    expect(outbox.countDeliveries({ queueId: 'p' })).toEqual({
      waiting: 3,
      delivered: 1,
      dead: 1,
      dropped: 0,
    });
  });

  it('begins with the endpoints behind the last one, and leaves out those at their limit', () => {
    const { outbox } = open();
    add(
      outbox,
      ['x', 'y', 'z'].map((endpointId) => ({ ...to, endpointId, orderingKey: '' })),
    );
    expect(claim(outbox, { x: 0 }, 'y').map(({ endpointId }) => endpointId)).toEqual(['z', 'y']);
    expect(claim(outbox).map(({ endpointId }) => endpointId)).toEqual(['x']);
  });

  it('is bounded: too many make dead letters, too many of these are lost and counted', () => {
    const { sql, outbox } = open();
    add(outbox, [{ ...to, orderingKey: 'k', type: 'first' }]);
    sql.all('UPDATE outbox_places SET waiting = ?, dead = ?', WAITING_MAX, DEAD_MAX - 1);
    add(outbox, [{ ...to, orderingKey: 'k', type: 'second' }]);
    const dead = () =>
      outbox.listDeliveries({
        queueId: 'p',
        endpointId: 'e',
        state: 'dead',
        before: null,
        limit: 10,
      }).deliveries;
    expect(dead()).toMatchObject([{ type: 'first', lastError: expect.stringMatching(/oldest/) }]);
    add(outbox, [{ ...to, orderingKey: 'k', type: 'third' }]);
    expect(dead()).toMatchObject([{ type: 'second' }]);
    expect(outbox.countDeliveries({ queueId: 'p' })).toMatchObject({
      waiting: WAITING_MAX,
      dead: DEAD_MAX,
      dropped: 1,
    });
    expect(claim(outbox).map(({ type }) => type)).toEqual(['third']);
  });

  it('remembers only some of what was delivered', () => {
    const { sql, outbox } = open();
    for (const type of ['old', 'new']) {
      add(outbox, [{ ...to, orderingKey: '', type }]);
      const results = claim(outbox).map(({ id, attempts }) => ({
        id,
        claim: attempts,
        outcome: 'delivered' as const,
      }));
      const rest = { dueAtMs: null, status: 200, error: null };
      if (type === 'new') sql.all('UPDATE outbox_places SET delivered = ?', DELIVERED_MAX);
      outbox.settleDeliveries({
        results: results.map((result) => ({ ...result, ...rest })),
        nowMs: 2,
      });
    }
    const list = {
      queueId: 'p',
      endpointId: 'e',
      state: 'delivered',
      before: null,
      limit: 10,
    } as const;
    expect(outbox.listDeliveries(list).deliveries).toMatchObject([
      { type: 'new', payload: null, lastStatus: 200 },
    ]);
  });
});

describe('retries and events', () => {
  it('wait three times as long each time, less up to half, and never longer than six hours', () => {
    expect([1, 2, 3].map((attempts) => retryDelayMs(attempts, 5000, 0))).toEqual([
      5000, 15_000, 45_000,
    ]);
    expect(retryDelayMs(2, 5000, 1)).toBe(7500);
    expect(retryDelayMs(100, 5000, 0)).toBe(6 * 3600 * 1000);
  });

  it('write keys as S3 does', () => {
    expect(encodeEventKey('red flower.jpg')).toBe('red+flower.jpg');
    expect(encodeEventKey("a/b+c&d=é(1)~'*\ud800")).toBe(
      'a/b%2Bc%26d%3D%C3%A9%281%29%7E%27*%EF%BF%BD',
    );
  });
});
