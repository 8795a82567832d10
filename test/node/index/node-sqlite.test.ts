import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type NodeSqlite, openSqlite } from '../../../src/adapters/node/index/node-sqlite.ts';
import type { SqlValue } from '../../../src/ports/sql.ts';

function freshPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'quayside-sqlite-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'index.sqlite');
}

function open(path: string, readOnly = false): NodeSqlite {
  const sql = openSqlite(path, { readOnly });
  onTestFinished(() => sql.close());
  return sql;
}

/** A database with one table of names. */
function openNames(path = ':memory:'): NodeSqlite {
  const sql = open(path);
  sql.all('CREATE TABLE names (name TEXT PRIMARY KEY) STRICT');
  return sql;
}

const add = (sql: NodeSqlite, name: string) => sql.all('INSERT INTO names VALUES (?)', name);
const namesIn = (sql: NodeSqlite) =>
  sql.all('SELECT name FROM names ORDER BY name').map((row) => row.name);
const attempt = (work: () => unknown) => {
  try {
    work();
    return 'done';
  } catch (error) {
    return (error as Error).message;
  }
};

describe('openSqlite', () => {
  it('syncs each commit to a write-ahead log', () => {
    const sql = open(freshPath());
    const setting = (name: string) => Object.values(sql.all(`PRAGMA ${name}`)[0] ?? {})[0];
    expect([setting('journal_mode'), setting('synchronous'), setting('foreign_keys')]).toEqual([
      'wal',
      2,
      0,
    ]);
  });

  it('frees the room that the log took during a long read', () => {
    const path = freshPath();
    const [sql, reader] = [openNames(path), open(path, true)];
    sql.all('CREATE TABLE bodies (bytes BLOB) STRICT');
    reader.transaction(() => {
      reader.all('SELECT count(*) FROM bodies');
      for (let at = 0; at < 5; at++) sql.all('INSERT INTO bodies VALUES (zeroblob(10000000))');
    });
    const logBytes = () => statSync(`${path}-wal`).size;
    expect(logBytes()).toBeGreaterThan(50_000_000);
    for (const name of ['a', 'b', 'c']) add(sql, name);
    expect(logBytes()).toBeLessThan(40_000_000);
  });

  it('returns values as they were stored', () => {
    const sql = open(':memory:');
    sql.all('CREATE TABLE v (id INTEGER PRIMARY KEY, t TEXT, n INTEGER, b BLOB) STRICT');
    const window = new Uint8Array([9, 1, 2, 9]).subarray(1, 3);
    const rows: SqlValue[][] = [
      ['a\u0000b', Number.MAX_SAFE_INTEGER, window],
      ['😀', -1, new Uint8Array(0)],
      ['', 0, null],
    ];
    for (const row of rows) sql.all('INSERT INTO v (t, n, b) VALUES (?, ?, ?)', ...row);
    expect(sql.all('SELECT t, n, b FROM v ORDER BY id').map((row) => Object.values(row))).toEqual([
      ['a\u0000b', Number.MAX_SAFE_INTEGER, new Uint8Array([1, 2])],
      ['😀', -1, new Uint8Array(0)],
      ['', 0, null],
    ]);
  });

  it('lets a reader see each commit of the writer, and write nothing', () => {
    const path = freshPath();
    const writer = openNames(path);
    const reader = open(path, true);
    expect(namesIn(reader)).toEqual([]);
    writer.batch(() => {
      add(writer, 'a');
      expect(namesIn(reader)).toEqual([]);
    });
    expect(namesIn(reader)).toEqual(['a']);
    expect(() => add(reader, 'b')).toThrow(/readonly/);
    reader.transaction(() => {
      expect(namesIn(reader)).toEqual(['a']);
      add(writer, 'b');
      expect(namesIn(reader)).toEqual(['a']);
    });
    expect(namesIn(reader)).toEqual(['a', 'b']);
  });

  it('keeps what was committed after it is closed and opened', () => {
    const path = freshPath();
    const sql = openSqlite(path, { readOnly: false });
    sql.all('CREATE TABLE names (name TEXT PRIMARY KEY) STRICT');
    sql.transaction(() => add(sql, 'a'));
    sql.close();
    expect(namesIn(open(path))).toEqual(['a']);
  });

  it('fails with ServiceUnavailable while another writer has the lock', () => {
    const path = freshPath();
    const first = openNames(path);
    const second = open(path);
    second.all('PRAGMA busy_timeout = 0');
    first.transaction(() => {
      expect(() => second.transaction(() => add(second, 'a'))).toThrow(
        expect.objectContaining({ code: 'ServiceUnavailable' }),
      );
    });
    second.transaction(() => add(second, 'b'));
    expect(namesIn(first)).toEqual(['b']);
  });
});

