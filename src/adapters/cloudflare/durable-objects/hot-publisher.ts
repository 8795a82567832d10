// KV as a load valve: publishes read policies and pointers of keys that are asked for too often for one
// Durable Object. It lives inside the object of the bucket, next to the index, and is the only
// writer of KV. Everything but one number is kept in memory: what is lost with the object ends by
// itself.
//
// A record in KV is a lease: it says until when it may be believed. It is renewed while its key is
// hot, and written anew after each commit that touches it. So a write that fails, comes late or
// lands after a newer one shows the past for no longer than its lease, whatever KV does. Records
// are numbered; a reader that was told of a number believes none below.
import type { BucketName, ObjectKey } from '../../../domain/nouns.ts';
import { canBePublic, toPointer, toReadPolicy } from '../../../domain/pointer.ts';
import { changedBy, changesReadPolicy } from '../../../ports/index-calls/index-changes.ts';
import type { IndexApi } from '../../../ports/metadata-index.ts';
import type { Sql } from '../../../ports/sql.ts';
import type { Clock, Log } from '../../../ports/system.ts';
import { within } from '../../../ports/with-timeout.ts';
import {
  encodePointer,
  encodeReadPolicy,
  KV_LEASE_SECONDS,
  KV_SAMPLING,
  pointerName,
  readPolicyName,
} from '../kv/hot-records.ts';
import type { Lease, LeaseNews } from '../kv/kv-record-ttls.ts';
import { createQuestionRates, type RateLimits } from './call-rates.ts';
import { createPublicationNumbers } from './publication-numbers.ts';
import { firstDueMs, newRow, nextBatch, type Row } from './published-rows.ts';

/**
 * When the valve opens. One object answers about 1,000 calls a second, so not before that comes
 * near: KV costs more than the object, and shows the past for longer. Below a few questions a
 * second a key gains nothing by KV. Source:
 * https://developers.cloudflare.com/durable-objects/platform/limits/
 */
export const VALVE_RATES: RateLimits = { bucketPerSecond: 600, keyPerSecond: 3, windowMs: 5000 };
/**
 * Keys of one bucket in KV at once: so many are renewed in a tenth of the time that a lease has.
 */
const HOT_MAX = 500;
/**
 * KV writes under way at once; a Worker may have six connections. Source: Workers limits,
 * simultaneous connections.
 */
const PARALLEL = 6;
const PUT_LIMIT_MS = 10_000;
/**
 * Failed writes of a change in a row until one `drain` gives up; the next question takes it up
 * again.
 */
const FAILED_ROUNDS_MAX = 5;
/** Name of the read policy; no key is empty. */
const GATE = '' as ObjectKey;

export type HotPublisher = {
  /**
   * Notes what a successful call means for KV; run it in the call's transaction. True when `drain`
   * has work.
   */
  note<Name extends keyof IndexApi>(name: Name, input: Parameters<IndexApi[Name]>[0]): boolean;
  /** What the caller should know of KV after that call; null: nothing. Ask after `note`. */
  newsOf<Name extends keyof IndexApi>(
    name: Name,
    input: Parameters<IndexApi[Name]>[0],
  ): LeaseNews | null;
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
  readonly wait: (ms: number) => Promise<unknown>;
  readonly rates?: RateLimits;
  /** A write that has not ended by then has failed, as far as anybody can say. */
  readonly putLimitMs?: number;
};

