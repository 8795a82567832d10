// Ranks of names against a plain listing, after random commits, deletions and renames before,
// during and after the count.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareUtf8 } from '../../../src/domain/keys/compare-utf8.ts';
import type { VersionId } from '../../../src/domain/nouns.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import {
  countedNames,
  countLevel,
  findLevel,
  LEVEL_KEPT_MS,
  LEVELS_MAX,
  nameAtRank,
  noteLevelChange,
  rankOfName,
} from '../../../src/index/keys/key-levels.ts';
import { commonPrefixOf } from '../../../src/index/keys/key-pages.ts';
import { walkNames } from '../../../src/index/keys/walk-names.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import type { LevelStart } from '../../../src/ports/index-calls/level-calls.ts';
import {
  asKey,
  bucketRecord,
  deletionOf,
  fresh,
  keyJobOf,
  objectOf,
  refOf,
  START_MS,
} from '../../contract/index/samples.ts';
import { fuzzRuns } from '../../fuzz-seed.ts';
import { openMigrated } from '../kit/open-migrated.ts';

function openWorld() {
  const sql = openMigrated(INDEX_SCHEMA);
  const index = createBucketIndex(sql);
  const bucket = refOf(index.createBucket({ bucket: bucketRecord() }));
  return { sql, index, bucket };
}
type World = ReturnType<typeof openWorld>;

const KEYS = ['a', 'a/', 'a/1', 'a/2/x', 'a/2/y', 'a/3//z', 'a0', 'b', 'b//c', 'é', '\u{10ffff}'];
const keys = fc.constantFrom(...KEYS);
type Step =
  | { readonly do: 'put'; readonly key: string }
  | { readonly do: 'delete'; readonly key: string }
  | { readonly do: 'rename'; readonly key: string; readonly to: string }
  | { readonly do: 'versions' };
const steps: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('put' as const), key: keys }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('delete' as const), key: keys }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('rename' as const), key: keys, to: keys }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('versions' as const) }) },
);

const freshId = () => fresh('version') as VersionId;

function run(world: World, step: Step): void {
  const { index, bucket } = world;
  if (step.do === 'put') {
    const commit = { object: objectOf(step.key), condition: null, newReferences: [] };
    index.commitObject({ bucket, ...commit });
  } else if (step.do === 'delete') {
    index.deleteObjects({ bucket, ...deletionOf([step.key]) });
  } else if (step.do === 'versions') {
    world.bucket = { ...bucket, versioning: 'enabled' };
  } else if (step.do === 'rename') {
    const id = fresh('job');
    index.createKeyJob({ bucket, job: keyJobOf(id) });
    const action = {
      kind: 'move',
      key: asKey(step.key),
      toKeys: [asKey(step.to)],
      versionId: freshId(),
      markerId: freshId(),
      mayReplace: true,
    } as const;
    const next = { next: { after: '', at: 0 }, elsewhere: {}, isLast: true };
    index.stepKeyJob({ bucket, id, revision: 1, actions: [action], ...next, nowMs: START_MS });
  }
}

const LEVELS = [
  { prefix: '', delimiter: '/' },
  { prefix: '', delimiter: '' },
  { prefix: '', delimiter: '//' },
  { prefix: 'a/', delimiter: '/' },
  { prefix: 'a', delimiter: '/' },
  { prefix: '\u{10ffff}', delimiter: '/' },
];

/** The names of a level by a plain listing. */
function namesOf({ index, bucket }: World, level: (typeof LEVELS)[number]): readonly string[] {
  const page = index.listObjects({ bucket, ...level, after: '', maxKeys: 1000 });
  return namesOnPage(page);
}

function namesOnPage(page: {
  readonly objects: readonly { readonly key: string }[];
  readonly commonPrefixes: readonly string[];
}): readonly string[] {
  return [...page.objects.map(({ key }) => key), ...page.commonPrefixes].sort(compareUtf8);
}

function check(world: World): void {
  const { index, bucket } = world;
  for (const level of LEVELS) {
    const names = namesOf(world, level);
    const ask = (start: LevelStart, maxKeys = 2) =>
      index.listLevel({ bucket, ...level, maxKeys, start });
    for (let rank = 0; rank <= names.length; rank++) {
      const page = ask({ by: 'rank', rank, isFromEnd: false });
      expect(namesOnPage(page)).toEqual(names.slice(rank, rank + 2));
      expect(page).toMatchObject({ rank, total: names.length, isExact: true });
      const back = ask({ by: 'rank', rank, isFromEnd: true });
      const end = names.length - rank;
      expect(namesOnPage(back)).toEqual(names.slice(Math.max(0, end - 2), end));
    }
    for (const name of ['', ...KEYS, 'a/2/', 'a/5', 'b//', 'zz']) {
      const page = ask({ by: 'name', name }, 1000);
      const wanted = names.filter((one) => compareUtf8(one, name) >= 0);
      expect([level, name, namesOnPage(page)]).toEqual([level, name, wanted]);
      expect(page.rank).toBe(names.length - wanted.length);
    }
  }
}

