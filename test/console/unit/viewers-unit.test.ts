// Parts of the viewers that need no browser: differences and merges of texts, kinds by name and
// bytes, encodings, rows, indented JSON, facts of cameras, sameness by digests.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareDigests } from '../../../src/console/views/compare/same-bytes.ts';
import { diffLines, linesOf, mergeTexts } from '../../../src/console/views/viewers/diff.ts';
import { kindOf, kindOfBytes } from '../../../src/console/views/viewers/kinds.ts';
import { readExif } from '../../../src/console/views/viewers/media/exif.ts';
import { ROW_CELLS_MAX } from '../../../src/console/views/viewers/table/parse-cells.ts';
import { createRowReader } from '../../../src/console/views/viewers/table/rows.ts';
import { createDecoder, guessEncoding } from '../../../src/console/views/viewers/text/decode.ts';
import { prettyJson } from '../../../src/console/views/viewers/text/pretty-json.ts';

const bytesOf = (text: string) => new TextEncoder().encode(text);
const NAMES = { yours: 'yours', theirs: 'theirs' };

describe('diffLines', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 30 });

  it('gives back both texts from its parts', () => {
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const { parts } = diffLines(before, after);
        const without = (kind: string) =>
          parts.filter((part) => part.kind !== kind).flatMap((part) => part.lines);
        expect(without('added')).toEqual(before);
        expect(without('removed')).toEqual(after);
      }),
    );
  });

  it('finds the fewest changes', () => {
    const { parts } = diffLines(linesOf('a\nb\nc\na\nb\nb\na'), linesOf('c\nb\na\nb\na\nc'));
    const changed = parts.filter(({ kind }) => kind !== 'same').flatMap((part) => part.lines);
    expect(changed).toHaveLength(5);
  });

  it.each([
    [1, 1, false],
    [1000, 1000, false],
    [1001, 1000, true],
  ])('of %i and %i lines with nothing in common says whether it was cut', (left, right, isCut) => {
    const many = (letter: string, count: number) =>
      Array.from({ length: count }, (_, at) => `${letter}${at}`);
    const diff = diffLines(many('a', left), many('b', right));
    expect(diff.isCut).toBe(isCut);
    expect(diff.parts.map(({ kind, lines }) => [kind, lines.length])).toEqual([
      ['removed', left],
      ['added', right],
    ]);
  });

  it('takes texts with nothing in common as one change, at once', () => {
    const many = (letter: string) => Array.from({ length: 50_000 }, (_, at) => `${letter}${at}`);
    const diff = diffLines(many('a'), many('b'));
    expect(diff.isCut).toBe(true);
    expect(diff.parts.map(({ kind, lines }) => [kind, lines.length])).toEqual([
      ['removed', 50_000],
      ['added', 50_000],
    ]);
  });
});

describe('mergeTexts', () => {
  it('takes both changes where they do not touch', () => {
    const merged = mergeTexts('a\nb\nc\nd\ne', 'A\nb\nc\nd\ne', 'a\nb\nc\nd\nE\nf', NAMES);
    expect(merged).toEqual({ text: 'A\nb\nc\nd\nE\nf', conflicts: 0 });
  });

  it('marks what both changed', () => {
    const merged = mergeTexts('a\nb\nc', 'a\nmine\nc', 'a\nits\nc', NAMES);
    expect(merged).toEqual({
      text: 'a\n<<<<<<< yours\nmine\n=======\nits\n>>>>>>> theirs\nc',
      conflicts: 1,
    });
  });

  it('takes a change that both made once', () => {
    expect(mergeTexts('a\nb', 'a\nx', 'a\nx', NAMES)).toEqual({ text: 'a\nx', conflicts: 0 });
  });

  it('marks what both inserted at one line', () => {
    expect(mergeTexts('a\nb', 'a\nx\nb', 'a\ny\nb', NAMES).conflicts).toBe(1);
  });

  it('is one side where the other changed nothing', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 })
      .map((l) => l.join('\n'));
    fc.assert(
      fc.property(text, text, (base, changed) => {
        expect(mergeTexts(base, changed, base, NAMES)).toEqual({ text: changed, conflicts: 0 });
        expect(mergeTexts(base, base, changed, NAMES)).toEqual({ text: changed, conflicts: 0 });
      }),
    );
  });
});

