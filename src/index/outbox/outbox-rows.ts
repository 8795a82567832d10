// The rows of the outbox: how they are added, change state and go, with the counts
// and the bounds of each queue. A queue's id is the column `place`, the ordering
// key the column `lane`. Called by outbox.ts for the calls of the port and by
// object-events.ts in the commits of objects.
import type { AccountId } from '../../domain/nouns.ts';
import type { Delivery, DeliveryState, NewDelivery, OutboxQueueId } from '../../ports/outbox.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';

/**
 * Messages of one queue that wait at most. A row takes about 1 KiB, so 100 MB: a
 * tenth of what a Durable Object may have. One more makes the oldest a dead letter.
 */
export const WAITING_MAX = 100_000;
/** Dead letters of one queue; one more, and the oldest is lost, and counted. */
export const DEAD_MAX = 10_000;
/** Delivered messages of one queue that are stored, without their payload. */
export const DELIVERED_MAX = 1_000;

export type OutboxRow = {
  readonly id: number;
  readonly place: string;
  readonly account_id: string;
  readonly endpoint_id: string;
  readonly lane: string;
  readonly message_id: string | null;
  readonly kind: string;
  readonly type: string;
  readonly payload: string | null;
  readonly state: string;
  readonly due_ms: number | null;
  readonly attempts: number;
  readonly created_at_ms: number;
  readonly finished_at_ms: number | null;
  readonly last_status: number | null;
  readonly last_error: string | null;
};
export const OUTBOX_COLUMNS = `id, place, account_id, endpoint_id, lane, message_id, kind, type,
  payload, state, due_ms, attempts, created_at_ms, finished_at_ms, last_status, last_error`;

/** The columns of a row that a change of its state needs. */
export type OutboxRowRef = Pick<OutboxRow, 'id' | 'place' | 'endpoint_id' | 'lane'>;

/** The message of a row. */
export function decodeDelivery(row: OutboxRow): Delivery {
  return {
    id: row.id,
    queueId: row.place,
    accountId: row.account_id as AccountId,
    endpointId: row.endpoint_id,
    orderingKey: row.lane,
    // A queue id is random and a row's number is never used again, so together they
    // are unique everywhere.
    messageId: row.message_id ?? `msg_${row.place}_${row.id.toString(36)}`,
    kind: row.kind === 's3' ? 's3' : 'plain',
    type: row.type,
    payload: row.payload,
    state: row.state as DeliveryState,
    attempts: row.attempts,
    createdAtMs: row.created_at_ms,
    dueAtMs: row.due_ms,
    finishedAtMs: row.finished_at_ms,
    lastStatus: row.last_status,
    lastError: row.last_error,
  };
}

/**
 * The next sequence number of a queue, greater than every one before. It begins
 * with the time, so it also passes those of an earlier database of that name. Up to
 * 4,096 in a millisecond are exact. From the year 2039 on numbers pass 2^53 and are
 * rounded.
 */
export function nextSequence(sql: Sql, queueId: OutboxQueueId, nowMs: number): number {
  const [row] = sql.all<{ last_sequence: number }>(
    `INSERT INTO outbox_places (place, last_sequence) VALUES (?, ?)
     ON CONFLICT (place) DO UPDATE
       SET last_sequence = max(last_sequence + 1, excluded.last_sequence)
     RETURNING last_sequence`,
    queueId,
    nowMs * SEQUENCES_PER_MS,
  );
  return row?.last_sequence ?? 0;
}
const SEQUENCES_PER_MS = 4096;

/**
 * Adds a message; it is due at once, unless another of its ordering key waits
 * before it.
 */
export function addDelivery(sql: Sql, delivery: NewDelivery, nowMs: number): void {
  const { queueId, endpointId, orderingKey } = delivery;
  sql.all(
    `INSERT INTO outbox (place, account_id, endpoint_id, lane, message_id, kind, type, payload,
       state, due_ms, created_at_ms)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 'waiting', ?, ?)`,
    queueId,
    delivery.accountId,
    endpointId,
    orderingKey,
    delivery.messageId,
    delivery.kind,
    delivery.type,
    delivery.payload,
    orderingKey !== '' && isOrderingKeyBusy(sql, queueId, endpointId, orderingKey) ? null : nowMs,
    nowMs,
  );
  if (changeCount(sql, queueId, 'waiting', 1) > WAITING_MAX) {
    for (const row of listOldest(sql, queueId, 'waiting', 1))
      makeDeadLetter(sql, row, { nowMs, status: null, error: OVERFLOW });
  }
}
const OVERFLOW = 'Too many messages waited; this was the oldest.';

