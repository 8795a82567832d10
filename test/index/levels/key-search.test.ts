// Search and sizes of buckets that take more than one step: their bounds, and what they tell
// meanwhile. test/index/key-aids.test.ts compares small buckets with a plain scan.
import { beforeEach, describe, expect, it } from 'vitest';
import { SEARCH_MAX_MATCHES, SEARCH_SCAN_ROWS } from '../../../src/domain/keys/key-aids.ts';
import type { BucketRef } from '../../../src/domain/nouns.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { prefixEnd } from '../../../src/index/keys/key-order.ts';
import { changeRange, countRanges, sumKeys } from '../../../src/index/keys/key-ranges.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import {
  bucketRecord,
  deletionOf,
  objectOf,
  refOf,
  START_MS,
} from '../../contract/index/samples.ts';
import { openMigrated } from '../kit/open-migrated.ts';

/** Keys that one step of the search index takes. */
const STEP_KEYS = 500;
/** Noted changes that a search looks at. */
const CHANGES_MAX = 4000;

let sql: ReturnType<typeof openMigrated>;
let index: ReturnType<typeof createBucketIndex>;
let bucket: BucketRef;

beforeEach(() => {
  sql = openMigrated(INDEX_SCHEMA);
  index = createBucketIndex(sql);
  bucket = refOf(index.createBucket({ bucket: bucketRecord() }));
});

/** Objects `{name}00000` and up, of `sizeBytes` each. */
function insert(
  count: number,
  { n = 1, name = 'key', sizeBytes = 1, storageClass = 'STANDARD' } = {},
) {
  sql.all(
    `WITH RECURSIVE i (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i + 1 < ?)
     INSERT INTO objects (bucket, key, version_id, is_null, size_bytes, etag, last_modified_ms,
       storage_class) SELECT ?, printf('%s%05d', ?, i), '', 1, ?, '', 0, ? FROM i`,
    count,
    n,
    name,
    sizeBytes,
    storageClass,
  );
}

const put = (key: string, to = bucket) =>
  index.commitObject({
    bucket: to,
    object: objectOf(key),
    condition: null,
    newReferences: [],
  });
const indexKeys = (of = bucket, nowMs = START_MS) => index.indexKeys({ bucket: of, nowMs });
function indexAll(of = bucket) {
  while (!indexKeys(of).isDone);
}
const search = (
  needle: string,
  { of = bucket, prefix = '', limit = 10, after = null as string | null } = {},
) => index.searchKeys({ bucket: of, prefix, needle, limit, after });
const keysOf = ({ objects }: ReturnType<typeof search>) => objects.map(({ key }) => key);

