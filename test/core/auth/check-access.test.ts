// What a check of access says of a prefix is what decide.ts says of the keys below it: policies
// made at random are asked about prefixes, and every answer is compared with decisions on keys.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAccessChecker } from '../../../src/core/auth/access-check/check-access.ts';
import { accountPrincipal } from '../../../src/core/auth/access-check/who-may.ts';
import { type AccessRecord, decide, readPolicy } from '../../../src/core/auth/decide.ts';
import { looksInternal } from '../../../src/core/buckets/internal-names.ts';
import { PRIVATE_ACCESS } from '../../../src/domain/bucket-access.ts';
import type { AccountId, BucketName, ObjectKey, Principal } from '../../../src/domain/nouns.ts';

const NAME = 'bucket' as BucketName;
const OWNER = 'owner' as AccountId;
const OTHER = 'other' as AccountId;
const KEYS = ['a', 'a/b', 'a/b.sql', 'a/c.jpg', 'ab', 'b/a', 'b/x.sql', 'c'];
const PREFIXES = ['', 'a', 'a/', 'b/', 'c', 'd/'];
const PATTERNS = ['*', 'a/*', 'a*', '*.sql', 'b/?.sql', 'a/b', 'c', '*b*'];

const statement = fc.record({
  Effect: fc.constantFrom('Allow', 'Allow', 'Deny'),
  Principal: fc.constantFrom<unknown>('*', { AWS: OTHER }, { AWS: OWNER }),
  Action: fc.constantFrom('s3:GetObject', 's3:*'),
  pattern: fc.constantFrom(...PATTERNS),
});

function recordWith(statements: readonly { pattern: string }[]): AccessRecord {
  const Statement = statements.map(({ pattern, ...rest }) => ({
    ...rest,
    Resource: `arn:aws:s3:::${NAME}/${pattern}`,
  }));
  const policyJson = JSON.stringify({ Version: '2012-10-17', Statement });
  return { name: NAME, ownerId: OWNER, access: { ...PRIVATE_ACCESS, policyJson } };
}

const CALLERS: readonly Principal[] = [
  { kind: 'anonymous' },
  accountPrincipal(OTHER),
  accountPrincipal(OWNER),
];
const NO_VALUES = () => null;

describe('a check of access', () => {
  it('agrees with the decisions on the keys below the prefix', () => {
    fc.assert(
      fc.property(
        fc.array(statement, { minLength: 1, maxLength: 4 }),
        fc.constantFrom(...PREFIXES),
        fc.constantFrom(...CALLERS),
        (statements, prefix, principal) => {
          const record = recordWith(statements);
          const policy = readPolicy(record);
          const question = { record, policy, sourceIp: null, valuesOf: () => NO_VALUES };
          const target = { kind: 'prefix', prefix } as const;
          const checker = createAccessChecker({ ...question, target, isOpen: () => false });
          const { allowed } = checker.check(principal, null, 's3:GetObject');
          expect(checker.isExact()).toBe(true);
          for (const key of KEYS.filter((each) => each.startsWith(prefix))) {
            const decision = decide(record, {
              principal,
              action: 's3:GetObject',
              key: key as ObjectKey,
              object: null,
              values: NO_VALUES,
            });
            if (decision === 'allowed') expect([key, allowed]).not.toEqual([key, 'no']);
            else expect([key, allowed]).not.toEqual([key, 'yes']);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });
});

describe('the time of a check of access', () => {
  const isOpen = () => false;

  it.each(['*a', '?*', '*'])('is bounded for patterns of many %s', (part) => {
    const pattern = part.repeat(2000 / part.length);
    const common = { Effect: 'Allow', Principal: '*', Action: 's3:GetObject', pattern };
    const record = recordWith(Array.from({ length: 9 }, () => common));
    const policy = readPolicy(record);
    expect(policy).not.toBe('unreadable');
    const target = { kind: 'prefix', prefix: 'a'.repeat(1024) } as const;
    const question = { record, policy, target, sourceIp: null, valuesOf: () => NO_VALUES, isOpen };
    const checker = createAccessChecker(question);
    checker.check({ kind: 'anonymous' }, null, 's3:GetObject');
    expect(checker.isSpent()).toBe(true);
  });

  it('does not grow with the keys of an account', () => {
    const record = recordWith(
      Array.from({ length: 100 }, (_, i) => ({
        Effect: i % 2 === 0 ? 'Allow' : 'Deny',
        Principal: '*',
        Action: 's3:*',
        pattern: `p${i}*x`,
      })),
    );
    let decisions = 0;
    const valuesOf = () => {
      decisions++;
      return NO_VALUES;
    };
    const target = { kind: 'prefix', prefix: '' } as const;
    const question = { record, policy: readPolicy(record), target, sourceIp: null, isOpen };
    const checker = createAccessChecker({ ...question, valuesOf });
    const owner = accountPrincipal(OWNER);
    const first = checker.check(owner, null, 's3:GetObject');
    const decided = decisions;
    for (let key = 0; key < 200; key++)
      expect(checker.check(owner, null, 's3:GetObject')).toEqual(first);
    expect(decisions).toBe(decided);
    expect(checker.isSpent()).toBe(false);
  });
});

describe('names that look internal', () => {
  it.each(['.env', 'x/.env.local', 'db.sql', 'backup-1.zip', 'id_rsa', 'tls.key', '.git/config'])(
    '%s does',
    (key) => expect(looksInternal(key)).toBe(true),
  );
  it.each(['a.jpg', 'environment.html', 'keys/index.html', 'sql/readme.md', 'gitignore.txt'])(
    '%s does not',
    (key) => expect(looksInternal(key)).toBe(false),
  );
});
