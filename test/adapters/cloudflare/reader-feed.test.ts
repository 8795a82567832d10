// What a bucket's object says to readers beside its answers: numbers of changes, pages of pointers
// and when there are any. Over the real index in memory, with a clock of the test's own.
import { expect, it } from 'vitest';
import {
  createReaderFeed,
  FEED_LIMITS,
} from '../../../src/adapters/cloudflare/durable-objects/reader-feed.ts';
import {
  CHANGES_MAX,
  type FeedNews,
  type ReaderState,
} from '../../../src/adapters/cloudflare/pointers/feed-state.ts';
import type { PointerPage } from '../../../src/adapters/cloudflare/pointers/pointer-page.ts';
import { openSqlite } from '../../../src/adapters/node/index/node-sqlite.ts';
import { PRIVATE_ACCESS } from '../../../src/domain/bucket-access.ts';
import { NO_SETTINGS } from '../../../src/domain/bucket-settings.ts';
import { compareUtf8 } from '../../../src/domain/keys/compare-utf8.ts';
import type { BucketName, ObjectKey } from '../../../src/domain/nouns.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import { migrate } from '../../../src/index/tables/schema.ts';
import type { IndexApi } from '../../../src/ports/metadata-index.ts';
import { accessWithReads, PUBLIC_ACCESS } from '../../access-samples.ts';
import { bucketRecord, objectOf, refOf } from '../../contract/index/samples.ts';
import { entryOf, shareLinkOf } from '../../contract/index/share-links.contract.ts';

const name = 'fed-bucket' as BucketName;
const NEW: ReaderState = { cursor: null, hasPage: false };

function makeFeed(
  options: { metadata?: 'strict' | 'kv' | null; access?: typeof PUBLIC_ACCESS } = {},
) {
  const sql = openSqlite(':memory:', { readOnly: false });
  migrate(sql, INDEX_SCHEMA);
  const index = createBucketIndex(sql);
  const clock = { ms: 1_750_000_000_000, nowMs: () => clock.ms };
  const published: PointerPage[] = [];
  const feed = createReaderFeed({
    bucket: name,
    sql,
    clock,
    publish: (page) => void published.push(page),
  });

  function call<Name extends keyof IndexApi>(
    method: Name,
    input: Parameters<IndexApi[Name]>[0],
    reader = NEW,
  ): FeedNews | null {
    const value = (index[method] as (given: typeof input) => ReturnType<IndexApi[Name]>)(input);
    feed.note(method, input);
    return feed.newsOf(method, input, value, reader);
  }

  const bucket = {
    ...bucketRecord({ name }),
    access: options.access ?? PUBLIC_ACCESS,
    settings: { ...NO_SETTINGS, metadata: options.metadata ?? null },
  };
  call('createBucket', { bucket });
  const put = (key: string, inlineBytes = new Uint8Array(3)) =>
    call('commitObject', {
      bucket: refOf(bucket),
      object: { ...objectOf(key), segments: [], inlineBytes, sizeBytes: inlineBytes.length },
      condition: null,
      newReferences: [],
    });
  function ask(key: string, reader = NEW): FeedNews {
    const news = call('resolve', { name, key: key as ObjectKey }, reader);
    if (news === null) throw new Error('no news');
    return news;
  }
  /** Asks so often that the object is busy. */
  function rush(perSecond: number): void {
    for (let at = 0; at < perSecond; at++) ask('nothing', { cursor: null, hasPage: true });
  }
  return { call, put, ask, rush, clock, published, bucket, feed };
}

/** Where a reader stands that has heard these news. */
const after = ({ feedId, sequence, cuts, filledTo }: FeedNews, hasPage = true): ReaderState => ({
  cursor: { feedId, sequence, cuts: cuts.length, filledTo },
  hasPage,
});

