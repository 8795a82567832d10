// The Durable Object of one bucket: the real index and the real publisher over SQLite in memory,
// reached over a simulated wire. It does one call at a time, and its waking time is billed: calls,
// and writes to KV that it still waits for.

import type { OffloadLimits } from '../../src/adapters/cloudflare/durable-objects/call-rates.ts';
import { createHotPublisher } from '../../src/adapters/cloudflare/durable-objects/hot-publisher.ts';
import { PUBLICATION_SCHEMA } from '../../src/adapters/cloudflare/durable-objects/publication-numbers.ts';
import type { KvRecordTtls, TtlNews } from '../../src/adapters/cloudflare/kv/kv-record-ttls.ts';
import { openSqlite } from '../../src/adapters/node/index/node-sqlite.ts';
import type { BucketName } from '../../src/domain/nouns.ts';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../../src/index/tables/index-schema.ts';
import { migrate } from '../../src/index/tables/schema.ts';
import type { IndexApi, MetadataIndex } from '../../src/ports/metadata-index.ts';
import type { Log } from '../../src/ports/system.ts';
import { indexRoundTripMs, LATENCY_MS } from './latencies.ts';
import { CPU_MS, type Usage } from './prices.ts';
import type { SimulatedKv } from './simulated-kv.ts';
import type { Timeline } from './timeline.ts';

/**
 * Rows that one lookup reads: bucket, object, body, and two of the publisher. They cost next to
 * nothing.
 */
const ROWS_READ_OF_CALL = 5;

export type SimulatedIndex = {
  /** The calls themselves, for nothing and at once: to fill the catalogue. */
  readonly api: IndexApi;
  /** The port as an isolate in that place has it. */
  at(place: number, ttls: KvRecordTtls): MetadataIndex;
  /** Calls in the second that had most of them. */
  busiestSecond(): number;
  close(): void;
};

export type SimulatedIndexOptions = {
  readonly timeline: Timeline;
  readonly usage: Usage;
  readonly log: Log;
  readonly bucket: BucketName;
  readonly kv: SimulatedKv['writer'];
  /** When the valve opens. */
  readonly rates: OffloadLimits;
  /** Sees each commit at the moment when it is done. */
  readonly onCommit: (key: string, etag: string) => void;
};

export function createSimulatedIndex({
  timeline,
  usage,
  ...options
}: SimulatedIndexOptions): SimulatedIndex {
  const sql = openSqlite(':memory:', { readOnly: false });
  migrate(sql, INDEX_SCHEMA);
  migrate(sql, PUBLICATION_SCHEMA);
  const api = createBucketIndex(sql);
  const awake = createAwakeTime(timeline, usage);
  const load = createLoad(timeline);
  const { kv } = options;
  const publisher = createHotPublisher({
    bucket: options.bucket,
    sql,
    kv,
    resolve: api.resolve,
    clock: timeline.clock,
    log: options.log,
    wait: timeline.sleep,
    rates: options.rates,
    putLimitMs: Number.POSITIVE_INFINITY,
  });
  let freeAtMs = timeline.nowMs();

  function drain(): void {
    void awake.during(publisher.drain());
  }

  const rowsWritten = (): number =>
    sql.all<{ n: number }>('SELECT total_changes() AS n')[0]?.n ?? 0;

  /** Null until the first call: what filled the catalogue is not counted. */
  let lastRowsWritten: number | null = null;

  function runCall<Name extends keyof IndexApi>(name: Name, input: Parameters<IndexApi[Name]>[0]) {
    lastRowsWritten ??= rowsWritten();
    let isDue = false;
    let news: TtlNews | null = null;
    const value = sql.transaction(() => {
      const done = (api[name] as (input: unknown) => ReturnType<IndexApi[Name]>)(input);
      isDue = publisher.note(name, input);
      news = publisher.newsOf(name, input);
      return done;
    });
    const written = rowsWritten();
    usage.rowsWritten += written - lastRowsWritten;
    lastRowsWritten = written;
    usage.rowsRead += ROWS_READ_OF_CALL;
    if (name === 'commitObject') {
      const { object } = input as Parameters<IndexApi['commitObject']>[0];
      options.onCommit(object.key, object.etag);
    }
    if (isDue) drain();
    return { value, news };
  }

  return {
    api,
    at(place, ttls) {
      const oneWayMs = indexRoundTripMs(place) / 2;
      return {
        async call(_bucket, name, input) {
          usage.objectRequests += 1;
          usage.workerCpuMs += CPU_MS.call;
          if (name === 'resolve') usage.indexReads += 1;
          await timeline.sleep(oneWayMs);
          load.count();
          freeAtMs = Math.max(freeAtMs, timeline.nowMs()) + LATENCY_MS.indexService;
          await awake.during(timeline.sleep(freeAtMs - timeline.nowMs()));
          const { value, news } = runCall(name, input);
          await timeline.sleep(oneWayMs);
          if (news !== null) ttls.note(options.bucket, news);
          return value;
        },
      };
    },
    busiestSecond: load.busiest,
    close: () => sql.close(),
  };
}

/** Adds up the time in which at least one piece of work is under way. */
function createAwakeTime(timeline: Timeline, usage: Usage) {
  let running = 0;
  let sinceMs = 0;
  return {
    async during(work: Promise<void>): Promise<void> {
      if (running++ === 0) sinceMs = timeline.nowMs();
      try {
        await work;
      } finally {
        if (--running === 0) usage.objectActiveMs += timeline.nowMs() - sinceMs;
      }
    },
  };
}

function createLoad(timeline: Timeline) {
  let second = 0;
  let calls = 0;
  let busiest = 0;
  return {
    count(): void {
      const now = Math.floor(timeline.nowMs() / 1000);
      calls = now === second ? calls + 1 : 1;
      second = now;
      busiest = Math.max(busiest, calls);
    },
    busiest: () => busiest,
  };
}
