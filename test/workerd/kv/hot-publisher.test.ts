// The publisher with a clock and a KV of our own, inside a real Durable Object: what becomes hot,
// how often it is written, in which order, and what happens when KV fails, hangs or is late.
import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { createDoSql } from '../../../src/adapters/cloudflare/durable-objects/do-sqlite.ts';
import {
  createHotPublisher,
  type HotPublisher,
} from '../../../src/adapters/cloudflare/durable-objects/hot-publisher.ts';
import { PUBLICATION_SCHEMA } from '../../../src/adapters/cloudflare/durable-objects/publication-numbers.ts';
import { KV_RECORD_TTL_SECONDS } from '../../../src/adapters/cloudflare/kv/hot-records.ts';
import { HOSTING_DEFAULTS } from '../../../src/core/hosting/read-hosting.ts';
import type { BucketName, ObjectKey } from '../../../src/domain/nouns.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import { migrate } from '../../../src/index/tables/schema.ts';
import type { IndexApi } from '../../../src/ports/metadata-index.ts';
import { deletionOf } from '../../contract/index/samples.ts';
import {
  bucketObject,
  freshBucketName,
  objectOf,
  PRIVATE,
  PUBLIC,
  recordOf,
  refOf,
} from '../kit/bucket.ts';

type Put = {
  readonly name: string;
  readonly etag: string | null;
  readonly readPolicy: { revision: number; access: unknown } | null;
  readonly siteFiles: unknown;
  readonly sequence: number;
  readonly untilMs: number;
  readonly ttl: number;
  readonly atMs: number;
};

/** Fails, waits or works as the test wants, and remembers every write that worked. */
function recordingKv(
  clock: { ms: number },
  behave: (attempt: number) => Promise<void> = async () => {},
) {
  const puts: Put[] = [];
  let attempts = 0;
  const put = async (name: string, text: string, options: { expirationTtl: number }) => {
    attempts += 1;
    const atMs = clock.ms;
    await behave(attempts);
    const { s, p, g, u } = JSON.parse(text);
    puts.push({
      name,
      etag: p?.etag ?? null,
      readPolicy: g ?? null,
      siteFiles: g?.siteFiles,
      sequence: s,
      untilMs: u,
      ttl: options.expirationTtl,
      atMs,
    });
  };
  return { kv: { put } as unknown as KVNamespace, puts, attempts: () => attempts };
}

/** A bucket of ten questions a second opens the valve, for keys with at least five. */
const RATES = { bucketPerSecond: 10, keyPerSecond: 5, windowMs: 1000 };

type Call = <Name extends keyof IndexApi>(
  method: Name,
  input: Parameters<IndexApi[Name]>[0],
) => ReturnType<IndexApi[Name]>;

type Setting = {
  readonly name: BucketName;
  readonly call: Call;
  readonly clock: { ms: number };
  readonly puts: readonly Put[];
  readonly attempts: () => number;
  readonly put: (key: string, etag: string) => void;
  readonly remove: (key: string) => void;
  /** Asks for the key so often in the next second, and lets the publisher do what is due. */
  readonly ask: (key: string, times: number) => Promise<void>;
  readonly drain: () => Promise<void>;
  readonly writesOf: (key: string) => Put[];
  readonly publisher: () => HotPublisher;
  /** Another life of the object over the same database. */
  readonly restart: () => void;
};

