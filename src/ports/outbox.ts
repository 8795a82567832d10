// The transactional outbox: messages for webhooks, stored beside what they report.
// A row is written in the commit of the change itself and goes when its endpoint
// has accepted it. A dispatcher takes rows by a claim with a time limit, so that
// one that dies leaves its rows to the next. Every database of the index has an
// outbox, and so has the directory's.
import type { AccountId, BucketRef } from '../domain/nouns.ts';
import type { IndexCommands } from './metadata-index.ts';

/**
 * The queue id of a row: the id of a bucket's incarnation, or `account {id}` for
 * what belongs to no bucket.
 */
export type OutboxQueueId = string;

export type DeliveryState = 'waiting' | 'delivered' | 'dead';

/**
 * One message for one endpoint. Ids ascend within one database and are never used
 * again.
 */
export type Delivery = {
  readonly id: number;
  readonly queueId: OutboxQueueId;
  readonly accountId: AccountId;
  readonly endpointId: string;
  /**
   * The ordering key (an object's key): messages of one ordering key and endpoint
   * go one after the other. '' for what has no order.
   */
  readonly orderingKey: string;
  /**
   * The id that the receiver sees: equal in every attempt, also when the message is
   * replayed.
   */
  readonly messageId: string;
  /**
   * `s3`: `payload` holds an ObjectEvent; `plain`: it is the body as it goes out.
   * JSON either way.
   */
  readonly kind: 's3' | 'plain';
  /** What it reports: `ObjectCreated:Put`, `invoice.closed`. */
  readonly type: string;
  /** Null once it was delivered. */
  readonly payload: string | null;
  readonly state: DeliveryState;
  /** Attempts that began. */
  readonly attempts: number;
  readonly createdAtMs: number;
  /**
   * When it is tried next; null while it waits for another of its ordering key, and
   * at the end.
   */
  readonly dueAtMs: number | null;
  readonly finishedAtMs: number | null;
  /** Status of the last response; null when there was none. */
  readonly lastStatus: number | null;
  /** Why the last attempt failed, in words that are safe to show to the account. */
  readonly lastError: string | null;
};

/**
 * The result of an attempt. `claim`: the attempts that the claimer saw; another
 * number means that its claim ran out.
 */
export type DeliveryResult = {
  readonly id: number;
  readonly claim: number;
  readonly outcome: 'delivered' | 'retry' | 'dead';
  /** When a retry is due; null for other outcomes. */
  readonly dueAtMs: number | null;
  readonly status: number | null;
  readonly error: string | null;
};

/** A message to add. `messageId` null: made of the queue id and the row's id. */
export type NewDelivery = Pick<
  Delivery,
  'queueId' | 'accountId' | 'endpointId' | 'orderingKey' | 'kind' | 'type'
> & {
  readonly messageId: string | null;
  readonly payload: string;
};

export type ClaimInput = {
  readonly nowMs: number;
  /**
   * How long the rows belong to the claimer, milliseconds: longer than any attempt.
   */
  readonly claimMs: number;
  readonly limit: number;
  readonly perEndpoint: number;
  /** Endpoints that may take fewer now: how many. */
  readonly limits: Readonly<Record<string, number>>;
  /**
   * Endpoints with greater ids come first; '' is the order of ids. So none starves
   * behind the others.
   */
  readonly after: string;
};

export type ListDeliveriesInput = {
  readonly queueId: OutboxQueueId;
  readonly endpointId: string;
  readonly state: DeliveryState;
  /** Newest first; only those with a smaller id. Null begins. */
  readonly before: number | null;
  /** Rows looked at, so at most as many are returned. */
  readonly limit: number;
};

/**
 * How many rows a queue has, and how many dead letters it lost because there were
 * too many.
 */
export type OutboxCounts = Readonly<Record<DeliveryState, number>> & { readonly dropped: number };

export type OutboxQueries = {
  /**
   * Deliveries of a state to an endpoint. `next`: give it as `before` to go on;
   * null: there are no more.
   */
  listDeliveries(input: ListDeliveriesInput): {
    deliveries: readonly Delivery[];
    next: number | null;
  };
  countDeliveries(input: { queueId: OutboxQueueId }): OutboxCounts;
  /**
   * When the next message of this database is due, claimed ones by the end of their
   * claim; null: none waits.
   */
  nextDeliveryAt(input: object): { atMs: number | null };
};

