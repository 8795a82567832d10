// What every directory must keep of webhooks that end with their account: nothing waits for them
// afterwards, and nothing comes any more. Part of directory.contract.ts.
import { describe, expect } from 'vitest';
import type { AccountId } from '../../src/domain/nouns.ts';
import type { WebhookEndpoint } from '../../src/domain/webhooks.ts';
import type { Directory } from '../../src/ports/directory.ts';
import { accountQueueId, type NewDelivery } from '../../src/ports/outbox.ts';
import { fresh, START_MS } from './index/samples.ts';
import { type Subject, testsOf } from './subject.ts';

const NONE = { waiting: 0, delivered: 0, dead: 0, dropped: 0 };
/** More than one commit removes. */
const MANY = 2500;

export function webhooksContract(subject: Subject<Directory>): void {
  const test = testsOf(subject);

  /** An account with a webhook. */
  async function open(directory: Directory) {
    const accountId = fresh('account') as AccountId;
    const shared = { isEnabled: true, createdAtMs: START_MS };
    await directory.call('addAccount', {
      account: { ...shared, id: accountId, displayName: 'x', revision: 1 },
    });
    const settings = {
      url: 'https://hooks.example.com/',
      description: '',
      types: ['*'],
      secrets: [],
    };
    const webhook: WebhookEndpoint = { ...shared, ...settings, id: fresh('wh_'), accountId };
    await directory.call('putWebhook', { webhook, known: null, max: 1 });
    const place = accountQueueId(accountId);
    const to = {
      queueId: place,
      accountId,
      endpointId: webhook.id,
      orderingKey: '',
      kind: 'plain',
      type: 't',
    } as const;
    const delivery: NewDelivery = { ...to, messageId: null, payload: '{}' };
    return {
      ...{ accountId, webhook, delivery },
      tell: (count: number) =>
        directory.call('enqueueDeliveries', {
          deliveries: Array(count).fill(delivery),
          nowMs: START_MS,
        }),
      count: () => directory.call('countDeliveries', { queueId: place }),
      listed: () => directory.call('listWebhooks', { accountId, after: '', limit: 10 }),
      end: () => directory.call('endWebhooks', { accountId }),
    };
  }

  describe(`webhooks: ${subject.name}`, () => {
    test('end in steps, with what waits for them, and no others', async (directory) => {
      const [gone, stays] = [await open(directory), await open(directory)];
      await gone.tell(MANY);
      await stays.tell(2);
      expect([await gone.count(), await stays.count()]).toMatchObject([
        { waiting: MANY },
        { waiting: 2 },
      ]);
      expect(await gone.end()).toEqual({ isDone: false });
      expect(await gone.listed()).toEqual([]);
      // Who looked for webhooks before tells none now.
      await gone.tell(1);
      for (const _ of [1, 2]) expect(await gone.end()).toEqual({ isDone: true });
      expect([await gone.count(), await stays.count()]).toMatchObject([NONE, { waiting: 2 }]);
      expect(await stays.listed()).toEqual([stays.webhook]);
      await stays.end();
    });

    test('that came since they were ended go in the commit of their account', async (directory) => {
      const { accountId, tell, count, listed } = await open(directory);
      await tell(3);
      await directory.call('removeAccount', { id: accountId });
      expect([await listed(), await count()]).toEqual([[], NONE]);
      await tell(1);
      expect(await count()).toEqual(NONE);
    });
  });
}