/** Runs `test` with a public bucket in a fresh object. Waiting only moves the clock. */
async function withPublisher(
  test: (setting: Setting) => Promise<void>,
  behave?: (attempt: number) => Promise<void>,
) {
  const name = freshBucketName();
  await runInDurableObject(bucketObject(name).stub(), async (_, { storage }) => {
    const clock = { ms: 1_750_000_000_000 };
    const { kv, puts, attempts } = recordingKv(clock, behave);
    const sql = createDoSql(storage);
    migrate(sql, INDEX_SCHEMA);
    migrate(sql, PUBLICATION_SCHEMA);
    const index = createBucketIndex(sql);
    const make = () =>
      createHotPublisher({
        bucket: name,
        sql,
        kv,
        resolve: index.resolve,
        clock: { nowMs: () => clock.ms },
        log: { info() {}, error() {} },
        wait: async (ms) => {
          clock.ms += ms;
        },
        rates: RATES,
      });
    let publisher = make();
    let isDue = false;
    const call: Call = (method, input) => {
      const value = (index[method] as (given: typeof input) => ReturnType<IndexApi[typeof method]>)(
        input,
      );
      isDue = publisher.note(method, input) || isDue;
      return value;
    };
    const drain = async () => {
      if (isDue) await publisher.drain();
      isDue = false;
    };
    const bucket = refOf(recordOf(name as BucketName, PUBLIC));
    call('createBucket', { bucket: recordOf(name, PUBLIC) });
    await test({
      name,
      call,
      clock,
      puts,
      attempts,
      put: (key, etag) =>
        void call('commitObject', {
          bucket,
          object: objectOf(key, etag),
          condition: null,
          newReferences: [],
        }),
      remove: (key) => void call('deleteObjects', { bucket, ...deletionOf([key], clock.ms) }),
      async ask(key, times) {
        for (let at = 0; at < times; at++) {
          clock.ms += 1000 / times;
          call('resolve', { name, key: key as ObjectKey });
          await drain();
        }
      },
      drain,
      writesOf: (key) => puts.filter((put) => put.name === `p/${name}/${key}`),
      publisher: () => publisher,
      restart: () => {
        publisher = make();
      },
    });
  });
}

