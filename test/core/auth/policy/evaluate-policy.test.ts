// biome-ignore-all lint/suspicious/noTemplateCurlyInString: policies write their variables so.
import { describe, expect, it } from 'vitest';
import type { S3Action } from '../../../../src/core/auth/policy/actions.ts';
import {
  createRequestEffort,
  evaluatePolicy,
  type PolicyCaller,
  type PolicyVerdict,
} from '../../../../src/core/auth/policy/evaluate-policy.ts';
import { parsePolicy } from '../../../../src/core/auth/policy/parse-policy.ts';
import { conditionKey } from '../../../../src/core/auth/policy/pattern.ts';
import { POLICY_MAX_BYTES } from '../../../../src/core/limits.ts';
import { parseBucketName } from '../../../../src/core/parse-names.ts';
import { cpuMsOf, LONGEST, QUICK_MS } from '../../../cpu-time.ts';

const BUCKET = parseBucketName('photos');
const ANYBODY: PolicyCaller = { kind: 'anonymous' };
const ALICE: PolicyCaller = { kind: 'account', accountId: 'alice' };
const BOB: PolicyCaller = { kind: 'account', accountId: 'bob' };
const LOGGING: PolicyCaller = { kind: 'service', name: 'logging.s3.amazonaws.com' };

type Json = { readonly [name: string]: unknown };
type Values = { readonly [key: string]: string | readonly string[] };

function verdict(
  statements: readonly Json[],
  asked: { caller?: PolicyCaller; action?: S3Action; resource?: string; values?: Values },
  version = '2012-10-17',
): PolicyVerdict {
  const policy = parsePolicy(JSON.stringify({ Version: version, Statement: statements }), BUCKET);
  const values = new Map(
    Object.entries(asked.values ?? {}).map(([key, value]) => [
      conditionKey(key),
      typeof value === 'string' ? [value] : value,
    ]),
  );
  return evaluatePolicy(policy, {
    caller: asked.caller ?? ALICE,
    action: asked.action ?? 's3:GetObject',
    resource: asked.resource ?? 'photos/cats/tom.jpg',
    values: (key) => values.get(key) ?? null,
  });
}

const ALLOW = {
  Effect: 'Allow',
  Principal: '*',
  Action: 's3:GetObject',
  Resource: 'arn:aws:s3:::photos/*',
};

