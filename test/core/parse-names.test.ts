// The parsers of bucket names and object keys.
import { describe, expect, it } from 'vitest';
import { isBucketName, parseBucketName, parseObjectKey } from '../../src/core/parse-names.ts';
import { StorageError } from '../../src/domain/errors.ts';

describe('bucket names', () => {
  it.each(['abc', 'my-bucket', 'a.b.c', '1bucket', 'a'.repeat(63), 'log-2026.11'])(
    'may be %s',
    (name) => {
      expect(isBucketName(name)).toBe(true);
    },
  );

  it.each([
    '',
    'ab',
    'a'.repeat(64),
    'Bucket',
    'my_bucket',
    '-bucket',
    'bucket-',
    '.bucket',
    'a..b',
    '192.168.5.4',
    'xn--bucket',
    'sthree-bucket',
    'bucket-s3alias',
    'bucket--ol-s3',
    'bücket',
    'a~bc',
    'a/bc',
  ])('may not be %s', (name) => {
    expect(isBucketName(name)).toBe(false);
    expect(() => parseBucketName(name)).toThrow(StorageError);
  });
});

describe('object keys', () => {
  it.each([
    'a',
    '/',
    '//',
    '.',
    '..',
    'a/../b',
    '+',
    '%',
    ' ',
    '\u0000',
    'ü',
    '🚢',
    'x'.repeat(1024),
    'é'.repeat(512),
  ])('keep %j as it is', (key) => {
    expect(parseObjectKey(key)).toBe(key);
  });

  it.each([
    ['x'.repeat(1025), 'KeyTooLongError'],
    ['é'.repeat(513), 'KeyTooLongError'],
    ['🚢'.repeat(257), 'KeyTooLongError'],
    ['\ud800', 'InvalidURI'],
    ['', 'InvalidURI'],
  ])('may not be the one of line %#', (key, code) => {
    expect(() => parseObjectKey(key)).toThrow(expect.objectContaining({ code }));
  });
});
