// Messages to webhooks (transactional outbox), as their account sees them:
// enqueued, listed by state, replayed. Messages about objects are enqueued by
// commits of the index; those about an account by `enqueue`. Called by the JSON
// API, billing and bucket settings.

import { StorageError } from '../../domain/errors.ts';
import type { AccountId, BucketId, BucketName } from '../../domain/nouns.ts';
import type { AccountEvent } from '../../domain/webhooks.ts';
import {
  accountQueueId,
  type Delivery,
  type DeliveryState,
  type NewDelivery,
  type OutboxApi,
  type OutboxQueueId,
} from '../../ports/outbox.ts';
import type { Core } from '../core.ts';
import { renderTestEvent } from './s3-event.ts';
import { openWebhook, WEBHOOKS_MAX } from './webhooks.ts';

/** Longest payload of an account's event, UTF-16 units. */
const PAYLOAD_MAX_LENGTH = 64 * 1024;
/** Dead letters that one call replays. */
const REPLAY_MAX = 1000;

/** What enqueuing takes of the core. */
export type EnqueuingCore = {
  readonly ports: Pick<Core['ports'], 'clock' | 'ids'> & {
    readonly directory: Pick<Core['ports']['directory'], 'call'>;
  };
};

/** The owner of an outbox: a bucket, or the account itself (null). */
export type OutboxOf = { readonly id: BucketId; readonly name: BucketName } | null;

/**
 * Enqueues a message for those webhooks of an account that are enabled and
 * subscribe to the type. `data` becomes the message `{"type", "timestamp",
 * "data"}`. `id` makes a repetition idempotent. Resolves when it is durable;
 * returns the number of webhooks. Cost: one look-up, one commit of the directory.
 */
export async function enqueue(
  core: EnqueuingCore,
  accountId: AccountId,
  type: AccountEvent,
  data: unknown,
  id: string = core.ports.ids.requestId(),
): Promise<number> {
  const subscribers = await listSubscribers(core, accountId, type);
  if (subscribers.length === 0) return 0;

  const deliveries = subscribers.map((endpointId) =>
    plainDelivery(core, accountId, endpointId, { type, data, id }),
  );
  await core.ports.directory.call('enqueueDeliveries', {
    deliveries,
    nowMs: core.ports.clock.nowMs(),
  });
  return deliveries.length;
}

/** The ids of those webhooks of an account that are enabled and subscribe to a type. */
export async function listSubscribers(
  core: EnqueuingCore,
  accountId: AccountId,
  type: string,
): Promise<readonly string[]> {
  const page = { accountId, after: '', limit: WEBHOOKS_MAX };
  const webhooks = await core.ports.directory.call('listWebhooks', page);
  return webhooks
    .filter(({ isEnabled, types }) => isEnabled && types.some((each) => isOfType(type, each)))
    .map(({ id }) => id);
}

/**
 * Enqueues a message of the type `quayside.test` for one webhook, enabled or not.
 * Returns its id. NoSuchWebhook.
 */
export async function sendTestEvent(
  core: Core,
  accountId: AccountId,
  webhookId: string,
): Promise<string> {
  await openWebhook(core, accountId, webhookId);
  const id = core.ports.ids.requestId();
  const data = { webhook: webhookId };
  const delivery = plainDelivery(core, accountId, webhookId, { type: 'quayside.test', data, id });
  await core.ports.directory.call('enqueueDeliveries', {
    deliveries: [delivery],
    nowMs: core.ports.clock.nowMs(),
  });
  return `msg_${id}`;
}

/** Whether a type matches a subscription: itself, `usage.*` or `*`. */
function isOfType(type: string, pattern: string): boolean {
  if (pattern === '*' || pattern === type) return true;
  return pattern.endsWith('.*') && type.startsWith(pattern.slice(0, -1));
}

