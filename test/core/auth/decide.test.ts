// The decision as a table: one bucket of alice's, and what bob, a stranger and she herself may do
// with it and with the objects that they wrote.
import { describe, expect, it } from 'vitest';
import { cannedGrants } from '../../../src/core/auth/canned-acl.ts';
import { type AccessObject, type Decision, decide } from '../../../src/core/auth/decide.ts';
import type { S3Action } from '../../../src/core/auth/policy/actions.ts';
import {
  type BucketAccess,
  PRIVATE_ACCESS,
  type PublicAccessBlock,
} from '../../../src/domain/bucket-access.ts';
import type {
  AccessKeyId,
  AccountId,
  BucketName,
  ObjectKey,
  Principal,
} from '../../../src/domain/nouns.ts';
import type { Grant, Permission } from '../../../src/domain/object-facts.ts';
import { ANONYMOUS_ID } from '../../../src/domain/pointer.ts';

const ALICE = 'alice' as AccountId;
const BOB = 'bob' as AccountId;
const KEY = 'k' as ObjectKey;
const who = {
  alice: account(ALICE),
  bob: account(BOB),
  nobody: { kind: 'anonymous' },
} as const satisfies Record<string, Principal>;
type Who = keyof typeof who;

function account(id: AccountId): Principal {
  return { kind: 'account', account: { id, displayName: id }, accessKeyId: 'K' as AccessKeyId };
}

const ALICES: AccessObject = { ownerId: null, acl: null };
const BOBS: AccessObject = { ownerId: BOB, acl: null };
const NOBODYS: AccessObject = { ownerId: ANONYMOUS_ID, acl: null };
const canned = (
  name: Parameters<typeof cannedGrants>[0],
  ownerId = ALICE,
): readonly Grant[] | null => cannedGrants(name, { ownerId, bucketOwnerId: ALICE });
const grant = (id: AccountId, permission: Permission): Grant => ({
  grantee: { kind: 'account', id },
  permission,
});

function ask(
  access: Partial<BucketAccess>,
  as: Who,
  action: S3Action,
  object: AccessObject | null | 'bucket' = 'bucket',
): Decision {
  const record = {
    name: 'photos' as BucketName,
    ownerId: ALICE,
    access: { ...PRIVATE_ACCESS, ...access },
  };
  return decide(record, {
    principal: who[as],
    action,
    key: object === 'bucket' ? null : KEY,
    object: object === 'bucket' ? null : object,
    values: () => null,
  });
}

const policy = (...statements: object[]): Partial<BucketAccess> => ({
  policyJson: JSON.stringify({
    Version: '2012-10-17',
    Statement: statements.map((statement) => ({
      Effect: 'Allow',
      Principal: '*',
      Action: '*',
      Resource: ['arn:aws:s3:::photos', 'arn:aws:s3:::photos/*'],
      ...statement,
    })),
  }),
});
const block = (switches: Partial<PublicAccessBlock>): Partial<BucketAccess> => ({
  publicAccessBlock: {
    blockPublicAcls: false,
    ignorePublicAcls: false,
    blockPublicPolicy: false,
    restrictPublicBuckets: false,
    ...switches,
  },
});

describe('without anything said', () => {
  it.each<[Who, S3Action, AccessObject | null | 'bucket', Decision]>([
    ['alice', 's3:ListBucket', 'bucket', 'allowed'],
    ['alice', 's3:PutBucketAcl', 'bucket', 'allowed'],
    ['alice', 's3:GetObject', ALICES, 'allowed'],
    ['alice', 's3:PutObject', null, 'allowed'],
    ['bob', 's3:ListBucket', 'bucket', 'refused'],
    ['bob', 's3:GetObject', ALICES, 'refused'],
    ['bob', 's3:PutObject', null, 'refused'],
    ['nobody', 's3:GetObject', ALICES, 'refused'],
    // What others wrote is theirs, but the bucket is alice's.
    ['bob', 's3:GetObject', BOBS, 'allowed'],
    ['bob', 's3:PutObjectAcl', BOBS, 'allowed'],
    ['alice', 's3:GetObject', BOBS, 'refused'],
    ['alice', 's3:GetObjectAcl', BOBS, 'refused'],
    ['alice', 's3:DeleteObject', null, 'allowed'],
    ['alice', 's3:PutObjectTagging', BOBS, 'allowed'],
    ['bob', 's3:DeleteObject', null, 'refused'],
    ['nobody', 's3:GetObject', NOBODYS, 'allowed'],
    ['bob', 's3:GetObject', NOBODYS, 'refused'],
  ])('%s %s', (as, action, object, expected) => {
    expect(ask({}, as, action, object)).toBe(expected);
  });
});

