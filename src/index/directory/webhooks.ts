// The webhooks of accounts, in the directory's database.

import { StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { WebhookEndpoint, WebhookSecret } from '../../domain/webhooks.ts';
import type { WebhookApi } from '../../ports/directory-calls/webhook-calls.ts';
import { accountQueueId, type OutboxApi } from '../../ports/outbox.ts';
import type { Sql } from '../../ports/sql.ts';
import { createOutboxCalls } from '../outbox/outbox.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';

type WebhookRow = {
  readonly id: string;
  readonly account_id: string;
  readonly url: string;
  readonly description: string;
  readonly types: string;
  readonly secrets: string;
  readonly is_enabled: number;
  readonly created_at_ms: number;
};
const COLUMNS = 'id, account_id, url, description, types, secrets, is_enabled, created_at_ms';

/** Messages that one call removes at most: some 10 ms. */
const MESSAGES_PER_CALL = 2000;

/** The calls over a database whose tables `migrate(sql, WEBHOOK_SCHEMA)` made. */
export function createWebhookCalls(sql: Sql): WebhookApi {
  return {
    getWebhook({ id }) {
      const [row] = sql.all<WebhookRow>(`SELECT ${COLUMNS} FROM webhooks WHERE id = ?`, id);
      return row === undefined ? null : decode(row);
    },

    listWebhooks({ accountId, after, limit }) {
      const rows = sql.all<WebhookRow>(
        `SELECT ${COLUMNS} FROM webhooks WHERE account_id = ? AND id > ?
         ORDER BY id LIMIT ${PLAN_ONCE} ?`,
        accountId,
        after,
        limit,
      );
      return rows.map(decode);
    },

    listWebhookAccounts({ after, limit }) {
      const rows = sql.all<{ account_id: string }>(
        `SELECT DISTINCT account_id FROM webhooks
         WHERE account_id > ? ORDER BY account_id LIMIT ${PLAN_ONCE} ?`,
        after,
        limit,
      );
      return rows.map(({ account_id }) => account_id as AccountId);
    },

    putWebhook({ webhook, known, max }) {
      const [row] = sql.all<WebhookRow>(`SELECT ${COLUMNS} FROM webhooks WHERE id = ?`, webhook.id);
      const stored = row === undefined ? null : decode(row);
      if (isSame(stored, webhook)) return;
      if (!isSame(stored, known)) throw new StorageError('ConditionalRequestConflict');
      const [others] = sql.all<{ count: number }>(
        'SELECT count(*) AS count FROM webhooks WHERE account_id = ? AND id <> ?',
        webhook.accountId,
        webhook.id,
      );
      if ((others?.count ?? 0) >= max) {
        throw new StorageError('InvalidRequest', {
          detail: `An account can have ${max} webhooks.`,
        });
      }
      sql.all(
        `INSERT OR REPLACE INTO webhooks (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        webhook.id,
        webhook.accountId,
        webhook.url,
        webhook.description,
        JSON.stringify(webhook.types),
        JSON.stringify(webhook.secrets),
        webhook.isEnabled ? 1 : 0,
        webhook.createdAtMs,
      );
    },

    deleteWebhook({ id, accountId }) {
      sql.all('DELETE FROM webhooks WHERE id = ? AND account_id = ?', id, accountId);
    },

    endWebhooks: ({ accountId }) => endWebhooks(sql, accountId),
  };
}

/**
 * Removes an account's webhooks and their messages. Contract: `WebhookApi.endWebhooks`.
 * The commit by which an account goes calls it too.
 */
export function endWebhooks(sql: Sql, accountId: AccountId): { isDone: boolean } {
  const queueId = accountQueueId(accountId);
  sql.all('DELETE FROM webhooks WHERE account_id = ?', accountId);
  const removed = sql.all(
    `DELETE FROM outbox WHERE id IN (
       SELECT id FROM outbox INDEXED BY outbox_states WHERE place = ? LIMIT ${PLAN_ONCE} ?)
       RETURNING 1`,
    queueId,
    MESSAGES_PER_CALL,
  );
  const isDone = removed.length < MESSAGES_PER_CALL;
  if (isDone) sql.all('DELETE FROM outbox_places WHERE place = ?', queueId);
  return { isDone };
}

/**
 * The outbox of what concerns accounts. Nothing is added for a webhook that was
 * deleted meanwhile, perhaps with its account: no call could reach such rows.
 */
export function createAccountOutboxCalls(sql: Sql): OutboxApi {
  const outbox = createOutboxCalls(sql);
  const isThere = (id: string) =>
    sql.all('SELECT 1 AS is_there FROM webhooks WHERE id = ?', id).length > 0;
  return {
    ...outbox,
    enqueueDeliveries({ deliveries, nowMs }) {
      const known = deliveries.filter(({ endpointId }) => isThere(endpointId));
      outbox.enqueueDeliveries({ deliveries: known, nowMs });
    },
  };
}

/** Whether they say the same; null is none. */
function isSame(a: WebhookEndpoint | null, b: WebhookEndpoint | null): boolean {
  const fieldsOf = (one: WebhookEndpoint | null) =>
    one === null
      ? null
      : [one.accountId, one.url, one.description, one.types, one.secrets, one.isEnabled];
  return JSON.stringify(fieldsOf(a)) === JSON.stringify(fieldsOf(b));
}

function decode(row: WebhookRow): WebhookEndpoint {
  return {
    id: row.id,
    accountId: row.account_id as AccountId,
    url: row.url,
    description: row.description,
    types: JSON.parse(row.types) as string[],
    secrets: JSON.parse(row.secrets) as WebhookSecret[],
    isEnabled: row.is_enabled === 1,
    createdAtMs: row.created_at_ms,
  };
}