describe('a search index', () => {
  it('is made in steps of 500 keys, and ready when all are in', () => {
    insert(2 * STEP_KEYS);
    expect(search('key').state).toBe('off');
    expect(indexKeys()).toEqual({ state: 'building', isDone: false });
    expect(search('key')).toMatchObject({ state: 'building', searchedAtMs: START_MS });
    expect(indexKeys().state).toBe('building');
    // Only a step that found fewer keys knows that there are no more.
    expect(indexKeys()).toEqual({ state: 'ready', isDone: false });
    expect(indexKeys(bucket, START_MS + 1)).toEqual({ state: 'ready', isDone: true });
    expect(search('00999')).toMatchObject({ state: 'ready', searchedAtMs: START_MS + 1 });
    expect(keysOf(search('y0099'))).toHaveLength(10);
    expect(keysOf(search('00500'))).toEqual(['key00500']);
    expect(sql.all('SELECT count(*) AS n FROM search_names')).toEqual([{ n: 2 * STEP_KEYS }]);
  });

  it('takes changes in so many at a time, and finds them before', () => {
    indexAll();
    for (let at = 0; at < STEP_KEYS; at++) put(`late${String(at).padStart(3, '0')}`);
    expect(search('late', { limit: 1000 })).toMatchObject({ pending: 500, isComplete: true });
    expect(keysOf(search('late499'))).toEqual(['late499']);
    expect(indexKeys()).toEqual({ state: 'ready', isDone: false });
    expect(search('late').pending).toBe(0);
    expect(indexKeys()).toEqual({ state: 'ready', isDone: true });
    expect(keysOf(search('late499'))).toEqual(['late499']);
  });

  it('forgets keys that went, and has those that came back once', () => {
    put('needle');
    indexAll();
    index.deleteObjects({ bucket, ...deletionOf(['needle']) });
    indexAll();
    for (const table of ['search_names', 'search_trigrams'])
      expect(sql.all(`SELECT count(*) AS n FROM ${table}`)).toEqual([{ n: 0 }]);
    for (const _ of [1, 2]) {
      put('needle');
      indexAll();
    }
    expect(sql.all('SELECT count(*) AS n FROM search_names')).toEqual([{ n: 1 }]);
    expect(keysOf(search('needle'))).toEqual(['needle']);
  });

  it('says that it may lack some when more changes are noted than it looks at', () => {
    indexAll();
    insert(CHANGES_MAX, { name: 'noted' });
    sql.all('INSERT INTO search_changes (bucket, key) SELECT bucket, key FROM objects');
    sql.all("DELETE FROM search_changes WHERE key = 'noted00000'");
    expect(search('noted00042')).toMatchObject({ pending: CHANGES_MAX - 1, isComplete: true });
    sql.all("INSERT INTO search_changes (bucket, key) VALUES (1, 'noted00000')");
    expect(search('noted00042')).toMatchObject({ pending: CHANGES_MAX, isComplete: false });
    sql.all("INSERT INTO search_changes (bucket, key) VALUES (1, 'zzz')");
    expect(search('noted00042').pending).toBe(CHANGES_MAX);
  });

  it('of each bucket is its own, however they are made', () => {
    const other = refOf(index.createBucket({ bucket: bucketRecord() }));
    // The later one first, so that its ids are there already.
    insert(3, { n: 2, name: 'same' });
    indexAll(other);
    insert(5, { n: 1, name: 'same' });
    indexAll();
    put('same-late', other);
    indexAll(other);
    expect(keysOf(search('same'))).toHaveLength(5);
    expect(keysOf(search('same', { of: other }))).toEqual([
      'same-late',
      'same00000',
      'same00001',
      'same00002',
    ]);
    expect(search('same', { limit: 5 }).isComplete).toBe(true);
    while (!index.forgetKeyIndex({ bucket: other, what: 'search' }).isDone);
    expect(keysOf(search('same'))).toHaveLength(5);
  });

  it('is forgotten in steps, and its changes too', () => {
    insert(STEP_KEYS - 1);
    put('key-gone');
    indexAll();
    index.deleteObjects({ bucket, ...deletionOf(['key-gone']) });
    const forget = () => index.forgetKeyIndex({ bucket, what: 'search' }).isDone;
    expect([forget(), forget()]).toEqual([false, true]);
    expect(search('key').state).toBe('off');
    // Nothing is noted any more.
    put('later');
    for (const table of ['search_names', 'search_changes', 'search_trigrams'])
      expect([table, sql.all(`SELECT count(*) AS n FROM ${table}`)]).toEqual([table, [{ n: 0 }]]);
  });

  it('is not done while changes are left to forget', () => {
    indexAll();
    for (let at = 0; at <= STEP_KEYS; at++) put(`k${at}`);
    const forget = () => index.forgetKeyIndex({ bucket, what: 'search' }).isDone;
    expect([forget(), forget()]).toEqual([false, true]);
  });

  it('starts anew after it was forgotten', () => {
    insert(STEP_KEYS + 1);
    expect(indexKeys().state).toBe('building');
    while (!index.forgetKeyIndex({ bucket, what: 'search' }).isDone);
    indexAll();
    expect(keysOf(search('00000'))).toEqual(['key00000']);
    expect(keysOf(search('00500'))).toEqual(['key00500']);
  });

  it('gives at most the limit, and at most 1,000, by key', () => {
    insert(SEARCH_MAX_MATCHES + 1);
    const scanned = search('key', { limit: 5000, after: '' });
    expect([scanned.objects.length, scanned.nextAfter]).toEqual([1000, 'key00999']);
    indexAll();
    const all = search('key', { limit: 5000 });
    expect([all.objects.length, all.isComplete]).toEqual([SEARCH_MAX_MATCHES, false]);
    expect(keysOf(all)).toEqual(keysOf(all).toSorted());
    sql.all("DELETE FROM objects WHERE key = 'key00003'");
    sql.all("DELETE FROM search_names WHERE key = 'key00004'");
    expect(search('key0000', { limit: 10 }).objects).toHaveLength(8);
  });

  it('knows when the matches are as many as the limit', () => {
    insert(4);
    indexAll();
    expect(search('key', { limit: 4 })).toMatchObject({ isComplete: true, nextAfter: null });
    expect(search('key', { limit: 3 })).toMatchObject({ isComplete: false });
    put('key-new');
    const found = search('key', { limit: 4 });
    expect([keysOf(found)[0], found.isComplete]).toEqual(['key-new', false]);
  });

  it('looks for prefix and needle both, behind each other', () => {
    for (const name of ['photos/2026/cat', 'photos/cat.jpg', 'cat/photos/1', 'a/cat']) put(name);
    indexAll();
    expect(keysOf(search('cat', { prefix: 'photos/' }))).toEqual([
      'photos/2026/cat',
      'photos/cat.jpg',
    ]);
    expect(keysOf(search('cat', { prefix: 'a/' }))).toEqual(['a/cat']);
    expect(keysOf(search('photos', { prefix: 'photos/' }))).toEqual([]);
    for (let at = 0; at < 9; at++) put(`other/${at}/dog`);
    put('abc/dog');
    indexAll();
    expect(keysOf(search('dog', { prefix: 'abc', limit: 5 }))).toEqual(['abc/dog']);
    // Two letters are too few for the index, which is scanned past.
    expect(keysOf(search('at', { prefix: 'a/' }))).toEqual(['a/cat']);
  });
});

