import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { StorageError } from '../../../src/domain/errors.ts';
import type { ObjectKey } from '../../../src/domain/nouns.ts';
import type { HttpRequest } from '../../../src/http/request.ts';
import { toEncodedWords } from '../../../src/http/semantics/encoded-words.ts';
import {
  applyResponseOverrides,
  objectHeaders,
  readObjectAttributes,
} from '../../../src/http/semantics/object-headers.ts';

const OBJECT = {
  key: 'photos/cat.jpg' as ObjectKey,
  etag: '900150983cd24fb0d6963f7d28e17f72',
  lastModifiedMs: Date.UTC(1994, 10, 6, 8, 49, 37, 640),
  headers: {},
  userMetadata: {},
  storageClass: 'STANDARD',
  encryption: null,
};
const BASE = {
  etag: '"900150983cd24fb0d6963f7d28e17f72"',
  'last-modified': 'Sun, 06 Nov 1994 08:49:37 GMT',
  'content-type': 'image/jpeg',
  'accept-ranges': 'bytes',
};
/** Texts that would break HTTP or cannot be sent as bytes. */
const UNSAFE = [
  'a\rb',
  'a\nb',
  'a\r\nSet-Cookie: x=1',
  'a\0b',
  '\x1b[31m',
  '\x7f',
  'снег',
  '日本',
  '🗝',
  '\ud800',
];
/** Bytes above 7F, one character each: what Node makes of UTF-8 on the wire. */
const BYTES = 'caf\u00c3\u00a9 \u00e9\u00ff\u0080';

function thrownBy(action: () => unknown): StorageError {
  try {
    action();
  } catch (error) {
    if (error instanceof StorageError) return error;
    throw error;
  }
  throw new Error('nothing thrown');
}

