// The directory of a ZIP, against a writer that is not ours, and against damage.
import { crc32 } from 'node:zlib';
import { TextReader, Uint8ArrayWriter, ZipWriter } from '@zip.js/zip.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  openZipEntry,
  readZip,
  type ZipEntry,
  type ZipSource,
} from '../../../src/console/views/viewers/archive/zip-index.ts';

const { signal } = new AbortController();

const sourceOf = (bytes: Uint8Array): ZipSource => ({
  sizeBytes: bytes.length,
  read: async (offset, length) => {
    if (offset < 0) throw new TypeError('An offset below zero');
    return bytes.slice(offset, offset + length);
  },
});

const list = (bytes: Uint8Array, entriesMax = 1000) => readZip(sourceOf(bytes), entriesMax, signal);

const textOf = (bytes: Uint8Array, entry: ZipEntry | undefined) => {
  if (entry === undefined) throw new Error('No such entry');
  const stream = openZipEntry(sourceOf(bytes), entry, signal) as ReadableStream<
    Uint8Array<ArrayBuffer>
  >;
  return new Response(stream).text();
};

type Added = { readonly name: string; readonly text: string } & Record<string, unknown>;

async function zip(added: readonly Added[], options = {}): Promise<Uint8Array> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), { useWebWorkers: false, ...options });
  for (const { name, text, ...rest } of added) await writer.add(name, new TextReader(text), rest);
  return writer.close();
}

const MODIFIED = new Date('2024-05-06T07:08:10Z');
const TWO = [
  { name: 'deep/hello.txt', text: 'hello from inside\n', lastModDate: MODIFIED },
  { name: '港口 é.txt', text: 'stored', level: 0, lastModDate: MODIFIED },
];

it.each([
  ['plain', {}],
  ['of 64 bits', { zip64: true }],
  ['with Unix times', { extendedTimestamp: true }],
  ['with the time of whoever packed it', { extendedTimestamp: false }],
])('68: the reader finds names, sizes, times and bytes of an archive: %s', async (_, options) => {
  const bytes = await zip(TWO, options);
  const { entries, isWhole } = await list(bytes);
  expect(isWhole).toBe(true);
  expect(entries.map(({ path, sizeBytes, modifiedMs }) => [path, sizeBytes, modifiedMs])).toEqual([
    ['deep/hello.txt', 18, MODIFIED.getTime()],
    ['港口 é.txt', 6, MODIFIED.getTime()],
  ]);
  expect(await textOf(bytes, entries[0])).toBe('hello from inside\n');
  expect(await textOf(bytes, entries[1])).toBe('stored');
});

it('68: the reader knows folders, what is encrypted, and where it stops', async () => {
  const bytes = await zip([
    { name: 'folder/', text: '', directory: true },
    { name: 'secret', text: 'hidden', password: 'p' },
    { name: 'last', text: '' },
  ]);
  const { entries } = await list(bytes);
  expect(entries.map(({ isFolder, isEncrypted }) => [isFolder, isEncrypted])).toEqual([
    [true, false],
    [false, true],
    [false, false],
  ]);
  const { entries: first, isWhole } = await list(bytes, 2);
  expect([first.length, isWhole]).toEqual([2, false]);
  expect(await textOf(bytes, entries[2])).toBe('');
});

it.each([
  ['plain', {}],
  ['of 64 bits', { zip64: true }],
])('68: the reader takes an archive behind a program: %s', async (_, options) => {
  const archive = await zip(TWO, { ...options, globalComment: new Uint8Array(300).fill(0x50) });
  const bytes = new Uint8Array([...new Uint8Array(1000).fill(7), ...archive]);
  const { entries } = await list(bytes);
  expect(await textOf(bytes, entries[0])).toBe('hello from inside\n');
});

it('68: the reader takes an archive without entries', async () => {
  expect(await list(await zip([]))).toEqual({ entries: [], isWhole: true });
});

/** An archive of one empty entry, with that name, flags and extra field. */
function named(name: Buffer, extra = Buffer.alloc(0)): Uint8Array {
  const entry = Buffer.alloc(46);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt16LE(name.length, 28);
  entry.writeUInt16LE(extra.length, 30);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(46 + name.length + extra.length, 12);
  return new Uint8Array(Buffer.concat([entry, name, extra, end]));
}

it('68: the reader takes names of before UTF-8, of unmarked UTF-8, and of the field', async () => {
  const old = Buffer.from([0x81, 0x62, 0x65, 0x72, 0xe1, 0xff]);
  const field = Buffer.alloc(9);
  field.writeUInt16LE(0x7075, 0);
  field.writeUInt8(1, 4);
  field.writeUInt32LE(crc32(old), 5);
  const text = Buffer.from('ü.txt');
  field.writeUInt16LE(5 + text.length, 2);
  const extra = Buffer.concat([field, text]);
  const nameIn = async (bytes: Uint8Array) => (await list(bytes)).entries[0]?.path;
  expect(await nameIn(named(old))).toBe('überß\u00a0');
  expect(await nameIn(named(Buffer.from('港口')))).toBe('港口');
  expect(await nameIn(named(old, extra))).toBe('ü.txt');
  expect(await nameIn(named(Buffer.from('other'), extra))).toBe('other');
});

it('68: the reader says of a damaged archive that it is one, and never waits', async () => {
  const whole = await zip(TWO, { zip64: true });
  await expect(list(new Uint8Array(0))).rejects.toThrow(RangeError);
  await expect(list(whole.subarray(0, whole.length - 30))).rejects.toThrow(RangeError);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 12 }),
      async (changes) => {
        const bytes = whole.slice();
        for (const [at, value] of changes) bytes[at] = value;
        try {
          const { entries } = await list(bytes, 10);
          for (const entry of entries) await textOf(bytes, entry);
        } catch (error) {
          // What inflates says of damage is a TypeError, and so is a read outside.
          expect(error).toSatisfy((one) => one instanceof RangeError || one instanceof TypeError);
          expect(`${error}`).not.toContain('below zero');
        }
      },
    ),
    { numRuns: 500 },
  );
});