/** Makes a message of an account for one webhook. InvalidArgument: it is too large. */
export function plainDelivery(
  core: EnqueuingCore,
  accountId: AccountId,
  endpointId: string,
  { type, data, id }: { readonly type: string; readonly data: unknown; readonly id: string },
): NewDelivery {
  const payload = JSON.stringify({
    type,
    timestamp: new Date(core.ports.clock.nowMs()).toISOString(),
    data,
  });
  if (payload.length > PAYLOAD_MAX_LENGTH)
    throw new StorageError('InvalidArgument', { detail: 'The event is too large.' });
  return { ...ofAccount(accountId, endpointId), type, payload, messageId: `msg_${id}` };
}

function ofAccount(accountId: AccountId, endpointId: string) {
  return {
    queueId: accountQueueId(accountId),
    accountId,
    endpointId,
    orderingKey: '',
    kind: 'plain',
  } as const;
}

/**
 * Enqueues S3's test event of a bucket for the webhooks that its rules name. Cost:
 * one commit of the bucket's index.
 */
export async function enqueueBucketTest(
  core: Core,
  bucket: { readonly id: BucketId; readonly name: BucketName; readonly ownerId: AccountId },
  endpointIds: readonly string[],
  requestId: string,
): Promise<void> {
  const { id: queueId, name, ownerId: accountId } = bucket;
  const nowMs = core.ports.clock.nowMs();
  const payload = renderTestEvent(name, nowMs, requestId);
  const deliveries = endpointIds.map(
    (endpointId): NewDelivery => ({
      queueId: queueId,
      accountId,
      endpointId,
      orderingKey: '',
      kind: 'plain',
      type: 'TestEvent',
      messageId: null,
      payload,
    }),
  );
  await core.ports.metadataIndex.call(name, 'enqueueDeliveries', { deliveries, nowMs });
}

/**
 * Lists deliveries of a state, newest first. NoSuchWebhook. Cost: the rows that are
 * scanned.
 */
export async function listDeliveries(
  core: Core,
  accountId: AccountId,
  webhookId: string,
  page: {
    readonly of: OutboxOf;
    readonly state: DeliveryState;
    readonly before: number | null;
    readonly limit: number;
  },
): Promise<{ deliveries: readonly Delivery[]; next: number | null }> {
  await openWebhook(core, accountId, webhookId);
  const { of, ...rest } = page;
  const input = { queueId: queueIdOf(accountId, of), endpointId: webhookId, ...rest };
  return callOutbox(core, of, 'listDeliveries', input);
}

/**
 * Replays dead letters: those of these ids, or all (at most 1,000 at once). Returns
 * how many. NoSuchWebhook.
 */
export async function replayDeliveries(
  core: Core,
  accountId: AccountId,
  webhookId: string,
  { of, ids }: { readonly of: OutboxOf; readonly ids: readonly number[] | null },
): Promise<number> {
  await openWebhook(core, accountId, webhookId);
  const nowMs = core.ports.clock.nowMs();
  return callOutbox(core, of, 'replayDeliveries', {
    queueId: queueIdOf(accountId, of),
    endpointId: webhookId,
    ids,
    limit: REPLAY_MAX,
    nowMs,
  });
}

/** Counts the rows of an outbox by state, of all webhooks together. */
export function countDeliveries(core: Core, accountId: AccountId, of: OutboxOf) {
  return callOutbox(core, of, 'countDeliveries', { queueId: queueIdOf(accountId, of) });
}

function queueIdOf(accountId: AccountId, of: OutboxOf): OutboxQueueId {
  return of === null ? accountQueueId(accountId) : of.id;
}

/**
 * Calls the database that has the outbox: the index of the bucket, or the
 * directory.
 */
function callOutbox<Name extends keyof OutboxApi>(
  core: Core,
  of: OutboxOf,
  name: Name,
  input: Parameters<OutboxApi[Name]>[0],
): Promise<ReturnType<OutboxApi[Name]>> {
  const { directory, metadataIndex } = core.ports;
  return (
    of === null ? directory.call(name, input) : metadataIndex.call(of.name, name, input)
  ) as never;
}