describe('objectHeaders', () => {
  it('has the validators, the type and the ranges of a plain object, and no more', () => {
    expect(objectHeaders(OBJECT)).toEqual(BASE);
  });

  it('has every header that is stored', () => {
    const headers = {
      contentType: 'text/html; charset=utf-8',
      cacheControl: 'max-age=60',
      contentDisposition: `attachment; filename="${BYTES}"`,
      contentEncoding: 'gzip',
      contentLanguage: 'de, en',
      expires: 'Thu, 01 Dec 1994 16:00:00 GMT',
      websiteRedirectLocation: '/other',
    };
    const userMetadata = { color: 'blue', empty: '', bytes: BYTES, 'with-hyphen': ' x\ty ' };
    expect(
      objectHeaders({ ...OBJECT, headers, userMetadata, storageClass: 'STANDARD_IA' }),
    ).toEqual({
      ...BASE,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'max-age=60',
      'content-disposition': `attachment; filename="${BYTES}"`,
      'content-encoding': 'gzip',
      'content-language': 'de, en',
      expires: 'Thu, 01 Dec 1994 16:00:00 GMT',
      'x-amz-website-redirect-location': '/other',
      'x-amz-meta-color': 'blue',
      'x-amz-meta-empty': '',
      'x-amz-meta-bytes': toEncodedWords(BYTES),
      'x-amz-meta-with-hyphen': ' x\ty ',
      'x-amz-storage-class': 'STANDARD_IA',
    });
  });

  it('gives a record of its own each time', () => {
    const first = objectHeaders(OBJECT);
    first['content-length'] = '1';
    expect(objectHeaders(OBJECT)).toEqual(BASE);
  });

  it.each([
    ['a.html', 'text/html'],
    ['a.HTML', 'text/html'],
    ['dir.d/a.css', 'text/css'],
    ['a.js', 'text/javascript'],
    ['a.json', 'application/json'],
    ['a.svg', 'image/svg+xml'],
    ['a.webp', 'image/webp'],
    ['a.mp4', 'video/mp4'],
    ['a.wasm', 'application/wasm'],
    ['a.pdf', 'application/pdf'],
    ['a.tar.gz', 'application/gzip'],
    ['a.docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['a.ico', 'image/vnd.microsoft.icon'],
    ['a', 'application/octet-stream'],
    ['html', 'application/octet-stream'],
    ['dir.html/a', 'application/octet-stream'],
    ['a.', 'application/octet-stream'],
    ['a.unknown-extension', 'application/octet-stream'],
    ['.html', 'application/octet-stream'],
    ['dir/.html', 'application/octet-stream'],
    ['dir/', 'application/octet-stream'],
    ['a.constructor', 'application/octet-stream'],
    [`a.${'x'.repeat(1000)}`, 'application/octet-stream'],
  ])('the type of %s is %s', (key, type) => {
    expect(objectHeaders({ ...OBJECT, key: key as ObjectKey })['content-type']).toBe(type);
  });

  it.each(UNSAFE)('never lets %j out', (value) => {
    const headers = {
      contentType: value,
      cacheControl: value,
      contentDisposition: value,
      contentEncoding: value,
      contentLanguage: value,
      expires: value,
      websiteRedirectLocation: value,
    };
    const userMetadata = { bad: value, [value]: 'x', good: 'y' };
    expect(objectHeaders({ ...OBJECT, headers, userMetadata })).toEqual({
      ...BASE,
      'x-amz-meta-good': 'y',
      'x-amz-missing-meta': '2',
    });
  });

  it('can be sent whatever is stored', () => {
    const text = fc
      .array(fc.integer({ min: 0, max: 0x17f }), { maxLength: 6 })
      .map((c) => String.fromCharCode(...c));
    fc.assert(
      fc.property(
        text,
        text,
        fc.dictionary(text, text),
        (contentType, cacheControl, userMetadata) => {
          const record = objectHeaders({
            ...OBJECT,
            headers: { contentType, cacheControl },
            userMetadata,
          });
          // The Headers object of the platform refuses what HTTP cannot carry.
          expect(() => new Headers(record)).not.toThrow();
        },
      ),
    );
  });
});

describe('applyResponseOverrides', () => {
  const from = (query: Record<string, string>) => (name: string) => query[name] ?? null;

  it('puts each override in the place of the header', () => {
    const overridden = applyResponseOverrides(
      objectHeaders({ ...OBJECT, headers: { cacheControl: 'max-age=60' } }),
      from({
        'response-content-type': 'text/plain',
        'response-content-language': 'eo',
        'response-expires': 'Thu, 01 Dec 1994 16:00:00 GMT',
        'response-cache-control': 'no-cache',
        'response-content-disposition': 'attachment; filename="\u00e9.txt"',
        'response-content-encoding': 'br',
        'response-etag': 'mine',
      }),
    );
    expect(overridden).toEqual({
      ...BASE,
      'content-type': 'text/plain',
      'content-language': 'eo',
      expires: 'Thu, 01 Dec 1994 16:00:00 GMT',
      'cache-control': 'no-cache',
      'content-disposition': 'attachment; filename="\u00e9.txt"',
      'content-encoding': 'br',
    });
  });

  it('leaves the record alone, so that it can be shared', () => {
    const shared = Object.freeze(objectHeaders(OBJECT));
    expect(applyResponseOverrides(shared, from({}))).toBe(shared);
    expect(applyResponseOverrides(shared, from({ 'response-content-type': '' }))).toBe(shared);
    const overridden = applyResponseOverrides(
      shared,
      from({ 'response-content-type': 'text/plain' }),
    );
    expect(overridden['content-type']).toBe('text/plain');
    expect(shared).toEqual(BASE);
  });

  it.each(UNSAFE)('refuses %j', (value) => {
    const error = thrownBy(() =>
      applyResponseOverrides({ ...BASE }, from({ 'response-content-disposition': value })),
    );
    expect(error.code).toBe('InvalidArgument');
    expect(error.fields).toEqual({ ArgumentName: 'response-content-disposition' });
  });
});

describe('the attributes that a request gives an object', () => {
  function request(headers: Record<string, string>): Pick<HttpRequest, 'header' | 'headerNames'> {
    const byName = new Map(Object.entries(headers));
    return { header: (name) => byName.get(name) ?? null, headerNames: () => byName.keys() };
  }
  const read = (headers: Record<string, string>) => readObjectAttributes(request(headers));

  it('are the defaults where it says nothing', () => {
    expect(read({ host: 'h', 'content-length': '5', 'x-amz-date': 'x' })).toEqual({
      headers: {},
      userMetadata: {},
      storageClass: 'STANDARD',
    });
  });

  it('are the stored headers, the metadata and the class', () => {
    const sent = {
      'content-type': 'Text/HTML; charset=UTF-8',
      'cache-control': 'max-age=60',
      'content-disposition': `inline; filename="${BYTES}"`,
      'content-encoding': 'gzip, br',
      'content-language': 'de',
      expires: 'whenever',
      'x-amz-website-redirect-location': 'https://example.org/',
      'x-amz-storage-class': 'GLACIER_IR',
      'x-amz-meta-color': 'Blue',
      'x-amz-meta-bytes': BYTES,
      'x-amz-metadata-directive': 'REPLACE',
    };
    expect(read(sent)).toEqual({
      headers: {
        contentType: 'Text/HTML; charset=UTF-8',
        cacheControl: 'max-age=60',
        contentDisposition: `inline; filename="${BYTES}"`,
        contentEncoding: 'gzip, br',
        contentLanguage: 'de',
        expires: 'whenever',
        websiteRedirectLocation: 'https://example.org/',
      },
      userMetadata: { color: 'Blue', bytes: BYTES },
      storageClass: 'GLACIER_IR',
    });
  });

  it('come back as they went in, metadata beyond ASCII as encoded words', () => {
    const sent = {
      'content-type': 'a/b',
      'content-encoding': 'gzip',
      'x-amz-meta-a': BYTES,
      'x-amz-meta-e': '',
    };
    const record = objectHeaders({ ...OBJECT, ...read(sent) });
    expect(record).toEqual({
      ...BASE,
      'content-type': 'a/b',
      'content-encoding': 'gzip',
      'x-amz-meta-a': toEncodedWords(BYTES),
      'x-amz-meta-e': '',
    });
  });

  it.each([
    ['aws-chunked', undefined],
    ['AWS-Chunked', undefined],
    ['aws-chunked,aws-chunked', undefined],
    ['aws-chunked, ', undefined],
    ['', undefined],
    ['gzip', 'gzip'],
    ['gzip,aws-chunked', 'gzip'],
    ['aws-chunked,gzip', 'gzip'],
    ['aws-chunked, gzip', 'gzip'],
    ['gzip, aws-chunked, br', 'gzip,br'],
    ['aws-chunked,gzip,aws-chunked', 'gzip'],
    ['gzip,br', 'gzip,br'],
    ['gzip, br', 'gzip, br'],
    ['x-aws-chunked', 'x-aws-chunked'],
  ])('Content-Encoding %j is kept as %j', (sent, kept) => {
    expect(read({ 'content-encoding': sent }).headers.contentEncoding).toBe(kept);
  });

  it('lower-case metadata names, keep an empty value, and take any name as a mere name', () => {
    const byAnyCase = {
      header: (name: string) => (name === 'x-amz-meta-color' ? 'blue' : null),
      headerNames: () => ['X-Amz-Meta-Color'],
    };
    expect(readObjectAttributes(byAnyCase).userMetadata).toEqual({ color: 'blue' });
    expect(read({ 'x-amz-meta-empty': '' }).userMetadata).toEqual({ empty: '' });
    const odd = read({ 'x-amz-meta-__proto__': 'a', 'x-amz-meta-constructor': 'b' }).userMetadata;
    expect(Object.entries(odd)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
    expect(objectHeaders({ ...OBJECT, userMetadata: odd })).toMatchObject({
      'x-amz-meta-__proto__': 'a',
    });
  });

  it('allow 2 KiB of metadata, names without the prefix and values together', () => {
    const fits = { 'x-amz-meta-a': 'x'.repeat(1000), 'x-amz-meta-bc': 'y'.repeat(2048 - 1003) };
    expect(Object.keys(read(fits).userMetadata)).toEqual(['a', 'bc']);
    const error = thrownBy(() => read({ ...fits, 'x-amz-meta-d': '' }));
    expect(error.code).toBe('MetadataTooLarge');
    expect(error.fields).toEqual({ Size: '2049', MaxSizeAllowed: '2048' });
  });

  it('allow 8 KiB of stored headers', () => {
    const value = 'x'.repeat(4096);
    expect(read({ 'cache-control': value, expires: value }).headers.expires).toBe(value);
    expect(thrownBy(() => read({ 'cache-control': value, expires: `${value}x` })).code).toBe(
      'MetadataTooLarge',
    );
  });

  it.each([
    'STANDARD',
    'STANDARD_IA',
    'REDUCED_REDUNDANCY',
    'ONEZONE_IA',
    'INTELLIGENT_TIERING',
    'GLACIER_IR',
  ])('take the class %s', (storageClass) => {
    expect(read({ 'x-amz-storage-class': storageClass }).storageClass).toBe(storageClass);
  });

  it.each(['', 'standard', 'GLACIER', 'DEEP_ARCHIVE', 'OUTPOSTS', 'constructor', 'STANDARD '])(
    'refuse the class %j',
    (storageClass) => {
      expect(thrownBy(() => read({ 'x-amz-storage-class': storageClass })).code).toBe(
        'InvalidStorageClass',
      );
    },
  );

  it.each(['/', '/a', 'http://a/', 'https://a/b?c', `/${'x'.repeat(2047)}`])(
    'take the redirect %s',
    (location) => {
      const { headers } = read({ 'x-amz-website-redirect-location': location });
      expect(headers.websiteRedirectLocation).toBe(location);
    },
  );

  it.each(['a', 'ftp://a', 'javascript:alert(1)', 'HTTP//a', 'http:/a', `/${'x'.repeat(2048)}`])(
    'refuse the redirect %s',
    (location) => {
      expect(thrownBy(() => read({ 'x-amz-website-redirect-location': location })).code).toBe(
        'InvalidArgument',
      );
    },
  );

  it.each(UNSAFE)('refuse %j in any place', (value) => {
    for (const name of ['content-type', 'cache-control', 'content-disposition', 'x-amz-meta-a']) {
      const error = thrownBy(() => read({ [name]: value }));
      expect(error.code).toBe('InvalidArgument');
      expect(error.fields.ArgumentName).toBe(name);
    }
  });
});
