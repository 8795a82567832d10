// Listing against a model that sorts and rolls up all keys in memory, over keys that break naive
// orders.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NodeSqlite } from '../../src/adapters/node/index/node-sqlite.ts';
import type { BucketRecord } from '../../src/domain/nouns.ts';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../../src/index/tables/index-schema.ts';
import type { IndexApi } from '../../src/ports/metadata-index.ts';
import type { Sql } from '../../src/ports/sql.ts';
import { bucketRecord, objectOf, refOf, uploadOf } from '../contract/index/samples.ts';
import { fuzzRuns } from '../fuzz-seed.ts';
import { nastyText } from './kit/nasty-text.ts';
import { openMigrated } from './kit/open-migrated.ts';

type Scope = { readonly prefix: string; readonly delimiter: string };

const byBytes = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** The names that S3 lists: in byte order, each once. */
function modelNames(keys: readonly string[], { prefix, delimiter }: Scope): string[] {
  const names = keys
    .filter((key) => key.startsWith(prefix))
    .map((key) => {
      const at = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
      return at === -1 ? key : key.slice(0, at + delimiter.length);
    });
  return [...new Set(names)].toSorted(byBytes);
}

/** An index that counts the rows that its statements gave. */
function openCounting(): {
  index: IndexApi;
  sql: NodeSqlite;
  bucket: BucketRecord;
  takeRows: () => number;
} {
  const sql = openMigrated(INDEX_SCHEMA);
  let rows = 0;
  const counting: Sql = {
    all(statement, ...values) {
      const found = sql.all<never>(statement, ...values);
      rows += found.length;
      return found;
    },
    transaction: sql.transaction,
  };
  const index = createBucketIndex(counting);
  const bucket = index.createBucket({ bucket: bucketRecord() });
  const takeRows = () => {
    const taken = rows;
    rows = 0;
    return taken;
  };
  return { index, sql, bucket, takeRows };
}

const scopes = fc.record({
  prefix: nastyText(2),
  delimiter: fc.constantFrom('', '/', '/', '//', ':', 'a/', '😀', '\u{10ffff}'),
});
const keySets = fc.uniqueArray(
  nastyText(5).filter((key) => key !== ''),
  { maxLength: 40 },
);

