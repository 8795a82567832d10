// The Durable Object of one bucket: the real index and the real publisher over SQLite in memory,
// reached over a simulated wire. Its waking time is billed: calls, and writes to KV that it still
// waits for.
import { createPagePublisher } from '../../../src/adapters/cloudflare/durable-objects/page-publisher.ts';
import {
  createPageRelay,
  type PagesCall,
  type PagesResponse,
} from '../../../src/adapters/cloudflare/durable-objects/page-relay.ts';
import {
  createReaderFeed,
  type FeedLimits,
} from '../../../src/adapters/cloudflare/durable-objects/reader-feed.ts';
import type { BucketFeeds } from '../../../src/adapters/cloudflare/pointers/bucket-feeds.ts';
import type {
  FeedNews,
  ReaderState,
} from '../../../src/adapters/cloudflare/pointers/feed-state.ts';
import { beginReaderCall } from '../../../src/adapters/cloudflare/pointers/reader-call.ts';
import type {
  PageLookup,
  RelayedPage,
} from '../../../src/adapters/cloudflare/pointers/relay-pages.ts';
import { openSqlite } from '../../../src/adapters/node/index/node-sqlite.ts';
import type { BucketName } from '../../../src/domain/nouns.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import { migrate } from '../../../src/index/tables/schema.ts';
import type { IndexApi, MetadataIndex } from '../../../src/ports/metadata-index.ts';
import type { Log } from '../../../src/ports/system.ts';
import { LATENCY_MS, placeOfRelay, regionOf, relayRoundTripMs } from '../latencies.ts';
import { CPU_MS, type Usage } from '../prices.ts';
import type { Timeline } from '../timeline.ts';
import { createCountedSql } from './counted-sql.ts';
import type { SimulatedKv } from './simulated-kv.ts';
import { createObjectLoad, createSimulatedObject, type ObjectLoad } from './simulated-object.ts';

/**
 * Rows that one lookup reads: bucket, object, body, and two of the index. They cost next to
 * nothing.
 */
const ROWS_READ_OF_CALL = 5;
/** Rows of each key of a page: among the keys up to twice, then with its body. */
const ROWS_READ_OF_NEIGHBOUR = 4;

/** What a reply's pages of neighbours cost; those that the object kept are not read again. */
function costOfPages(
  news: Pick<FeedNews, 'pages'> | null,
  nowMs: number,
): { rows: number; ms: number } {
  const pages = news?.pages.filter(({ pointers }) => pointers.size > 1) ?? [];
  const read = pages.filter(({ readAtMs }) => readAtMs === nowMs);
  const keys = read.reduce((sum, { pointers }) => sum + pointers.size, 0);
  return {
    rows: keys * ROWS_READ_OF_NEIGHBOUR,
    ms: read.length * LATENCY_MS.pageRead + pages.length * LATENCY_MS.pageSend,
  };
}

export type SimulatedIndex = {
  /** The calls themselves, for nothing and at once: to fill the catalogue. */
  readonly api: IndexApi;
  /** The page of a key through the relay of that place's region. */
  relay: (place: number, lookup: PageLookup) => Promise<RelayedPage | null>;
  /** A call from that place, as the port makes it. */
  call: (place: number, feeds: BucketFeeds) => MetadataIndex['call'];
  close(): void;
};

export type SimulatedIndexOptions = {
  readonly timeline: Timeline;
  readonly usage: Usage;
  readonly load: ObjectLoad;
  readonly log: Log;
  readonly bucket: BucketName;
  readonly kv: SimulatedKv['writer'];
  /** From which rates on there are pages of neighbours, and pages in KV. */
  readonly limits: FeedLimits;
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
  const api = createBucketIndex(sql);
  const object = createSimulatedObject({
    timeline,
    usage,
    load,
    billedAs: { requests: 'objectRequests', activeMs: 'objectActiveMs' },
  });
  const { bucket, limits } = options;
  const { clock } = timeline;
  const publisher = createPagePublisher({ bucket, kv: options.kv, clock, log: options.log });
  const feed = createReaderFeed({ bucket, sql, clock, publish: publisher.offer, limits });

  function runCall<Name extends keyof IndexApi>(
    name: Name,
    input: Parameters<IndexApi[Name]>[0],
    reader: ReaderState | undefined,
  ) {
    const before = sql.rowsWritten();
    let news: FeedNews | null = null;
    const value = sql.transaction(() => {
      const done = (api[name] as (input: unknown) => ReturnType<IndexApi[Name]>)(input);
      feed.note(name, input);
      if (reader !== undefined) news = feed.newsOf(name, input, done, reader);
      return done;
    });
    usage.rowsWritten += sql.rowsWritten() - before;
    const pages = costOfPages(news, clock.nowMs());
    usage.rowsRead += ROWS_READ_OF_CALL + pages.rows;
    if (name === 'commitObject') {
      const { object: committed } = input as Parameters<IndexApi['commitObject']>[0];
      options.onCommit(committed.key, committed.etag);
    }
    if (publisher.isDue()) void object.during(publisher.drain());
    return { value, news, pagesMs: pages.ms };
  }

  /** Reads pages for a relay that stands in that place. */
  async function callForPages(place: number, call: PagesCall): Promise<PagesResponse | null> {
    // What an object calls takes no CPU of a Worker.
    usage.workerCpuMs -= CPU_MS.call;
    const { news } = await object.call(
      place,
      () => {
        const record = api.getBucket({ name: bucket });
        const news = record === null ? null : feed.pagesFor(record, call);
        const pages = costOfPages(news, clock.nowMs());
        usage.rowsRead += ROWS_READ_OF_CALL * call.keys.length + pages.rows;
        if (publisher.isDue()) void object.during(publisher.drain());
        return { news, pagesMs: pages.ms };
      },
      ({ pagesMs }) => pagesMs + (call.keys.length - 1) * LATENCY_MS.keyOfRelay,
    );
    return news;
  }

  /** A relay of a region: the product's own, in an object near its readers. */
  function createRelay(region: number) {
    const relay = createPageRelay({
      callObject: (call) => callForPages(placeOfRelay(region), call),
      nowMs: timeline.nowMs,
      wait: timeline.sleep,
    });
    const near = createSimulatedObject({
      timeline,
      usage,
      load: createObjectLoad(timeline),
      roundTripMs: relayRoundTripMs,
      billedAs: { requests: 'objectRequests', activeMs: 'objectActiveMs' },
    });
    return { relay, near };
  }

  const relays = new Map<number, ReturnType<typeof createRelay>>();

  return {
    api,
    async relay(place, lookup) {
      const region = regionOf(place);
      const { relay, near } = relays.get(region) ?? createRelay(region);
      relays.set(region, { relay, near });
      usage.relayReads += 1;
      await near.call(
        place,
        () => null,
        () => LATENCY_MS.pageSend,
      );
      return near.during(relay.read(lookup));
    },
    call: (place, feeds) => async (_bucket, name, input) => {
      if (name === 'resolve') usage.indexReads += 1;
      const call = beginReaderCall(feeds, clock, bucket, name, input);
      const { value, news } = await object.call(
        place,
        () => runCall(name, input, call?.reader),
        ({ pagesMs }) => pagesMs,
      );
      call?.note(news, value);
      return value;
    },
    close: () => database.close(),
  };
}
