// biome-ignore-all lint/suspicious/noTemplateCurlyInString: policies write their variables so.
// What delivery knows of a bucket must never differ from the decision itself: random policies,
// lists and switches, decided both ways.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cannedGrants } from '../../../src/core/auth/canned-acl.ts';
import { decide } from '../../../src/core/auth/decide.ts';
import { conditionKey } from '../../../src/core/auth/policy/pattern.ts';
import { withPublicReads } from '../../../src/core/auth/public-reads.ts';
import { type BucketAccess, PRIVATE_ACCESS } from '../../../src/domain/bucket-access.ts';
import type { AccountId, BucketName, ObjectKey } from '../../../src/domain/nouns.ts';
import {
  ANONYMOUS_ID,
  canBePublic,
  everyoneMayRead,
  isPublicByAcl,
} from '../../../src/domain/pointer.ts';
import { fuzzRuns } from '../../fuzz-seed.ts';

const NAME = 'photos' as BucketName;
const OWNER = 'alice' as AccountId;
const WRITER = 'bob' as AccountId;

const text = fc.constantFrom(
  '*',
  'cats/*',
  'cats/tom',
  'dogs/*',
  '*.jpg',
  'c?ts/*',
  'private/*',
  '${aws:userid}/*',
);
const resource = fc.oneof(
  text.map((pattern) => `arn:aws:s3:::${NAME}/${pattern}`),
  fc.constantFrom(`arn:aws:s3:::${NAME}`, '*', 'arn:aws:s3:::*', 'arn:aws:s3:::phot*'),
);
const condition = fc.constantFrom(
  {},
  { Bool: { 'aws:SecureTransport': 'false' } },
  { IpAddress: { 'aws:SourceIp': '192.0.2.0/24' } },
  { StringLike: { 's3:prefix': 'cats/*' } },
  { Null: { 'aws:Referer': 'true' } },
);
const statement = fc.record({
  Effect: fc.constantFrom('Allow', 'Allow', 'Deny'),
  Principal: fc.constantFrom('*', { AWS: '*' }, { AWS: 'bob' }),
  Action: fc.constantFrom('s3:GetObject', 's3:*', 's3:ListBucket', 's3:PutObject', [
    's3:Get*',
    's3:List*',
  ]),
  Resource: fc.array(resource, { minLength: 1, maxLength: 2 }),
  Condition: condition,
});
const access: fc.Arbitrary<Omit<BucketAccess, 'publicReads'>> = fc.record({
  acl: fc
    .constantFrom(...(['private', 'public-read', 'authenticated-read'] as const))
    .map(bucketList),
  policyJson: fc.oneof(
    fc.constant(null),
    fc
      .array(statement, { minLength: 1, maxLength: 4 })
      .map((Statement) => JSON.stringify({ Version: '2012-10-17', Statement })),
  ),
  ownership: fc.constantFrom(null, 'BucketOwnerEnforced', 'BucketOwnerPreferred'),
  publicAccessBlock: fc.oneof(
    fc.constant(null),
    fc.record({
      blockPublicAcls: fc.boolean(),
      ignorePublicAcls: fc.boolean(),
      blockPublicPolicy: fc.boolean(),
      restrictPublicBuckets: fc.boolean(),
    }),
  ),
  hasPublicObjects: fc.constant(true),
});

function bucketList(name: 'private' | 'public-read' | 'authenticated-read') {
  return cannedGrants(name, { ownerId: OWNER, bucketOwnerId: OWNER });
}

const object = fc.oneof(
  fc.constant(null),
  fc.record({
    ownerId: fc.constantFrom(null, WRITER, ANONYMOUS_ID),
    acl: fc.constantFrom(
      null,
      bucketList('public-read'),
      bucketList('authenticated-read'),
      cannedGrants('bucket-owner-full-control', { ownerId: WRITER, bucketOwnerId: OWNER }),
    ),
  }),
);
const key = fc.constantFrom(
  'cats/tom',
  'cats/kit.jpg',
  'dogs/rex',
  'private/x',
  'private/y.jpg',
  'anonymous/x',
  'z',
);
const values = fc.record({
  'aws:SecureTransport': fc.constantFrom('true', 'false'),
  'aws:SourceIp': fc.constantFrom('192.0.2.1', '10.0.0.1'),
  'aws:Referer': fc.constantFrom('https://example.com/', null),
  'aws:userid': fc.constant('anonymous'),
});

