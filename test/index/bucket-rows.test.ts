// A bucket in its row: its access as JSON, and rows of the first programs.
import { describe, expect, it } from 'vitest';
import { decide } from '../../src/core/auth/decide.ts';
import { withPublicReads } from '../../src/core/auth/public-reads.ts';
import { type BucketAccess, PRIVATE_ACCESS } from '../../src/domain/bucket-access.ts';
import type { AccountId, BucketName, ObjectKey } from '../../src/domain/nouns.ts';
import { everyoneMayRead } from '../../src/domain/pointer.ts';
import { decodeAccess, encodeAccess } from '../../src/index/buckets/bucket-rows.ts';
import { publicPolicy } from '../access-samples.ts';

const BUCKET = { name: 'old' as BucketName, ownerId: 'alice' as AccountId };
const keep = (access: BucketAccess) => decodeAccess(encodeAccess(access), BUCKET);

describe('the access of a bucket in its row', () => {
  it('comes back as it was, and what was never set takes no room', () => {
    const access: BucketAccess = {
      acl: [{ grantee: { kind: 'account', id: 'bob' as AccountId }, permission: 'WRITE' }],
      policyJson: publicPolicy('old'),
      ownership: 'BucketOwnerPreferred',
      publicAccessBlock: {
        blockPublicAcls: true,
        ignorePublicAcls: false,
        blockPublicPolicy: true,
        restrictPublicBuckets: false,
      },
      hasPublicObjects: true,
      publicReads: null,
    };
    const worked = withPublicReads(BUCKET, access);
    expect(keep(worked)).toEqual(worked);
    expect(encodeAccess(PRIVATE_ACCESS)).toBe('{}');
    expect(keep(PRIVATE_ACCESS)).toBe(PRIVATE_ACCESS);
    expect(keep({ ...PRIVATE_ACCESS, acl: [] }).acl).toEqual([]);
  });

  const rows: [string, object, string[], string[], boolean][] = [
    [
      'private',
      { acl: 'private', policyJson: null, policyPublicPrefixes: [] },
      [],
      ['k', 'open/k'],
      false,
    ],
    [
      'public-read',
      { acl: 'public-read', policyJson: null, policyPublicPrefixes: [] },
      ['k', 'open/k'],
      [],
      true,
    ],
    [
      'a policy',
      { acl: 'private', policyJson: publicPolicy('old', 'open/'), policyPublicPrefixes: ['open/'] },
      ['open/k'],
      ['k'],
      false,
    ],
    [
      'both',
      {
        acl: 'public-read',
        policyJson: publicPolicy('old', 'open/'),
        policyPublicPrefixes: ['open/'],
      },
      ['open/k', 'k'],
      [],
      true,
    ],
  ];
  it.each(rows)('of the first form, %s, means what it meant', (_, row, open, shut, isListed) => {
    const access = decodeAccess(JSON.stringify(row), BUCKET);
    const record = { ...BUCKET, access };
    const ask = (action: 's3:GetObject' | 's3:ListBucket', key: string | null) =>
      decide(record, {
        principal: { kind: 'anonymous' },
        action,
        key: key as ObjectKey | null,
        object: key === null ? null : { ownerId: null, acl: null },
        values: () => null,
      });
    for (const key of [...open, ...shut]) {
      const expected = open.includes(key);
      expect(ask('s3:GetObject', key) === 'allowed', key).toBe(expected);
      expect(everyoneMayRead(access, key, { ownerId: null, isPublicByAcl: false }), key).toBe(
        expected ? 'yes' : 'no',
      );
    }
    expect(ask('s3:ListBucket', null) === 'allowed').toBe(isListed);
    // What was worked out for it is what is worked out today.
    const { publicReads, ...given } = access;
    expect(withPublicReads(BUCKET, given).publicReads).toEqual(publicReads);
    expect(keep(access)).toEqual(access);
  });
});