it('the feed says of each change only to who has not heard of it', () => {
  const { put, ask } = makeFeed();
  expect(put('a')).toBeNull();
  const first = ask('a');
  put('b');
  put('a');
  const second = ask('a', after(first));
  expect(second.changes.map(([key]) => key)).toEqual(['b', 'a']);
  expect(second.sequence).toBe(first.sequence + 2);
  expect(second.floor).toBe(first.sequence);
  expect(ask('a', after(second)).changes).toEqual([]);
  expect(ask('a').changes.map(([key]) => key)).toEqual(['b', 'a']);
  expect(
    ask('a', { cursor: { feedId: 'x', sequence: 9, cuts: 9, filledTo: null }, hasPage: true })
      .floor,
  ).toBe(0);
});

it('the feed remembers so many changes, and says from where on it does', () => {
  const { put, ask } = makeFeed();
  const first = ask('a');
  for (let at = 0; at < CHANGES_MAX + 10; at++) put(`k${at}`);
  const news = ask('a', after(first));
  expect(news.changes.length).toBe(CHANGES_MAX);
  expect(news.floor).toBe(first.sequence + 10);
  put('x'.repeat(1000));
  for (let at = 0; at < 40; at++) put(`${at}`.padEnd(1000, 'y'));
  expect(ask('a').changes.length).toBeLessThan(40);
});

it('the feed gives a page of one key until the bucket is busy, then neighbours for a while', () => {
  const { put, ask, rush, clock } = makeFeed();
  for (const key of ['a', 'b', 'c']) put(key);
  expect(ask('b').pages).toMatchObject([{ from: 'b', to: 'b\0' }]);
  expect(ask('b', { cursor: null, hasPage: true }).pages).toEqual([]);
  rush(FEED_LIMITS.pagesPerSecond);
  const { pages, cuts } = ask('b');
  expect(pages).toMatchObject([{ from: '', to: null }]);
  expect([...(pages[0]?.pointers.keys() ?? [])]).toEqual(['a', 'b', 'c']);
  expect(cuts).toEqual(['']);
  clock.ms += FEED_LIMITS.holdMs - 1;
  expect(ask('b').pages).toMatchObject([{ from: '' }]);
  clock.ms += FEED_LIMITS.holdMs;
  expect(ask('b').pages).toMatchObject([{ from: 'b' }]);
});

it('the feed cuts pages that have every key once, in the order of UTF-8', () => {
  const { put, ask, rush } = makeFeed();
  const keys = Array.from({ length: 700 }, (_, at) => {
    const start = ['', '\uffee', '😀', 'ä'][at % 4] ?? '';
    return `${start}${(at * 7919) % 1000}`;
  }).sort(compareUtf8);
  for (const key of keys) put(key);
  rush(FEED_LIMITS.pagesPerSecond);
  let reader = NEW;
  const pages = new Map<string, PointerPage>();
  let cutsKnown = 0;
  for (let at = 0; at < keys.length; at++) {
    const key = keys[(at * 331) % keys.length] ?? '';
    const news = ask(key, reader);
    cutsKnown += news.cuts.length;
    reader = { cursor: { ...news, cuts: cutsKnown }, hasPage: false };
    const [page] = news.pages;
    if (page === undefined) throw new Error('no page');
    const { from, to } = page;
    const within = keys.filter(
      (each) => compareUtf8(from, each) <= 0 && (to === null || compareUtf8(each, to) < 0),
    );
    expect(within).toContain(key);
    expect([...page.pointers.keys()]).toEqual(within);
    expect(within.length).toBeLessThanOrEqual(64);
    pages.set(from, page);
  }
  expect(pages.size).toBeLessThan(keys.length / 20);
});

