// The publisher with a clock and a KV of our own, inside a real Durable Object: how often it writes, in which order,
// and what it does when KV fails.
import { runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { createDoSql } from '../../src/adapters/cloudflare/do-sqlite.ts';
import { createHotPublisher, PUBLICATION_SCHEMA } from '../../src/adapters/cloudflare/hot-publisher.ts';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { INDEX_SCHEMA, migrate } from '../../src/index/schema.ts';
import { NO_SETTINGS } from '../../src/ports/bucket-settings.ts';
import type { BucketName, ObjectKey } from '../../src/ports/domain.ts';
import type { IndexApi } from '../../src/ports/metadata-index.ts';
import { toGateSettings } from '../../src/ports/pointer.ts';
import { deletionOf } from '../contract/index-samples.ts';
import { bucketObject, freshBucketName, objectOf, PRIVATE, PUBLIC, recordOf, refOf } from './bucket.ts';

type Put = {
  readonly name: string;
  readonly etag: string | null;
  readonly gate: unknown;
  readonly sequence: number;
  readonly ttl: number;
  readonly atMs: number;
};

/** Fails, waits or works as the test wants, and remembers every write that worked. */
function recordingKv(clock: { ms: number }, behave: (attempt: number) => Promise<void> = async () => {}) {
  const puts: Put[] = [];
  let attempts = 0;
  const put = async (name: string, text: string, options: { expirationTtl: number }) => {
    attempts += 1;
    const atMs = clock.ms;
    await behave(attempts);
    const { s, p, g } = JSON.parse(text);
    puts.push({ name, etag: p?.etag ?? null, gate: g, sequence: s, ttl: options.expirationTtl, atMs });
  };
  return { kv: { put } as unknown as KVNamespace, puts, attempts: () => attempts };
}

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
  readonly alarms: readonly number[];
  readonly put: (key: string, etag: string) => void;
  readonly remove: (key: string) => void;
  readonly resolve: (key: string) => void;
  readonly drain: () => Promise<void>;
  readonly writesOf: (key: string) => Put[];
};

/** Runs `test` with a public bucket in a fresh object. Waiting only moves the clock. */
async function withPublisher(test: (setting: Setting) => Promise<void>, behave?: (attempt: number) => Promise<void>) {
  const name = freshBucketName();
  await runInDurableObject(bucketObject(name).stub(), async (_, { storage }) => {
    const clock = { ms: 1_750_000_000_000 };
    const { kv, puts, attempts } = recordingKv(clock, behave);
    const sql = createDoSql(storage);
    migrate(sql, INDEX_SCHEMA);
    migrate(sql, PUBLICATION_SCHEMA);
    const index = createBucketIndex(sql);
    const alarms: number[] = [];
    const publisher = createHotPublisher({
      bucket: name,
      sql,
      kv,
      resolve: index.resolve,
      clock: { nowMs: () => clock.ms },
      log: { info() {}, error() {} },
      setAlarm: (atMs) => alarms.push(atMs),
      wait: async (ms) => {
        clock.ms += ms;
      },
    });
    const call: Call = (method, input) => {
      const value = (index[method] as (given: typeof input) => ReturnType<IndexApi[typeof method]>)(input);
      publisher.note(method, input, value);
      return value;
    };
    const bucket = refOf(recordOf(name as BucketName, PUBLIC));
    call('createBucket', { bucket: recordOf(name, PUBLIC) });
    await test({
      name,
      call,
      clock,
      puts,
      attempts,
      alarms,
      put: (key, etag) =>
        void call('commitObject', { bucket, object: objectOf(key, etag), condition: null, arrivals: [] }),
      remove: (key) => void call('deleteObjects', { bucket, ...deletionOf([key], clock.ms) }),
      resolve: (key) => void call('resolve', { name, key: key as ObjectKey }),
      drain: publisher.drain,
      writesOf: (key) => puts.filter((put) => put.name === `p/${name}/${key}`),
    });
  });
}

const DAY_SECONDS = 24 * 3600;