describe('a scan for a part of keys', () => {
  it('looks at so many keys in a call, and goes on behind them', () => {
    insert(SEARCH_SCAN_ROWS);
    put('zebra');
    const first = search('zebra', { after: '' });
    expect(first).toMatchObject({ objects: [], isComplete: false, nextAfter: 'key07999' });
    const second = search('zebra', { after: first.nextAfter });
    expect(keysOf(second)).toEqual(['zebra']);
    // Not all that there is: the keys before were another call's.
    expect(second).toMatchObject({ isComplete: false, nextAfter: null });
  });

  it('does not know that it is at the end when it stopped at its bound', () => {
    insert(SEARCH_SCAN_ROWS);
    expect(search('nothing', { after: '' })).toMatchObject({
      isComplete: false,
      nextAfter: 'key07999',
    });
    insert(1, { name: 'last' });
    sql.all("DELETE FROM objects WHERE key < 'key00002'");
    expect(search('nothing', { after: '' })).toMatchObject({ isComplete: true, nextAfter: null });
  });

  it('ends with the last match that there is room for', () => {
    insert(5);
    expect(search('key', { after: '', limit: 4 })).toMatchObject({
      isComplete: false,
      nextAfter: 'key00003',
    });
    expect(search('key', { after: '', limit: 5 })).toMatchObject({
      isComplete: true,
      nextAfter: null,
    });
    expect(search('key', { after: 'key00004' })).toMatchObject({ objects: [], nextAfter: null });
  });
});

describe('sizes of prefixes', () => {
  it('are not known before all is counted, and exact for changes of that time', () => {
    insert(50_100, { sizeBytes: 3 });
    for (const key of ['key00001a', 'key50050a']) put(key);
    const count = () => index.countAllKeys({ bucket }).state;
    const measure = () => index.measurePrefixes({ bucket, prefixes: ['', 'key0000'] });
    expect(measure()).toEqual({ state: 'off', sizes: [] });
    expect(count()).toBe('counting');
    expect(measure()).toEqual({ state: 'counting', sizes: [] });
    // One where it is counted, and one where it is not yet.
    index.deleteObjects({ bucket, ...deletionOf(['key00001a', 'key50050a']) });
    expect([count(), count()]).toEqual(['ready', 'ready']);
    expect(measure()).toEqual({
      state: 'ready',
      sizes: [
        { objects: 50_100, bytes: 3 * 50_100, otherBytes: 0 },
        { objects: 10, bytes: 30, otherBytes: 0 },
      ],
    });
  });

  it('have the bytes of other classes apart, wherever a prefix begins and ends', () => {
    insert(30, { name: 'a', sizeBytes: 5 });
    insert(30, { name: 'b', sizeBytes: 7, storageClass: 'STANDARD_IA' });
    while (!countRanges(sql, 1, 4));
    const size = (prefix: string) => sumKeys(sql, 1, prefix, prefixEnd(prefix));
    expect(size('a')).toEqual({ objects: 30, bytes: 150, otherBytes: 0 });
    expect(size('b')).toEqual({ objects: 30, bytes: 210, otherBytes: 210 });
    expect(size('')).toEqual({ objects: 60, bytes: 360, otherBytes: 210 });
    for (const tens of ['0', '1', '2']) {
      expect(size(`b0000${tens}`)).toEqual({ objects: 1, bytes: 7, otherBytes: 7 });
      expect(size(`b000${tens}`)).toEqual({ objects: 10, bytes: 70, otherBytes: 70 });
    }
    expect(size('c')).toEqual({ objects: 0, bytes: 0, otherBytes: 0 });
  });

  it('follow what is added at one place, and cut its range', () => {
    while (!countRanges(sql, 1, 4));
    for (let at = 0; at < 40; at++) {
      insert(1, { name: `k${String(at).padStart(2, '0')}/`, sizeBytes: 2 });
      const key = `k${String(at).padStart(2, '0')}/00000`;
      changeRange(sql, 1, key, { objects: 1, bytes: 2, otherBytes: 0 }, 4);
    }
    expect(sumKeys(sql, 1, 'k1', prefixEnd('k1'))).toEqual({
      objects: 10,
      bytes: 20,
      otherBytes: 0,
    });
    const ranges = sql.all<{ objects: number }>('SELECT objects FROM key_ranges');
    expect(ranges.length).toBeGreaterThan(9);
    expect(ranges.every(({ objects }) => objects <= 4)).toBe(true);
  });
});