it('the feed sends a busy bucket whole, some pages a reply, each once, no closed one', () => {
  const { put, ask, rush } = makeFeed({ access: accessWithReads({ open: ['open/'] }) });
  const keys = Array.from({ length: 900 }, (_, at) => `open/${at}`).sort(compareUtf8);
  for (const key of [...keys, 'secret/a']) put(key);
  expect(ask('open/5')).toMatchObject({ filledTo: '', pages: [{ from: 'open/5' }] });
  rush(FEED_LIMITS.pagesPerSecond);
  let reader = NEW;
  const sent = new Map<string, number>();
  let replies = 0;
  let cutsKnown = 0;
  for (let isDone = false; !isDone; replies++) {
    const news = ask('open/5', { ...reader, hasPage: true });
    cutsKnown += news.cuts.length;
    expect(news.pages.length).toBeLessThanOrEqual(8);
    for (const { pointers } of news.pages)
      for (const key of pointers.keys()) sent.set(key, (sent.get(key) ?? 0) + 1);
    reader = { cursor: { ...news, cuts: cutsKnown }, hasPage: true };
    isDone = news.filledTo === null;
  }
  expect([...sent]).toEqual(keys.map((key) => [key, 1]));
  expect(replies).toBeGreaterThan(1);
  expect(ask('open/5', reader).pages).toEqual([]);
});

it('the feed sends a busy bucket anew once every page of it has ended', () => {
  const { put, ask, rush, call, bucket } = makeFeed();
  for (let at = 0; at < 100; at++) put(`k${at}`);
  rush(FEED_LIMITS.pagesPerSecond);
  const first = ask('k1');
  expect(first).toMatchObject({ filledTo: null, pages: [{}, {}] });
  put('k1');
  expect(ask('k2', after(first)).pages.map(({ from }) => from)).toEqual(['k1']);

  for (let at = 0; at < CHANGES_MAX + 1; at++) put(`k${at % 100}/${at}`);
  const second = ask('k2', after(first));
  expect(second.pages.length).toBeGreaterThan(2);
  const third = ask('k2', after(second));
  expect(third.filledTo).toBeNull();
  expect(ask('k2', after(third)).pages).toEqual([]);

  call('setBucketSettings', { bucket: refOf(bucket), settings: NO_SETTINGS });
  expect(ask('k2', after(third)).pages.length).toBeGreaterThan(2);
});

it('the feed sends the next colo what has changed since pages were read for the first', () => {
  const { put, ask, rush } = makeFeed();
  for (let at = 0; at < 200; at++) put(`k${at}`);
  rush(FEED_LIMITS.pagesPerSecond);
  const reader = { cursor: null, hasPage: true };
  const first = ask('none', reader).pages;
  expect(ask('none', reader).pages).toEqual(first);
  put('k1');
  put('k15-new');
  const second = ask('none', reader);
  const pointers = second.pages.flatMap((page) => [...page.pointers.keys()]);
  expect(pointers).toContain('k15-new');
  const changed = second.pages.find((page) => page.pointers.has('k15-new' as ObjectKey));
  expect(changed?.sequence).toBe(second.sequence);
  expect(second.pages.at(-1)).toBe(first.at(-1));
});

it('the feed ends what it sends unasked where bodies fill a reply', () => {
  const { put, ask, rush } = makeFeed();
  for (let at = 1000; at < 1400; at++) put(`k${at}`, new Uint8Array(16 * 1024));
  rush(FEED_LIMITS.pagesPerSecond);
  const { pages, filledTo } = ask('k1000', { cursor: null, hasPage: true });
  expect(filledTo).not.toBeNull();
  const bodies = pages.flatMap(({ pointers }) => [...pointers.values()]);
  expect(bodies.length * 16).toBeLessThan(1024 + 64);
});

it('the feed sends nothing unasked of strict or large buckets, or to the release before', () => {
  const strict = makeFeed({ metadata: 'strict' });
  strict.put('a');
  strict.rush(FEED_LIMITS.pagesPerSecond);
  expect(strict.ask('a').pages).toEqual([]);

  const large = makeFeed();
  for (let at = 0; at < 8193; at++) large.put(`k${at}`, new Uint8Array(0));
  large.rush(FEED_LIMITS.pagesPerSecond);
  expect(large.ask('k1')).toMatchObject({ filledTo: null, pages: [{ from: expect.any(String) }] });

  const small = makeFeed();
  for (let at = 0; at < 200; at++) small.put(`k${at}`);
  small.rush(FEED_LIMITS.pagesPerSecond);
  const { cursor } = after(small.ask('k1'));
  const { filledTo: _filledTo, ...old } = cursor ?? {};
  const reader = { cursor: old, hasPage: true } as unknown as ReaderState;
  expect(small.ask('k1', reader).pages).toEqual([]);
});

