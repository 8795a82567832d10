// A relay gathers look-ups: what it calls the bucket's object for, when, and whom it answers from
// what it has. Over real pages of an index in memory, with a clock that the test moves.
import { describe, expect, it } from 'vitest';
import {
  createPageRelay,
  type PagesCall,
  type PagesResponse,
} from '../../../src/adapters/cloudflare/durable-objects/page-relay.ts';
import {
  coversKey,
  type PointerPage,
} from '../../../src/adapters/cloudflare/pointers/pointer-page.ts';
import type { PageLookup } from '../../../src/adapters/cloudflare/pointers/relay-pages.ts';
import { regionOf } from '../../../src/adapters/cloudflare/requests/isolate-region.ts';
import type { BucketId, ObjectKey } from '../../../src/domain/nouns.ts';

const keyOf = (text: string) => text as ObjectKey;

const lookupOf = (key: string, more: Partial<PageLookup> = {}): PageLookup => ({
  key: keyOf(key),
  feedId: 'feed',
  revision: 1,
  sequence: 0,
  cuts: 0,
  ...more,
});

/** Pages of all keys with the same first letter. */
function pageOf(key: string, sequence = 1, feedId = 'feed'): PointerPage {
  const from = keyOf(key.slice(0, 1));
  const to = String.fromCharCode(from.charCodeAt(0) + 1);
  const stamp = { feedId, sequence, readAtMs: 0, bucketId: 'b~1' as BucketId, revision: 1 };
  return { ...stamp, from, to, pointers: new Map() };
}

function setUp() {
  let nowMs = 0;
  const sleeping: { untilMs: number; wake: () => void }[] = [];
  const calls: { atMs: number; call: PagesCall; reply: (news: PagesResponse | null) => void }[] =
    [];
  const failing: ((error: Error) => void)[] = [];
  const relay = createPageRelay({
    callObject: (call) =>
      new Promise((resolve, reject) => {
        calls.push({ atMs: nowMs, call, reply: resolve });
        failing.push(reject);
      }),
    nowMs: () => nowMs,
    wait: (ms) => new Promise((wake) => sleeping.push({ untilMs: nowMs + ms, wake })),
  });
  const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
  async function advance(ms: number): Promise<void> {
    nowMs += ms;
    for (const sleeper of [...sleeping]) {
      if (sleeper.untilMs > nowMs) continue;
      sleeping.splice(sleeping.indexOf(sleeper), 1);
      sleeper.wake();
    }
    await turn();
  }
  /** What the object says to that call: a page of each key, and a cut where each begins. */
  async function answer(call: number, more: Partial<PagesResponse> & { sequence?: number } = {}) {
    const { sequence = 1, feedId = 'feed', ...rest } = more;
    const made = calls[call]?.call.keys.map((key) => pageOf(key, sequence, feedId)) ?? [];
    const pages = [...new Map(made.map((page) => [page.from, page])).values()];
    const cuts = pages.map(({ from }) => from);
    calls[call]?.reply({ feedId, isRelayed: true, cuts, pages, ...rest });
    await turn();
  }
  return { relay, calls, failing, advance, answer };
}

