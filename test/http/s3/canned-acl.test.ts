import { expect, it } from 'vitest';
import { parseBucketAcl, requireEffectiveObjectAcl } from '../../../src/http/s3/canned-acl.ts';

const failing = (code: string) => expect.objectContaining({ code });

it.each(['private', 'public-read'])('a bucket may be %s', (acl) => {
  expect(parseBucketAcl(acl)).toBe(acl);
});

it.each(['public-read-write', 'authenticated-read', 'aws-exec-read', 'log-delivery-write', 'bucket-owner-read'])(
  'a bucket can not be %s yet',
  (acl) => {
    expect(() => parseBucketAcl(acl)).toThrow(failing('NotImplemented'));
    expect(() => parseBucketAcl(acl)).toThrow(new RegExp(acl));
  },
);

it.each(['', 'Private', 'public', 'x'])('%j is no ACL', (acl) => {
  expect(() => parseBucketAcl(acl)).toThrow(failing('InvalidArgument'));
  expect(() => requireEffectiveObjectAcl(acl, 'private')).toThrow(failing('InvalidArgument'));
});

const OBJECT_ACLS = [
  ['private', true, false],
  ['bucket-owner-read', true, false],
  ['bucket-owner-full-control', true, true],
  ['public-read', false, true],
  ['public-read-write', false, false],
  ['authenticated-read', false, false],
] as const;
it.each(OBJECT_ACLS)(
  'an object with %s: in a private bucket %s, in a public one %s',
  (acl, isPrivateOk, isPublicOk) => {
    for (const [bucket, isOk] of [
      ['private', isPrivateOk],
      ['public-read', isPublicOk],
    ] as const) {
      const check = () => requireEffectiveObjectAcl(acl, bucket);
      if (isOk) expect(check).not.toThrow();
      else expect(check).toThrow(failing('NotImplemented'));
    }
  },
);

it('an object without one is as its bucket', () => {
  expect(() => requireEffectiveObjectAcl(null, 'private')).not.toThrow();
  expect(() => requireEffectiveObjectAcl(null, 'public-read')).not.toThrow();
});