describe('a statement', () => {
  const table: [string, Json, Parameters<typeof verdict>[1], PolicyVerdict][] = [
    ['everyone: a stranger', {}, { caller: ANYBODY }, 'allow'],
    ['everyone: an account', {}, {}, 'allow'],
    ['everyone, the other spelling', { Principal: { AWS: '*' } }, { caller: ANYBODY }, 'allow'],
    ['an account by its root', { Principal: { AWS: 'arn:aws:iam::alice:root' } }, {}, 'allow'],
    ['another account', { Principal: { AWS: 'arn:aws:iam::alice:root' } }, { caller: BOB }, 'none'],
    [
      'an account is no stranger',
      { Principal: { AWS: 'arn:aws:iam::alice:root' } },
      { caller: ANYBODY },
      'none',
    ],
    ['an account by its bare id', { Principal: { AWS: 'alice' } }, {}, 'allow'],
    ['one of several', { Principal: { AWS: ['bob', 'alice'] } }, {}, 'allow'],
    ['a canonical user', { Principal: { CanonicalUser: 'alice' } }, {}, 'allow'],
    [
      'a service',
      { Principal: { Service: 'logging.s3.amazonaws.com' } },
      { caller: LOGGING },
      'allow',
    ],
    ['a service is no account', { Principal: { Service: 'logging.s3.amazonaws.com' } }, {}, 'none'],
    ['another action', {}, { action: 's3:GetObjectAcl' }, 'none'],
    ['an action in another case', { Action: 'S3:getobject' }, {}, 'allow'],
    [
      'actions with a wildcard',
      { Action: 's3:GetObject*' },
      { action: 's3:GetObjectVersionTagging' },
      'allow',
    ],
    ['actions with a question mark', { Action: 's3:?etObject' }, {}, 'allow'],
    ['every action', { Action: '*' }, { action: 's3:DeleteBucket', resource: 'photos' }, 'none'],
    [
      'every action of S3 everywhere',
      { Action: 's3:*', Resource: '*' },
      { action: 's3:DeleteBucket', resource: 'photos' },
      'allow',
    ],
    ['not that action', { Action: undefined, NotAction: 's3:GetObject' }, {}, 'none'],
    [
      'not that action, another',
      { Action: undefined, NotAction: 's3:GetObject' },
      { action: 's3:PutObject' },
      'allow',
    ],
    ['another key', { Resource: 'arn:aws:s3:::photos/dogs/*' }, {}, 'none'],
    ['a pattern in the middle', { Resource: 'arn:aws:s3:::photos/*/t?m.jpg' }, {}, 'allow'],
    ['a wildcard reaches over slashes', { Resource: 'arn:aws:s3:::photos/*.jpg' }, {}, 'allow'],
    [
      'a question mark is one character',
      { Resource: 'arn:aws:s3:::photos/cats/t?.jpg' },
      {},
      'none',
    ],
    [
      'a question mark is one character, however long',
      { Resource: 'arn:aws:s3:::photos/?' },
      { resource: 'photos/😀' },
      'allow',
    ],
    ['case counts in keys', { Resource: 'arn:aws:s3:::photos/CATS/*' }, {}, 'none'],
    ['the bucket is not its objects', { Resource: 'arn:aws:s3:::photos' }, {}, 'none'],
    ['a bucket pattern', { Resource: 'arn:aws:s3:::ph*' }, {}, 'allow'],
    [
      'not that resource',
      { Resource: undefined, NotResource: 'arn:aws:s3:::photos/cats/*' },
      {},
      'none',
    ],
    [
      'not that resource, another',
      { Resource: undefined, NotResource: 'arn:aws:s3:::photos/dogs/*' },
      {},
      'allow',
    ],
    [
      'backtracking',
      { Resource: 'arn:aws:s3:::photos/*a*b*a.c' },
      { resource: 'photos/aabbaba.c' },
      'allow',
    ],
    [
      'backtracking without end',
      { Resource: 'arn:aws:s3:::photos/*a*a*a*a*a*b' },
      { resource: `photos/${'a'.repeat(900)}` },
      'none',
    ],
  ];
  it.each(table)('means whom, what and where it says: %s', (_, change, asked, expected) => {
    expect(verdict([{ ...ALLOW, ...change }], asked)).toBe(expected);
  });
});

describe('Deny', () => {
  it('wins, wherever it stands', () => {
    const deny = { ...ALLOW, Effect: 'Deny', Resource: 'arn:aws:s3:::photos/cats/*' };
    expect(verdict([ALLOW, deny], {})).toBe('deny');
    expect(verdict([deny, ALLOW], {})).toBe('deny');
    expect(verdict([deny, ALLOW], { resource: 'photos/dogs/rex.jpg' })).toBe('allow');
  });

  it('can be of everyone but some', () => {
    const deny = {
      ...ALLOW,
      Effect: 'Deny',
      Principal: undefined,
      NotPrincipal: { AWS: ['arn:aws:iam::alice:root'] },
    };
    expect(verdict([ALLOW, deny], {})).toBe('allow');
    expect(verdict([ALLOW, deny], { caller: BOB })).toBe('deny');
    expect(verdict([ALLOW, deny], { caller: ANYBODY })).toBe('deny');
  });

  it('can be of everything but one action', () => {
    const deny = { ...ALLOW, Effect: 'Deny', Action: undefined, NotAction: 's3:GetObject' };
    expect(verdict([deny], { action: 's3:PutObject' })).toBe('deny');
    expect(verdict([deny], {})).toBe('none');
  });
});

