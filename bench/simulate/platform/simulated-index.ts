// The Durable Object of one bucket: the real index and the real publisher over SQLite in memory,
// reached over a simulated wire. Its waking time is billed: calls, and writes to KV that it still
// waits for.

import type { OffloadLimits } from '../../../src/adapters/cloudflare/durable-objects/call-rates.ts';
import { createHotPublisher } from '../../../src/adapters/cloudflare/durable-objects/hot-publisher.ts';
import { PUBLICATION_SCHEMA } from '../../../src/adapters/cloudflare/durable-objects/publication-numbers.ts';
import type { KvRecordTtls, TtlNews } from '../../../src/adapters/cloudflare/kv/kv-record-ttls.ts';
import { openSqlite } from '../../../src/adapters/node/index/node-sqlite.ts';
import type { BucketName } from '../../../src/domain/nouns.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import { migrate } from '../../../src/index/tables/schema.ts';
import type { IndexApi, MetadataIndex } from '../../../src/ports/metadata-index.ts';
import type { Log } from '../../../src/ports/system.ts';
import type { Usage } from '../prices.ts';
import type { Timeline } from '../timeline.ts';
import { createCountedSql } from './counted-sql.ts';
import type { SimulatedKv } from './simulated-kv.ts';
import { createSimulatedObject, type ObjectLoad } from './simulated-object.ts';

/**
 * Rows that one lookup reads: bucket, object, body, and two of the publisher. They cost next to
 * nothing.
 */
const ROWS_READ_OF_CALL = 5;

export type SimulatedIndex = {
  /** The calls themselves, for nothing and at once: to fill the catalogue. */
  readonly api: IndexApi;
  /** A call from that place, as the port makes it. */
  call: (place: number, ttls: KvRecordTtls) => MetadataIndex['call'];
  close(): void;
};

export type SimulatedIndexOptions = {
  readonly timeline: Timeline;
  readonly usage: Usage;
  readonly load: ObjectLoad;
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
  load,
  ...options
}: SimulatedIndexOptions): SimulatedIndex {
  const database = openSqlite(':memory:', { readOnly: false });
  const sql = createCountedSql(database);
  migrate(sql, INDEX_SCHEMA);
  migrate(sql, PUBLICATION_SCHEMA);
  const api = createBucketIndex(sql);
  const object = createSimulatedObject({
    timeline,
    usage,
    load,
    billedAs: { requests: 'objectRequests', activeMs: 'objectActiveMs' },
  });
  const publisher = createHotPublisher({
    bucket: options.bucket,
    sql,
    kv: options.kv,
    resolve: api.resolve,
    clock: timeline.clock,
    log: options.log,
    wait: timeline.sleep,
    rates: options.rates,
    putLimitMs: Number.POSITIVE_INFINITY,
  });

  function runCall<Name extends keyof IndexApi>(name: Name, input: Parameters<IndexApi[Name]>[0]) {
    const before = sql.rowsWritten();
    let isDue = false;
    let news: TtlNews | null = null;
    const value = sql.transaction(() => {
      const done = (api[name] as (input: unknown) => ReturnType<IndexApi[Name]>)(input);
      isDue = publisher.note(name, input);
      news = publisher.newsOf(name, input);
      return done;
    });
    usage.rowsWritten += sql.rowsWritten() - before;
    usage.rowsRead += ROWS_READ_OF_CALL;
    if (name === 'commitObject') {
      const { object: committed } = input as Parameters<IndexApi['commitObject']>[0];
      options.onCommit(committed.key, committed.etag);
    }
    if (isDue) void object.during(publisher.drain());
    return { value, news };
  }

  return {
    api,
    call: (place, ttls) => async (_bucket, name, input) => {
      if (name === 'resolve') usage.indexReads += 1;
      const { value, news } = await object.call(place, () => runCall(name, input));
      if (news !== null) ttls.note(options.bucket, news);
      return value;
    },
    close: () => database.close(),
  };
}
