// The listing family of the metadata index's contract: byte order, prefixes, delimiters, paging at
// every boundary.
import { describe, expect } from 'vitest';
import type { BucketRecord } from '../../../src/domain/nouns.ts';
import type { ListObjectsPage, MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { type Subject, testsOf } from '../subject.ts';
import { deleteKeys, makeBucket, OWNER, objectOf, put, refOf, START_MS } from './samples.ts';

type Query = {
  readonly prefix?: string;
  readonly delimiter?: string;
  readonly after?: string;
  readonly maxKeys?: number;
};

/**
 * In the byte order of UTF-8, which the order of UTF-16 units is not: U+FFFD comes before the
 * astral ones.
 */
const IN_BYTE_ORDER = [
  '\u0000',
  '\u0000\u0000',
  '\u0001',
  ' ',
  '!',
  '/',
  '//',
  '0',
  'A',
  'Z',
  'a',
  'a\u0000',
  'a\u0000b',
  'a\u0001',
  'a/',
  'aa',
  'b',
  '\u007f',
  '\u0080',
  'ä',
  '\u07ff',
  '\u0800',
  '\ud7ff',
  '\ud7ff\u{10ffff}',
  '\ue000',
  '\ufffd',
  '\uffff',
  '\uffff\uffff',
  '\u{10000}',
  '\u{1f600}',
  '\u{1f600}/',
  '\u{10ffff}',
  '\u{10ffff}\u{10ffff}',
];

const TREE = [
  'a',
  'a/',
  'a/1',
  'a/2/x',
  'a/2/y',
  'b',
  'b//c',
  'b/c',
  'c-d-e',
  'c-d/e',
  'c/d-e',
  'zz::a',
  'zz::b::c',
  'zz:x',
  '😀/1',
  '😀/2',
  '😀😀',
];

/**
 * What a listing says, keys and common prefixes in one order, as S3 gives them.
 */
function namesOf(page: ListObjectsPage): { keys: readonly string[]; prefixes: readonly string[] } {
  return { keys: page.objects.map((object) => object.key), prefixes: page.commonPrefixes };
}

/** Runs the family. */
export function indexListingContract(subject: Subject<MetadataIndex>): void {
  const test = testsOf(subject);

  function list(
    index: MetadataIndex,
    bucket: BucketRecord,
    query: Query,
  ): Promise<ListObjectsPage> {
    const { prefix = '', delimiter = '', after = '', maxKeys = 1000 } = query;
    return index.call(bucket.name, 'listObjects', {
      bucket: refOf(bucket),
      prefix,
      delimiter,
      after,
      maxKeys,
    });
  }

  async function filled(index: MetadataIndex, keys: readonly string[]): Promise<BucketRecord> {
    const bucket = await makeBucket(index);
    await Promise.all(keys.toReversed().map((key) => put(index, bucket, objectOf(key))));
    return bucket;
  }

  /** All names by pages of one size; checks that the pages but the last are full and say so. */
  async function walk(
    index: MetadataIndex,
    bucket: BucketRecord,
    query: Query & { maxKeys: number },
  ) {
    const keys: string[] = [];
    const prefixes: string[] = [];
    for (let after = query.after ?? ''; ; ) {
      const page = await list(index, bucket, { ...query, after });
      const names = namesOf(page);
      keys.push(...names.keys);
      prefixes.push(...names.prefixes);
      const size = names.keys.length + names.prefixes.length;
      if (!page.isTruncated) {
        expect(page.lastName === null).toBe(size === 0);
        return { keys, prefixes };
      }
      expect(size).toBe(query.maxKeys);
      after = page.lastName ?? '';
    }
  }

  describe(`metadata index, listing: ${subject.name}`, () => {
    test('lists an empty bucket, and nothing when nothing is wanted', async (index) => {
      const bucket = await makeBucket(index);
      const empty = { objects: [], commonPrefixes: [], isTruncated: false, lastName: null };
      for (const query of [
        {},
        { delimiter: '/' },
        { prefix: 'x' },
        { after: 'x' },
        { maxKeys: 0 },
      ]) {
        expect(await list(index, bucket, query)).toEqual(empty);
      }
      await put(index, bucket, objectOf('k'));
      expect(await list(index, bucket, { maxKeys: 0 })).toEqual(empty);
      expect(await list(index, bucket, { maxKeys: 0, delimiter: '/' })).toEqual(empty);
    });

    test('says of an object what a listing shows', async (index) => {
      const bucket = await makeBucket(index);
      const attributes = {
        sizeBytes: 2 ** 42,
        etag: 'e-3',
        lastModifiedMs: START_MS + 7,
        storageClass: 'GLACIER',
      };
      const checksum = { algorithm: 'SHA1', type: 'COMPOSITE' } as const;
      await put(
        index,
        bucket,
        objectOf('a', { ...attributes, ownerId: OWNER, checksum: { ...checksum, value: 'x-3' } }),
      );
      await put(index, bucket, objectOf('b', attributes));
      expect((await list(index, bucket, {})).objects).toEqual([
        { key: 'a', ownerId: OWNER, ...attributes, checksum },
        { key: 'b', ownerId: null, ...attributes, checksum: null },
      ]);
    });

    test('lists current objects of this bucket only', async (index) => {
      const bucket = await filled(index, ['a', 'b', 'c']);
      await filled(index, ['other']);
      await put(index, bucket, objectOf('b', { etag: 'new' }));
      await deleteKeys(index, bucket, ['a']);
      const { objects } = await list(index, bucket, {});
      expect(objects.map(({ key, etag }) => [key, etag])).toEqual([
        ['b', 'new'],
        ['c', expect.any(String)],
      ]);
    });

    test('orders keys by their UTF-8 bytes, page by page, after any key', async (index) => {
      const bucket = await filled(index, IN_BYTE_ORDER);
      for (const maxKeys of [1, 2, 3, 7, IN_BYTE_ORDER.length - 1, IN_BYTE_ORDER.length, 1000]) {
        expect((await walk(index, bucket, { maxKeys })).keys).toEqual(IN_BYTE_ORDER);
      }
      for (const [at, after] of IN_BYTE_ORDER.entries()) {
        expect(namesOf(await list(index, bucket, { after })).keys).toEqual(
          IN_BYTE_ORDER.slice(at + 1),
        );
      }
    });

    test('finds exactly the keys with a prefix, whatever its last character', async (index) => {
      const bucket = await filled(index, IN_BYTE_ORDER);
      for (const prefix of [
        ...IN_BYTE_ORDER,
        'no',
        '\u{10fffe}',
        'a\u0000b\u0000',
        '\u{1f600}\u{10ffff}',
      ]) {
        const expected = IN_BYTE_ORDER.filter((key) => key.startsWith(prefix));
        expect(namesOf(await list(index, bucket, { prefix })).keys).toEqual(expected);
        expect((await walk(index, bucket, { prefix, maxKeys: 1 })).keys).toEqual(expected);
      }
    });

    test('starts after a name that is before, in or behind the prefix', async (index) => {
      const bucket = await filled(index, ['a', 'b', 'b1', 'b2', 'c']);
      const keysAfter = async (name: string) =>
        namesOf(await list(index, bucket, { prefix: 'b', after: name })).keys;
      expect(await keysAfter('a')).toEqual(['b', 'b1', 'b2']);
      expect(await keysAfter('b')).toEqual(['b1', 'b2']);
      expect(await keysAfter('b1')).toEqual(['b2']);
      expect(await keysAfter('b15')).toEqual(['b2']);
      expect(await keysAfter('b2')).toEqual([]);
      expect(await keysAfter('bb')).toEqual([]);
      expect(await keysAfter('c')).toEqual([]);
    });

    const rollUps: (Query & { keys: readonly string[]; prefixes: readonly string[] })[] = [
      {
        delimiter: '/',
        keys: ['a', 'b', 'c-d-e', 'zz::a', 'zz::b::c', 'zz:x', '😀😀'],
        prefixes: ['a/', 'b/', 'c-d/', 'c/', '😀/'],
      },
      { delimiter: '/', prefix: 'a', keys: ['a'], prefixes: ['a/'] },
      { delimiter: '/', prefix: 'a/', keys: ['a/', 'a/1'], prefixes: ['a/2/'] },
      { delimiter: '/', prefix: 'a/2/', keys: ['a/2/x', 'a/2/y'], prefixes: [] },
      { delimiter: '/', prefix: 'b/', keys: ['b/c'], prefixes: ['b//'] },
      { delimiter: '/', prefix: 'c', keys: ['c-d-e'], prefixes: ['c-d/', 'c/'] },
      { delimiter: '/', prefix: '/', keys: [], prefixes: [] },
      { delimiter: '::', prefix: 'zz', keys: ['zz:x'], prefixes: ['zz::'] },
      { delimiter: '::', prefix: 'zz:', keys: ['zz::a', 'zz:x'], prefixes: ['zz::b::'] },
      { delimiter: '😀', keys: TREE.slice(0, -3), prefixes: ['😀'] },
      { delimiter: '-d', prefix: 'c', keys: ['c/d-e'], prefixes: ['c-d'] },
      { delimiter: '/', after: 'a', prefix: 'a', keys: [], prefixes: ['a/'] },
      { delimiter: '/', after: 'a/', prefix: 'a', keys: [], prefixes: [] },
      { delimiter: '/', after: 'a/1', prefix: 'a', keys: [], prefixes: [] },
      {
        delimiter: '/',
        after: 'b',
        keys: ['c-d-e', 'zz::a', 'zz::b::c', 'zz:x', '😀😀'],
        prefixes: ['b/', 'c-d/', 'c/', '😀/'],
      },
      {
        delimiter: '/',
        after: 'c-d/',
        keys: ['zz::a', 'zz::b::c', 'zz:x', '😀😀'],
        prefixes: ['c/', '😀/'],
      },
      { delimiter: '/', after: '😀/', keys: ['😀😀'], prefixes: [] },
    ];
    test('rolls up keys that have the delimiter behind the prefix', async (index) => {
      const bucket = await filled(index, TREE);
      for (const { keys, prefixes, ...query } of rollUps) {
        for (const maxKeys of [1, 2, 3, 1000]) {
          const names = await walk(index, bucket, { ...query, maxKeys });
          expect({ query, maxKeys, ...names }).toEqual({ query, maxKeys, keys, prefixes });
        }
      }
    });

    test('counts keys and common prefixes together, in one order', async (index) => {
      const bucket = await filled(index, TREE);
      const page = (after: string) => list(index, bucket, { delimiter: '/', maxKeys: 2, after });
      expect(await page('')).toMatchObject({
        commonPrefixes: ['a/'],
        isTruncated: true,
        lastName: 'a/',
      });
      expect(await page('a/')).toMatchObject({
        commonPrefixes: ['b/'],
        isTruncated: true,
        lastName: 'b/',
      });
      expect(await page('zz:x')).toMatchObject({
        commonPrefixes: ['😀/'],
        isTruncated: false,
        lastName: '😀😀',
      });
    });

    test('rolls up prefixes at the very end of the order', async (index) => {
      const last = '\u{10ffff}';
      const bucket = await filled(index, ['a', `${last}${last}1`, `${last}${last}2`]);
      const query = { delimiter: last, maxKeys: 10 };
      expect(await walk(index, bucket, query)).toEqual({ keys: ['a'], prefixes: [last] });
      expect(await walk(index, bucket, { ...query, after: last })).toEqual({
        keys: [],
        prefixes: [],
      });
      const below = { ...query, prefix: last };
      expect(await walk(index, bucket, below)).toEqual({ keys: [], prefixes: [`${last}${last}`] });
    });

    test('lists leaves and folders in turns and in long runs', async (index) => {
      const numbers = Array.from({ length: 40 }, (_, number) => String(number).padStart(2, '0'));
      const leaves = numbers.map((number) => `m${number}`);
      const folders = numbers.map((number) => `n${number}/`);
      const turns = numbers.flatMap((number) => [
        `o${number}a`,
        `o${number}b/1`,
        `o${number}b/2`,
        `o${number}b/3`,
      ]);
      const keys = [
        ...leaves,
        ...folders.flatMap((folder) => [`${folder}1`, `${folder}2`]),
        ...turns,
      ];
      const bucket = await filled(index, keys);
      const expected = {
        keys: [...leaves, ...numbers.map((number) => `o${number}a`)],
        prefixes: [...folders, ...numbers.map((number) => `o${number}b/`)],
      };
      for (const maxKeys of [7, 64, 160, 161, 1000]) {
        expect(await walk(index, bucket, { delimiter: '/', maxKeys })).toEqual(expected);
      }
    });

    test('tells a full last page from a truncated one', async (index) => {
      const bucket = await filled(index, ['a', 'b/1', 'b/2']);
      const isTruncated = async (query: Query) => (await list(index, bucket, query)).isTruncated;
      expect(await isTruncated({ maxKeys: 3 })).toBe(false);
      expect(await isTruncated({ maxKeys: 2 })).toBe(true);
      expect(await isTruncated({ maxKeys: 2, delimiter: '/' })).toBe(false);
      expect(await isTruncated({ maxKeys: 1, delimiter: '/' })).toBe(true);
    });
  });
}