/** Makes the publisher of one bucket name. Its table must exist (PUBLICATION_SCHEMA). */
export function createHotPublisher(options: HotPublisherOptions): HotPublisher {
  const { bucket, kv, clock, log, putLimitMs = PUT_LIMIT_MS } = options;
  const rates = createQuestionRates({
    ...(options.rates ?? VALVE_RATES),
    sampling: KV_SAMPLING,
    hotMax: HOT_MAX,
  });
  const rows = new Map<ObjectKey, Row>();
  const startedAtMs = clock.nowMs();
  const numbers = createPublicationNumbers(options.sql);
  /** When the first row is due. */
  let nextDueMs = Number.POSITIVE_INFINITY;
  let draining: Promise<void> | null = null;

  function setHot(hot: ReadonlySet<ObjectKey>): void {
    const names = hot.size === 0 ? hot : new Set([GATE, ...hot]);
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

  /**
   * Writes the present state of one row. State and sequence are read in one go, so they belong
   * together.
   */
  async function write(name: ObjectKey, row: Row): Promise<boolean> {
    const { sequence } = row;
    const nowMs = clock.nowMs();
    const untilMs = nowMs + KV_LEASE_SECONDS * 1000;
    const entry = render(name, { sequence, atMs: nowMs, untilMs });
    row.lastPutMs = nowMs;
    // A write that fails may have landed.
    row.untilMs = untilMs;
    try {
      const put = () => kv.put(entry.name, entry.text, { expirationTtl: KV_LEASE_SECONDS });
      await within(putLimitMs, 'KV', put);
      row.writtenSequence = sequence;
      row.failures = 0;
      return true;
    } catch (cause) {
      row.failures += 1;
      log.error('publish-failed', { bucket, name: entry.name, cause });
      return false;
    }
  }

  function render(name: ObjectKey, stamp: { sequence: number; atMs: number; untilMs: number }) {
    const found = options.resolve({ name: bucket, key: name });
    const readPolicy = found.bucket === null ? null : toReadPolicy(found.bucket);
    if (name === GATE)
      return { name: readPolicyName(bucket), text: encodeReadPolicy({ ...stamp, readPolicy }) };
    // What nobody may read, whatever its ACL says, has no place in KV.
    const { object } = found;
    const pointer =
      object !== null && readPolicy !== null && canBePublic(readPolicy.access, name)
        ? toPointer(object)
        : null;
    const text = encodePointer({
      ...stamp,
      bucketId: readPolicy?.bucketId ?? null,
      revision: readPolicy?.revision ?? 0,
      pointer,
    });
    return { name: pointerName(bucket, name), text };
  }

  async function writeAllDue(): Promise<void> {
    for (let failedRounds = 0; failedRounds < FAILED_ROUNDS_MAX; ) {
      const { ready, waitMs } = nextBatch(rows, clock.nowMs(), PARALLEL);
      if (ready.length === 0 && !Number.isFinite(waitMs)) return;
      if (ready.length === 0) {
        await options.wait(waitMs);
        continue;
      }
      const written = await Promise.all(ready.map(([name, row]) => write(name, row)));
      failedRounds = written.every(Boolean) ? 0 : failedRounds + 1;
    }
  }

  async function run(): Promise<void> {
    try {
      await writeAllDue();
    } catch (cause) {
      log.error('publish-stopped', { bucket, cause });
    }
    plan();
  }

  function leaseOf(name: ObjectKey): Lease | null {
    const row = rows.get(name);
    return row === undefined || row.untilMs <= clock.nowMs()
      ? null
      : { sequence: row.sequence, untilMs: row.untilMs };
  }

  /**
   * The same for a name that was just changed: what an earlier life of this object published,
   * nobody remembers.
   */
  function leaseOfChanged(name: ObjectKey): Lease | null {
    const untilMs = startedAtMs + KV_LEASE_SECONDS * 1000;
    const known = leaseOf(name);
    if (known !== null || untilMs <= clock.nowMs() || !numbers.hasPublishedBefore) return known;
    return { sequence: numbers.next(), untilMs };
  }

  return {
    note(name, input) {
      const asked = keysAsked(name, input);
      for (const key of asked) {
        const hot = rates.count(key, clock.nowMs());
        if (hot !== null) setHot(hot);
      }
      if (asked.length > 0) return draining === null && nextDueMs <= clock.nowMs();
      const changed = namesOfChange(name, input).flatMap((key) => rows.get(key) ?? []);
      for (const row of changed) row.sequence = numbers.next();
      return draining === null && changed.length > 0;
    },
    newsOf(name, input) {
      const asked = keysAsked(name, input);
      if (asked.length > 0) {
        const keys = asked.flatMap((key) => {
          // While KV has no record of its present state, who looks there makes his place repeat the
          // past, or nothing, for 30 s.
          const lease =
            rows.get(key)?.writtenSequence === rows.get(key)?.sequence ? leaseOf(key) : null;
          return lease === null ? [] : [{ key, lease }];
        });
        return keys.length === 0 ? null : { readPolicy: leaseOf(GATE), keys };
      }
      const names = namesOfChange(name, input);
      const leases = names.map((key) => ({ key, lease: leaseOfChanged(key) }));
      if (leases.every(({ lease }) => lease === null)) return null;
      if (names[0] === GATE) return { readPolicy: leases[0]?.lease ?? null, keys: leases.slice(1) };
      return { readPolicy: leaseOf(GATE), keys: leases };
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
function namesOfChange(name: keyof IndexApi, input: unknown): readonly ObjectKey[] {
  const changed = changedBy(name, input);
  const keys = typeof changed === 'string' ? [] : changed;
  return changesReadPolicy(changed) ? [GATE, ...keys] : keys;
}

/** The keys that a call asks of for readers. */
function keysAsked(name: keyof IndexApi, input: unknown): readonly ObjectKey[] {
  if (name === 'resolve') return [(input as Parameters<IndexApi['resolve']>[0]).key];
  return name === 'resolveAll' ? (input as Parameters<IndexApi['resolveAll']>[0]).keys : [];
}