function countAll({ index, bucket }: World): void {
  for (const level of LEVELS) {
    while (!index.countLevel({ bucket, ...level, nowMs: START_MS }).isReady);
  }
}

describe('ranks of names', () => {
  it('agree with a listing after anything, counted and not', { timeout: 60_000 }, () => {
    fc.assert(
      fc.property(
        fc.array(steps, { maxLength: 30 }),
        fc.array(steps, { maxLength: 30 }),
        (before, after) => {
          const world = openWorld();
          for (const step of before) run(world, step);
          check(world);
          countAll(world);
          check(world);
          for (const step of after) {
            run(world, step);
            check(world);
          }
          world.sql.close();
        },
      ),
      { numRuns: fuzzRuns(20) },
    );
  });

  it('cut their ranges, let empty ones go, and are counted while names change', {
    timeout: 60_000,
  }, () => {
    const change = fc.record({ at: fc.nat({ max: 60 }), isAdded: fc.boolean() });
    const level = { bucket: 1, prefix: 'k', delimiter: '/' };
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200, size: 'max' }), (changes) => {
        const sql = openMigrated(INDEX_SCHEMA);
        const rows = new Set<string>();
        const apply = ({ at, isAdded }: (typeof changes)[number]) => {
          const text = `k${String(at >> 1).padStart(3, '0')}${at % 3 === 0 ? '' : `/${at}`}`;
          if (rows.has(text) === isAdded) return;
          if (isAdded) rows.add(text);
          else rows.delete(text);
          sql.all('DELETE FROM objects WHERE key = ?', text);
          if (isAdded) {
            sql.all(
              `INSERT INTO objects (bucket, key, size_bytes, etag, last_modified_ms,
                 storage_class, version_id, is_null) VALUES (1, ?, 1, '', 0, 'STANDARD', '', 1)`,
              text,
            );
          }
          noteLevelChange(sql, 1, text, isAdded ? 1 : -1, 4);
        };
        while (!countLevel(sql, level, START_MS).isReady);
        for (const one of changes) apply(one);
        for (const one of changes.toReversed()) apply(one);
        const names = [
          ...new Set([...rows].map((key) => commonPrefixOf(key, 'k', '/') ?? key)),
        ].sort(compareUtf8);
        const row = findLevel(sql, level);
        if (row === null) throw new Error('the level is gone');
        expect(countedNames(sql, row)).toBe(names.length);
        expect(names.map((_, rank) => nameAtRank(sql, level, row, rank))).toEqual(names);
        expect(names.map((name) => rankOfName(sql, level, row, name))).toEqual([...names.keys()]);
        const ranges = sql.all<{ names: number }>(
          'SELECT names FROM level_ranges ORDER BY first_name',
        );
        expect(ranges.slice(1).every(({ names: n }) => n >= 1 && n <= 4)).toBe(true);
        sql.close();
      }),
      { numRuns: fuzzRuns(40) },
    );
  });

  it('are known as far as they are counted, and not behind that', () => {
    const { sql, index, bucket } = openWorld();
    sql.all(
      `WITH RECURSIVE i (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i < 59999)
       INSERT INTO objects (bucket, key, version_id, is_null, size_bytes, etag, last_modified_ms,
         storage_class) SELECT 1, printf('%05d', i), '', 0, 1, '', 0, 'STANDARD' FROM i`,
    );
    const ask = (start: LevelStart) =>
      index.listLevel({ bucket, prefix: '', delimiter: '/', maxKeys: 1, start });
    const level = { bucket, prefix: '', delimiter: '/', nowMs: START_MS };
    const far: LevelStart = { by: 'rank', rank: 50_000, isFromEnd: false };
    expect(ask(far)).toMatchObject({ rank: 1999, total: 2000, isExact: false, usedAtMs: null });
    expect(ask({ by: 'name', name: '5' })).toMatchObject({ rank: null, lastName: '50000' });
    expect(index.countLevel(level)).toEqual({ isReady: false, hasRoom: true });
    const { rank, total, isExact } = ask(far);
    expect([rank, isExact]).toEqual([total - 1, false]);
    expect(total).toBeGreaterThan(2000);
    expect(ask({ by: 'name', name: '5' })).toMatchObject({ rank: null, lastName: '50000' });
    while (!index.countLevel(level).isReady);
    expect(ask(far)).toMatchObject({ rank: 50_000, total: 60_000, isExact: true });
    expect(ask({ by: 'name', name: '5' })).toMatchObject({ rank: 50_000, lastName: '50000' });
    sql.close();
  });

  it('are right where names came and went while they were counted', () => {
    const { sql, index, bucket } = openWorld();
    sql.all(
      `WITH RECURSIVE i (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i < 29999)
       INSERT INTO objects (bucket, key, version_id, is_null, size_bytes, etag, last_modified_ms,
         storage_class) SELECT 1, printf('%05d', i), '', 1, 1, '', 0, 'STANDARD' FROM i`,
    );
    const level = { bucket, prefix: '', delimiter: '/', nowMs: START_MS };
    const count = () => index.countLevel(level).isReady;
    const put = (key: string) =>
      index.commitObject({ bucket, object: objectOf(key), condition: null, newReferences: [] });
    for (const key of ['00005a', '29990a', '29991a']) put(key);
    expect(count()).toBe(false);
    // Some where they are counted already, some where they are not yet.
    index.deleteObjects({ bucket, ...deletionOf(['00005a', '29990a', '29991a']) });
    for (const key of ['00006a', '29980a']) put(key);
    while (!count());
    const start = { by: 'rank', rank: 0, isFromEnd: true } as const;
    const page = index.listLevel({ bucket, prefix: '', delimiter: '/', maxKeys: 20, start });
    expect(page).toMatchObject({ total: 30_002, isExact: true, rank: 0 });
    const names = namesOnPage(page);
    expect([names.length, names[0], names.at(-1)]).toEqual([20, '29980a', '29999']);
    sql.close();
  });

  it('keep the levels that were used last, and none that nobody uses', () => {
    const { sql, index, bucket } = openWorld();
    const count = (prefix: string, nowMs: number) =>
      index.countLevel({ bucket, prefix, delimiter: '/', nowMs });
    for (let at = 0; at < LEVELS_MAX; at++) count(`p${at}/`, START_MS + at);
    count('p0/', START_MS + 100);
    expect(count('new/', START_MS + LEVEL_KEPT_MS)).toEqual({ isReady: false, hasRoom: false });
    expect(count('new/', START_MS + 1 + LEVEL_KEPT_MS)).toEqual({ isReady: true, hasRoom: true });
    const prefixes = () =>
      sql.all<{ prefix: string }>('SELECT prefix FROM key_levels').map(({ prefix }) => prefix);
    expect(prefixes()).toHaveLength(LEVELS_MAX);
    expect(prefixes()).toContain('p0/');
    expect(prefixes()).not.toContain('p1/');
    const [living] = index.listIncarnations({ name: bucket.name });
    expect(living?.levelsUsedAtMs).toBe(START_MS + 2);
    index.forgetLevels({ bucket, unusedSinceMs: START_MS + 100 });
    expect(prefixes().toSorted()).toEqual(['new/', 'p0/']);
    index.deleteBucket({ bucket, nowMs: START_MS });
    for (const table of ['key_levels', 'level_ranges', 'name_aids']) {
      expect([table, sql.all(`SELECT count(*) AS n FROM ${table}`)]).toEqual([table, [{ n: 0 }]]);
    }
    sql.close();
  });

  it('read few rows where folders are large, and few more than names where they are small', () => {
    const { sql } = openWorld();
    const insert = (folders: number, files: number, prefix: string) =>
      sql.all(
        `WITH RECURSIVE i (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM i WHERE i + 1 < ?)
         INSERT INTO objects (bucket, key, version_id, is_null, size_bytes, etag,
           last_modified_ms, storage_class)
         SELECT 1, printf('%s/%05d/%05d', ?, i / ?, i), '', 0, 1, '', 0, 'STANDARD' FROM i`,
        folders * files,
        prefix,
        files,
      );
    insert(10, 5000, 'large');
    insert(2000, 2, 'small');
    const walk = (prefix: string) =>
      walkNames(sql, { bucket: 1, prefix, delimiter: '/' }, prefix, {
        maxNames: 1e6,
        maxRows: 1e9,
      });
    const some = { bucket: 1, prefix: 'small/', delimiter: '' };
    const bounds = { maxNames: 1e6, maxRows: 72 };
    // A seek, which counts as eight rows, and the 64 rows of a first batch.
    const stopped = { names: 64, cost: 72, next: 'small/00031/00063\u0000' };
    expect(walkNames(sql, some, 'small/', bounds)).toEqual(stopped);
    expect(walk('large/')).toMatchObject({ names: 10, next: null });
    expect(walk('large/').cost).toBeLessThan(300);
    expect(walk('small/')).toMatchObject({ names: 2000, next: null });
    expect(walk('small/').cost).toBeLessThan(3 * 2000);
    sql.close();
  });
});
