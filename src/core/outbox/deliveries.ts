// Messages to webhooks as their account sees them: put into the outbox, listed by state, made to
// wait again. Messages about objects come by the commits of the index; what concerns an account
// comes by `enqueue`.

import { StorageError } from '../../domain/errors.ts';
import type { AccountId, BucketId, BucketName } from '../../domain/nouns.ts';
import {
  accountPlace,
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
/** Dead letters that one call makes wait again. */
const REPLAY_MAX = 1000;

/** Whose outbox is meant: that of a bucket, or the account's own (null). */
export type OutboxOf = { readonly id: BucketId; readonly name: BucketName } | null;

/**
 * Tells an account's webhooks of something: those that are enabled and want the type. `data`
 * becomes the message `{"type", "timestamp", "data"}`. `id` makes it the same message when it is
 * enqueued again. Resolves when it is durable; gives how many webhooks will hear of it. Cost: one
 * look-up, one commit of the directory.
 */
export async function enqueue(
  core: Core,
  accountId: AccountId,
  type: string,
  data: unknown,
  id: string = core.ports.ids.requestId(),
): Promise<number> {
  const page = { accountId, after: '', limit: WEBHOOKS_MAX };
  const webhooks = await core.ports.directory.call('listWebhooks', page);
  const wanting = webhooks.filter(
    ({ isEnabled, types }) => isEnabled && types.some((wanted) => isOfType(type, wanted)),
  );
  if (wanting.length === 0) return 0;
  const deliveries = wanting.map(({ id: endpointId }) =>
    plainDelivery(core, accountId, endpointId, { type, data, id }),
  );
  await core.ports.directory.call('enqueueDeliveries', {
    deliveries,
    nowMs: core.ports.clock.nowMs(),
  });
  return deliveries.length;
}

/**
 * Sends a message of the type `quayside.test` to one webhook, enabled or not. NoSuchWebhook. Gives
 * its id.
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

function isOfType(type: string, wanted: string): boolean {
  return (
    wanted === '*' ||
    wanted === type ||
    (wanted.endsWith('.*') && type.startsWith(wanted.slice(0, -1)))
  );
}

function plainDelivery(
  core: Core,
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
    place: accountPlace(accountId),
    accountId,
    endpointId,
    lane: '',
    kind: 'plain',
  } as const;
}

/**
 * S3's test event of a bucket, to the webhooks that its rules name. Cost: one commit of the
 * bucket's index.
 */
export async function enqueueBucketTest(
  core: Core,
  bucket: { readonly id: BucketId; readonly name: BucketName; readonly ownerId: AccountId },
  endpointIds: readonly string[],
  requestId: string,
): Promise<void> {
  const { id: place, name, ownerId: accountId } = bucket;
  const nowMs = core.ports.clock.nowMs();
  const payload = renderTestEvent(name, nowMs, requestId);
  const deliveries = endpointIds.map(
    (endpointId): NewDelivery => ({
      place,
      accountId,
      endpointId,
      lane: '',
      kind: 'plain',
      type: 'TestEvent',
      messageId: null,
      payload,
    }),
  );
  await core.ports.metadataIndex.call(name, 'enqueueDeliveries', { deliveries, nowMs });
}

/** Deliveries of a state, newest first. NoSuchWebhook. Cost: rows looked at. */
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
  const input = { place: placeOf(accountId, of), endpointId: webhookId, ...rest };
  return callOutbox(core, of, 'listDeliveries', input);
}

/**
 * Makes dead letters wait again: those of these ids, or all (at most 1,000 at once). NoSuchWebhook.
 * Gives how many.
 */
export async function replayDeliveries(
  core: Core,
  accountId: AccountId,
  webhookId: string,
  { of, ids }: { readonly of: OutboxOf; readonly ids: readonly number[] | null },
): Promise<number> {
  await openWebhook(core, accountId, webhookId);
  const place = placeOf(accountId, of);
  const nowMs = core.ports.clock.nowMs();
  return callOutbox(core, of, 'replayDeliveries', {
    place,
    endpointId: webhookId,
    ids,
    limit: REPLAY_MAX,
    nowMs,
  });
}

/** How many rows an outbox has of each state, of all webhooks together. */
export function countDeliveries(core: Core, accountId: AccountId, of: OutboxOf) {
  return callOutbox(core, of, 'countDeliveries', { place: placeOf(accountId, of) });
}

function placeOf(accountId: AccountId, of: OutboxOf): OutboxQueueId {
  return of === null ? accountPlace(accountId) : of.id;
}

/** The call in the database that the place is in. */
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