describe('hot publisher', () => {
  it('writes a key that changes all the time once a second, and its last state', () =>
    withPublisher(async ({ clock, put, resolve, drain, writesOf }) => {
      put('a', 'first');
      resolve('a');
      const startMs = clock.ms;
      let at = 0;
      for (let second = 0; second < 10; second++) {
        for (let commit = 0; commit < 100; commit++) put('a', `e${++at}`);
        await drain();
        clock.ms += 1000;
      }
      const writes = writesOf('a');
      expect(writes.at(-1)?.etag).toBe('e1000');
      const gaps = writes.slice(1).map((write, before) => write.atMs - (writes[before]?.atMs ?? startMs));
      expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000);
      expect(writes.length).toBeLessThanOrEqual(11);
    }));

  it('writes in commit order, also when writes fail and take their time', () =>
    withPublisher(
      async ({ put, resolve, drain, writesOf }) => {
        const keys = Array.from({ length: 12 }, (_, at) => `key-${at}`);
        for (const key of keys) {
          put(key, 'first');
          resolve(key);
        }
        const draining = drain();
        for (let at = 0; at < 200; at++) {
          put(keys[(at * 7) % keys.length] ?? '', `e${at}`);
          if (at % 20 === 0) await new Promise<void>((resolve) => queueMicrotask(resolve));
        }
        await draining;
        await drain();
        for (const key of keys) {
          const sequences = writesOf(key).map((write) => write.sequence);
          expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
          expect(writesOf(key).at(-1)?.etag).toMatch(/^e1[89]\d$/);
        }
      },
      async (attempt) => {
        for (let turn = attempt % 5; turn > 0; turn--) await Promise.resolve();
        if (attempt % 9 === 0) throw new Error('expected by the test');
      },
    ));

  it('gives up for now when KV stays broken, asks for an alarm, and goes on where it was', () => {
    let isBroken = true;
    return withPublisher(
      async ({ alarms, attempts, clock, put, resolve, drain, writesOf, puts }) => {
        put('a', 'e1');
        resolve('a');
        await drain();
        expect(puts).toEqual([]);
        expect(attempts()).toBe(10);
        expect(Math.max(...alarms)).toBeGreaterThan(clock.ms);
        isBroken = false;
        put('a', 'e2');
        await drain();
        expect(writesOf('a').map((write) => write.etag)).toEqual(['e2']);
      },
      async () => {
        if (isBroken) throw new Error('expected by the test');
      },
    );
  });

  it('keeps an entry for a day after the last interest, however often it changes', () =>
    withPublisher(async ({ clock, put, resolve, drain, writesOf }) => {
      put('a', 'e1');
      resolve('a');
      await drain();
      clock.ms += (DAY_SECONDS - 10) * 1000;
      put('a', 'e2');
      await drain();
      clock.ms += 30_000;
      put('a', 'e3');
      await drain();
      clock.ms += 200_000;
      put('a', 'e4');
      await drain();
      expect(writesOf('a').map(({ etag, ttl }) => [etag, ttl])).toEqual([
        ['e1', DAY_SECONDS],
        ['e2', 60],
        ['e3', 60],
      ]);
    }));

  it('renews the interest only when half of it is over', () =>
    withPublisher(async ({ clock, put, resolve, drain, writesOf }) => {
      put('a', 'e1');
      for (let hour = 0; hour < 24; hour++) {
        resolve('a');
        await drain();
        clock.ms += 3600_000;
      }
      expect(writesOf('a').map((write) => write.ttl)).toEqual([DAY_SECONDS, DAY_SECONDS]);
    }));

  it('says for the least time that a key is gone, and nothing of keys that never were', () =>
    withPublisher(async ({ put, remove, resolve, drain, puts, writesOf }) => {
      put('a', 'e1');
      resolve('a');
      await drain();
      remove('a');
      await drain();
      const before = puts.length;
      resolve('a');
      resolve('never');
      remove('never');
      await drain();
      expect(writesOf('a').map(({ etag, ttl }) => [etag, ttl])).toEqual([
        ['e1', DAY_SECONDS],
        [null, 60],
      ]);
      expect(puts.length).toBe(before);
    }));

  it('says that a key is back which it said to be gone', () =>
    withPublisher(async ({ put, remove, resolve, drain, writesOf }) => {
      put('a', 'e1');
      resolve('a');
      await drain();
      remove('a');
      await drain();
      put('a', 'e2');
      await drain();
      expect(writesOf('a').map((write) => write.etag)).toEqual(['e1', null, 'e2']);
    }));

  it('follows the gate: access, deletion, and another life under the same name', () =>
    withPublisher(async ({ name, call, resolve, drain, puts }) => {
      resolve('nothing');
      await drain();
      const closed = call('setBucketAccess', { bucket: refOf(recordOf(name, PUBLIC)), access: PRIVATE });
      await drain();
      call('deleteBucket', { bucket: refOf(closed), nowMs: 0 });
      await drain();
      const again = call('createBucket', { bucket: recordOf(name, PUBLIC, 'life2') });
      await drain();
      expect(puts.map(({ name: written, ttl, gate }) => [written, ttl, gate])).toEqual([
        [
          `g/${name}`,
          DAY_SECONDS,
          { bucketId: closed.id, revision: 1, access: PUBLIC, settings: toGateSettings(NO_SETTINGS) },
        ],
        [
          `g/${name}`,
          DAY_SECONDS - 1,
          { bucketId: closed.id, revision: closed.revision, access: PRIVATE, settings: toGateSettings(NO_SETTINGS) },
        ],
        [`g/${name}`, 60, null],
        [
          `g/${name}`,
          DAY_SECONDS - 3,
          { bucketId: again.id, revision: 1, access: PUBLIC, settings: toGateSettings(NO_SETTINGS) },
        ],
      ]);
    }));

  it('asks for one alarm in a while, not one for each commit', () =>
    withPublisher(async ({ alarms, put, resolve }) => {
      put('a', 'e1');
      resolve('a');
      for (let at = 0; at < 50; at++) put('a', `e${at}`);
      expect(alarms.length).toBe(1);
    }));
});
