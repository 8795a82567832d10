// What a key with a scope may do at most, as a table.
import { describe, expect, it } from 'vitest';
import {
  isWithinScope,
  type ScopedRequest,
  scopeMistake,
} from '../../../src/core/auth/key-scope.ts';
import type { KeyScope } from '../../../src/domain/account-records.ts';

const NO_LIMIT: KeyScope = { buckets: null, prefixes: null, actions: null, sourceIps: null };
const GET: ScopedRequest = {
  action: 's3:GetObject',
  bucket: 'photos',
  key: 'a/b',
  prefix: null,
  sourceIp: '10.1.2.3',
};
const LIST: ScopedRequest = { ...GET, action: 's3:ListBucket', key: null };
const POLICY: ScopedRequest = { ...GET, action: 's3:PutBucketPolicy', key: null };
const BUCKETS: ScopedRequest = { ...GET, action: 's3:ListAllMyBuckets', bucket: null, key: null };
const CREATE: ScopedRequest = { ...GET, action: 's3:CreateBucket', key: null };

const CASES: readonly (readonly [string, Partial<KeyScope>, ScopedRequest, boolean])[] = [
  ['no limit, a read', {}, GET, true],
  ['no limit, the list of buckets', {}, BUCKETS, true],
  ['no limit, no address', {}, { ...GET, sourceIp: null }, true],
  ['the bucket', { buckets: ['photos'] }, GET, true],
  ['another bucket', { buckets: ['photo'] }, GET, false],
  ['a longer name', { buckets: ['photos'] }, { ...GET, bucket: 'photos2' }, false],
  ['one of two', { buckets: ['music', 'photos'] }, GET, true],
  ['names that begin so', { buckets: ['pho*'] }, GET, true],
  ['names that begin otherwise', { buckets: ['pha*'] }, GET, false],
  ['a bucket to be made', { buckets: ['photos'] }, CREATE, true],
  ['another bucket to be made', { buckets: ['music'] }, CREATE, false],
  ['the list of buckets with some buckets', { buckets: ['*'] }, BUCKETS, false],
  ['the list of buckets with a prefix', { prefixes: ['a/'] }, BUCKETS, false],
  ['settings without a prefix', { buckets: ['photos'] }, POLICY, true],
  ['the prefix', { prefixes: ['a/'] }, GET, true],
  ['another prefix', { prefixes: ['b/'] }, GET, false],
  ['the prefix without its end', { prefixes: ['a/'] }, { ...GET, key: 'a' }, false],
  ['one of two prefixes', { prefixes: ['z', 'a/b'] }, GET, true],
  ['some key that is not known yet', { prefixes: ['a/'] }, { ...GET, key: null }, true],
  ['a listing of everything', { prefixes: ['a/'] }, LIST, false],
  ['a listing of the prefix', { prefixes: ['a/'] }, { ...LIST, prefix: 'a/' }, true],
  ['a listing below the prefix', { prefixes: ['a/'] }, { ...LIST, prefix: 'a/b' }, true],
  ['a listing above the prefix', { prefixes: ['a/'] }, { ...LIST, prefix: 'a' }, false],
  [
    'a listing of versions',
    { prefixes: ['a/'] },
    { ...LIST, action: 's3:ListBucketVersions' },
    false,
  ],
  [
    'a listing of uploads',
    { prefixes: ['a/'] },
    { ...LIST, action: 's3:ListBucketMultipartUploads', prefix: 'a/' },
    true,
  ],
  ['settings with a prefix', { prefixes: ['a/'] }, POLICY, false],
  [
    'settings that it would match as a prefix',
    { prefixes: ['a/'] },
    { ...POLICY, prefix: 'a/' },
    false,
  ],
  [
    'the region with a prefix',
    { prefixes: ['a/'] },
    { ...POLICY, action: 's3:GetBucketLocation' },
    true,
  ],
  [
    'deleting the bucket with a prefix',
    { prefixes: [''] },
    { ...POLICY, action: 's3:DeleteBucket' },
    false,
  ],
  ['the action', { actions: ['s3:GetObject'] }, GET, true],
  [
    'the action, of a version',
    { actions: ['s3:GetObject'] },
    { ...GET, action: 's3:GetObjectVersion' },
    false,
  ],
  ['actions that begin so', { actions: ['s3:Get*'] }, GET, true],
  ['all actions', { actions: ['s3:*'] }, POLICY, true],
  [
    'all of S3, but keys of the server',
    { actions: ['s3:*'] },
    { ...BUCKETS, action: 'kms:CreateKey' },
    false,
  ],
  [
    'a write for a reader',
    { actions: ['s3:Get*', 's3:List*'] },
    { ...GET, action: 's3:PutObject' },
    false,
  ],
  ['the address', { sourceIps: ['10.1.2.3'] }, GET, true],
  ['a range', { sourceIps: ['192.168.0.0/16', '10.0.0.0/8'] }, GET, true],
  ['another range', { sourceIps: ['10.2.0.0/16'] }, GET, false],
  [
    'an address in IPv6 clothes',
    { sourceIps: ['10.0.0.0/8'] },
    { ...GET, sourceIp: '::ffff:10.1.2.3' },
    true,
  ],
  ['an address beside a range that nobody can read', { sourceIps: ['10.0.0.0/33'] }, GET, false],
  [
    'an IPv6 address beside every IPv4 address',
    { sourceIps: ['0.0.0.0/0'] },
    { ...GET, sourceIp: '2001:db8::1' },
    false,
  ],
  [
    'an address that is not known',
    { sourceIps: ['0.0.0.0/0', '::/0'] },
    { ...GET, sourceIp: null },
    false,
  ],
  [
    'everything at once',
    { buckets: ['photos'], prefixes: ['a/'], actions: ['s3:Get*'], sourceIps: ['10.0.0.0/8'] },
    GET,
    true,
  ],
  [
    'all but the bucket',
    { buckets: ['music'], prefixes: ['a/'], actions: ['s3:Get*'] },
    GET,
    false,
  ],
];

describe('a scope', () => {
  for (const [name, scope, request, expected] of CASES) {
    it(`${expected ? 'lets through' : 'holds back'}: ${name}`, () => {
      expect(isWithinScope({ ...NO_LIMIT, ...scope }, request)).toBe(expected);
    });
  }

  it('of nothing known is refused', () => {
    expect(
      scopeMistake({
        ...NO_LIMIT,
        actions: ['s3:GetObject', 's3:List*', 'kms:*'],
        sourceIps: ['::1', '10.0.0.0/8'],
      }),
    ).toBe(null);
    expect(scopeMistake({ ...NO_LIMIT, actions: ['s3:FlyToTheMoon'] })).toContain(
      's3:FlyToTheMoon',
    );
    expect(scopeMistake({ ...NO_LIMIT, sourceIps: ['10.0.0.0/33'] })).toContain('10.0.0.0/33');
  });
});
