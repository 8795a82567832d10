// Sizes and search against a plain scan, after random commits, deletions, renames and steps of
// their making.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foldKey } from '../../src/domain/keys/key-aids.ts';
import type { VersionId } from '../../src/domain/nouns.ts';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { prefixEnd } from '../../src/index/keys/key-order.ts';
import { changeRange, countRanges, sumKeys } from '../../src/index/keys/key-ranges.ts';
import { INDEX_SCHEMA } from '../../src/index/tables/index-schema.ts';
import {
  asKey,
  bucketRecord,
  bytesOf,
  deletionOf,
  fresh,
  keyJobOf,
  objectOf,
  refOf,
  START_MS,
} from '../contract/index/samples.ts';
import { fuzzRuns } from '../fuzz-seed.ts';
import { openMigrated } from './kit/open-migrated.ts';

function openWorld() {
  const sql = openMigrated(INDEX_SCHEMA);
  const index = createBucketIndex(sql);
  const bucket = refOf(index.createBucket({ bucket: bucketRecord() }));
  return { sql, index, bucket };
}
type World = ReturnType<typeof openWorld>;

const put = ({ index, bucket }: World, key: string, size: number, storageClass = 'STANDARD') =>
  index.commitObject({
    bucket,
    object: objectOf(key, {
      inlineBytes: bytesOf('x'.repeat(size)),
      sizeBytes: size,
      storageClass,
    } as never),
    condition: null,
    newReferences: [],
  });

const freshId = () => fresh('version') as VersionId;

function rename({ index, bucket }: World, from: string, to: string) {
  const id = fresh('job');
  index.createKeyJob({ bucket, job: keyJobOf(id) });
  const action = {
    kind: 'move',
    key: asKey(from),
    toKeys: [asKey(to)],
    versionId: freshId(),
    markerId: freshId(),
  } as const;
  const step = {
    actions: [{ ...action, mayReplace: true }],
    next: { after: '', at: 0 },
    elsewhere: {},
    isLast: true,
  };
  index.stepKeyJob({ bucket, id, revision: 1, ...step, nowMs: START_MS });
}

function scan({ index, bucket }: World, prefix: string) {
  const { objects } = index.listObjects({
    bucket,
    prefix,
    delimiter: '',
    after: '',
    maxKeys: 1000,
  });
  return objects;
}

const keys = fc.constantFrom(
  'a',
  'a/',
  'a/1',
  'a/2/x',
  'a/2/y',
  'A/2',
  'b',
  'bé/1',
  'b/naïve',
  'é',
  '\u{10ffff}',
  'c/"q"',
);
type Step =
  | { readonly do: 'put' | 'put-ia'; readonly key: string; readonly size: number }
  | { readonly do: 'delete'; readonly key: string }
  | { readonly do: 'rename'; readonly key: string; readonly to: string }
  | { readonly do: 'versions' | 'count' | 'index' | 'forget' };
const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    do: fc.constantFrom('put' as const, 'put-ia' as const),
    key: keys,
    size: fc.nat({ max: 9 }),
  }),
  fc.record({ do: fc.constant('delete' as const), key: keys }),
  fc.record({ do: fc.constant('rename' as const), key: keys, to: keys }),
  fc.record({
    do: fc.constantFrom('versions' as const, 'count' as const, 'index' as const, 'forget' as const),
  }),
);

function run(world: World, step: Step): void {
  const { index, bucket } = world;
  switch (step.do) {
    case 'put':
    case 'put-ia':
      put(world, step.key, step.size, step.do === 'put' ? 'STANDARD' : 'STANDARD_IA');
      break;
    case 'delete':
      index.deleteObjects({ bucket, ...deletionOf([step.key]) });
      break;
    case 'rename':
      rename(world, step.key, step.to);
      break;
    case 'count':
      index.countAllKeys({ bucket });
      break;
    case 'index':
      index.indexKeys({ bucket, nowMs: START_MS });
      break;
    case 'forget':
      index.forgetKeyIndex({ bucket, what: 'search' });
      break;
    case 'versions':
      world.bucket = { ...bucket, versioning: 'enabled' };
  }
}

const PREFIXES = ['', 'a', 'a/', 'a/2', 'a/2/x', 'b', 'é', 'nothing', '\u{10ffff}'];
const NEEDLES = ['a', '/2', 'NAIVE', 'naïve', '/2/', '"q"', 'é', 'x'];

function check(world: World): void {
  const { index, bucket } = world;
  while (index.countAllKeys({ bucket }).state !== 'ready');
  const { sizes } = index.measurePrefixes({ bucket, prefixes: PREFIXES });
  const expected = PREFIXES.map((prefix) => {
    const objects = scan(world, prefix);
    const sum = (list: typeof objects) =>
      list.reduce((total, object) => total + object.sizeBytes, 0);
    const other = objects.filter(({ storageClass }) => storageClass !== 'STANDARD');
    return { objects: objects.length, bytes: sum(objects), otherBytes: sum(other) };
  });
  expect(sizes).toEqual(expected);
  for (const prefix of ['', 'a/', 'b']) {
    for (const needle of NEEDLES) {
      const wanted = scan(world, prefix).filter(({ key }) =>
        foldKey(key.slice(prefix.length)).includes(foldKey(needle)),
      );
      for (const after of [null, '']) {
        const found = index.searchKeys({ bucket, prefix, needle, limit: 1000, after });
        expect([needle, found.objects]).toEqual([needle, wanted]);
        expect(found).toMatchObject({ isComplete: true, nextAfter: null });
      }
    }
  }
}