describe('the ACL of the bucket', () => {
  it.each<[Parameters<typeof canned>[0], Who, S3Action, boolean]>([
    ['public-read', 'nobody', 's3:ListBucket', true],
    ['public-read', 'nobody', 's3:ListBucketMultipartUploads', true],
    ['public-read', 'nobody', 's3:PutObject', false],
    ['public-read', 'nobody', 's3:GetBucketAcl', false],
    ['public-read', 'nobody', 's3:GetBucketPolicy', false],
    ['public-read-write', 'nobody', 's3:PutObject', true],
    ['public-read-write', 'nobody', 's3:DeleteObject', true],
    ['public-read-write', 'nobody', 's3:DeleteObjectVersion', false],
    ['authenticated-read', 'bob', 's3:ListBucket', true],
    ['authenticated-read', 'nobody', 's3:ListBucket', false],
    ['log-delivery-write', 'bob', 's3:PutObject', false],
  ])('%s: %s %s', (name, as, action, isAllowed) => {
    expect(ask({ acl: canned(name) }, as, action)).toBe(isAllowed ? 'allowed' : 'refused');
  });

  it('lists buckets, it does not open objects', () => {
    expect(ask({ acl: canned('public-read') }, 'nobody', 's3:GetObject', ALICES)).toBe('refused');
  });

  it.each<[Permission, readonly S3Action[]]>([
    ['READ', ['s3:ListBucket']],
    ['WRITE', ['s3:PutObject']],
    ['READ_ACP', ['s3:GetBucketAcl']],
    ['WRITE_ACP', ['s3:PutBucketAcl']],
    ['FULL_CONTROL', ['s3:ListBucket', 's3:PutObject', 's3:GetBucketAcl', 's3:PutBucketAcl']],
  ])('%s gives just that', (permission, allowed) => {
    const acl = [grant(BOB, permission)];
    for (const action of [
      's3:ListBucket',
      's3:PutObject',
      's3:GetBucketAcl',
      's3:PutBucketAcl',
    ] as const) {
      expect([action, ask({ acl }, 'bob', action)]).toEqual([
        action,
        allowed.includes(action) ? 'allowed' : 'refused',
      ]);
      expect(ask({ acl }, 'nobody', action)).toBe('refused');
    }
  });

  it('without any grant still is its owner’s', () => {
    for (const action of [
      's3:ListBucket',
      's3:GetBucketAcl',
      's3:PutBucketAcl',
      's3:PutObject',
    ] as const) {
      expect(ask({ acl: [] }, 'alice', action)).toBe('allowed');
    }
  });
});

describe('the ACL of an object', () => {
  it.each<[Permission, S3Action]>([
    ['READ', 's3:GetObject'],
    ['READ', 's3:GetObjectVersion'],
    ['READ', 's3:GetObjectAttributes'],
    ['READ_ACP', 's3:GetObjectAcl'],
    ['WRITE_ACP', 's3:PutObjectVersionAcl'],
  ])('%s gives %s', (permission, action) => {
    for (const given of [permission, 'FULL_CONTROL'] as const) {
      expect(ask({}, 'bob', action, { ownerId: null, acl: [grant(BOB, given)] })).toBe('allowed');
    }
    const other = permission === 'READ' ? 'READ_ACP' : 'READ';
    expect(ask({}, 'bob', action, { ownerId: null, acl: [grant(BOB, other)] })).toBe('refused');
  });

  it('gives nothing of the bucket, nor writing', () => {
    const object = { ownerId: null, acl: canned('public-read-write') };
    expect(ask({}, 'nobody', 's3:GetObject', object)).toBe('allowed');
    expect(ask({}, 'nobody', 's3:PutObject', object)).toBe('refused');
    expect(ask({}, 'nobody', 's3:DeleteObject', object)).toBe('refused');
    expect(ask({}, 'nobody', 's3:GetObjectTagging', object)).toBe('refused');
  });

  it('hands what bob wrote to alice', () => {
    const object = { ownerId: BOB, acl: canned('bucket-owner-full-control', BOB) };
    for (const action of ['s3:GetObject', 's3:GetObjectAcl', 's3:PutObjectAcl'] as const) {
      expect(ask({}, 'alice', action, object)).toBe('allowed');
    }
    const readable = { ownerId: BOB, acl: canned('bucket-owner-read', BOB) };
    expect(ask({}, 'alice', 's3:GetObject', readable)).toBe('allowed');
    expect(ask({}, 'alice', 's3:PutObjectAcl', readable)).toBe('refused');
  });

  it('never locks its owner out of the list itself', () => {
    const object = { ownerId: BOB, acl: [] };
    expect(ask({}, 'bob', 's3:GetObject', object)).toBe('refused');
    expect(ask({}, 'bob', 's3:GetObjectAcl', object)).toBe('allowed');
    expect(ask({}, 'bob', 's3:PutObjectAcl', object)).toBe('allowed');
  });
});

