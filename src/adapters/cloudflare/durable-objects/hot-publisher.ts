// Hot-key offload: publishes to KV the read policy and pointers of keys that are
// asked for too often for one Durable Object. It lives inside the object of the
// bucket, next to the index, and is the only writer of KV. All but one number is
// kept in memory: what is lost with the object ends itself.
//
// A record in KV has a TTL of its own: it says until when it is valid. It is
// renewed while its key is hot, and written anew after each commit that touches it.
// Therefore a write that fails, comes late or lands after a newer one shows the past for
// no longer than its TTL, whatever KV does. Records are numbered; a reader that
// knows a number trusts none below it.
import type { ObjectKey } from '../../../domain/nouns.ts';
import { changedBy, changesReadPolicy } from '../../../ports/index-calls/index-changes.ts';
import type { IndexApi } from '../../../ports/metadata-index.ts';
import type { Sql } from '../../../ports/sql.ts';
import { KV_RECORD_TTL_SECONDS, KV_SAMPLING } from '../kv/hot-records.ts';
import type { RecordTtl, TtlNews } from '../kv/kv-record-ttls.ts';
import { createCallRates, type OffloadLimits } from './call-rates.ts';
import { createPublicationNumbers } from './publication-numbers.ts';
import { firstDueMs, newRow, type Row } from './published-rows.ts';
import { createRecordWriter, READ_POLICY, type RecordWriterOptions } from './record-writer.ts';

/**
 * Rates from which keys are offloaded. One object answers about 1,000 calls a
 * second, so not before that comes near: KV costs more than the object, and shows
 * the past for longer. Below a few calls a second a key gains nothing by KV.
 * Source: https://developers.cloudflare.com/durable-objects/platform/limits/
 */
export const OFFLOAD_RATES: OffloadLimits = {
  bucketPerSecond: 600,
  keyPerSecond: 3,
  windowMs: 5000,
};
/**
 * Keys of one bucket in KV at once: so many are renewed in a tenth of a record's
 * TTL.
 */
const HOT_MAX = 500;

export type HotPublisher = {
  /**
   * Notes what a successful call means for KV; run it in the call's transaction.
   * True when `drain` has work.
   */
  note<Name extends keyof IndexApi>(name: Name, input: Parameters<IndexApi[Name]>[0]): boolean;
  /**
   * What the caller should know of KV after that call; null: nothing. Ask after
   * `note`.
   */
  newsOf<Name extends keyof IndexApi>(
    name: Name,
    input: Parameters<IndexApi[Name]>[0],
  ): TtlNews | null;
  /**
   * Writes what is due until nothing is; never throws. A second call joins the
   * first.
   */
  drain(): Promise<void>;
};

export type HotPublisherOptions = RecordWriterOptions & {
  readonly sql: Sql;
  readonly rates?: OffloadLimits;
};

/**
 * Makes the publisher of one bucket name. Its table must exist
 * (PUBLICATION_SCHEMA).
 */
export function createHotPublisher(options: HotPublisherOptions): HotPublisher {
  const { clock } = options;
  const rates = createCallRates({
    ...(options.rates ?? OFFLOAD_RATES),
    sampling: KV_SAMPLING,
    hotMax: HOT_MAX,
  });
  const rows = new Map<ObjectKey, Row>();
  const startedAtMs = clock.nowMs();
  const numbers = createPublicationNumbers(options.sql);
  const writer = createRecordWriter(options, rows, plan);
  /** When the first row is due. */
  let nextDueMs = Number.POSITIVE_INFINITY;

  function setHot(hot: ReadonlySet<ObjectKey>): void {
    const names = hot.size === 0 ? hot : new Set([READ_POLICY, ...hot]);
    for (const [name, row] of rows) {
      row.isHot = names.has(name);
      if (!row.isHot && row.untilMs <= clock.nowMs()) rows.delete(name);
    }
    for (const name of names) {
      if (!rows.has(name)) rows.set(name, newRow(numbers.next()));
    }
    plan();
  }

  function plan(): void {
    nextDueMs = firstDueMs(rows.values(), clock.nowMs());
  }

  function ttlOf(name: ObjectKey): RecordTtl | null {
    const row = rows.get(name);
    return row === undefined || row.untilMs <= clock.nowMs()
      ? null
      : { sequence: row.sequence, untilMs: row.untilMs };
  }

  /**
   * The TTL of a name that was just changed. What this object published before it
   * was started anew is not in memory, so it counts as published.
   */
  function ttlOfChanged(name: ObjectKey): RecordTtl | null {
    const untilMs = startedAtMs + KV_RECORD_TTL_SECONDS * 1000;
    const known = ttlOf(name);
    if (known !== null || untilMs <= clock.nowMs() || !numbers.hasPublishedBefore) return known;
    return { sequence: numbers.next(), untilMs };
  }

  return {
    note(name, input) {
      const lookedUp = keysLookedUp(name, input);
      for (const key of lookedUp) {
        const hot = rates.count(key, clock.nowMs());
        if (hot !== null) setHot(hot);
      }
      if (lookedUp.length > 0) return !writer.isDraining() && nextDueMs <= clock.nowMs();
      const changed = keysOfChange(name, input).flatMap((key) => rows.get(key) ?? []);
      for (const row of changed) row.sequence = numbers.next();
      return !writer.isDraining() && changed.length > 0;
    },
    newsOf(name, input) {
      const lookedUp = keysLookedUp(name, input);
      if (lookedUp.length > 0) {
        const keys = lookedUp.flatMap((key) => {
          // While KV has no record of the present state, whoever looks there makes
          // its colo repeat the past, or nothing, for 30 s.
          const ttl =
            rows.get(key)?.writtenSequence === rows.get(key)?.sequence ? ttlOf(key) : null;
          return ttl === null ? [] : [{ key, ttl }];
        });
        return keys.length === 0 ? null : { readPolicy: ttlOf(READ_POLICY), keys };
      }
      const names = keysOfChange(name, input);
      const ttls = names.map((key) => ({ key, ttl: ttlOfChanged(key) }));
      if (ttls.every(({ ttl }) => ttl === null)) return null;
      if (names[0] === READ_POLICY)
        return { readPolicy: ttls[0]?.ttl ?? null, keys: ttls.slice(1) };
      return { readPolicy: ttlOf(READ_POLICY), keys: ttls };
    },
    drain: writer.drain,
  };
}

/** Which published names a call changes. */
function keysOfChange(name: keyof IndexApi, input: unknown): readonly ObjectKey[] {
  const changed = changedBy(name, input);
  const keys = typeof changed === 'string' ? [] : changed;
  return changesReadPolicy(changed) ? [READ_POLICY, ...keys] : keys;
}

/** The keys that a call looks up for readers. */
function keysLookedUp(name: keyof IndexApi, input: unknown): readonly ObjectKey[] {
  if (name === 'resolve') return [(input as Parameters<IndexApi['resolve']>[0]).key];
  return name === 'resolveAll' ? (input as Parameters<IndexApi['resolveAll']>[0]).keys : [];
}