describe('hot publisher', () => {
  it('writes nothing as long as one object can answer', () =>
    withPublisher(async ({ put, ask, attempts }) => {
      put('a', 'e1');
      for (let second = 0; second < 60; second++) await ask('a', 8);
      expect(attempts()).toBe(0);
    }));

  it('publishes what is hot, with the readPolicy, and nothing else', () =>
    withPublisher(async ({ name, put, ask, puts }) => {
      for (const key of ['hot', 'warm', 'cold']) put(key, `of ${key}`);
      for (let second = 0; second < 5; second++) {
        await ask('hot', 20);
        await ask('warm', 3);
      }
      expect(new Set(puts.map((each) => each.name))).toEqual(
        new Set([`g/${name}`, `p/${name}/hot`]),
      );
      expect(puts.find((each) => each.etag !== null)?.etag).toBe('of hot');
    }));

  it(
    'publishes the readPolicy anew when the rules of its site change, with the versions of ' +
      'their files',
    () =>
      withPublisher(async ({ name, call, put, ask, drain, puts, publisher, clock }) => {
        const bucket = refOf(recordOf(name, PUBLIC));
        put('index.html', 'e1');
        const hosted = call('setBucketSettings', {
          bucket,
          settings: { hosting: HOSTING_DEFAULTS },
        });
        const commit = (key: string, etag: string) =>
          call('commitObject', {
            bucket: refOf(hosted),
            object: objectOf(key, etag),
            condition: null,
            newReferences: [],
          });
        await ask('index.html', 20);
        await ask('index.html', 20);
        const readPolicies = () =>
          puts.filter((each) => each.name === `g/${name}`).map((each) => each.siteFiles);
        expect(readPolicies().at(-1)).toBeUndefined();
        commit('_redirects', 'r1');
        const news = publisher().newsOf('commitObject', {
          object: objectOf('_redirects', 'r1'),
        } as never);
        expect([news?.readPolicy?.untilMs, news?.keys.length]).toEqual([expect.any(Number), 1]);
        await drain();
        expect(readPolicies().at(-1)).toEqual([{ key: '_redirects', versionId: 'version-r1' }]);
        clock.ms += 2000;
        call('deleteObjects', { bucket: refOf(hosted), ...deletionOf(['_redirects'], clock.ms) });
        await drain();
        expect(readPolicies().at(-1)).toBeUndefined();
      }),
  );

  it('opens within a fraction of a window in a flood', () =>
    withPublisher(async ({ clock, call, name, put, drain, writesOf }) => {
      put('a', 'e1');
      for (let at = 0; at < 200; at++) {
        clock.ms += 1;
        call('resolve', { name, key: 'a' as ObjectKey });
      }
      await drain();
      expect(writesOf('a').length).toBe(1);
    }));

  it('counts what is asked of many keys at once, and tells of each of them', () =>
    withPublisher(async ({ clock, call, name, put, drain, writesOf, publisher }) => {
      for (const key of ['a', 'b']) put(key, 'e1');
      const lookup = { name, keys: ['a', 'none', 'b'] as ObjectKey[] };
      for (let at = 0; at < 200; at++) {
        clock.ms += 1;
        call('resolveAll', lookup);
      }
      await drain();
      expect(['a', 'none', 'b'].map((key) => writesOf(key).length)).toEqual([1, 1, 1]);
      const news = publisher().newsOf('resolveAll', lookup);
      expect([news?.readPolicy === null, news?.keys.map(({ key }) => key)]).toEqual([
        false,
        ['a', 'none', 'b'],
      ]);
      put('none', 'e1');
      expect(
        publisher()
          .newsOf('resolveAll', lookup)
          ?.keys.map(({ key }) => key),
      ).toEqual(['a', 'b']);
    }));

  it('renews a record while its key is hot, then lets it end', () =>
    withPublisher(async ({ put, ask, writesOf, clock, publisher, name }) => {
      put('a', 'e1');
      const startMs = clock.ms;
      while (clock.ms < startMs + 100_000) await ask('a', 20);
      const writes = writesOf('a');
      expect(writes.length).toBe(4);
      for (const [at, write] of writes.entries()) {
        expect(write.untilMs).toBe(write.atMs + KV_RECORD_TTL_SECONDS * 1000);
        expect(write.ttl).toBe(KV_RECORD_TTL_SECONDS);
        const before = writes[at - 1];
        if (before !== undefined) expect(write.atMs - before.atMs).toBeGreaterThanOrEqual(30_000);
      }
      // KV answers seven of eight: that few questions left mean that it is still hot.
      while (clock.ms < startMs + 200_000) await ask('a', 2);
      expect(writesOf('a').length).toBeGreaterThan(6);
      const before = writesOf('a').length;
      while (clock.ms < startMs + 400_000) await ask('b', 1);
      expect(writesOf('a').length).toBe(before);
      const lookup = { name, key: 'a' as ObjectKey };
      expect(publisher().newsOf('resolve', lookup)).toBeNull();
    }));

  it('writes a key that changes all the time once a second, and its last state', () =>
    withPublisher(async ({ clock, put, ask, drain, writesOf }) => {
      put('a', 'first');
      await ask('a', 20);
      await ask('a', 20);
      const startMs = clock.ms;
      let at = 0;
      for (let second = 0; second < 10; second++) {
        for (let commit = 0; commit < 100; commit++) put('a', `e${++at}`);
        await drain();
        clock.ms += 1000;
      }
      const writes = writesOf('a');
      expect(writes.at(-1)?.etag).toBe('e1000');
      const gaps = writes
        .slice(1)
        .map((write, before) => write.atMs - (writes[before]?.atMs ?? startMs));
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000);
      expect(writes.length).toBeLessThanOrEqual(13);
    }));

  it('goes on writing the changes of a key that has cooled down, as long as KV may show it', () =>
    withPublisher(async ({ clock, put, ask, drain, writesOf }) => {
      put('a', 'e1');
      await ask('a', 20);
      await ask('a', 20);
      for (let second = 0; second < 10; second++) await ask('b', 1);
      put('a', 'e2');
      await drain();
      expect(writesOf('a').at(-1)?.etag).toBe('e2');
      clock.ms += KV_RECORD_TTL_SECONDS * 1000;
      put('a', 'e3');
      await drain();
      expect(writesOf('a').at(-1)?.etag).toBe('e2');
    }));

  it('numbers records in commit order, also when writes fail and take their time', () =>
    withPublisher(
      async ({ put, ask, drain, writesOf }) => {
        const keys = Array.from({ length: 12 }, (_, at) => `key-${at}`);
        for (const key of keys) put(key, 'first');
        for (let second = 0; second < 3; second++) for (const key of keys) await ask(key, 100);
        for (let at = 0; at < 200; at++) {
          put(keys[(at * 7) % keys.length] ?? '', `e${at}`);
          if (at % 20 === 0) void drain();
          if (at % 20 === 0) await new Promise<void>((resolve) => queueMicrotask(resolve));
        }
        for (let round = 0; round < 5; round++) await ask(keys[0] ?? '', 20);
        const written = keys.filter((key) => writesOf(key).length > 1);
        expect(written.length).toBeGreaterThan(0);
        for (const key of written) {
          const sequences = writesOf(key).map((write) => write.sequence);
          expect(sequences).toEqual([...sequences].sort((a, b) => a - b));
          expect(writesOf(key).at(-1)?.etag).toMatch(/^e1[89]\d$/);
        }
      },
      async (attempt) => {
        for (let turn = attempt % 5; turn > 0; turn--) await Promise.resolve();
        if (attempt % 9 === 0) throw new Error('expected by the test');
      },
    ));

  it('gives up for now when KV stays broken, and goes on with the next lookup', () => {
    let isBroken = false;
    return withPublisher(
      async ({ attempts, clock, put, ask, drain, writesOf }) => {
        put('a', 'e1');
        await ask('a', 20);
        await ask('a', 20);
        const before = attempts();
        isBroken = true;
        put('a', 'e2');
        await drain();
        expect(attempts() - before).toBe(5);
        isBroken = false;
        clock.ms += 30_000;
        await ask('a', 1);
        expect(writesOf('a').map((write) => write.etag)).toEqual(['e1', 'e2']);
      },
      async () => {
        if (isBroken) throw new Error('expected by the test');
      },
    );
  });

  it('says of a key that is gone, or private, that there is nothing to see', () =>
    withPublisher(async ({ call, name, put, remove, ask, drain, writesOf, puts }) => {
      for (const key of ['a', 'b']) {
        put(key, 'e1');
        await ask(key, 20);
        await ask(key, 20);
      }
      remove('a');
      await drain();
      expect(writesOf('a').at(-1)?.etag).toBeNull();
      const closed = call('setBucketAccess', {
        bucket: refOf(recordOf(name, PUBLIC)),
        access: PRIVATE,
      });
      await drain();
      expect(puts.at(-1)).toMatchObject({
        name: `g/${name}`,
        readPolicy: { revision: closed.revision, access: PRIVATE },
      });
      call('deleteObjects', { bucket: refOf(closed), ...deletionOf(['b'], 0) });
      call('deleteBucket', { bucket: refOf(closed), nowMs: 0 });
      await drain();
      expect(puts.filter((each) => each.name === `g/${name}`).at(-1)?.readPolicy).toBeNull();
      const again = call('createBucket', { bucket: recordOf(name, PUBLIC, 'life2') });
      await drain();
      expect(puts.at(-1)).toMatchObject({ name: `g/${name}`, readPolicy: { bucketId: again.id } });
    }));

  it('says which record is valid, and for how long an older one can be shown', () =>
    withPublisher(async ({ name, put, ask, writesOf, publisher, restart, clock }) => {
      const lookup = { name, key: 'a' as ObjectKey };
      put('a', 'e1');
      await ask('a', 20);
      await ask('a', 20);
      const [first] = writesOf('a');
      const ttl = { sequence: first?.sequence, untilMs: first?.untilMs };
      expect(publisher().newsOf('resolve', lookup)).toMatchObject({
        keys: [{ key: 'a', ttl }],
      });
      put('a', 'e2');
      // Not before KV has it are readers sent there.
      expect(publisher().newsOf('resolve', lookup)).toBeNull();
      const changed = publisher().newsOf('commitObject', {
        object: objectOf('a', 'e2'),
      } as never);
      expect(changed?.keys[0]?.ttl?.sequence).toBeGreaterThan(first?.sequence ?? 0);
      expect(changed?.keys[0]?.ttl?.untilMs).toBe(first?.untilMs);

      // A new life knows no names, only that something may be out there.
      restart();
      expect(publisher().newsOf('resolve', lookup)).toBeNull();
      const unknown = publisher().newsOf('commitObject', {
        object: objectOf('a', 'e3'),
      } as never);
      expect(unknown?.keys[0]?.ttl).toMatchObject({
        untilMs: clock.ms + KV_RECORD_TTL_SECONDS * 1000,
      });
      expect(unknown?.keys[0]?.ttl?.sequence).toBeGreaterThan(changed?.keys[0]?.ttl?.sequence ?? 0);
      clock.ms += KV_RECORD_TTL_SECONDS * 1000;
      expect(
        publisher().newsOf('commitObject', { object: objectOf('a', 'e3') } as never),
      ).toBeNull();
    }));
});