function isOrderingKeyBusy(
  sql: Sql,
  queueId: OutboxQueueId,
  endpointId: string,
  orderingKey: string,
): boolean {
  const rows = sql.all(
    `SELECT id FROM outbox
     WHERE place = ? AND endpoint_id = ? AND lane = ? AND state = 'waiting' LIMIT 1`,
    queueId,
    endpointId,
    orderingKey,
  );
  return rows.length > 0;
}

type AttemptEnd = {
  readonly nowMs: number;
  readonly status: number | null;
  readonly error: string | null;
};

/** Marks a waiting message as accepted by its endpoint. */
export function markDelivered(sql: Sql, row: OutboxRowRef, { nowMs, status }: AttemptEnd): void {
  sql.all(
    `UPDATE outbox SET state = 'delivered', due_ms = NULL, payload = NULL, finished_at_ms = ?,
       last_status = ?, last_error = NULL
     WHERE id = ?`,
    nowMs,
    status,
    row.id,
  );
  releaseNext(sql, row, nowMs);
  if (changeCount(sql, row.place, 'delivered', 1) > DELIVERED_MAX)
    removeOldest(sql, row.place, 'delivered');
}

/** Makes a waiting message a dead letter. */
export function makeDeadLetter(
  sql: Sql,
  row: OutboxRowRef,
  { nowMs, status, error }: AttemptEnd,
): void {
  sql.all(
    `UPDATE outbox SET state = 'dead', due_ms = NULL, finished_at_ms = ?, last_status = ?,
       last_error = ?
     WHERE id = ?`,
    nowMs,
    status,
    error,
    row.id,
  );
  releaseNext(sql, row, nowMs);
  if (changeCount(sql, row.place, 'dead', 1) > DEAD_MAX) {
    removeOldest(sql, row.place, 'dead');
    sql.all('UPDATE outbox_places SET dropped = dropped + 1 WHERE place = ?', row.place);
  }
}

/**
 * Lets a dead letter wait again. Its ordering key went on without it, so it may
 * come after younger ones.
 */
export function replay(sql: Sql, row: OutboxRowRef, nowMs: number): void {
  const isBehind = row.lane !== '' && isOrderingKeyBusy(sql, row.place, row.endpoint_id, row.lane);
  sql.all(
    `UPDATE outbox SET state = 'waiting', due_ms = ?, attempts = 0, finished_at_ms = NULL
     WHERE id = ?`,
    isBehind ? null : nowMs,
    row.id,
  );
  changeCount(sql, row.place, 'dead', -1);
  changeCount(sql, row.place, 'waiting', 1);
}

/** Makes the next message of an ordering key due, as this one no longer waits. */
function releaseNext(
  sql: Sql,
  { place: queueId, endpoint_id, lane: orderingKey }: OutboxRowRef,
  nowMs: number,
): void {
  changeCount(sql, queueId, 'waiting', -1);
  if (orderingKey === '') return;
  sql.all(
    `UPDATE outbox SET due_ms = ? WHERE id = (
       SELECT id FROM outbox WHERE place = ? AND endpoint_id = ? AND lane = ? AND state = 'waiting'
       ORDER BY id LIMIT 1) AND due_ms IS NULL`,
    nowMs,
    queueId,
    endpoint_id,
    orderingKey,
  );
}

/** Changes a count of a queue and gives the new one. */
function changeCount(
  sql: Sql,
  queueId: OutboxQueueId,
  state: DeliveryState,
  change: number,
): number {
  const [row] = sql.all<{ rows: number }>(
    `INSERT INTO outbox_places (place, ${state}) VALUES (?, ?)
     ON CONFLICT (place) DO UPDATE SET ${state} = max(0, ${state} + excluded.${state})
     RETURNING ${state} AS rows`,
    queueId,
    change,
  );
  return row?.rows ?? 0;
}

function listOldest(
  sql: Sql,
  queueId: OutboxQueueId,
  state: DeliveryState,
  limit: number,
): OutboxRowRef[] {
  return sql.all<OutboxRowRef>(
    `SELECT id, place, endpoint_id, lane FROM outbox INDEXED BY outbox_states
     WHERE place = ? AND state = '${state}' ORDER BY id LIMIT ${PLAN_ONCE} ?`,
    queueId,
    limit,
  );
}

function removeOldest(sql: Sql, queueId: OutboxQueueId, state: 'delivered' | 'dead'): void {
  for (const { id } of listOldest(sql, queueId, state, 1))
    sql.all('DELETE FROM outbox WHERE id = ?', id);
  changeCount(sql, queueId, state, -1);
}