describe('transactions on Node', () => {
  it('undo themselves when they throw, nested ones alone', () => {
    const sql = openNames();
    const answer = sql.transaction(() => {
      add(sql, 'a');
      const inner = attempt(() =>
        sql.transaction(() => {
          add(sql, 'b');
          throw new Error('inner');
        }),
      );
      sql.transaction(() => add(sql, 'c'));
      return inner;
    });
    expect(answer).toBe('inner');
    expect(() =>
      sql.transaction(() => {
        add(sql, 'd');
        throw new Error('outer');
      }),
    ).toThrow('outer');
    expect(namesIn(sql)).toEqual(['a', 'c']);
  });

  it('leave nothing of a transaction that throws midway, and store the others of the batch', () => {
    const path = freshPath();
    const sql = openNames(path);
    const answers = sql.batch(() =>
      ['a', 'b', 'c'].map((name) =>
        attempt(() =>
          sql.transaction(() => {
            add(sql, name);
            add(sql, `${name}2`);
            if (name === 'b') add(sql, 'a');
          }),
        ),
      ),
    );
    expect(answers).toEqual(['done', 'UNIQUE constraint failed: names.name', 'done']);
    expect(namesIn(open(path, true))).toEqual(['a', 'a2', 'c', 'c2']);
  });

  it('store nothing of a batch that throws', () => {
    const sql = openNames();
    const failing = () =>
      sql.batch(() => {
        sql.transaction(() => add(sql, 'a'));
        throw new Error('batch');
      });
    expect(failing).toThrow('batch');
    expect(namesIn(sql)).toEqual([]);
    sql.batch(() => sql.transaction(() => add(sql, 'b')));
    expect(namesIn(sql)).toEqual(['b']);
  });

  it('fail a batch as a whole once SQLite has rolled it back by itself', () => {
    const sql = openNames();
    let late = '';
    const lost = () =>
      sql.batch(() => {
        sql.transaction(() => add(sql, 'a'));
        attempt(() =>
          sql.transaction(() => {
            sql.all('ROLLBACK');
            throw new Error('disk on fire');
          }),
        );
        late = attempt(() => sql.transaction(() => add(sql, 'b')));
      });
    expect(lost).toThrow('disk on fire');
    expect(late).toBe('disk on fire');
    expect(namesIn(sql)).toEqual([]);
    sql.batch(() => sql.transaction(() => add(sql, 'c')));
    expect(namesIn(sql)).toEqual(['c']);
  });

  it('say that the disk is full for the whole batch, and go on once there is room', () => {
    const sql = openNames(freshPath());
    sql.all('PRAGMA max_page_count = 20');
    const huge = 'x'.repeat(200_000);
    const answers: string[] = [];
    const full = () =>
      sql.batch(() => {
        for (const name of ['a', huge, 'b'])
          answers.push(attempt(() => sql.transaction(() => add(sql, name))));
      });
    expect(full).toThrow(expect.objectContaining({ name: 'StorageError', code: 'StorageFull' }));
    expect(answers[0]).toBe('done');
    expect(answers[2]).not.toBe('done');
    expect(namesIn(sql)).toEqual([]);
    sql.all('PRAGMA max_page_count = 20000');
    sql.batch(() => sql.transaction(() => add(sql, huge)));
    expect(namesIn(sql)).toHaveLength(1);
  });
});