describe('a policy', () => {
  it('allows what it says', () => {
    const access = policy({ Principal: { AWS: 'bob' }, Action: 's3:GetObject' });
    expect(ask(access, 'bob', 's3:GetObject', ALICES)).toBe('allowed');
    expect(ask(access, 'nobody', 's3:GetObject', ALICES)).toBe('refused');
    expect(ask(access, 'bob', 's3:PutObject', null)).toBe('refused');
  });

  it('opens only what alice owns', () => {
    expect(ask(policy({}), 'nobody', 's3:GetObject', BOBS)).toBe('refused');
    expect(ask(policy({}), 'nobody', 's3:GetObject', ALICES)).toBe('allowed');
    const enforced = { ...policy({}), ownership: 'BucketOwnerEnforced' } as const;
    expect(ask(enforced, 'nobody', 's3:GetObject', BOBS)).toBe('allowed');
  });

  it('opens to bob what is his own, and to nobody what an unknown one left', () => {
    const tag = policy({ Action: 's3:PutObjectTagging' });
    expect(ask(policy({ Principal: { AWS: 'alice' } }), 'bob', 's3:PutObjectTagging', BOBS)).toBe(
      'refused',
    );
    expect(ask(tag, 'bob', 's3:PutObjectTagging', BOBS)).toBe('allowed');
    expect(ask(tag, 'nobody', 's3:PutObjectTagging', NOBODYS)).toBe('refused');
  });

  it('denies whatever else allows, alice too', () => {
    const access = {
      ...policy({ Effect: 'Deny', Action: 's3:ListBucket' }),
      acl: canned('public-read'),
    };
    for (const as of ['alice', 'bob', 'nobody'] as const)
      expect(ask(access, as, 's3:ListBucket')).toBe('denied');
    const own = policy({ Effect: 'Deny', Action: 's3:GetObject' });
    expect(ask(own, 'bob', 's3:GetObject', BOBS)).toBe('denied');
  });

  it('can always be mended by the owner', () => {
    const access = policy({ Effect: 'Deny' });
    for (const action of [
      's3:GetBucketPolicy',
      's3:PutBucketPolicy',
      's3:DeleteBucketPolicy',
    ] as const) {
      expect(ask(access, 'alice', action)).toBe('allowed');
      expect(ask(access, 'bob', action)).toBe('denied');
    }
    expect(ask(access, 'alice', 's3:GetBucketPolicyStatus')).toBe('denied');
  });

  it('that can’t be read gives nobody but the owner anything', () => {
    const access = { policyJson: '{"Statement":"?"}', acl: canned('public-read') };
    expect(ask(access, 'bob', 's3:ListBucket')).toBe('refused');
    expect(ask(access, 'alice', 's3:ListBucket')).toBe('allowed');
  });
});

describe('ownership', () => {
  const enforced = { ownership: 'BucketOwnerEnforced' } as const;

  it('enforced makes lists silent and everything the owner’s', () => {
    expect(ask({ ...enforced, acl: canned('public-read') }, 'nobody', 's3:ListBucket')).toBe(
      'refused',
    );
    expect(
      ask(enforced, 'nobody', 's3:GetObject', { ownerId: null, acl: canned('public-read') }),
    ).toBe('refused');
    expect(ask(enforced, 'bob', 's3:GetObject', BOBS)).toBe('refused');
    expect(ask(enforced, 'alice', 's3:GetObject', BOBS)).toBe('allowed');
    expect(ask(enforced, 'nobody', 's3:GetObject', NOBODYS)).toBe('refused');
  });

  it('preferred changes nothing about what there is', () => {
    expect(ask({ ownership: 'BucketOwnerPreferred' }, 'alice', 's3:GetObject', BOBS)).toBe(
      'refused',
    );
  });
});

describe('the block of public access', () => {
  it('ignores public grants, and those alone', () => {
    const access = {
      ...block({ ignorePublicAcls: true }),
      acl: [...(canned('public-read') ?? []), grant(BOB, 'READ')],
    };
    expect(ask(access, 'nobody', 's3:ListBucket')).toBe('refused');
    expect(ask(access, 'bob', 's3:ListBucket')).toBe('allowed');
    const object = { ownerId: null, acl: canned('authenticated-read') };
    expect(ask(access, 'bob', 's3:GetObject', object)).toBe('refused');
    expect(ask(access, 'nobody', 's3:GetObject', NOBODYS)).toBe('refused');
  });

  it('shuts a bucket with a public policy to all others', () => {
    const access = {
      ...policy({}, { Principal: { AWS: 'bob' } }),
      ...block({ restrictPublicBuckets: true }),
    };
    expect(ask(access, 'bob', 's3:GetObject', ALICES)).toBe('refused');
    expect(ask({ ...access, acl: canned('public-read') }, 'nobody', 's3:ListBucket')).toBe(
      'refused',
    );
    expect(ask(access, 'alice', 's3:GetObject', ALICES)).toBe('allowed');
  });

  it('leaves a policy alone that is not public', () => {
    const access = {
      ...policy({ Principal: { AWS: 'bob' } }),
      ...block({ restrictPublicBuckets: true }),
    };
    expect(ask(access, 'bob', 's3:GetObject', ALICES)).toBe('allowed');
  });
});