describe('a relay', () => {
  it('calls at once when it rests, and gathers what comes in a tenth of a second', async () => {
    const { relay, calls, advance, answer } = setUp();
    const first = relay.read(lookupOf('a1'));
    await advance(0);
    const others = ['b1', 'b2', 'b1', 'c1'].map((key) => relay.read(lookupOf(key)));
    await advance(99);
    expect(calls.map(({ call }) => call.keys)).toEqual([['a1']]);
    await advance(1);
    expect(calls.map(({ atMs }) => atMs)).toEqual([0, 100]);
    expect(calls[1]?.call.keys).toEqual(['b1', 'b2', 'c1']);
    await answer(0);
    await answer(1);
    expect((await first)?.page.from).toBe('a');
    const found = await Promise.all(others);
    expect(found.map((reply) => reply?.page.from)).toEqual(['b', 'b', 'b', 'c']);
    await advance(1000);
    expect(calls).toHaveLength(2);
  });

  it('makes ten calls a second at most, each of 64 keys', async () => {
    const { relay, calls, advance } = setUp();
    for (let at = 0; at < 1000; at++) void relay.read(lookupOf(`k${at}`));
    for (let tenth = 0; tenth < 10; tenth++) await advance(tenth === 0 ? 0 : 100);
    expect(calls.map(({ call }) => call.keys.length)).toEqual(Array(10).fill(64));
  });

  it('takes so many that wait, and no more', async () => {
    const { relay, advance } = setUp();
    for (let at = 0; at < 2048; at++) void relay.read(lookupOf(`k${at}`));
    expect(await relay.read(lookupOf('one more'))).toBeNull();
    await advance(0);
    void relay.read(lookupOf('then there is room'));
  });

  it('answers from a page that it has, and says its cuts to who knows fewer', async () => {
    const { relay, calls, advance, answer } = setUp();
    const first = relay.read(lookupOf('a1'));
    await advance(0);
    await answer(0);
    expect((await first)?.cuts).toEqual(['a']);
    const second = await relay.read(lookupOf('a2', { cuts: 1 }));
    expect([second?.page.from, second?.cuts, second?.isRelayed]).toEqual(['a', [], true]);
    expect(calls).toHaveLength(1);
    void relay.read(lookupOf('b1'));
    await advance(100);
    expect(calls[1]?.call).toEqual({ keys: ['b1'], feedId: 'feed', cuts: 1 });
  });

  it('calls the object anew for who knows a later change, another revision or feed', async () => {
    const { relay, calls, advance, answer } = setUp();
    void relay.read(lookupOf('a1'));
    await advance(0);
    await answer(0);
    const wants = [{ sequence: 2 }, { revision: 2 }, { feedId: 'next' }];
    const replies = wants.map((more) => relay.read(lookupOf('a1', more)));
    await advance(100);
    expect(calls[1]?.call.keys).toEqual(['a1']);
    await answer(1, { feedId: 'next', sequence: 1 });
    const found = await Promise.all(replies);
    expect(found.map((reply) => reply?.page.feedId)).toEqual([undefined, undefined, 'next']);
    // What it had of the feed before is gone.
    void relay.read(lookupOf('a1'));
    await advance(100);
    expect(calls).toHaveLength(3);
  });

  it('lets nobody join a call that has begun', async () => {
    const { relay, calls, advance, answer } = setUp();
    const early = relay.read(lookupOf('a1'));
    await advance(0);
    const late = relay.read(lookupOf('a1', { sequence: 2 }));
    await answer(0, { sequence: 1 });
    expect((await early)?.page.sequence).toBe(1);
    await advance(100);
    expect(calls).toHaveLength(2);
    await answer(1, { sequence: 2 });
    expect((await late)?.page.sequence).toBe(2);
  });

  it('says when the object gives no page, has no bucket, or fails, and goes on', async () => {
    const { relay, failing, advance, answer, calls } = setUp();
    const closed = relay.read(lookupOf('a1'));
    await advance(0);
    await answer(0, { pages: [] });
    expect(await closed).toBeNull();
    const gone = relay.read(lookupOf('a1'));
    await advance(100);
    calls[1]?.reply(null);
    expect(await gone).toBeNull();
    const failed = relay.read(lookupOf('a1'));
    await advance(100);
    failing[2]?.(new Error('expected by the test'));
    await expect(failed).rejects.toThrow('expected by the test');
    const fine = relay.read(lookupOf('a1'));
    await advance(100);
    await answer(3);
    expect(coversKey((await fine)?.page as PointerPage, keyOf('a1'))).toBe(true);
  });

  it('keeps no page for longer than a page may be used', async () => {
    const { relay, calls, advance, answer } = setUp();
    void relay.read(lookupOf('a1'));
    await advance(0);
    await answer(0);
    await advance(3_600_000);
    void relay.read(lookupOf('a1'));
    await advance(0);
    expect(calls).toHaveLength(2);
  });
});

describe('the part of the world of a client', () => {
  it.each([
    ['NA', '-122.4', 'wnam'],
    ['NA', '-73.9', 'enam'],
    ['SA', '-46.6', 'sam'],
    ['EU', '8.6', 'weur'],
    ['EU', '30.5', 'eeur'],
    ['AS', '55.3', 'me'],
    ['AS', '139.7', 'apac'],
    ['AF', '18.4', 'afr'],
    ['OC', '151.2', 'oc'],
    ['AN', '0', 'sam'],
    ['EU', undefined, 'weur'],
    [undefined, undefined, null],
  ])('%s at %s is %s', (continent, longitude, region) => {
    expect(regionOf({ continent, longitude })).toBe(region);
  });
});
