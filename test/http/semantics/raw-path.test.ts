import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StorageError } from '../../../src/domain/errors.ts';
import {
  decodePathSegment,
  encodeForXmlUrl,
  parseQuery,
} from '../../../src/http/semantics/raw-path.ts';

/** Any text that UTF-8 can hold. (fast-check's own unit for that takes a second to set up.) */
const character = fc.oneof(
  fc.integer({ min: 0, max: 0x7f }),
  fc.integer({ min: 0x80, max: 0xd7ff }),
  fc.integer({ min: 0xe000, max: 0x10ffff }),
);
const unicode = fc
  .array(character, { maxLength: 12 })
  .map((codes) => String.fromCodePoint(...codes));

const INVALID_URI = expect.objectContaining({ code: 'InvalidURI' });

function thrownBy(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(StorageError);
    return error;
  }
  return 'nothing thrown';
}

/** Percent sequences that are none, and bytes that are not UTF-8. */
const INVALID = [
  '%',
  'a%',
  'a%2',
  '%2',
  '%zz',
  '%2g',
  '%u0041',
  'a%%20',
  '%80', // a continuation byte alone
  '%C3', // cut short
  '%C3%28',
  '%E2%82',
  '%C0%AF', // an overlong slash
  '%E0%80%AF',
  '%ED%A0%80', // an encoded surrogate
  '%F4%90%80%80', // above U+10FFFF
  '%F8%88%80%80%80',
  '%FF',
  '\x80',
  '\xc3(',
  '\xff',
];

describe('decodePathSegment', () => {
  it.each([
    ['', ''],
    ['plain-key_1.txt~', 'plain-key_1.txt~'],
    ['a/b//c/../d/./', 'a/b//c/../d/./'],
    ['a+b', 'a+b'],
    ['a%2Bb', 'a+b'],
    ['a%20b', 'a b'],
    ['100%25', '100%'],
    // Once only.
    ['%2520', '%20'],
    ['%252F', '%2F'],
    ['a%2Fb', 'a/b'],
    ['a%2fb', 'a/b'],
    ['%2E%2E%2F', '../'],
    ['%00%0A', '\0\n'],
    ['%C3%BC', 'ü'],
    ['%c3%bc', 'ü'],
    ['%E2%82%AC', '€'],
    ['%F0%9F%97%9D', '🗝'],
    ['%EF%BB%BFx', '\ufeffx'],
    ["!$&'()*,;=:@", "!$&'()*,;=:@"],
    // Bytes sent bare, as curl does with a name typed in UTF-8; a server hands them over one
    // character each.
    ['\xc3\xbc.txt', 'ü.txt'],
    ['\xf0\x9f\x97\x9d%20x', '🗝 x'],
    ['\xc3%BC', 'ü'],
  ])('%j is %j', (raw, expected) => {
    expect(decodePathSegment(raw)).toBe(expected);
  });

  it.each(INVALID)('%j is InvalidURI', (raw) => {
    expect(thrownBy(() => decodePathSegment(raw))).toEqual(INVALID_URI);
  });

  it('gives back every key that a client encodes', () => {
    fc.assert(
      fc.property(unicode, (key) => {
        expect(decodePathSegment(encodeURIComponent(key))).toBe(key);
        // botocore and the SDKs leave slashes bare.
        expect(decodePathSegment(encodeURIComponent(key).replaceAll('%2F', '/'))).toBe(key);
        const everyByte = [...new TextEncoder().encode(key)].map(
          (byte) => `%${byte.toString(16).padStart(2, '0')}`,
        );
        expect(decodePathSegment(everyByte.join(''))).toBe(key);
        const bare = String.fromCharCode(...new TextEncoder().encode(key.replaceAll('%', '')));
        expect(decodePathSegment(bare)).toBe(key.replaceAll('%', ''));
      }),
    );
  });

  it('gives well-formed text or InvalidURI, nothing else', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'%0189aAcCeEfF+/', '\xc3', '\xbc', '\x80') }),
        (raw) => {
          try {
            expect(decodePathSegment(raw).isWellFormed()).toBe(true);
          } catch (error) {
            expect(error).toEqual(INVALID_URI);
          }
        },
      ),
    );
  });
});