describe('listObjects against a model', () => {
  it('gives every name once and in order, whatever the page size', () => {
    fc.assert(
      fc.property(keySets, scopes, (keys, scope) => {
        const { index, sql, bucket } = openCounting();
        for (const key of keys) {
          index.commitObject({
            bucket: refOf(bucket),
            object: objectOf(key),
            condition: null,
            newReferences: [],
          });
        }
        const names = modelNames(keys, scope);
        for (let maxKeys = 1; maxKeys <= names.length + 1; maxKeys++) {
          const listed: string[] = [];
          for (let after = ''; ; ) {
            const page = index.listObjects({ bucket: refOf(bucket), ...scope, after, maxKeys });
            const own = [
              ...page.objects.map((object) => object.key),
              ...page.commonPrefixes,
            ].toSorted(byBytes);
            listed.push(...own);
            expect(page.isTruncated).toBe(listed.length < names.length);
            expect(page.lastName).toBe(own.at(-1) ?? null);
            if (!page.isTruncated) break;
            expect(own).toHaveLength(maxKeys);
            after = page.lastName ?? '';
          }
          expect(listed).toEqual(names);
        }
        sql.close();
      }),
      { numRuns: fuzzRuns(60) },
    );
  });

  it('gives exactly the names after any text', () => {
    fc.assert(
      fc.property(
        keySets,
        scopes,
        fc.array(nastyText(5), { maxLength: 10 }),
        (keys, scope, marks) => {
          const { index, sql, bucket } = openCounting();
          for (const key of keys) {
            index.commitObject({
              bucket: refOf(bucket),
              object: objectOf(key),
              condition: null,
              newReferences: [],
            });
          }
          const names = modelNames(keys, scope);
          for (const after of [...marks, ...keys, ...names]) {
            const page = index.listObjects({
              bucket: refOf(bucket),
              ...scope,
              after,
              maxKeys: 1000,
            });
            const own = [
              ...page.objects.map((object) => object.key),
              ...page.commonPrefixes,
            ].toSorted(byBytes);
            expect(own).toEqual(names.filter((name) => byBytes(name, after) > 0));
          }
          sql.close();
        },
      ),
      { numRuns: fuzzRuns(60) },
    );
  });

  it('reads rows in proportion to the names it gives, however many it rolls up', () => {
    const { index, sql, bucket, takeRows } = openCounting();
    sql.transaction(() => {
      for (let folder = 0; folder < 60; folder++) {
        for (let file = 0; file < 100; file++) {
          const key = `${folder % 3 === 0 ? 'deep' : 'flat'}/${folder}/${file}`;
          index.commitObject({
            bucket: refOf(bucket),
            object: objectOf(key),
            condition: null,
            newReferences: [],
          });
        }
      }
    });
    const rowsOf = (prefix: string, maxKeys: number) => {
      takeRows();
      const page = index.listObjects({
        bucket: refOf(bucket),
        prefix,
        delimiter: '/',
        after: '',
        maxKeys,
      });
      return { names: page.objects.length + page.commonPrefixes.length, rows: takeRows() };
    };
    const constant = 20;
    for (const [prefix, names] of [
      ['', 2],
      ['deep/', 20],
      ['flat/', 40],
      ['flat/1/', 100],
      ['flat/1/9', 11],
    ] as const) {
      const cost = rowsOf(prefix, 1000);
      expect(cost.names).toBe(names);
      expect(cost.rows).toBeLessThanOrEqual(2 * names + constant);
    }
    expect(rowsOf('', 1).rows).toBeLessThanOrEqual(constant);
    sql.close();
  });
});

describe('listUploads against a model', () => {
  it('gives every upload and common prefix once and in order, whatever the page size', () => {
    fc.assert(
      fc.property(keySets, scopes, fc.integer({ min: 1, max: 3 }), (keys, scope, uploadsEach) => {
        const { index, sql, bucket } = openCounting();
        const uploads = keys.flatMap((key) =>
          Array.from({ length: uploadsEach }, () => uploadOf(key)),
        );
        for (const upload of uploads) index.createUpload({ bucket: refOf(bucket), upload });
        const names = modelNames(keys, scope).flatMap((name) => {
          const own = uploads.filter((upload) => upload.key === name && keys.includes(name));
          const isPrefix =
            scope.delimiter !== '' && name.indexOf(scope.delimiter, scope.prefix.length) !== -1;
          return isPrefix
            ? [`${name}|`]
            : own.map((upload) => `${name}|${upload.uploadId}`).toSorted();
        });
        for (let maxUploads = 1; maxUploads <= names.length + 1; maxUploads++) {
          const listed: string[] = [];
          for (let after = { key: '', uploadId: '' }; ; ) {
            const page = index.listUploads({
              bucket: refOf(bucket),
              ...scope,
              afterKey: after.key,
              afterUploadId: after.uploadId,
              maxUploads,
            });
            const own = [
              ...page.uploads.map((upload) => [upload.key, upload.uploadId] as const),
              ...page.commonPrefixes.map((prefix) => [prefix, ''] as const),
            ].toSorted((a, b) => byBytes(a[0], b[0]) || byBytes(a[1], b[1]));
            listed.push(...own.map(([key, uploadId]) => `${key}|${uploadId}`));
            expect(page.isTruncated).toBe(listed.length < names.length);
            if (!page.isTruncated) break;
            expect(own).toHaveLength(maxUploads);
            after = page.last ?? after;
          }
          expect(listed).toEqual(names);
        }
        sql.close();
      }),
      { numRuns: fuzzRuns(30) },
    );
  });
});
