// Failures to sign in, and how long whoever failed must wait: a part of the
// directory. Plain synchronous code over a SQL port; directory-index.ts makes each
// call atomic.
//
// A stranger must not lock a name for its owner, and must not guess for ever
// either. So there are three counts: of the pair of name and source, of the source,
// and of the name over all sources. A source adds no more to a name than it may try
// without waiting, so one address alone never fills that count; and a pair that
// signed in before has its own count and no other. Secrets that nobody guesses have
// no counts of pairs and names at all.

import { DAY_MS, HOUR_MS } from '../../domain/time.ts';
import type { SignInApi } from '../../ports/directory-calls/sign-in-calls.ts';
import type { Sql } from '../../ports/sql.ts';
import { PLAN_ONCE } from '../tables/plan-once.ts';
import { ROWS_FORGOTTEN_AT_ONCE } from './expiring-rows.ts';

type AttemptCalls = Pick<
  SignInApi,
  'beginSignIn' | 'endSignIn' | 'countAttempt' | 'uncountAttempt'
>;

/**
 * Failures that nobody waits for: of a pair; of a source, which many people may
 * share; of a name, which then takes ten sources at least. Passwords, of ten
 * characters and more, stand against it.
 */
const FREE_FAILURES = { pair: 10, source: 30, name: 100 } as const;
/** Milliseconds until what was counted is forgotten, and the longest wait. */
const FORGET_AFTER_MS = HOUR_MS;
const WAIT_MAX_MS = 60_000;
/** How long a source is known to be somebody's, milliseconds. */
const KNOWN_FOR_MS = 90 * DAY_MS;

/** What is counted, and how often it may fail before it waits. */
type Count = { readonly subject: string; readonly free: number };

/** The calls over a database with DIRECTORY_SCHEMA. */
export function createAttemptCalls(sql: Sql): AttemptCalls {
  // A count that is too old says nothing, whether its row has gone by now or not.
  const failuresOf = (subject: string, nowMs: number) =>
    sql.all<{ failures: number; last_ms: number }>(
      'SELECT failures, last_ms FROM sign_in_failures WHERE subject = ? AND last_ms >= ?',
      subject,
      nowMs - FORGET_AFTER_MS,
    )[0] ?? { failures: 0, last_ms: 0 };
  const waitMsOf = ({ subject, free }: Count, nowMs: number) => {
    const { failures, last_ms } = failuresOf(subject, nowMs);
    return failures < free ? 0 : last_ms + waitMsAfter(failures - free) - nowMs;
  };
  const forgetOld = (nowMs: number) =>
    sql.all(
      `DELETE FROM sign_in_failures WHERE subject IN
       (SELECT subject FROM sign_in_failures
        WHERE last_ms < ? ORDER BY last_ms LIMIT ${PLAN_ONCE} ?)`,
      nowMs - FORGET_AFTER_MS,
      ROWS_FORGOTTEN_AT_ONCE,
    );
  const count = (subject: string, nowMs: number) =>
    sql.all(
      `INSERT INTO sign_in_failures (subject, failures, last_ms) VALUES (?, 1, ?)
       ON CONFLICT (subject) DO UPDATE SET
         failures = CASE WHEN last_ms < ? THEN 1 ELSE failures + 1 END, last_ms = excluded.last_ms`,
      subject,
      nowMs,
      nowMs - FORGET_AFTER_MS,
    );
  const uncount = (subject: string) =>
    sql.all(
      'UPDATE sign_in_failures SET failures = max(0, failures - 1) WHERE subject = ?',
      subject,
    );
  const isKnown = (pair: string, nowMs: number) =>
    sql.all(
      'SELECT 1 FROM sign_in_sources WHERE pair = ? AND last_ms >= ?',
      pair,
      nowMs - KNOWN_FOR_MS,
    ).length > 0;

  return {
    beginSignIn({ name, source, pair, isGuessable, nowMs }) {
      forgetOld(nowMs);
      const isStranger = !isKnown(pair, nowMs);
      const counts: Count[] = [];
      if (isGuessable) counts.push({ subject: pair, free: FREE_FAILURES.pair });
      if (isStranger) counts.push({ subject: source, free: FREE_FAILURES.source });
      if (isGuessable && isStranger) counts.push({ subject: name, free: FREE_FAILURES.name });

      const waitMs = Math.max(0, ...counts.map((each) => waitMsOf(each, nowMs)));
      if (waitMs > 0) return { waitMs };

      const isCountedOnName = failuresOf(pair, nowMs).failures < FREE_FAILURES.pair;
      for (const { subject } of counts)
        if (subject !== name || isCountedOnName) count(subject, nowMs);
      return { waitMs: 0 };
    },
    endSignIn({ name, source, pair, nowMs }) {
      sql.all('DELETE FROM sign_in_failures WHERE subject = ?', pair);
      // A pair that is known was not counted on these: whoever has a name here
      // can't wipe out guesses at others.
      if (!isKnown(pair, nowMs)) for (const subject of [source, name]) uncount(subject);
      sql.all(
        `DELETE FROM sign_in_sources WHERE pair IN
         (SELECT pair FROM sign_in_sources
          WHERE last_ms < ? ORDER BY last_ms LIMIT ${PLAN_ONCE} ?)`,
        nowMs - KNOWN_FOR_MS,
        ROWS_FORGOTTEN_AT_ONCE,
      );
      sql.all(
        `INSERT INTO sign_in_sources (pair, last_ms) VALUES (?, ?)
         ON CONFLICT (pair) DO UPDATE SET last_ms = excluded.last_ms`,
        pair,
        nowMs,
      );
    },
    countAttempt({ subject, free, nowMs }) {
      forgetOld(nowMs);
      const waitMs = Math.max(0, waitMsOf({ subject, free }, nowMs));
      if (waitMs === 0) count(subject, nowMs);
      return { waitMs };
    },
    uncountAttempt({ subject }) {
      uncount(subject);
    },
  };
}

/** Doubles from one second on with each failure beyond the free ones. */
function waitMsAfter(failuresBeyond: number): number {
  return Math.min(WAIT_MAX_MS, 1000 * 2 ** failuresBeyond);
}