describe('a condition', () => {
  const WHEN = 'aws:CurrentTime';
  const table: [string, Json, Values, boolean][] = [
    ['StringEquals', { StringEquals: { 's3:prefix': 'a' } }, { 's3:prefix': 'a' }, true],
    ['StringEquals, else', { StringEquals: { 's3:prefix': 'a' } }, { 's3:prefix': 'A' }, false],
    ['StringEquals, missing', { StringEquals: { 's3:prefix': 'a' } }, {}, false],
    [
      'StringEquals, one of several',
      { StringEquals: { 's3:prefix': ['a', 'b'] } },
      { 's3:prefix': 'b' },
      true,
    ],
    [
      'StringEquals takes no wildcard',
      { StringEquals: { 's3:prefix': 'a*' } },
      { 's3:prefix': 'ab' },
      false,
    ],
    [
      'keys without regard to case',
      { StringEquals: { 'S3:PREFIX': 'a' } },
      { 's3:prefix': 'a' },
      true,
    ],
    [
      'StringNotEquals',
      { StringNotEquals: { 's3:prefix': ['a', 'b'] } },
      { 's3:prefix': 'c' },
      true,
    ],
    [
      'StringNotEquals, one of several',
      { StringNotEquals: { 's3:prefix': ['a', 'b'] } },
      { 's3:prefix': 'b' },
      false,
    ],
    ['StringNotEquals, missing', { StringNotEquals: { 's3:prefix': 'a' } }, {}, true],
    [
      'StringEqualsIgnoreCase',
      { StringEqualsIgnoreCase: { 's3:prefix': 'aB' } },
      { 's3:prefix': 'Ab' },
      true,
    ],
    [
      'StringNotEqualsIgnoreCase',
      { StringNotEqualsIgnoreCase: { 's3:prefix': 'aB' } },
      { 's3:prefix': 'Ab' },
      false,
    ],
    ['StringLike', { StringLike: { 's3:prefix': 'a*/?' } }, { 's3:prefix': 'abc/d' }, true],
    ['StringLike, else', { StringLike: { 's3:prefix': 'a*/?' } }, { 's3:prefix': 'abc/de' }, false],
    ['StringNotLike', { StringNotLike: { 's3:prefix': 'a*' } }, { 's3:prefix': 'abc' }, false],
    [
      'StringLikeIfExists, missing',
      { StringLikeIfExists: { 'aws:Referer': 'https://x/*' } },
      {},
      true,
    ],
    [
      'StringLikeIfExists, else',
      { StringLikeIfExists: { 'aws:Referer': 'https://x/*' } },
      { 'aws:Referer': 'z' },
      false,
    ],
    ['NumericEquals', { NumericEquals: { 's3:max-keys': 10 } }, { 's3:max-keys': '10' }, true],
    [
      'NumericLessThanEquals',
      { NumericLessThanEquals: { 's3:max-keys': '10' } },
      { 's3:max-keys': '11' },
      false,
    ],
    [
      'NumericLessThan',
      { NumericLessThan: { 's3:max-keys': '10' } },
      { 's3:max-keys': '9.5' },
      true,
    ],
    [
      'NumericGreaterThan',
      { NumericGreaterThan: { 's3:max-keys': '10' } },
      { 's3:max-keys': '10' },
      false,
    ],
    [
      'NumericGreaterThanEquals',
      { NumericGreaterThanEquals: { 's3:max-keys': '10' } },
      { 's3:max-keys': '10' },
      true,
    ],
    [
      'NumericNotEquals',
      { NumericNotEquals: { 's3:max-keys': '10' } },
      { 's3:max-keys': '10' },
      false,
    ],
    [
      'Numeric of what is no number',
      { NumericLessThan: { 's3:max-keys': '10' } },
      { 's3:max-keys': 'x' },
      false,
    ],
    [
      'DateGreaterThan',
      { DateGreaterThan: { [WHEN]: '2026-01-01T00:00:00Z' } },
      { [WHEN]: '2026-06-01T00:00:00Z' },
      true,
    ],
    [
      'DateLessThan, in seconds',
      { DateLessThan: { [WHEN]: '1767225600' } },
      { [WHEN]: '2026-06-01T00:00:00Z' },
      false,
    ],
    [
      'DateEquals over zones',
      { DateEquals: { [WHEN]: '2026-06-01T02:00:00+02:00' } },
      { [WHEN]: '2026-06-01T00:00:00Z' },
      true,
    ],
    ['Bool', { Bool: { 'aws:SecureTransport': false } }, { 'aws:SecureTransport': 'false' }, true],
    [
      'Bool, else',
      { Bool: { 'aws:SecureTransport': 'false' } },
      { 'aws:SecureTransport': 'true' },
      false,
    ],
    [
      'IpAddress',
      { IpAddress: { 'aws:SourceIp': '10.1.0.0/16' } },
      { 'aws:SourceIp': '10.1.2.3' },
      true,
    ],
    [
      'IpAddress, else',
      { IpAddress: { 'aws:SourceIp': '10.1.0.0/16' } },
      { 'aws:SourceIp': '10.2.2.3' },
      false,
    ],
    [
      'IpAddress, one',
      { IpAddress: { 'aws:SourceIp': '10.1.2.3' } },
      { 'aws:SourceIp': '::ffff:10.1.2.3' },
      true,
    ],
    [
      'IpAddress, odd bits',
      { IpAddress: { 'aws:SourceIp': '10.1.2.128/25' } },
      { 'aws:SourceIp': '10.1.2.127' },
      false,
    ],
    [
      'IpAddress, version 6',
      { IpAddress: { 'aws:SourceIp': '2001:db8::/32' } },
      { 'aws:SourceIp': '2001:db8:1::5' },
      true,
    ],
    [
      'NotIpAddress',
      { NotIpAddress: { 'aws:SourceIp': '10.0.0.0/8' } },
      { 'aws:SourceIp': '192.0.2.1' },
      true,
    ],
    ['NotIpAddress, unknown', { NotIpAddress: { 'aws:SourceIp': '10.0.0.0/8' } }, {}, true],
    [
      'ArnLike',
      { ArnLike: { 'aws:PrincipalArn': 'arn:aws:iam::al*:root' } },
      { 'aws:PrincipalArn': 'arn:aws:iam::alice:root' },
      true,
    ],
    [
      'ArnEquals takes wildcards',
      { ArnEquals: { 'aws:PrincipalArn': 'arn:aws:iam::*:*' } },
      { 'aws:PrincipalArn': 'arn:aws:iam::alice:root' },
      true,
    ],
    [
      'ArnNotLike',
      { ArnNotLike: { 'aws:PrincipalArn': 'arn:aws:iam::al*:root' } },
      { 'aws:PrincipalArn': 'arn:aws:iam::alice:root' },
      false,
    ],
    ['Null true', { Null: { 's3:x-amz-acl': true } }, {}, true],
    [
      'Null true, there',
      { Null: { 's3:x-amz-acl': 'true' } },
      { 's3:x-amz-acl': 'private' },
      false,
    ],
    ['Null false', { Null: { 's3:x-amz-acl': 'false' } }, { 's3:x-amz-acl': 'private' }, true],
    ['Null false, missing', { Null: { 's3:x-amz-acl': 'false' } }, {}, false],
    [
      'ForAllValues',
      { 'ForAllValues:StringEquals': { 's3:RequestObjectTagKeys': ['a', 'b'] } },
      { 's3:RequestObjectTagKeys': ['b', 'a'] },
      true,
    ],
    [
      'ForAllValues, one too many',
      { 'ForAllValues:StringEquals': { 's3:RequestObjectTagKeys': ['a', 'b'] } },
      { 's3:RequestObjectTagKeys': ['a', 'c'] },
      false,
    ],
    [
      'ForAllValues, none',
      { 'ForAllValues:StringEquals': { 's3:RequestObjectTagKeys': ['a'] } },
      {},
      true,
    ],
    [
      'ForAnyValue',
      { 'ForAnyValue:StringEquals': { 's3:RequestObjectTagKeys': ['a', 'b'] } },
      { 's3:RequestObjectTagKeys': ['c', 'a'] },
      true,
    ],
    [
      'ForAnyValue, none',
      { 'ForAnyValue:StringEquals': { 's3:RequestObjectTagKeys': ['a'] } },
      {},
      false,
    ],
    [
      'ForAnyValue, negated',
      { 'ForAnyValue:StringNotEquals': { 's3:RequestObjectTagKeys': ['a'] } },
      { 's3:RequestObjectTagKeys': ['a', 'b'] },
      true,
    ],
    [
      'a tag, whose key has a case',
      { StringEquals: { 's3:existingobjecttag/Team': 'x' } },
      { 's3:ExistingObjectTag/Team': 'x' },
      true,
    ],
    [
      'another tag',
      { StringEquals: { 's3:ExistingObjectTag/team': 'x' } },
      { 's3:ExistingObjectTag/Team': 'x' },
      false,
    ],
    [
      'all of them',
      { StringEquals: { 's3:prefix': 'a', 's3:delimiter': '/' } },
      { 's3:prefix': 'a', 's3:delimiter': '/' },
      true,
    ],
    [
      'all but one',
      { StringEquals: { 's3:prefix': 'a', 's3:delimiter': '/' } },
      { 's3:prefix': 'a' },
      false,
    ],
    ['a key that no request has', { StringEquals: { 'aws:SourceVpce': 'vpce-1' } }, {}, false],
    ['its negation', { StringNotEquals: { 'aws:SourceVpce': 'vpce-1' } }, {}, true],
  ];
  it.each(table)('compares as its operator does: %s', (_, condition, values, expected) => {
    expect(verdict([{ ...ALLOW, Condition: condition }], { values })).toBe(
      expected ? 'allow' : 'none',
    );
  });
});