describe('sizes of prefixes and search', () => {
  it('agree with a scan after anything', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 40 }), (program) => {
        const world = openWorld();
        for (const step of program) run(world, step);
        check(world);
        for (const step of program.toReversed()) run(world, step);
        check(world);
        world.sql.close();
      }),
      { numRuns: fuzzRuns(30) },
    );
  });

  it('count an empty object from when it comes until it goes', () => {
    const world = openWorld();
    const { sql, index, bucket } = world;
    // Enough for several ranges, or the rows themselves would be counted.
    const count = 4000;
    sql.all(
      `WITH RECURSIVE i (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i + 1 < ?)
       INSERT INTO objects (bucket, key, version_id, is_null, size_bytes, etag, last_modified_ms,
         storage_class) SELECT 1, printf('k%04d', i), '', 1, 5, '', 0, 'STANDARD' FROM i`,
      count,
    );
    while (index.countAllKeys({ bucket }).state !== 'ready');
    const counted = () => index.measurePrefixes({ bucket, prefixes: [''] }).sizes[0]?.objects;
    const empty = 'k2000/empty';
    put(world, empty, 0);
    expect(counted()).toBe(count + 1);
    index.deleteObjects({ bucket, ...deletionOf([empty]) });
    expect(counted()).toBe(count);
  });

  it('cut their ranges, let empty ones go, and are counted bit by bit while keys change', {
    timeout: 60_000,
  }, () => {
    const change = fc.record({
      key: fc.nat({ max: 60 }),
      size: fc.nat({ max: 9 }),
      isAdded: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(change, { maxLength: 150, size: 'max' }),
        fc.nat({ max: 150 }),
        (changes, countedAt) => {
          const sql = openMigrated(INDEX_SCHEMA);
          const name = (key: number) => `k${String(key).padStart(3, '0')}`;
          const rows = new Map<string, number>();
          const apply = ({ key, size, isAdded }: (typeof changes)[number]) => {
            const [text, old] = [name(key), rows.get(name(key))];
            if (!isAdded && old === undefined) return;
            const row = {
              objects: isAdded && old === undefined ? 1 : isAdded ? 0 : -1,
              bytes: (isAdded ? size : 0) - (old ?? 0),
            };
            sql.all('DELETE FROM objects WHERE key = ?', text);
            if (isAdded) {
              sql.all(
                `INSERT INTO objects (bucket, key, size_bytes, etag, last_modified_ms,
                 storage_class, version_id, is_null)
               VALUES (1, ?, ?, '', 0, 'STANDARD', '', 1)`,
                text,
                size,
              );
              rows.set(text, size);
            } else rows.delete(text);
            changeRange(sql, 1, text, { ...row, otherBytes: 0 }, 4);
          };
          for (const one of changes.slice(0, countedAt)) apply(one);
          countRanges(sql, 1, 4);
          for (const one of changes.slice(countedAt)) apply(one);
          while (!countRanges(sql, 1, 4));
          for (const one of changes) apply(one);
          for (const prefix of ['', 'k0', 'k01', 'k012', 'k05', 'x']) {
            const inside = [...rows].filter(([key]) => key.startsWith(prefix));
            const bytes = inside.reduce((sum, [, size]) => sum + size, 0);
            expect(sumKeys(sql, 1, prefix, prefixEnd(prefix))).toEqual({
              objects: inside.length,
              bytes,
              otherBytes: 0,
            });
          }
          const ranges = sql.all<{ objects: number }>(
            'SELECT objects FROM key_ranges ORDER BY first_key',
          );
          expect(ranges.slice(1).every(({ objects }) => objects >= 1 && objects <= 4)).toBe(true);
          sql.close();
        },
      ),
      { numRuns: fuzzRuns(40) },
    );
  });

  it('say when there are more matches, and go on where the scan stopped', () => {
    const world = openWorld();
    for (let at = 0; at < 30; at++) put(world, `k${String(at).padStart(2, '0')}.txt`, 1);
    const { index, bucket } = world;
    const ask = (after: string | null) =>
      index.searchKeys({ bucket, prefix: '', needle: '.TXT', limit: 20, after });
    const first = ask('');
    expect([first.objects.length, first.isComplete, first.nextAfter]).toEqual([
      20,
      false,
      'k19.txt',
    ]);
    expect(ask(first.nextAfter).objects).toHaveLength(10);
    while (!index.indexKeys({ bucket, nowMs: START_MS }).isDone);
    const indexed = ask(null);
    expect([indexed.state, indexed.objects.length, indexed.isComplete]).toEqual([
      'ready',
      20,
      false,
    ]);
  });

  it('leave nothing of a bucket that is deleted, and a new life finds only its own', () => {
    const world = openWorld();
    const { index, bucket, sql } = world;
    for (let at = 0; at < 10; at++) put(world, `key${at}`, 1);
    while (index.countAllKeys({ bucket }).state !== 'ready');
    while (!index.indexKeys({ bucket, nowMs: START_MS }).isDone);
    index.deleteObjects({ bucket, ...deletionOf(scan(world, '').map(({ key }) => key)) });
    index.deleteBucket({ bucket, nowMs: START_MS });
    index.forgetIncarnation({ bucket });
    expect(index.listIncarnations({ name: bucket.name })).toHaveLength(1);
    while (!index.forgetKeyIndex({ bucket, what: 'all' }).isDone);
    index.forgetIncarnation({ bucket });
    expect(index.listIncarnations({ name: bucket.name })).toHaveLength(0);
    for (const table of [
      'name_aids',
      'key_ranges',
      'search_names',
      'search_changes',
      'search_trigrams',
    ]) {
      expect([table, sql.all(`SELECT count(*) AS n FROM ${table}`)]).toEqual([table, [{ n: 0 }]]);
    }
  });
});
