// What prices months: versions of the operator's cards, which card an account had
// from which month on, and what settings and releases said. A part of the
// directory: plain synchronous code over a SQL port; directory-index.ts makes each
// call atomic. Months are texts like 2026-11, so that they compare as they follow
// each other; '' is before them all.

import type { CardChoice } from '../../domain/billing/billing.ts';
import { StorageError } from '../../domain/errors.ts';
import type { AccountId } from '../../domain/nouns.ts';
import type { BillingApi } from '../../ports/directory-calls/billing-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';

type RateCardCalls = Pick<
  BillingApi,
  | 'getRateCard'
  | 'listRateCards'
  | 'putRateCard'
  | 'setAccountCard'
  | 'notePrices'
  | 'getNotedPrice'
>;

/**
 * The beginning of the version of a card that prices month ?1: the last one before
 * the month's end, else the first of all.
 */
const BEGINNING = `coalesce(
  (SELECT max(valid_from) FROM rate_card_versions WHERE id = c.id AND valid_from <= ?1),
  (SELECT min(valid_from) FROM rate_card_versions WHERE id = c.id))`;

/** The calls over a database with the tables of billing-tables.ts. */
export function createRateCardCalls(sql: Sql): RateCardCalls {
  return {
    getRateCard: ({ id, period }) => readCard(sql, id, period),

    listRateCards({ after, limit, period }) {
      const rows = sql.all<{ json: string }>(
        `SELECT json FROM rate_card_versions AS c WHERE id > ?2 AND valid_from = ${BEGINNING}
         ORDER BY id LIMIT ${PLAN_ONCE} ?3`,
        period,
        after,
        limit,
      );
      return rows.map(({ json }) => json);
    },

    putRateCard({ id, validFrom, json, known }) {
      const card = readCard(sql, id, validFrom);
      if (card === json) return;
      if (card !== known) throw new StorageError('PreconditionFailed');
      sql.all(
        'INSERT OR REPLACE INTO rate_card_versions (id, valid_from, json) VALUES (?, ?, ?)',
        id,
        validFrom,
        json,
      );
    },

    setAccountCard({ accountId, choice: { validFrom, cardId }, known }) {
      const choices = readChoices(sql, accountId);
      if (choices.some((each) => each.validFrom === validFrom && each.cardId === cardId))
        return choices;
      if (JSON.stringify(choices) !== JSON.stringify(known))
        throw new StorageError('PreconditionFailed');
      sql.all(
        `INSERT OR REPLACE INTO account_card_choices (account_id, valid_from, card_id)
         VALUES (?, ?, ?)`,
        accountId,
        validFrom,
        cardId,
      );
      return readChoices(sql, accountId);
    },

    notePrices({ period, prices }) {
      for (const { name, value } of prices) {
        const [last] = sql.all<{ valid_from: string; value: string }>(
          `SELECT valid_from, value FROM noted_prices
           WHERE name = ? ORDER BY valid_from DESC LIMIT 1`,
          name,
        );
        if (last?.value === value) continue;
        // By a clock that was ahead something may begin in a month to come: it is
        // replaced there.
        const isAhead = last !== undefined && last.valid_from > period;
        const validFrom = last === undefined ? '' : isAhead ? last.valid_from : period;
        sql.all(
          'INSERT OR REPLACE INTO noted_prices (name, valid_from, value) VALUES (?, ?, ?)',
          name,
          validFrom,
          value,
        );
      }
    },

    getNotedPrice({ name, period }) {
      const [row] = sql.all<{ value: string }>(
        `SELECT value FROM noted_prices WHERE name = ? AND valid_from <= ?
         ORDER BY valid_from DESC LIMIT 1`,
        name,
        period,
      );
      return row?.value ?? null;
    },
  };
}

/** The account's choices, the oldest first. */
export function readChoices(sql: Sql, accountId: AccountId): readonly CardChoice[] {
  const rows = sql.all<{ valid_from: string; card_id: string | null }>(
    'SELECT valid_from, card_id FROM account_card_choices WHERE account_id = ? ORDER BY valid_from',
    accountId,
  );
  return rows.map((row) => ({ validFrom: row.valid_from, cardId: row.card_id }));
}

function readCard(sql: Sql, id: string, period: string): string | null {
  const [row] = sql.all<{ json: string }>(
    `SELECT json FROM rate_card_versions AS c WHERE id = ?2 AND valid_from = ${BEGINNING}`,
    period,
    id,
  );
  return row?.json ?? null;
}
