import { expect, it } from 'vitest';
import { parseCopySource } from '../../../../src/http/s3/headers/copy-source.ts';

it.each([
  ['/bucket/key', 'key', null],
  ['bucket/key', 'key', null],
  ['bucket/a/b//c', 'a/b//c', null],
  ['bucket//key', '/key', null],
  ['/bucket/a%20b%2Fc', 'a b/c', null],
  ['bucket%2Fkey', 'key', null],
  ['%2Fbucket%2Fkey', 'key', null],
  ['bucket/a+b', 'a b', null],
  ['bucket/a%2Bb', 'a+b', null],
  ['bucket/100%25', '100%', null],
  ['bucket/é', 'é', null],
  ['bucket/%C3%A9', 'é', null],
  ['bucket/key?versionId=null', 'key', 'null'],
  ['bucket/key?versionId=01k9%30z3qq1000abcdefghjkmnpqr', 'key', '01k90z3qq1000abcdefghjkmnpqr'],
  ['bucket/%3FversionId=x', '?versionId=x', null],
  ['bucket/what?', 'what?', null],
  ['bucket/what?versionId', 'what?versionId', null],
  ['bucket/..%2F..', '../..', null],
])('the source %s has a bucket, a key and a version', (value, key, versionId) => {
  // A header holds bytes, one character each.
  const header = Buffer.from(value).toString('latin1');
  expect(parseCopySource(header)).toEqual({ bucket: 'bucket', key, versionId });
});

it.each([
  '',
  '/',
  'bucket',
  '/bucket',
  'bucket/',
  '/bucket/',
  '//key',
  'Bucket/key',
  'bu cket/key',
  'b/key',
  'bucket/%',
  'bucket/%zz',
  'bucket/%ff',
  'bucket/key?versionId=%',
])('the copy source refuses %j', (value) => {
  expect(() => parseCopySource(value)).toThrow(
    expect.objectContaining({
      code: 'InvalidArgument',
      fields: expect.objectContaining({ ArgumentValue: value }),
    }),
  );
});

it('the copy source refuses access points by name, and a key that is too long', () => {
  const arn = 'arn:aws:s3:us-west-2:123456789012:accesspoint/x/object/y';
  expect(() => parseCopySource(arn)).toThrow(expect.objectContaining({ code: 'NotImplemented' }));
  const long = `bucket/${'k'.repeat(1025)}`;
  expect(() => parseCopySource(long)).toThrow(expect.objectContaining({ code: 'KeyTooLongError' }));
});

it.each(['bucket/key?versionId=', 'bucket/key?versionId=a%2Fb'])(
  'the copy source refuses the version id of %j',
  (value) => {
    expect(() => parseCopySource(value)).toThrow(
      expect.objectContaining({
        code: 'InvalidArgument',
        fields: expect.objectContaining({ ArgumentName: 'versionId' }),
      }),
    );
  },
);