describe('the kind of viewer', () => {
  it.each([
    ['a/dawn.JPG', null, 'image'],
    ['notes.md', 'text/plain', 'markdown'],
    ['photo', 'image/png', 'image'],
    ['scan.tiff', 'image/tiff', null],
    ['page', 'text/html; charset=utf-8', 'page'],
    ['rows.csv', 'application/octet-stream', 'table'],
    ['data.bin', 'application/octet-stream', null],
    ['Dockerfile', null, 'text'],
    ['api', 'application/vnd.api+json', 'text'],
    ['README', 'text/plain', 'text'],
  ] as const)('of %s as %s is %s', (key, type, kind) => {
    expect(kindOf(key, type)).toBe(kind);
  });

  it.each([
    ['png', [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a], 'image'],
    ['zip', [0x50, 0x4b, 3, 4, 0], 'zip'],
    ['plain text', [...bytesOf('héllo\n')], 'text'],
    ['text that is cut in a letter', [...bytesOf('né')].slice(0, 2), 'text'],
    ['zeros', [0, 0, 0, 0], 'hex'],
  ] as const)('by the first bytes of %s', (_, bytes, kind) => {
    expect(kindOfBytes(Uint8Array.from(bytes))).toBe(kind);
  });
});

describe('encodings', () => {
  const GBK = Uint8Array.from([0xb1, 0xb1, 0xbe, 0xa9]); // 北京

  it('are guessed', () => {
    expect(guessEncoding(bytesOf('北京'))).toBe('utf-8');
    expect(guessEncoding(GBK)).toBe('gb18030');
    expect(guessEncoding(Uint8Array.from([0xff, 0xfe, 0x61, 0]))).toBe('utf-16le');
    expect(guessEncoding(Uint8Array.from([0x63, 0x61, 0x66, 0xe9, 0x20, 0xff]))).toBe(
      'windows-1252',
    );
  });

  it('join a letter that is cut between two pages', () => {
    const decoder = createDecoder();
    const whole = bytesOf('a京b');
    expect(
      decoder.decode(whole.subarray(0, 2), false) + decoder.decode(whole.subarray(2), true),
    ).toBe('a京b');
    const gbk = createDecoder();
    expect(gbk.decode(GBK.subarray(0, 3), false) + gbk.decode(GBK.subarray(3), true)).toBe('北京');
  });
});

describe('rows of tables', () => {
  it('are the same whatever the pages', () => {
    const text = 'id;name\r\n1;"a;""b""\r\nc"\r\n2;京\r\n';
    const rows = [
      ['id', 'name'],
      ['1', 'a;"b"\r\nc'],
      ['2', '京'],
    ];
    const whole = bytesOf(text);
    for (let cut = 12; cut < whole.length; cut++) {
      const reader = createRowReader('a.csv');
      const first = reader.read(whole.subarray(0, cut), false);
      expect([cut, [...first, ...reader.read(whole.subarray(cut), true)]]).toEqual([cut, rows]);
    }
  });

  it('have the delimiter of most rows', () => {
    const reader = createRowReader('a.txt');
    reader.read(bytesOf('a\tb, c\n1\t2\n'), true);
    expect(reader.delimiter()).toBe('\t');
  });

  it('are read in one pass, whatever the quotes', () => {
    const half = 250_000;
    const hostile = [
      `"${'x"'.repeat(half / 2)}${' '.repeat(half)},a\n`,
      '"x'.repeat(half),
      '"'.repeat(2 * half + 1),
      ','.repeat(2 * half),
      '"\n'.repeat(half),
    ];
    for (const text of hostile) {
      // Only this thread's time counts, so a busy machine does not matter.
      const before = process.threadCpuUsage();
      const rows = createRowReader('a.csv').read(bytesOf(text), true);
      expect(process.threadCpuUsage(before).user / 1000).toBeLessThan(1000);
      expect(rows.length).toBeGreaterThan(0);
      for (const row of rows.slice(0, 10)) expect(row.length).toBeLessThanOrEqual(ROW_CELLS_MAX);
    }
  });

  it('keep quotes that stand where none may', () => {
    const reader = createRowReader('a.csv');
    expect(reader.read(bytesOf('a"b,"c"d\n"e'), true)).toEqual([['a"b', 'cd'], ['e']]);
  });
});

