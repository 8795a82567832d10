import { describe, expect, it } from 'vitest';
import { publicPrefixesOf } from '../../src/core/buckets/public-policy.ts';
import type { BucketName } from '../../src/ports/domain.ts';

const bucket = 'photos' as BucketName;
const statement = (changes: object = {}) => ({
  Sid: 'public',
  Effect: 'Allow',
  Principal: '*',
  Action: 's3:GetObject',
  Resource: 'arn:aws:s3:::photos/*',
  ...changes,
});
const policy = (...statements: unknown[]) => JSON.stringify({ Version: '2012-10-17', Statement: statements });

describe('publicPrefixesOf', () => {
  it.each([
    ['a whole bucket', policy(statement()), ['']],
    ['a prefix', policy(statement({ Resource: 'arn:aws:s3:::photos/public/*' })), ['public/']],
    [
      'lists',
      policy(statement({ Action: ['s3:GetObject'], Resource: ['arn:aws:s3:::photos/a*', 'arn:aws:s3:::photos/b/*'] })),
      ['a', 'b/'],
    ],
    ['AWS principal', policy(statement({ Principal: { AWS: '*' } })), ['']],
    ['AWS principal list', policy(statement({ Principal: { AWS: ['*'] } })), ['']],
    ['a single statement', JSON.stringify({ Statement: statement() }), ['']],
    ['repeats', policy(statement(), statement()), ['']],
  ])('reads %s', (_, json, expected) => {
    expect(publicPrefixesOf(json, bucket)).toEqual(expected);
  });

  it.each([
    ['not JSON', '{', 'MalformedPolicy'],
    ['a list', '[]', 'MalformedPolicy'],
    ['no statement', '{}', 'MalformedPolicy'],
    ['empty statements', policy(), 'MalformedPolicy'],
    ['an unknown version', JSON.stringify({ Version: '2020-01-01', Statement: [statement()] }), 'MalformedPolicy'],
    ['another bucket', policy(statement({ Resource: 'arn:aws:s3:::other/*' })), 'MalformedPolicy'],
    [
      'a bucket whose name only starts alike',
      policy(statement({ Resource: 'arn:aws:s3:::photos2/*' })),
      'MalformedPolicy',
    ],
    ['an unknown effect', policy(statement({ Effect: 'Perhaps' })), 'MalformedPolicy'],
    ['no principal', policy(statement({ Principal: undefined })), 'MalformedPolicy'],
    ['no action', policy(statement({ Action: undefined })), 'MalformedPolicy'],
    ['an action that is no text', policy(statement({ Action: [1] })), 'MalformedPolicy'],
    ['Deny', policy(statement({ Effect: 'Deny' })), 'NotImplemented'],
    ['one account', policy(statement({ Principal: { AWS: 'arn:aws:iam::1:root' } })), 'NotImplemented'],
    ['everyone and one more', policy(statement({ Principal: { AWS: ['*', '1'] } })), 'NotImplemented'],
    ['another action', policy(statement({ Action: ['s3:GetObject', 's3:PutObject'] })), 'NotImplemented'],
    ['an action wildcard', policy(statement({ Action: 's3:*' })), 'NotImplemented'],
    ['a condition', policy(statement({ Condition: { IpAddress: {} } })), 'NotImplemented'],
    ['NotPrincipal', policy({ ...statement(), NotPrincipal: '*' }), 'NotImplemented'],
    ['one key', policy(statement({ Resource: 'arn:aws:s3:::photos/a' })), 'NotImplemented'],
    ['a wildcard inside', policy(statement({ Resource: 'arn:aws:s3:::photos/*/b*' })), 'NotImplemented'],
    ['a variable', policy(statement({ Resource: `arn:aws:s3:::photos/$${'{aws:username}'}/*` })), 'NotImplemented'],
    ['one bad statement among good ones', policy(statement(), statement({ Effect: 'Deny' })), 'NotImplemented'],
  ])('refuses %s', (_, json, code) => {
    expect(() => publicPrefixesOf(json, bucket)).toThrow(expect.objectContaining({ code }));
  });
});
