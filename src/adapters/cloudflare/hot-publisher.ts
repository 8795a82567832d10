// Publishes gates and pointers to KV, in commit order. It lives inside the Durable Object of the bucket, next to the
// index, and is the only writer of KV.
//
// When the public first asks for a key (`resolve`) the key is noted in `published` and its pointer written. From then
// on each commit that touches a noted key raises `wanted` in the commit's own transaction; one loop per object writes
// the newest state of every row whose `wanted` is ahead of `written`. So KV holds only what is hot, a row that changes
// often is written at most once a second with its last state, and what a crash interrupts is still due afterwards.
// Interest ends a day after the last `resolve` that renewed it; then the KV entry expires and the row goes.
import type { Schema } from '../../index/schema.ts';
import type { BucketName, ObjectKey } from '../../ports/domain.ts';
import { changedBy } from '../../ports/index-changes.ts';
import type { IndexApi } from '../../ports/metadata-index.ts';
import { isPublicObject, toGate, toPointer } from '../../ports/pointer.ts';
import type { Sql } from '../../ports/sql.ts';
import type { Clock, Log } from '../../ports/system.ts';
import { encodeGate, encodePointer, gateName, pointerName } from './hot-records.ts';

/** How long a published entry stays in KV without new interest: also the backstop should a KV write ever get lost. */
const INTEREST_SECONDS = 24 * 3600;
/** How long KV says that a key is gone; the least that KV allows. Source: KV docs, expirationTtl. */
const MIN_TTL_SECONDS = 60;
/** Rows outlive their interest by the least TTL (a late write may stay that long) and as much again for clocks. */
const ROW_GRACE_SECONDS = 2 * MIN_TTL_SECONDS;
/** KV takes one write a second to one name. Source: https://developers.cloudflare.com/kv/platform/limits/ */
const MIN_GAP_MS = 1100;
/** KV writes under way at once; a Worker may have six connections. Source: Workers limits, simultaneous connections. */
const PARALLEL = 6;
/** Wait after a round with a failed write, milliseconds; doubles with each. After the last the alarm takes over. */
const FIRST_BACKOFF_MS = 500;
const FAILED_ROUNDS_MAX = 5;
/** When the alarm looks again, should this object die now. By then a write of its last moments has landed or failed. */
const ALARM_DELAY_MS = 30_000;
/** How often rows without interest are looked for. */
const PRUNE_INTERVAL_MS = 3600_000;

/** Name of the gate in `published`; no key is empty. */
const GATE = '';

/** The tables of this file, in the database of the bucket's index. */
export const PUBLICATION_SCHEMA: Schema = {
  name: 'publication',
  migrations: [
    [
      `CREATE TABLE published (
        name TEXT NOT NULL PRIMARY KEY,
        until_s INTEGER NOT NULL,
        wanted INTEGER NOT NULL,
        written INTEGER NOT NULL
      ) STRICT, WITHOUT ROWID`,
      'CREATE INDEX published_due ON published (wanted) WHERE wanted > written',
      'CREATE TABLE publication (id INTEGER PRIMARY KEY CHECK (id = 1), last_sequence INTEGER NOT NULL) STRICT',
      'INSERT INTO publication (id, last_sequence) VALUES (1, 0)',
    ],
  ],
};

export type HotPublisher = {
  /** Notes what a successful call means for KV; run it in the call's transaction. True when `drain` has work. */
  note<Name extends keyof IndexApi>(
    name: Name,
    input: Parameters<IndexApi[Name]>[0],
    value: ReturnType<IndexApi[Name]>,
  ): boolean;
  /** Writes what is due until nothing is; never throws. A second call joins the first. */
  drain(): Promise<void>;
};

export type HotPublisherOptions = {
  readonly bucket: BucketName;
  readonly sql: Sql;
  readonly kv: Pick<KVNamespace, 'put'>;
  /** Reads the state to publish. */
  readonly resolve: IndexApi['resolve'];
  readonly clock: Clock;
  readonly log: Log;
  /** Asks for `drain` to be called at that time, if this object is no more; part of the running transaction. */
  readonly setAlarm: (atMs: number) => void;
  readonly wait: (ms: number) => Promise<unknown>;
};

type DueRow = { readonly name: string; readonly until_s: number; readonly wanted: number };