it('the feed ends a page where small bodies fill it', () => {
  const { put, ask, rush } = makeFeed();
  for (let at = 10; at < 30; at++) put(`k${at}`, new Uint8Array(16 * 1024));
  rush(FEED_LIMITS.pagesPerSecond);
  for (const key of ['k10', 'k29', 'k15', 'k29']) {
    const [page] = ask(key).pages;
    expect(page?.pointers.has(key as ObjectKey)).toBe(true);
    expect(page?.pointers.size).toBeLessThanOrEqual(4);
  }
});

it('the feed cuts no more than readers can keep: further keys have pages of their own', () => {
  const { put, ask, rush } = makeFeed();
  const keyOf = (at: number) => `${10_000 + at}`.padEnd(1000, 'x');
  for (let at = 0; at < 5000; at++) put(keyOf(at));
  rush(FEED_LIMITS.pagesPerSecond);
  const sizes: number[] = [];
  for (let at = 0; at < 5000; at += 50) {
    const [page] = ask(keyOf(at)).pages;
    expect(page?.pointers.has(keyOf(at) as ObjectKey)).toBe(true);
    sizes.push(page?.pointers.size ?? 0);
  }
  expect(sizes.at(0)).toBe(64);
  expect(sizes.at(-1)).toBe(1);
  expect(ask(keyOf(0)).cuts.join('').length).toBeLessThanOrEqual(64 * 1024);
});

it('the feed brings the new pointers of a few changed keys, so that nobody asks for each', () => {
  const { put, ask } = makeFeed();
  const first = ask('a');
  put('b');
  put('c');
  const pushed = ask('a', after(first)).pages;
  expect(pushed.map(({ from }) => from)).toEqual(['b', 'c']);
  expect(pushed[0]?.pointers.size).toBe(1);
  for (let at = 0; at < 9; at++) put(`k${at}`);
  expect(ask('a', after(first)).pages).toEqual([]);
  expect(ask('a').pages.map(({ from }) => from)).toEqual(['a']);
});

it('the feed gives out nothing that nobody may read, and no page of a strict bucket', () => {
  const strict = makeFeed({ metadata: 'strict' });
  strict.put('a');
  expect(strict.ask('a')).toMatchObject({ pages: [], changes: [['a', expect.any(Number)]] });

  const partly = makeFeed({ access: accessWithReads({ open: ['open/'] }), metadata: 'kv' });
  for (const key of ['open/a', 'secret/b']) partly.put(key);
  const first = partly.ask('open/a');
  expect([...(first.pages[0]?.pointers.keys() ?? [])]).toEqual(['open/a']);
  expect(partly.ask('secret/b').pages).toEqual([]);
  partly.put('secret/b');
  expect(partly.ask('open/a', after(first)).pages).toEqual([]);
});

it('the feed publishes near its limit, and always where the bucket is set so', () => {
  const { put, ask, rush, published, clock } = makeFeed();
  put('a');
  rush(FEED_LIMITS.offloadPerSecond - 2);
  expect(ask('a').isOffloaded).toBe(false);
  expect(published).toEqual([]);
  expect(ask('a').isOffloaded).toBe(true);
  expect(published).toMatchObject([{ from: '' }]);
  clock.ms += FEED_LIMITS.holdMs * 2;
  expect(ask('a').isOffloaded).toBe(false);

  const always = makeFeed({ metadata: 'kv' });
  always.put('a');
  expect(always.ask('a').isOffloaded).toBe(false);
  expect(always.published).toMatchObject([{ from: '', to: null }]);
});

it('the feed wants relays once many pages are asked for at once, and for a while', () => {
  const { put, ask, clock } = makeFeed();
  put('a');
  const proof = after(ask('a'));
  for (let at = 0; at < 2 * FEED_LIMITS.relayPerBurst; at++) ask('a', proof);
  expect(ask('a').isRelayed).toBe(false);
  clock.ms += 1000;
  for (let at = 1; at < FEED_LIMITS.relayPerBurst; at++) expect(ask('a').isRelayed).toBe(false);
  expect(ask('a').isRelayed).toBe(true);
  clock.ms += FEED_LIMITS.relayHoldMs - 1;
  expect(ask('a').isRelayed).toBe(true);
  clock.ms += 1;
  expect(ask('a').isRelayed).toBe(false);
});