it('the choice finds a viewer for names and types that every object inherits', () => {
  for (const name of ['constructor', 'a.constructor', 'a.__proto__', 'toString']) {
    expect(kindOf(name, null)).toBeNull();
    expect(kindOf('a.bin', name)).toBeNull();
  }
});

describe('prettyJson', () => {
  it('keeps each digit and escape', () => {
    expect(prettyJson('{"a":12345678901234567890,"b":["\\"{",{}],"c":[]}')).toBe(
      '{\n  "a": 12345678901234567890,\n  "b": [\n    "\\"{",\n    {}\n  ],\n  "c": []\n}',
    );
  });

  it('means what it meant', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(prettyJson(JSON.stringify(value)))).toEqual(
          JSON.parse(JSON.stringify(value)),
        );
      }),
    );
  });

  it('takes one document a line, and text that is cut', () => {
    expect(prettyJson('{"a":1}\n{"a":"x')).toBe('{\n  "a": 1\n}\n{\n  "a": "x');
  });

  it('does not grow by the square of the depth', () => {
    for (const text of ['['.repeat(100_000), `${'['.repeat(60)}${'1,'.repeat(1_000_000)}`]) {
      const pretty = prettyJson(text);
      expect(pretty.length).toBeLessThan(text.length + 9_000_000);
      expect(pretty.replaceAll(/\s/g, '')).toBe(text);
    }
  });
});

describe('readExif', () => {
  it('never throws, whatever the bytes', () => {
    const head = fc.constantFrom(
      'ffd8ffe1',
      '89504e470d0a1a0a',
      '52494646000000005745425045584946',
    );
    fc.assert(
      fc.property(head, fc.uint8Array({ maxLength: 200 }), (start, rest) => {
        const front = Uint8Array.from(Buffer.from(start, 'hex'));
        const exif = readExif(
          Uint8Array.from([...front, 0, 90, 0x45, 0x78, 0x69, 0x66, 0, 0, ...rest]),
        );
        expect(exif === null || typeof exif === 'object').toBe(true);
      }),
    );
  });
});

describe('compareDigests', () => {
  const md5 = (letter: string) => letter.repeat(32);
  const one = { size: '3', etag: md5('a'), checksum: null, encryption: null };
  const sha = (value: string) => ({ algorithm: 'SHA256', type: 'FULL_OBJECT', value });

  it('says what digests prove, and no more', () => {
    expect(compareDigests(one, { ...one, size: '4' })).toEqual({ is: 'different', by: 'size' });
    expect(compareDigests(one, one)).toEqual({ is: 'same', by: 'etag' });
    expect(compareDigests(one, { ...one, etag: md5('b') })).toMatchObject({ is: 'different' });
    const multipart = { ...one, etag: `${md5('a')}-2` };
    expect(compareDigests(multipart, one)).toEqual({ is: 'unknown' });
    expect(
      compareDigests({ ...multipart, checksum: sha('x') }, { ...one, checksum: sha('x') }),
    ).toMatchObject({ is: 'same', by: 'checksum' });
    const crc = { ...multipart, checksum: { ...sha('x'), algorithm: 'CRC32' } };
    expect(compareDigests(crc, crc)).toEqual({ is: 'unknown' });
  });
});
