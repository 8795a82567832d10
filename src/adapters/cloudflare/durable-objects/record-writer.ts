// Writes published records to KV: what is due, six at a time, until nothing is.
// hot-publisher.ts owns the rows and says when.
import type { BucketName, ObjectKey } from '../../../domain/nouns.ts';
import { canBePublic, toPointer, toReadPolicy } from '../../../domain/pointer.ts';
import type { IndexApi } from '../../../ports/metadata-index.ts';
import type { Clock, Log } from '../../../ports/system.ts';
import { withTimeout } from '../../../ports/with-timeout.ts';
import {
  encodePointer,
  encodeReadPolicy,
  KV_RECORD_TTL_SECONDS,
  pointerName,
  type RecordStamp,
  readPolicyName,
} from '../kv/hot-records.ts';
import { nextBatch, type Row } from './published-rows.ts';

/** Name of the read policy among the rows; no key is empty. */
export const READ_POLICY = '' as ObjectKey;
/**
 * KV writes under way at once; a Worker may have six connections.
 * Source: Workers limits, simultaneous connections.
 */
const PARALLEL = 6;
const PUT_LIMIT_MS = 10_000;
/**
 * Failed rounds in a row until one `drain` gives up; the next lookup takes it up
 * again.
 */
const FAILED_ROUNDS_MAX = 5;

export type RecordWriterOptions = {
  readonly bucket: BucketName;
  readonly kv: Pick<KVNamespace, 'put'>;
  /** Reads the state to publish. */
  readonly resolve: IndexApi['resolve'];
  readonly clock: Clock;
  readonly log: Log;
  readonly wait: (ms: number) => Promise<unknown>;
  /** A write that has not ended by then has failed, as far as anybody can say. */
  readonly putLimitMs?: number;
};

export type RecordWriter = {
  readonly isDraining: () => boolean;
  /**
   * Writes what is due until nothing is; never throws. A second call joins the
   * first.
   */
  readonly drain: () => Promise<void>;
};

/** `onEnd` runs when a drain is over. */
export function createRecordWriter(
  options: RecordWriterOptions,
  rows: ReadonlyMap<ObjectKey, Row>,
  onEnd: () => void,
): RecordWriter {
  const { bucket, kv, clock, log, putLimitMs = PUT_LIMIT_MS } = options;
  let draining: Promise<void> | null = null;

  /**
   * Writes the present state of one row. State and sequence are read in one go, so
   * they belong together.
   */
  async function write(name: ObjectKey, row: Row): Promise<boolean> {
    const { sequence } = row;
    const nowMs = clock.nowMs();
    const untilMs = nowMs + KV_RECORD_TTL_SECONDS * 1000;
    const stamp = { sequence, atMs: nowMs, untilMs };
    const entry = renderRecord(bucket, name, stamp, options.resolve({ name: bucket, key: name }));
    row.lastPutMs = nowMs;
    // A write that fails may have landed.
    row.untilMs = untilMs;
    try {
      const put = () => kv.put(entry.name, entry.text, { expirationTtl: KV_RECORD_TTL_SECONDS });
      await withTimeout(putLimitMs, 'KV', put);
      row.writtenSequence = sequence;
      row.failures = 0;
      return true;
    } catch (cause) {
      row.failures += 1;
      log.error('publish-failed', { bucket, name: entry.name, cause });
      return false;
    }
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
    onEnd();
  }

  return {
    isDraining: () => draining !== null,
    drain() {
      draining ??= run().finally(() => {
        draining = null;
      });
      return draining;
    },
  };
}

/**
 * A record's name and text for the present state of a bucket, or of one key in it.
 */
function renderRecord(
  bucket: BucketName,
  name: ObjectKey,
  stamp: RecordStamp,
  state: ReturnType<IndexApi['resolve']>,
): { readonly name: string; readonly text: string } {
  const readPolicy = state.bucket === null ? null : toReadPolicy(state.bucket);
  if (name === READ_POLICY)
    return { name: readPolicyName(bucket), text: encodeReadPolicy({ ...stamp, readPolicy }) };

  // What nobody may read, whatever its ACL says, does not go to KV.
  const { object } = state;
  const canBeShown = object !== null && readPolicy !== null && canBePublic(readPolicy.access, name);
  const text = encodePointer({
    ...stamp,
    bucketId: readPolicy?.bucketId ?? null,
    revision: readPolicy?.revision ?? 0,
    pointer: canBeShown ? toPointer(object) : null,
  });
  return { name: pointerName(bucket, name), text };
}