describe('variables', () => {
  const own = { ...ALLOW, Resource: 'arn:aws:s3:::photos/${aws:userid}/*' };

  it('stand for what the request has', () => {
    const asked = { resource: 'photos/alice/a', values: { 'aws:userid': 'alice' } };
    expect(verdict([own], asked)).toBe('allow');
    expect(verdict([own], { ...asked, resource: 'photos/bob/a' })).toBe('none');
  });

  it('bring text, no wildcards', () => {
    expect(verdict([own], { resource: 'photos/bob/a', values: { 'aws:userid': '*' } })).toBe(
      'none',
    );
    expect(verdict([own], { resource: 'photos/*/a', values: { 'aws:userid': '*' } })).toBe('allow');
  });

  it('match nothing without a value, but for a fallback', () => {
    expect(verdict([own], { resource: 'photos//a' })).toBe('none');
    const kind = { ...ALLOW, Resource: "arn:aws:s3:::photos/${aws:username, 'guest'}/*" };
    expect(verdict([kind], { resource: 'photos/guest/a' })).toBe('allow');
  });

  it('are text in policies of 2008', () => {
    expect(
      verdict(
        [own],
        { resource: 'photos/alice/a', values: { 'aws:userid': 'alice' } },
        '2008-10-17',
      ),
    ).toBe('none');
    expect(verdict([own], { resource: 'photos/${aws:userid}/a' }, '2008-10-17')).toBe('allow');
  });

  it('spell the wildcards themselves', () => {
    const star = { ...ALLOW, Resource: 'arn:aws:s3:::photos/${*}${?}${$}' };
    expect(verdict([star], { resource: 'photos/*?$' })).toBe('allow');
    expect(verdict([star], { resource: 'photos/abc' })).toBe('none');
  });

  it('that nothing closes are text', () => {
    const open = { ...ALLOW, Resource: 'arn:aws:s3:::photos/${aws:userid}/${x*' };
    const asked = { resource: 'photos/alice/${xyz', values: { 'aws:userid': 'alice' } };
    expect(verdict([open], asked)).toBe('allow');
    expect(verdict([open], { ...asked, resource: 'photos/alice/xyz' })).toBe('none');
  });

  it('are filled in in conditions', () => {
    const statement = {
      ...ALLOW,
      Condition: { StringLike: { 's3:prefix': 'home/${aws:userid}/*' } },
    };
    expect(
      verdict([statement], { values: { 's3:prefix': 'home/alice/x', 'aws:userid': 'alice' } }),
    ).toBe('allow');
    expect(
      verdict([statement], { values: { 's3:prefix': 'home/bob/x', 'aws:userid': 'alice' } }),
    ).toBe('none');
  });
});

