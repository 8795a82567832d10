// What isolates of one colo, and of others, show of a bucket while one of them changes it: each
// change is seen within the bound of the bucket's setting, by whatever tier a reader is answered,
// and the object is asked once for what a colo has. Durable Objects, KV and the Cache API are real.
import { evictDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import {
  decodePage,
  encodePage,
  kvPageName,
} from '../../../src/adapters/cloudflare/pointers/pointer-page.ts';
import type { BucketSettings } from '../../../src/domain/bucket-settings.ts';
import type { BucketName, ObjectKey, VersionId } from '../../../src/domain/nouns.ts';
import {
  bucketObject,
  freshBucketName,
  objectOf,
  PRIVATE,
  PUBLIC,
  recordOf,
  refOf,
} from '../kit/bucket.ts';
import {
  type ColoIsolate,
  createColo,
  createColoIsolate,
  createTestClock,
} from '../kit/colo-isolate.ts';

type Mode = BucketSettings['metadata'];
const key = 'ä//../😀' as ObjectKey;

async function makeBucket(mode: Mode = null, ...keys: string[]) {
  const name = freshBucketName();
  const { call, stub } = bucketObject(name);
  const made = recordOf(name, PUBLIC);
  const record = await call('createBucket', {
    bucket: { ...made, settings: { ...made.settings, metadata: mode } },
  });
  const commit = (of: string, etag: string, to = refOf(record)) => ({
    bucket: to,
    object: objectOf(of, etag),
    condition: null,
    newReferences: [],
  });
  // At once, so that the object commits them together.
  await Promise.all([key, ...keys].map((of) => call('commitObject', commit(of, 'e1'))));
  /** Looks up so often that the object takes the bucket for busy. */
  async function makeBusy(): Promise<void> {
    await Promise.all(Array.from({ length: 60 }, () => call('resolve', { name, key })));
  }
  return { name, call, stub, record, commit, makeBusy };
}

/** A change as a request of that isolate makes it, and what readers see of it. */
const CHANGES: readonly [
  string,
  string,
  (by: ColoIsolate, name: BucketName) => Promise<unknown>,
][] = [
  [
    'a write',
    'e2',
    async (by, name) =>
      (await by.open(name)).call('commitObject', {
        object: objectOf(key, 'e2'),
        condition: null,
        newReferences: [],
      }),
  ],
  [
    'a deletion',
    'none',
    async (by, name) =>
      (await by.open(name)).call('deleteObjects', {
        targets: [{ key, versionId: null, condition: null, markerId: 'marker' as VersionId }],
        bypassGovernance: false,
        ownerId: null,
        nowMs: 1_750_000_000_000,
      }),
  ],
  [
    'a bucket made private',
    'closed',
    async (by, name) => (await by.open(name)).call('setBucketAccess', { access: PRIVATE }),
  ],
];
/** How old what readers see may be, and whether other isolates of a colo can show it. */
const MODES: readonly [string, Mode, number, boolean][] = [
  ['strict', 'strict', 1000, false],
  ['balanced', null, 5000, true],
  ['kv', 'kv', 60_000, true],
];

for (const [modeName, mode, boundMs] of MODES) {
  describe(`a bucket set to ${modeName}`, () => {
    it.each(CHANGES)('shows %s everywhere within its bound', async (_what, state, change) => {
      const { name } = await makeBucket(mode);
      const clock = createTestClock();
      const [here, there] = [createColo(), createColo()];
      const writer = createColoIsolate(clock, here);
      const [near, far] = [createColoIsolate(clock, here), createColoIsolate(clock, there)];
      for (const reader of [writer, near, far])
        expect((await reader.read(name, key)).state).toBe('e1');
      // The second question is what brings the page to KV, where that is wanted.
      for (const reader of [near, far]) await reader.read(name, 'other');

      await change(writer, name);
      await writer.settle();
      expect((await writer.read(name, key)).state).toBe(state);
      expect((await createColoIsolate(clock, createColo()).read(name, key)).state).toBe(state);
      // The past is shown until then, so the bound means something.
      clock.ms += boundMs - 1;
      expect((await far.read(name, key)).state).toBe('e1');
      clock.ms += 1;
      for (const reader of [near, far, writer])
        expect((await reader.read(name, key)).state).toBe(state);
      for (const open of [here, there])
        expect((await createColoIsolate(clock, open).read(name, key)).state).toBe(state);
    });
  });
}

describe('the tier of a colo', () => {
  it('answers other isolates without the object, but for strict buckets', async () => {
    for (const [, mode, , isShared] of MODES) {
      const { name } = await makeBucket(mode);
      const clock = createTestClock();
      const open = createColo();
      await createColoIsolate(clock, open).read(name, key);
      const other = createColoIsolate(clock, open);
      const tier = isShared ? 'colo' : 'index';
      expect(await other.read(name, key)).toEqual({ state: 'e1', tier });
      expect(other.calls()).toBe(isShared ? 0 : 1);
    }
  });

  it('lets no age add up: what it gives is as old as the call of the index', async () => {
    const { name, call, commit } = await makeBucket();
    const clock = createTestClock();
    const open = createColo();
    await createColoIsolate(clock, open).read(name, key);
    await call('commitObject', commit(key, 'e2'));
    clock.ms += 2999;
    const second = createColoIsolate(clock, open);
    expect(await second.read(name, key)).toEqual({ state: 'e1', tier: 'colo' });
    expect(second.hotMetadata.peek(name, key)?.pointer?.etag).toBe('e1');
    clock.ms += 1;
    expect(second.hotMetadata.peek(name, key)).toBeNull();
    // Nobody refreshes it behind a response.
    clock.ms += 2000;
    const third = createColoIsolate(clock, open);
    expect(await third.read(name, key)).toEqual({ state: 'e2', tier: 'index' });
    expect(await second.read(name, key)).toEqual({ state: 'e2', tier: 'colo' });
  });

  it('is refreshed behind the response by one of its isolates', async () => {
    const { name, call, commit } = await makeBucket();
    const clock = createTestClock();
    const open = createColo();
    const isolates = Array.from({ length: 4 }, () => createColoIsolate(clock, open));
    for (const isolate of isolates) await isolate.read(name, key);
    await call('commitObject', commit(key, 'e2'));
    clock.ms += 3500;
    const callsBefore = isolates.map((isolate) => isolate.calls());
    for (const isolate of isolates) expect((await isolate.read(name, key)).state).toBe('e1');
    const asked = isolates.map((isolate, at) => isolate.calls() - (callsBefore[at] ?? 0));
    expect(asked).toEqual([1, 0, 0, 0]);
    for (const isolate of isolates) expect((await isolate.read(name, key)).state).toBe('e2');
  });

  it('proves all that it has of a bucket by one call, and brings what has changed', async () => {
    const { name, call, commit } = await makeBucket(null, 'a', 'b');
    const clock = createTestClock();
    const open = createColo();
    const first = createColoIsolate(clock, open);
    for (const each of [key, 'a', 'b']) await first.read(name, each);
    await call('commitObject', commit('a', 'e2'));
    clock.ms += 10_000;
    expect(await first.read(name, 'b')).toEqual({ state: 'e1', tier: 'index' });
    const calls = first.calls();
    const second = createColoIsolate(clock, open);
    for (const isolate of [first, second]) {
      expect((await isolate.read(name, key)).state).toBe('e1');
      expect((await isolate.read(name, 'a')).state).toBe('e2');
    }
    expect([first.calls(), second.calls()]).toEqual([calls, 0]);
  });

  it('knows neighbours of a busy bucket, and that nothing is between them', async () => {
    const { name, makeBusy, call, commit } = await makeBucket(null, 'a', 'b', 'd');
    await makeBusy();
    const clock = createTestClock();
    const open = createColo();
    await createColoIsolate(clock, open).read(name, 'a');
    const other = createColoIsolate(clock, open);
    expect(await other.read(name, 'd')).toEqual({ state: 'e1', tier: 'colo' });
    expect(await other.read(name, 'c')).toEqual({ state: 'none', tier: 'memory' });
    expect(await other.readAll(name, ['b', 'c', key])).toEqual([
      'e1 memory',
      'none memory',
      'e1 memory',
    ]);
    expect(other.calls()).toBe(0);
    await call('commitObject', commit('c', 'e1'));
    clock.ms += 1999;
    expect((await other.read(name, 'c')).state).toBe('none');
    clock.ms += 1;
    expect(await other.read(name, 'c')).toEqual({ state: 'e1', tier: 'index' });
  });

  it('has all of a small busy bucket after a few calls of one isolate', async () => {
    const keys = Array.from({ length: 700 }, (_, at) => `k${at}`);
    const { name, makeBusy } = await makeBucket(null, ...keys);
    await makeBusy();
    const clock = createTestClock();
    const open = createColo();
    const first = createColoIsolate(clock, open);
    for (let calls = 0; calls < 3; calls++) {
      await first.read(name, 'k1');
      clock.ms += 10_000;
    }
    await first.read(name, 'k1');
    const other = createColoIsolate(clock, open);
    for (const each of ['k0', 'k123', 'k350', 'k699', 'k7000'])
      expect((await other.read(name, each)).state).toBe(each === 'k7000' ? 'none' : 'e1');
    expect(other.calls()).toBe(0);
    expect(first.calls()).toBe(4);
  });

  it('sends one request of a cold herd to the object', async () => {
    const { name } = await makeBucket(null, 'a');
    const open = createColo();
    const clock = createTestClock();
    const first = createColoIsolate(clock, open);
    const others = Array.from({ length: 8 }, () => createColoIsolate(clock, open));
    // Its claim stands before the others come.
    const claimed = Promise.withResolvers<void>();
    const leader = createColoIsolate(clock, async () => {
      const cache = await open();
      return {
        ...methodsOf(cache),
        put: async (url: string, response: Response) => {
          await cache.put(url, response);
          if (url.endsWith('/claim')) claimed.resolve();
        },
      } as Pick<Cache, 'match' | 'put' | 'delete'>;
    });
    const led = leader.read(name, key);
    await claimed.promise;
    const herd = [...others, first, first, first].map((isolate) => isolate.read(name, key));
    expect((await Promise.all([led, ...herd])).map(({ state }) => state)).toEqual(
      Array.from({ length: 12 }, () => 'e1'),
    );
    expect(leader.calls()).toBe(1);
    expect([first, ...others].reduce((calls, isolate) => calls + isolate.calls(), 0)).toBe(0);
  });

  it('lets a herd ask for itself where the first of it brings nothing', async () => {
    const { name } = await makeBucket();
    const clock = createTestClock();
    const colo = createColo();
    const reader = createColoIsolate(clock, colo);
    const url = `https://pointers.quayside.invalid/${name}/claim`;
    const headers = { 'Cache-Control': 'public, max-age=60' };
    await (await colo()).put(url, new Response(`${clock.ms}`, { headers }));
    expect(await reader.read(name, key)).toEqual({ state: 'e1', tier: 'index' });
  });

  it('is not believed by the isolate that has changed what it shows', async () => {
    const { name } = await makeBucket(null, 'other');
    const clock = createTestClock();
    const open = createColo();
    const [writer, reader] = [createColoIsolate(clock, open), createColoIsolate(clock, open)];
    await reader.read(name, key);
    const bucket = await writer.open(name);
    await bucket.call('commitObject', {
      object: objectOf(key, 'e2'),
      condition: null,
      newReferences: [],
    } as never);
    // A late reader leaves its older state and page once more.
    const page = reader.feeds.page(name, key);
    await writer.settle();
    await reader.read(name, 'other');
    expect(page?.pointers.get(key)?.etag).toBe('e1');
    expect((await writer.read(name, key)).state).toBe('e2');
  });

  it('loses its state to a change of one of its isolates, once a second', async () => {
    const { name } = await makeBucket();
    const clock = createTestClock();
    const open = createColo();
    let deletions = 0;
    const watched = async () => {
      const cache = await open();
      return {
        ...methodsOf(cache),
        delete: (url: Parameters<Cache['delete']>[0]) => {
          deletions += 1;
          return cache.delete(url);
        },
      };
    };
    const writer = createColoIsolate(clock, watched);
    await writer.read(name, key);
    for (const keys of [[key], [key], null] as const) writer.hotMetadata.evict(name, keys);
    await writer.settle();
    expect(deletions).toBe(1);
    expect((await createColoIsolate(clock, open).read(name, key)).tier).toBe('index');
    clock.ms += 1000;
    writer.hotMetadata.evict(name, [key]);
    await writer.settle();
    expect(deletions).toBe(2);
  });

  it('takes nothing from before a restart of the object', async () => {
    const { name, call, commit, stub } = await makeBucket();
    const clock = createTestClock();
    const open = createColo();
    const [first, second] = [createColoIsolate(clock, open), createColoIsolate(clock, open)];
    for (const isolate of [first, second]) await isolate.read(name, key);
    await call('commitObject', commit(key, 'e2'));
    await evictDurableObject(stub());
    clock.ms += 6000;
    expect((await first.read(name, 'other')).tier).toBe('index');
    expect((await second.read(name, key)).state).toBe('e2');
    expect((await createColoIsolate(clock, open).read(name, key)).state).toBe('e2');
  });

  it('takes nothing that is older than the changes that the object remembers', async () => {
    const { name, call, commit, record } = await makeBucket();
    const clock = createTestClock();
    const open = createColo();
    const reader = createColoIsolate(clock, open);
    await reader.read(name, key);
    await call('commitObject', commit(key, 'e2'));
    const targets = Array.from({ length: 600 }, (_, at) => ({
      key: `gone/${at}` as ObjectKey,
      versionId: null,
      condition: null,
      markerId: `marker-${at}` as VersionId,
    }));
    await call('deleteObjects', {
      bucket: refOf(record),
      targets,
      bypassGovernance: false,
      ownerId: null,
      nowMs: 1_750_000_000_000,
    });
    clock.ms += 6000;
    await reader.read(name, 'other');
    expect((await reader.read(name, key)).state).toBe('e2');
  });

  it('is ended by a purge', async () => {
    const { name } = await makeBucket();
    const clock = createTestClock();
    const open = createColo();
    const [writer, reader] = [createColoIsolate(clock, open), createColoIsolate(clock, open)];
    await reader.read(name, key);
    const bucket = await writer.open(name);
    await bucket.call('purgeBucket', { scopes: [{ scope: 'prefix', value: '' }] } as never);
    clock.ms += 6000;
    await reader.read(name, 'other');
    expect((await reader.read(name, key)).tier).toBe('index');
  });

  const failing = () => Promise.reject(new Error('expected by the test'));
  const hanging = () => new Promise<never>(() => undefined);
  it.each<[string, (cache: Cache) => Promise<Pick<Cache, 'match' | 'put' | 'delete'>>]>([
    ['can not be opened', failing],
    ['fails to match', async (cache) => ({ ...methodsOf(cache), match: failing })],
    ['fails to put', async (cache) => ({ ...methodsOf(cache), put: failing })],
    ['hangs', async (cache) => ({ ...methodsOf(cache), match: hanging })],
    [
      'breaks off its texts',
      async (cache) => ({
        ...methodsOf(cache),
        match: async () => ({ text: failing }) as unknown as Response,
      }),
    ],
    [
      'has texts of another program',
      async (cache) => ({
        ...methodsOf(cache),
        match: async () => new Response('{"v":1,"pointers":7,"changes":{}}'),
      }),
    ],
  ])('is passed by when it %s', async (_what, open) => {
    const { name } = await makeBucket();
    const clock = createTestClock();
    const colo = createColo();
    const limitMs = 200;
    const reader = createColoIsolate(clock, async () => open(await colo()), env.HOT, limitMs);
    expect(await reader.read(name, key)).toEqual({ state: 'e1', tier: 'index' });
    const bucket = await reader.open(name);
    await bucket.call('commitObject', {
      object: objectOf(key, 'e2'),
      condition: null,
      newReferences: [],
    } as never);
    expect(await reader.read(name, key)).toEqual({ state: 'e2', tier: 'index' });
  });
});

describe('KV', () => {
  async function publish() {
    const bucket = await makeBucket('kv', 'a');
    const clock = createTestClock();
    const open = createColo();
    const reader = createColoIsolate(clock, open);
    await reader.read(bucket.name, key);
    await createColoIsolate(clock, createColo()).read(bucket.name, key);
    const name = kvPageName(bucket.name, '');
    await expect.poll(async () => await env.HOT.get(name)).not.toBeNull();
    const text = (await env.HOT.get(name)) ?? '';
    return { ...bucket, clock, open, reader, kvName: name, text };
  }

  it('answers what a colo does not have, and leaves it there', async () => {
    const { name, clock, text } = await publish();
    const open = createColo();
    const kv = { get: async () => text } as unknown as KVNamespace;
    const here = createColoIsolate(clock, open, kv);
    await here.read(name, 'none of it is known without the state of the feed');
    const page = decodePage(text);
    expect(page?.pointers.size).toBe(2);
    const fresh = createColoIsolate(clock, open, kv);
    const state = here.feeds.state(name);
    if (state === null) throw new Error('no state');
    fresh.feeds.adopt(name, state);
    expect(await fresh.read(name, key)).toEqual({ state: 'e1', tier: 'colo' });
  });

  it('shows nothing that the feed does not prove, however late a write lands', async () => {
    const { name, call, commit, clock, reader, text } = await publish();
    await call('commitObject', commit(key, 'e2'));
    const late = { get: async () => text } as unknown as KVNamespace;
    clock.ms += 61_000;
    expect((await reader.read(name, key)).state).toBe('e2');
    const other = createColoIsolate(clock, createColo(), late);
    expect((await other.read(name, key)).state).toBe('e2');
    const page = decodePage(text);
    if (page === null) throw new Error('no page');
    other.feeds.keep(name, page);
    expect((await other.read(name, key)).state).toBe('e2');
    expect((await other.read(name, 'a')).state).toBe('e1');
  });

  it.each([
    ['fails', () => Promise.reject(new Error('expected by the test'))],
    ['has nothing', async () => null],
    ['has what nobody can read', async () => '{"v":1,"pointers":7}'],
  ])('is passed by when it %s, and left alone for a while', async (_what, get) => {
    const { name, clock } = await publish();
    const kv = { get } as unknown as KVNamespace;
    const reader = createColoIsolate(clock, createColo(), kv);
    await reader.read(name, 'a');
    expect((await reader.read(name, key)).state).toBe('e1');
    expect(reader.kvReads()).toBeLessThan(2);
  });

  it('is not asked for a bucket that one object can answer', async () => {
    const { name } = await makeBucket(null, 'a');
    const reader = createColoIsolate(createTestClock(), createColo());
    for (const each of [key, 'a', 'none']) await reader.read(name, each);
    expect(reader.kvReads()).toBe(0);
  });

  it('has names that it takes for every key', async () => {
    for (const from of ['', key, 'x'.repeat(1024), '😀'.repeat(250)]) {
      const name = kvPageName('b'.repeat(63) as BucketName, from);
      expect(new TextEncoder().encode(name).length).toBeLessThanOrEqual(512);
      await env.HOT.put(name, 'x');
    }
  });

  it('keeps a page exactly', async () => {
    const { reader, name } = await publish();
    const page = reader.feeds.page(name, key);
    if (page === null) throw new Error('no page');
    expect(decodePage(encodePage(page))).toEqual(page);
  });
});

function methodsOf(cache: Cache): Pick<Cache, 'match' | 'put' | 'delete'> {
  return {
    match: (url) => cache.match(url),
    put: (url, response) => cache.put(url, response),
    delete: (url) => cache.delete(url),
  };
}