it('the feed counts no visitor of a link for relays, and gives them nothing that it opens', () => {
  const { call, put, feed, bucket } = makeFeed({ access: PRIVATE_ACCESS });
  put('a');
  const key = 'a' as ObjectKey;
  const link = shareLinkOf({ target: { kind: 'object', key, versionId: null } });
  call('addShareLink', { bucket: refOf(bucket), link, entry: entryOf() });
  for (let at = 0; at < FEED_LIMITS.relayPerBurst; at++) {
    const found = call('findShareLink', { bucket: refOf(bucket), id: link.id, labelId: null });
    const news = call('resolve', { name, key, isInvited: true });
    expect([found?.isRelayed, news?.isRelayed]).toEqual([false, false]);
    expect(news?.pages).toMatchObject([{ from: 'a', isInvited: true }]);
  }
  expect(feed.pagesFor(bucket, { keys: [key], feedId: null, cuts: 0 }).pages).toEqual([]);
});

it('the feed gives relays each page once, anew where a key of it has changed', () => {
  const { put, feed, bucket } = makeFeed();
  for (const key of ['a', 'b', 'c']) put(key);
  const wanted = { keys: ['a', 'b'] as ObjectKey[], feedId: null, cuts: 0 };
  const first = feed.pagesFor(bucket, wanted);
  expect(first.pages.map(({ from, to, pointers }) => [from, to, pointers.size])).toEqual([
    ['', null, 3],
  ]);
  expect(first.cuts).toEqual(['']);
  const { feedId } = first;
  const again = feed.pagesFor(bucket, { ...wanted, feedId, cuts: 1 });
  expect([again.cuts, again.pages[0]]).toEqual([[], first.pages[0]]);
  put('c');
  const [changed] = feed.pagesFor(bucket, wanted).pages;
  expect(changed?.sequence).toBe((first.pages[0]?.sequence ?? 0) + 1);
});

it('the feed says of a changed key that begins a page what the whole page has', () => {
  const { put, ask, rush } = makeFeed();
  const keys = Array.from({ length: 70 }, (_, at) => `k${at + 100}`);
  for (const key of keys) put(key);
  rush(FEED_LIMITS.pagesPerSecond);
  const first = ask('k100');
  const cut = first.cuts.at(-1) ?? '';
  expect(keys).toContain(cut);
  put(cut);
  put('k101');
  const news = ask('k100', after(first));
  expect(news.pages.map(({ from, pointers }) => [from, pointers.size])).toEqual([
    [cut, 6],
    ['k101', 1],
  ]);
});

it('the feed counts what relays ask for, and gives them nothing that is strict or closed', () => {
  const { put, feed, bucket } = makeFeed();
  put('a');
  const keys = Array.from({ length: FEED_LIMITS.relayPerBurst }, (_, at) => `k${at}` as ObjectKey);
  expect(feed.pagesFor(bucket, { keys, feedId: null, cuts: 0 }).isRelayed).toBe(true);

  const strict = makeFeed({ metadata: 'strict' });
  const one = { keys: ['a'] as ObjectKey[], feedId: null, cuts: 0 };
  expect(strict.feed.pagesFor(strict.bucket, one).pages).toEqual([]);
  const partly = makeFeed({ access: accessWithReads({ open: ['open/'] }) });
  expect(partly.feed.pagesFor(partly.bucket, one).pages).toEqual([]);
});

it('the feed looks up several keys at once', () => {
  const { put, call } = makeFeed();
  put('a');
  const keys = ['a', 'b'] as ObjectKey[];
  const news = call('resolveAll', { name, keys });
  expect(news?.pages.map(({ from, pointers }) => [from, pointers.size])).toEqual([
    ['a', 1],
    ['b', 0],
  ]);
});