export type OutboxCommands = {
  enqueueDeliveries(input: { deliveries: readonly NewDelivery[]; nowMs: number }): void;
  /**
   * Takes rows that are due, oldest first, at most `perEndpoint` of each.
   * `nextDueAtMs`: when the next of those left is, of endpoints that may take more;
   * null when there is none. Cost: some seeks for each endpoint that has rows.
   */
  claimDeliveries(input: ClaimInput): {
    deliveries: readonly Delivery[];
    nextDueAtMs: number | null;
  };
  /**
   * Stores the results of attempts. Idempotent; what another claimer has claimed
   * meanwhile is left alone.
   */
  settleDeliveries(input: { results: readonly DeliveryResult[]; nowMs: number }): void;
  /**
   * Makes dead ones wait again, by id or (null) up to `limit` of the endpoint's;
   * gives how many.
   */
  replayDeliveries(input: {
    queueId: OutboxQueueId;
    endpointId: string;
    ids: readonly number[] | null;
    limit: number;
    nowMs: number;
  }): number;
};

export type OutboxApi = OutboxQueries & OutboxCommands;

/** What a platform gives to its dispatcher: the rows of one database. */
export type OutboxQueue = {
  readonly [Name in 'claimDeliveries' | 'settleDeliveries']: (
    input: Parameters<OutboxApi[Name]>[0],
  ) => Promise<ReturnType<OutboxApi[Name]>>;
};

/** Sends what waits. One for each database; the platform says when. */
export type Dispatcher = {
  /**
   * Sends what is due until nothing is, or `stopping` fires; gives when there will
   * be something, null for never. Rejects when the queue does, after the attempts
   * under way have ended.
   */
  run(stopping?: AbortSignal): Promise<number | null>;
  /** Something new may be due: a run under way looks again. */
  kick(): void;
};

/** The queue id for what concerns an account and none of its buckets. */
export function accountQueueId(accountId: AccountId): OutboxQueueId {
  return `account ${accountId}`;
}

/**
 * Commands that record events of what they change, where their bucket has rules.
 */
const REPORTING: ReadonlySet<string> = new Set<keyof IndexCommands>([
  'commitObject',
  'commitCopies',
  'completeUpload',
  'finishDropFile',
  'deleteObjects',
  'updateVersion',
  'applyLifecycle',
  'stepKeyJob',
]);

/**
 * Whether a call of the index may write events, and so needs the rules of its
 * bucket.
 */
export function mayReport(name: string): boolean {
  return REPORTING.has(name);
}

type DropFileBegin = Parameters<IndexCommands['addDropFile']>[0];
type DropFileEnd = Parameters<IndexCommands['finishDropFile']>[0];

/**
 * Whether a call that succeeded may have left something to send, so that the
 * dispatcher should run.
 */
export function mayHaveEnqueued(name: string, input: unknown): boolean {
  if (name === 'enqueueDeliveries' || name === 'replayDeliveries') return true;
  if (name === 'finishDropFile' && (input as DropFileEnd).deliveries.length > 0) return true;
  if (name === 'addDropFile') return ((input as DropFileBegin).nearReport?.length ?? 0) > 0;
  return (
    REPORTING.has(name) && (input as { readonly bucket?: BucketRef }).bucket?.notify !== undefined
  );
}

/** The response of an endpoint, as far as it was read. */
export type WebhookResponse = { readonly status: number; readonly retryAfter: string | null };

/** Sends one request to a webhook. */
export type WebhookSender = {
  /**
   * POSTs `body`; follows no redirect, reads no more than 64 KiB of the response.
   * Rejects with a WebhookFailure whose message may be shown to the account: the
   * address is not public, the name is unknown, it took too long, the connection
   * broke.
   */
  post(request: {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    readonly timeoutMs: number;
  }): Promise<WebhookResponse>;
};

/**
 * Why there was no response. The message says no more than the account may know.
 */
export class WebhookFailure extends Error {
  override readonly name = 'WebhookFailure';
}