/** Makes the publisher of one bucket name. Its tables must exist (PUBLICATION_SCHEMA). */
export function createHotPublisher(options: HotPublisherOptions): HotPublisher {
  const { bucket, sql, kv, clock, log } = options;
  const lastPutMs = new Map<string, number>();
  let alarmAtMs = 0;
  let lastPrunedMs = 0;
  let draining: Promise<void> | null = null;

  const nowSeconds = () => Math.floor(clock.nowMs() / 1000);

  function nextSequence(): number {
    const [row] = sql.all<{ last_sequence: number }>(
      'UPDATE publication SET last_sequence = last_sequence + 1 WHERE id = 1 RETURNING last_sequence',
    );
    if (row === undefined) throw new Error('The publication table has lost its row.');
    return row.last_sequence;
  }

  function arm(delayMs: number): void {
    const nowMs = clock.nowMs();
    if (alarmAtMs > nowMs) return;
    alarmAtMs = nowMs + delayMs;
    options.setAlarm(alarmAtMs);
  }

  /** A commit: names that KV may still hold become due. */
  function noteChange(names: readonly string[]): boolean {
    const aliveAfter = nowSeconds() - ROW_GRACE_SECONDS;
    const hit = sql.all<{ name: string }>(
      'SELECT name FROM published WHERE until_s >= ? AND name IN (SELECT value FROM json_each(?))',
      aliveAfter,
      JSON.stringify(names),
    );
    if (hit.length === 0) return false;
    const sequence = nextSequence();
    for (const { name } of hit) sql.all('UPDATE published SET wanted = ? WHERE name = ?', sequence, name);
    arm(ALARM_DELAY_MS);
    return true;
  }

  /** The public asked: what it may see becomes hot, or stays so. Nothing is kept for what does not exist. */
  function noteInterest(key: ObjectKey, found: ReturnType<IndexApi['resolve']>): boolean {
    if (found.bucket === null) return false;
    const isHot = found.object !== null && isPublicObject(found.bucket.access, key);
    const renewBefore = nowSeconds() + INTEREST_SECONDS / 2;
    const stale = (isHot ? [GATE, key] : [GATE]).filter((name) => {
      const [row] = sql.all<{ until_s: number }>('SELECT until_s FROM published WHERE name = ?', name);
      return row === undefined || row.until_s < renewBefore;
    });
    if (stale.length === 0) return false;
    const sequence = nextSequence();
    for (const name of stale) {
      sql.all(
        `INSERT INTO published (name, until_s, wanted, written) VALUES (?, ?, ?, 0)
          ON CONFLICT (name) DO UPDATE SET until_s = excluded.until_s, wanted = excluded.wanted`,
        name,
        nowSeconds() + INTEREST_SECONDS,
        sequence,
      );
    }
    arm(ALARM_DELAY_MS);
    return true;
  }

  /** Writes the present state of one row. State and sequence are read in one go, so they belong together. */
  async function write(row: DueRow): Promise<boolean> {
    const entry = render(row);
    lastPutMs.set(row.name, clock.nowMs());
    try {
      await kv.put(entry.name, entry.text, { expirationTtl: entry.ttlSeconds });
    } catch (cause) {
      log.error('publish-failed', { bucket, name: entry.name, cause });
      return false;
    }
    sql.all('UPDATE published SET written = ? WHERE name = ?', row.wanted, row.name);
    return true;
  }

  function render(row: DueRow): { name: string; text: string; ttlSeconds: number } {
    const key = row.name as ObjectKey;
    const found = options.resolve({ name: bucket, key });
    const value = row.name === GATE ? found.bucket : found.object;
    const ttlSeconds = value === null ? MIN_TTL_SECONDS : Math.max(MIN_TTL_SECONDS, row.until_s - nowSeconds());
    const sequence = row.wanted;
    if (row.name === GATE) {
      const gate = found.bucket === null ? null : toGate(found.bucket);
      return { name: gateName(bucket), text: encodeGate({ sequence, gate }), ttlSeconds };
    }
    const pointer = found.object === null ? null : toPointer(found.object);
    const text = encodePointer({ sequence, bucketId: found.bucket?.id ?? null, pointer });
    return { name: pointerName(bucket, key), text, ttlSeconds };
  }

  /**
   * Rows to write now: what KV shows and is stale before what it never showed, each oldest first; and how long
   * to wait when all due rows were written a moment ago.
   */
  function nextBatch(): { ready: readonly DueRow[]; waitMs: number } {
    const nowMs = clock.nowMs();
    for (const [name, putMs] of lastPutMs) if (putMs + MIN_GAP_MS <= nowMs) lastPutMs.delete(name);
    const due = sql.all<DueRow>(
      'SELECT name, until_s, wanted FROM published WHERE wanted > written ORDER BY written = 0, wanted LIMIT ?',
      PARALLEL + lastPutMs.size,
    );
    const ready = due.filter((row) => !lastPutMs.has(row.name)).slice(0, PARALLEL);
    const waits = due.map((row) => (lastPutMs.get(row.name) ?? nowMs) + MIN_GAP_MS - nowMs);
    return { ready, waitMs: due.length === 0 ? 0 : Math.min(...waits) };
  }

  async function writeAllDue(): Promise<void> {
    for (let failedRounds = 0; ; ) {
      const { ready, waitMs } = nextBatch();
      if (ready.length === 0 && waitMs === 0) return;
      if (ready.length === 0) {
        await options.wait(waitMs);
        continue;
      }
      const written = await Promise.all(ready.map(write));
      if (written.every(Boolean)) failedRounds = 0;
      else if (++failedRounds === FAILED_ROUNDS_MAX) return arm(ALARM_DELAY_MS);
      else await options.wait(FIRST_BACKOFF_MS * 2 ** (failedRounds - 1));
    }
  }

  function prune(): void {
    const nowMs = clock.nowMs();
    if (nowMs - lastPrunedMs < PRUNE_INTERVAL_MS) return;
    lastPrunedMs = nowMs;
    sql.all('DELETE FROM published WHERE until_s < ?', nowSeconds() - ROW_GRACE_SECONDS);
  }

  async function run(): Promise<void> {
    try {
      await writeAllDue();
      prune();
    } catch (cause) {
      log.error('publish-stopped', { bucket, cause });
      arm(ALARM_DELAY_MS);
    }
  }

  return {
    note(name, input, value) {
      if (name === 'resolve') return noteInterest((input as { key: ObjectKey }).key, value as never);
      const names = namesOfChange(name, input);
      return names.length > 0 && noteChange(names);
    },
    drain() {
      draining ??= run().finally(() => {
        draining = null;
      });
      return draining;
    },
  };
}

/** Which published names a call changes. */
function namesOfChange(name: keyof IndexApi, input: unknown): readonly string[] {
  const changed = changedBy(name, input);
  if (changed === 'nothing') return [];
  return changed === 'gate' ? [GATE] : changed;
}
