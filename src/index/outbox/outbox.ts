// The outbox family of calls, for the database of buckets and for the directory's:
// messages are added, claimed, settled, listed and replayed. A claim moves the due
// time of a row to the end of the claim; whoever dies with it leaves it to the next
// claim. Called through the ports, by the dispatcher and by core/outbox.

import { earlier } from '../../domain/time.ts';
import type { Delivery, DeliveryResult, OutboxApi } from '../../ports/outbox.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import {
  addDelivery,
  decodeDelivery,
  makeDeadLetter,
  markDelivered,
  OUTBOX_COLUMNS,
  type OutboxRow,
  type OutboxRowRef,
  replay,
} from './outbox-rows.ts';

/** The calls over a database whose tables `migrate(sql, OUTBOX_SCHEMA)` made. */
export function createOutboxCalls(sql: Sql): OutboxApi {
  return {
    enqueueDeliveries({ deliveries, nowMs }) {
      for (const delivery of deliveries) addDelivery(sql, delivery, nowMs);
    },

    claimDeliveries({ nowMs, claimMs, limit, perEndpoint, limits, after }) {
      const claimed: Delivery[] = [];
      let nextDueAtMs: number | null = null;
      for (const endpointId of rotate(listWaitingEndpoints(sql), after)) {
        const room = Math.min(limits[endpointId] ?? perEndpoint, limit - claimed.length);
        if ((limits[endpointId] ?? 1) === 0) continue;
        for (const id of room === 0 ? [] : listDue(sql, endpointId, nowMs, room))
          claimed.push(claim(sql, id, nowMs + claimMs));
        nextDueAtMs = earlier(nextDueAtMs, findFirstDueMs(sql, endpointId));
      }
      return { deliveries: claimed, nextDueAtMs };
    },

    settleDeliveries({ results, nowMs }) {
      for (const result of results) settle(sql, result, nowMs);
    },

    listDeliveries({ queueId, endpointId, state, before, limit }) {
      const rows = sql.all<OutboxRow>(
        `SELECT ${OUTBOX_COLUMNS} FROM outbox INDEXED BY outbox_states
         WHERE place = ? AND state = '${state}' AND id < ? ORDER BY id DESC LIMIT ${PLAN_ONCE} ?`,
        queueId,
        before ?? Number.MAX_SAFE_INTEGER,
        limit,
      );
      return {
        deliveries: rows.filter((row) => row.endpoint_id === endpointId).map(decodeDelivery),
        next: rows.length < limit ? null : (rows.at(-1)?.id ?? null),
      };
    },

    countDeliveries({ queueId }) {
      const [row] = sql.all<{ waiting: number; delivered: number; dead: number; dropped: number }>(
        'SELECT waiting, delivered, dead, dropped FROM outbox_places WHERE place = ?',
        queueId,
      );
      return row ?? { waiting: 0, delivered: 0, dead: 0, dropped: 0 };
    },

    nextDeliveryAt() {
      return {
        atMs: listWaitingEndpoints(sql).reduce<number | null>(
          (at, id) => earlier(at, findFirstDueMs(sql, id)),
          null,
        ),
      };
    },

    replayDeliveries({ queueId, endpointId, ids, limit, nowMs }) {
      const rows =
        ids === null
          ? listDeadLetters(sql, queueId, endpointId, limit)
          : ids.slice(0, limit).flatMap((id) => readDeadLetter(sql, queueId, id));
      const chosen = rows.filter((row) => row.endpoint_id === endpointId);
      for (const row of chosen) replay(sql, row, nowMs);
      return chosen.length;
    },
  };
}

/** Endpoints with rows that are or will be due: one seek for each. */
function listWaitingEndpoints(sql: Sql): string[] {
  const rows = sql.all<{ id: string | null }>(
    `WITH RECURSIVE found (id) AS (
       SELECT min(endpoint_id) FROM outbox WHERE due_ms IS NOT NULL
       UNION ALL
       SELECT (
         SELECT min(endpoint_id) FROM outbox WHERE due_ms IS NOT NULL AND endpoint_id > found.id)
       FROM found WHERE found.id IS NOT NULL)
     SELECT id FROM found`,
  );
  return rows.flatMap(({ id }) => id ?? []);
}

function findFirstDueMs(sql: Sql, endpointId: string): number | null {
  const [row] = sql.all<{ due_ms: number }>(
    `SELECT due_ms FROM outbox WHERE endpoint_id = ? AND due_ms IS NOT NULL
     ORDER BY due_ms LIMIT 1`,
    endpointId,
  );
  return row?.due_ms ?? null;
}

/**
 * Rotates ids so that those after a name come first: round robin, so that none
 * starves.
 */
function rotate(ids: readonly string[], after: string): readonly string[] {
  return [...ids.filter((id) => id > after), ...ids.filter((id) => id <= after)];
}

function listDue(sql: Sql, endpointId: string, nowMs: number, limit: number): number[] {
  const rows = sql.all<{ id: number }>(
    `SELECT id FROM outbox WHERE endpoint_id = ? AND due_ms IS NOT NULL AND due_ms <= ?
     ORDER BY due_ms, id LIMIT ${PLAN_ONCE} ?`,
    endpointId,
    nowMs,
    limit,
  );
  return rows.map(({ id }) => id);
}

function claim(sql: Sql, id: number, untilMs: number): Delivery {
  const [row] = sql.all<OutboxRow>(
    `UPDATE outbox SET due_ms = ?, attempts = attempts + 1 WHERE id = ?
     RETURNING ${OUTBOX_COLUMNS}`,
    untilMs,
    id,
  );
  if (row === undefined) throw new Error(`Row ${id} of the outbox went while it was claimed.`);
  return decodeDelivery(row);
}

function settle(sql: Sql, result: DeliveryResult, nowMs: number): void {
  const { id, outcome, status, error } = result;
  const [row] = sql.all<OutboxRowRef>(
    `SELECT id, place, endpoint_id, lane FROM outbox
     WHERE id = ? AND attempts = ? AND state = 'waiting'`,
    id,
    result.claim,
  );
  if (row === undefined) return;
  if (outcome === 'delivered') markDelivered(sql, row, { nowMs, status, error: null });
  else if (outcome === 'dead') makeDeadLetter(sql, row, { nowMs, status, error });
  else retryAt(sql, result, nowMs);
}

function retryAt(sql: Sql, { id, dueAtMs, status, error }: DeliveryResult, nowMs: number): void {
  sql.all(
    'UPDATE outbox SET due_ms = ?, last_status = ?, last_error = ? WHERE id = ?',
    dueAtMs ?? nowMs,
    status,
    error,
    id,
  );
}

function listDeadLetters(
  sql: Sql,
  queueId: string,
  endpointId: string,
  limit: number,
): OutboxRowRef[] {
  return sql.all<OutboxRowRef>(
    `SELECT id, place, endpoint_id, lane FROM outbox INDEXED BY outbox_states
     WHERE place = ? AND state = 'dead' AND endpoint_id = ? ORDER BY id LIMIT ${PLAN_ONCE} ?`,
    queueId,
    endpointId,
    limit,
  );
}

function readDeadLetter(sql: Sql, queueId: string, id: number): OutboxRowRef[] {
  return sql.all<OutboxRowRef>(
    `SELECT id, place, endpoint_id, lane FROM outbox WHERE id = ? AND place = ? AND state = 'dead'`,
    id,
    queueId,
  );
}