describe('parseQuery', () => {
  it.each([
    ['', []],
    ['acl', [['acl', '']]],
    ['acl=', [['acl', '']]],
    ['=x', [['', 'x']]],
    ['a=b=c', [['a', 'b=c']]],
    [
      'a=1&b=2',
      [
        ['a', '1'],
        ['b', '2'],
      ],
    ],
    ['&&a=1&&', [['a', '1']]],
    [
      'b=2&a=1&a=3',
      [
        ['b', '2'],
        ['a', '1'],
        ['a', '3'],
      ],
    ],
    ['prefix=a+b', [['prefix', 'a b']]],
    ['prefix=a%2Bb', [['prefix', 'a+b']]],
    ['prefix=a%20b', [['prefix', 'a b']]],
    ['prefix=%252B', [['prefix', '%2B']]],
    ['a+b=c', [['a b', 'c']]],
    [
      'delimiter=%2F&prefix=%C3%BC%26%3D',
      [
        ['delimiter', '/'],
        ['prefix', 'ü&='],
      ],
    ],
    ['a%3Db=c', [['a=b', 'c']]],
    ['marker=%0A', [['marker', '\n']]],
    ['p=?#/', [['p', '?#/']]],
    ['p=\xc3\xbc', [['p', 'ü']]],
  ])('%j', (raw, entries) => {
    expect(parseQuery(raw).entries).toEqual(entries);
  });

  it('looks names up: the first value, null when there is none, capitals tell', () => {
    const query = parseQuery('acl&prefix=a&prefix=b&empty=');
    expect(query.get('acl')).toBe('');
    expect(query.has('acl')).toBe(true);
    expect(query.get('prefix')).toBe('a');
    expect(query.get('empty')).toBe('');
    expect(query.get('Prefix')).toBeNull();
    expect(query.has('Prefix')).toBe(false);
    expect(query.get('constructor')).toBeNull();
    expect(query.has('__proto__')).toBe(false);
    expect(parseQuery('').get('acl')).toBeNull();
    expect(parseQuery('').has('')).toBe(false);
  });

  it.each(INVALID)('refuses %j in a value and in a name', (raw) => {
    expect(thrownBy(() => parseQuery(`prefix=${raw}`))).toEqual(INVALID_URI);
    expect(thrownBy(() => parseQuery(`${raw}=x`))).toEqual(INVALID_URI);
  });

  it('reads what both kinds of clients write', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(unicode, unicode), { maxLength: 5 }), (parameters) => {
        const expected = parameters.filter(([name, value]) => name !== '' || value !== '');
        const percent = expected.map(
          ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
        );
        expect(parseQuery(percent.join('&')).entries).toEqual(expected);
        expect(parseQuery(new URLSearchParams(expected).toString()).entries).toEqual(expected);
      }),
    );
  });
});

describe('encodeForXmlUrl', () => {
  it.each([
    ['', ''],
    ['abcXYZ019-._~/', 'abcXYZ019-._~/'],
    // ceph/s3-tests test_bucket_list_encoding_basic.
    ['foo+1/', 'foo%2B1/'],
    ['quux ab/', 'quux%20ab/'],
    ['asdf+b', 'asdf%2Bb'],
    // The example of the S3 API reference.
    ['test_file(3).png', 'test_file%283%29.png'],
    ["!'()*", '%21%27%28%29%2A'],
    ['100%', '100%25'],
    ['%2F', '%252F'],
    ['a&b<c>"', 'a%26b%3Cc%3E%22'],
    ['\0\n\x1f\x7f', '%00%0A%1F%7F'],
    ['ü€🗝', '%C3%BC%E2%82%AC%F0%9F%97%9D'],
    [':?#[]@$,;=', '%3A%3F%23%5B%5D%40%24%2C%3B%3D'],
  ])('%j is %j', (text, expected) => {
    expect(encodeForXmlUrl(text)).toBe(expected);
  });

  it('is undone by percent decoders and by form decoders, and is plain ASCII', () => {
    fc.assert(
      fc.property(unicode, (text) => {
        const encoded = encodeForXmlUrl(text);
        expect(encoded).toMatch(/^[A-Za-z0-9\-._~/%]*$/);
        expect(decodeURIComponent(encoded)).toBe(text);
        expect(decodeURIComponent(encoded.replaceAll('+', ' '))).toBe(text);
      }),
    );
  });
});
