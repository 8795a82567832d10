// What every statement of the index and the directory costs: seeks in an index, never a scan of a
// table or a sort.
import { describe, expect, it } from 'vitest';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { DIRECTORY_CALLS, INDEX_CALLS } from '../../src/index/call-kinds.ts';
import { createDirectoryIndex } from '../../src/index/directory-index.ts';
import { DIRECTORY_SCHEMA } from '../../src/index/tables/directory-schema.ts';
import { INDEX_SCHEMA } from '../../src/index/tables/index-schema.ts';
import type { Schema } from '../../src/index/tables/schema.ts';
import type { Sql } from '../../src/ports/sql.ts';
import { openCounting } from './kit/open-counting.ts';
import { openMigrated } from './kit/open-migrated.ts';
import { useDirectory } from './kit/use-directory.ts';
import { useIndex } from './kit/use-index.ts';

/** Scans that end after a fixed number of rows, or that go over what the caller gave. */
const HARMLESS = [
  /^SCAN json_each/,
  /^SCAN CONSTANT ROW/,
  // The oldest ten rows in the order of the table itself.
  /^SCAN finished_uploads$/,
  // What a limit inside let through.
  /^SCAN \(subquery-\d+\)$/,
  // By the search index itself, in the order of its rows.
  /^SCAN search_trigrams VIRTUAL TABLE INDEX/,
  // Endpoints that have messages waiting, each found by a seek.
  /^SCAN found$/,
];

/** A database that remembers the statements it ran. */
function openRecording(schema: Schema) {
  const sql = openMigrated(schema);
  const texts = new Set<string>();
  const recording: Sql = {
    all(text, ...values) {
      texts.add(text);
      return sql.all<never>(text, ...values);
    },
    transaction: sql.transaction,
  };
  const plansOf = (text: string) => {
    const parameters = new Set(
      text.match(/\?\d*/g)?.map((mark, at) => (mark === '?' ? `#${at}` : mark)),
    ).size;
    return sql
      .all<{ detail: string }>(
        `EXPLAIN QUERY PLAN ${text}`,
        ...Array.from({ length: parameters }, () => null),
      )
      .map((row) => row.detail);
  };
  return { recording, texts, plansOf };
}

/** The statements that SQLite has planned anew in a database of its own. */
function openPlanning(schema: Schema) {
  const { sql, counted } = openCounting(schema);
  const plannedAnew = () =>
    counted('reprepare')
      .filter(({ n }) => n > 0)
      .map(({ text }) => text);
  return { sql, plannedAnew };
}

/** Wraps calls so that the names of those that were called are noted. */
function noting<Api extends object>(api: Api, called: Set<string>): Api {
  return new Proxy(api, {
    get(target, name) {
      called.add(String(name));
      return Reflect.get(target, name);
    },
  });
}

function expectSeeks(texts: ReadonlySet<string>, plansOf: (text: string) => string[]): void {
  for (const text of texts) {
    const costly = plansOf(text).filter(
      (step) =>
        /SCAN|TEMP B-TREE|AUTOMATIC/.test(step) && !HARMLESS.some((pattern) => pattern.test(step)),
    );
    expect({ text, costly }).toEqual({ text, costly: [] });
  }
}

describe('statements', () => {
  it('of the index seek', () => {
    const { recording, texts, plansOf } = openRecording(INDEX_SCHEMA);
    const called = new Set<string>();
    useIndex(noting(createBucketIndex(recording), called));
    expect([...called].toSorted()).toEqual(Object.keys(INDEX_CALLS).toSorted());
    expect(texts.size).toBeGreaterThan(40);
    expectSeeks(texts, plansOf);
  });

  it('of the directory seek', () => {
    const { recording, texts, plansOf } = openRecording(DIRECTORY_SCHEMA);
    const called = new Set<string>();
    useDirectory(noting(createDirectoryIndex(recording), called));
    expect([...called].toSorted()).toEqual(Object.keys(DIRECTORY_CALLS).toSorted());
    expectSeeks(texts, plansOf);
  });

  it.each([
    ['index', INDEX_SCHEMA, (sql: Sql) => useIndex(createBucketIndex(sql))],
    ['directory', DIRECTORY_SCHEMA, (sql: Sql) => useDirectory(createDirectoryIndex(sql))],
  ] as const)(
    'of the %s ask every index that the schema makes: none is there for nothing',
    (_name, schema, use) => {
      const { recording, texts, plansOf } = openRecording(schema);
      use(recording);
      const made = recording.all<{ name: string }>(
        "SELECT name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL",
      );
      expect(made.length).toBeGreaterThan(5);
      const plans = [...texts].flatMap(plansOf);
      const unasked = made.filter(
        ({ name }) => !plans.some((plan) => plan.includes(` INDEX ${name} (`)),
      );
      expect(unasked).toEqual([]);
    },
  );

  it('are planned once, whatever values they get', () => {
    const { sql, plannedAnew } = openPlanning(INDEX_SCHEMA);
    for (const _ of [1, 2, 3]) useIndex(createBucketIndex(sql));
    expect(plannedAnew()).toEqual([]);
    const other = openPlanning(DIRECTORY_SCHEMA);
    for (const _ of [1, 2, 3]) useDirectory(createDirectoryIndex(other.sql));
    expect(other.plannedAnew()).toEqual([]);
    const bare = openPlanning({ name: 'probe', migrations: [['CREATE TABLE t (x INTEGER)']] });
    for (const limit of [1, 2]) bare.sql.all('SELECT x FROM t LIMIT ?', limit);
    expect(bare.plannedAnew()).toHaveLength(1);
  });

  it('bind every value: the texts never change, and are few', () => {
    const { recording, texts } = openRecording(INDEX_SCHEMA);
    const index = createBucketIndex(recording);
    useIndex(index);
    const count = texts.size;
    for (let round = 0; round < 5; round++) useIndex(index);
    expect(texts.size).toBe(count);
    expect(
      Math.max(...[...texts].map((text) => text.match(/\?/g)?.length ?? 0)),
    ).toBeLessThanOrEqual(100);
  });
});
