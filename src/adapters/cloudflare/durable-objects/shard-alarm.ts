// Splits the index of a bucket into shards, or joins them, by the alarm of the object
// whose keys have changed (object-alarm.ts). A run makes few calls, and the alarm goes
// off again where something is left; an object that ends forgets nothing that the next
// look would not find.
import type { BucketName, BucketRef } from '../../../domain/nouns.ts';
import { createGrowthWatcher } from '../../../index/router/growth-watcher.ts';
import { bucketOfShard } from '../../../index/router/shard-map.ts';
import { createShardSplitter } from '../../../index/router/split-shards.ts';
import type { IndexApi, MetadataIndex } from '../../../ports/metadata-index.ts';
import type { Clock, Log } from '../../../ports/system.ts';
import type { AlarmSlot } from './object-alarm.ts';

/**
 * Calls of one run after which no further slice begins: some seconds of work, for which
 * the object's other work waits. Our own limit.
 */
const CALLS_MAX = 500;
/** Wait after a failure, milliseconds. */
const AFTER_FAILURE_MS = 60_000;

export type ShardAlarm = {
  /** Notes a call that this object has run. Cost: nothing, or the alarm. */
  note(name: keyof IndexApi, input: unknown): void;
  /** The alarm went off: splits or joins if that is due. Never throws. */
  run(): Promise<void>;
};

/** What splitting takes of the platform. */
export type ShardWork = {
  /** The value of QUAYSIDE_SHARD_ROWS, above 0. */
  readonly rows: number;
  /** The index with the router to all shards. */
  readonly openIndex: () => Pick<MetadataIndex, 'call'>;
};

/** `name`: of the object, a bucket's or a shard's. `callsMax`: fewer calls of a run, for tests. */
export function createShardAlarm(
  options: ShardWork & {
    readonly name: BucketName;
    readonly slot: AlarmSlot;
    readonly clock: Clock;
    readonly log: Log;
    readonly callsMax?: number;
  },
): ShardAlarm {
  const { rows, slot, openIndex, clock, log, callsMax = CALLS_MAX } = options;
  const bucket = bucketOfShard(options.name);
  /** What an earlier life of the object left is found by the first run of this one. */
  let isDue = true;
  const watcher = createGrowthWatcher({ clock, rows }, () => {
    isDue = true;
    if (slot.atMs() === null) slot.set(clock.nowMs());
  });

  /** Whether something is left. */
  async function balance(): Promise<boolean> {
    const index = openIndex();
    const stopping = new AbortController();
    let calls = 0;
    const counted: Pick<MetadataIndex, 'call'> = {
      call(...args) {
        calls += 1;
        if (calls >= callsMax || watcher.isTogether(bucket)) stopping.abort();
        return index.call(...args);
      },
    };
    const background = { run: () => undefined };
    const { signal } = stopping;
    const splitter = createShardSplitter({
      index: counted,
      clock,
      background,
      rows,
      stopping: signal,
    });
    await splitter.balance(bucket);
    return signal.aborted && !watcher.isTogether(bucket);
  }

  return {
    note(name, input) {
      const { bucket: ref } = input as { readonly bucket?: BucketRef };
      if (ref === undefined) return;
      watcher.onBegin(bucket, name, ref);
      watcher.onDone(bucket, name, ref);
    },
    async run() {
      if (!isDue) return;
      isDue = false;
      try {
        isDue = await balance();
        if (isDue) slot.set(clock.nowMs());
      } catch (cause) {
        isDue = true;
        log.error('shards-not-balanced', { bucket, cause });
        slot.set(clock.nowMs() + AFTER_FAILURE_MS);
      }
    },
  };
}