describe('what everyone may read', () => {
  it('is what the decision says, or asks for it', () => {
    fc.assert(
      fc.property(access, object, key, values, (given, version, text, found) => {
        const record = {
          name: NAME,
          ownerId: OWNER,
          access: withPublicReads({ name: NAME, ownerId: OWNER }, given),
        };
        const known = new Map(
          Object.entries(found).map(([name, value]) => [conditionKey(name), value]),
        );
        const valuesWith = (prefix: string | null) => (name: string) => {
          const value = name === 's3:prefix' ? prefix : (known.get(name) ?? null);
          return value === null ? null : [value];
        };
        const asked = (action: 's3:GetObject' | 's3:ListBucket') =>
          decide(record, {
            principal: { kind: 'anonymous' },
            action,
            key: action === 's3:ListBucket' ? null : (text as ObjectKey),
            object: action === 's3:ListBucket' ? null : version,
            values: valuesWith(action === 's3:ListBucket' ? text : null),
          });
        const read = asked('s3:GetObject');
        const isAllowed =
          version === null
            ? read === 'allowed' || (read !== 'denied' && asked('s3:ListBucket') === 'allowed')
            : read === 'allowed';
        const pointer =
          version === null
            ? null
            : { ownerId: version.ownerId, isPublicByAcl: isPublicByAcl(version) };
        const answer = everyoneMayRead(record.access, text, pointer);
        if (answer !== 'ask') expect(answer).toBe(isAllowed ? 'yes' : 'no');
        if (isAllowed) expect(canBePublic(record.access, text)).toBe(true);
      }),
      { numRuns: fuzzRuns(3000) },
    );
  });

  it('is not asked for where a plain policy opens a prefix or the whole bucket', () => {
    const opened = (resources: string[], more: object[] = []) => {
      const Statement = [
        { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', Resource: resources },
        ...more,
      ];
      const policyJson = JSON.stringify({ Version: '2012-10-17', Statement });
      return withPublicReads({ name: NAME, ownerId: OWNER }, { ...PRIVATE_ACCESS, policyJson });
    };
    const own = { ownerId: null, isPublicByAcl: false };
    const whole = opened([`arn:aws:s3:::${NAME}/*`]);
    expect(everyoneMayRead(whole, 'x', own)).toBe('yes');
    expect(everyoneMayRead(whole, 'x', null)).toBe('yes');
    expect(everyoneMayRead(whole, 'x', { ...own, ownerId: WRITER })).toBe('no');
    const prefix = opened([`arn:aws:s3:::${NAME}/open/*`]);
    expect([everyoneMayRead(prefix, 'open/x', own), everyoneMayRead(prefix, 'x', own)]).toEqual([
      'yes',
      'no',
    ]);
    const closed = {
      Effect: 'Deny',
      Principal: '*',
      Action: 's3:*',
      Resource: `arn:aws:s3:::${NAME}/secret/*`,
    };
    const partly = opened([`arn:aws:s3:::${NAME}/*`], [closed]);
    expect([everyoneMayRead(partly, 'x', own), everyoneMayRead(partly, 'secret/x', own)]).toEqual([
      'yes',
      'no',
    ]);
    const insecure = {
      ...closed,
      Resource: `arn:aws:s3:::${NAME}/*`,
      Condition: { Bool: { 'aws:SecureTransport': 'false' } },
    };
    expect(everyoneMayRead(opened([`arn:aws:s3:::${NAME}/*`], [insecure]), 'x', own)).toBe('ask');
  });

  it('is nothing, without a look at objects, in a bucket that opened none', () => {
    const closed = withPublicReads({ name: NAME, ownerId: OWNER }, PRIVATE_ACCESS);
    expect([closed.publicReads, canBePublic(closed, 'x')]).toEqual([null, false]);
    const heard = withPublicReads(
      { name: NAME, ownerId: OWNER },
      { ...PRIVATE_ACCESS, hasPublicObjects: true },
    );
    expect(canBePublic(heard, 'x')).toBe(true);
  });
});