describe('long texts', () => {
  const run = 'a'.repeat(LONGEST);
  const withCondition = (operator: string, expected: string) => ({
    ...ALLOW,
    Condition: { [operator]: { 's3:prefix': expected } },
  });
  const long = 'a'.repeat(POLICY_MAX_BYTES / 2);

  it.each([
    ['a number', withCondition('NumericEquals', '1'), `${'1'.repeat(LONGEST)}x`],
    ['a number among blanks', withCondition('NumericEquals', '1'), `${' '.repeat(LONGEST)}x`],
    ['a text behind a wildcard', withCondition('StringLike', `*${long}b`), run],
    ['wildcards for one', withCondition('StringLike', `*${'a?'.repeat(long.length / 2)}b*`), run],
    ['a variable', withCondition('StringLike', `*${'${s3:prefix}?'.repeat(100)}b`), run],
  ])('are compared at once, where the policy has %s', async (_, statement, value) => {
    expect(
      await cpuMsOf(() => verdict([statement], { values: { 's3:prefix': value } })),
    ).toBeLessThan(5 * QUICK_MS);
  });

  const half = 'a'.repeat(LONGEST / 2);
  const asMany = (pattern: (i: number) => string) =>
    Array.from({ length: Math.floor(POLICY_MAX_BYTES / (pattern(1000).length + 3)) }, (_, i) =>
      pattern(i),
    );

  it.each([
    ['many patterns', 'StringLike', asMany((i) => `*b?${i}*`), run],
    ['many ARNs', 'ArnLike', asMany((i) => `a:a:a:a:${i}:*`), ':'.repeat(LONGEST)],
    ['many numbers', 'NumericEquals', asMany((i) => `${i}`), '1'.repeat(LONGEST)],
    [
      'many texts without regard to case',
      'StringEqualsIgnoreCase',
      asMany((i) => `a${i}`),
      run.toUpperCase(),
    ],
    ['many patterns of a long value', 'StringLike', asMany(() => '*?${aws:UserAgent}*'), half],
    ['a long value many times', 'StringLike', [`*?${'${aws:UserAgent}'.repeat(1000)}*`], half],
  ])(
    'are looked through no more often than is quick, where the policy has %s',
    async (_, operator, expected, value) => {
      const statement = { ...ALLOW, Condition: { [operator]: { 's3:prefix': expected } } };
      const values = { 's3:prefix': value, 'aws:UserAgent': `${half.slice(1)}b` };
      const policy = parsePolicy(
        JSON.stringify({ Version: '2012-10-17', Statement: [statement] }),
        BUCKET,
      );
      const asked = { caller: ANYBODY, action: 's3:GetObject', resource: 'photos/x' } as const;
      const found = new Map(
        Object.entries(values).map(([key, text]) => [conditionKey(key), [text]]),
      );
      const evaluate = () =>
        evaluatePolicy(policy, { ...asked, values: (key) => found.get(key) ?? null });
      expect(await cpuMsOf(evaluate)).toBeLessThan(QUICK_MS);
    },
  );

  it('that would be looked through too often are denied, whatever else the policy says', () => {
    const likes = { 's3:prefix': asMany((i) => `*b?${i}*`) };
    const negated = { ...ALLOW, Condition: { StringNotLike: likes } };
    const denied = { ...ALLOW, Effect: 'Deny', Condition: { StringLike: likes } };
    for (const statements of [[negated], [denied, ALLOW]]) {
      expect(verdict(statements, { values: { 's3:prefix': run } })).toBe('deny');
      expect(verdict(statements, { values: { 's3:prefix': 'cats/' } })).toBe('allow');
    }
  });

  it.each([
    ['patterns', 'StringLike', asMany((i) => `*b?${i}*`)],
    ['variables', 'StringLike', asMany(() => '${aws:userid}b')],
  ])(
    'are looked through no more often by many decisions together, under a policy of %s',
    (_, operator, expected) => {
      const deny = {
        ...ALLOW,
        Effect: 'Deny',
        Condition: { [operator]: { 's3:prefix': expected } },
      };
      const policy = parsePolicy(
        JSON.stringify({ Version: '2012-10-17', Statement: [deny] }),
        BUCKET,
      );
      const effort = createRequestEffort();
      const asked = {
        caller: ANYBODY,
        action: 's3:GetObject',
        resource: 'photos/x',
        effort,
      } as const;
      const looked = { count: 0 };
      const values = () => {
        looked.count++;
        return ['a'.repeat(1000)];
      };
      const verdicts = Array.from({ length: 1000 }, () =>
        evaluatePolicy(policy, { ...asked, values }),
      );
      expect([verdicts[0], verdicts.at(-1)]).toEqual(['none', 'deny']);
      expect(looked.count).toBeLessThan(20_000);
      // A request of its own has all its effort.
      const other = { ...asked, values, effort: createRequestEffort() };
      expect(evaluatePolicy(policy, other)).toBe('none');
    },
  );

  it('of keys are compared with as many patterns as a policy has room for', () => {
    const resources = asMany((i) => `arn:aws:s3:::photos/*b?${i}*`);
    const resource = `photos/${'a'.repeat(1018)}b?1`;
    expect(verdict([{ ...ALLOW, Resource: resources.toReversed() }], { resource })).toBe('allow');
  });

  it('of variables that nothing closes are read at once', async () => {
    const open = { ...ALLOW, Resource: `arn:aws:s3:::photos/${'${'.repeat(60_000)}` };
    expect(await cpuMsOf(() => verdict([open], {}))).toBeLessThan(QUICK_MS);
  });
});
