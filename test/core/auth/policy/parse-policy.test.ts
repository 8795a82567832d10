// biome-ignore-all lint/suspicious/noTemplateCurlyInString: policies write their variables so.
import { describe, expect, it } from 'vitest';
import { isPublicPolicy } from '../../../../src/core/auth/policy/is-public-policy.ts';
import {
  parsePolicy,
  requireUsefulStatements,
} from '../../../../src/core/auth/policy/parse-policy.ts';
import { parseBucketName } from '../../../../src/core/parse-names.ts';

const BUCKET = parseBucketName('photos');
const STATEMENT = {
  Effect: 'Allow',
  Principal: '*',
  Action: 's3:GetObject',
  Resource: 'arn:aws:s3:::photos/*',
};

type Json = { readonly [name: string]: unknown };
const parse = (policy: unknown) =>
  parsePolicy(typeof policy === 'string' ? policy : JSON.stringify(policy), BUCKET);
const withStatement = (change: Json) => ({
  Version: '2012-10-17',
  Statement: [{ ...STATEMENT, ...change }],
});

describe('a policy that S3 takes', () => {
  it.each<[string, unknown]>([
    ['one statement without a list', { Statement: STATEMENT }],
    ['the old version', { Version: '2008-10-17', Id: 'x', Statement: [STATEMENT] }],
    ['a Sid with spaces', withStatement({ Sid: 'Allow public access' })],
    [
      'the bucket and its objects',
      withStatement({ Resource: ['arn:aws:s3:::photos', 'arn:aws:s3:::photos/*'] }),
    ],
    ['every bucket', withStatement({ Resource: ['arn:aws:s3:::*', 'arn:aws:s3:::*/*'] })],
    ['everything', withStatement({ Action: '*', Resource: '*' })],
    [
      'an account that is not there',
      withStatement({ Principal: { AWS: 'arn:aws:iam::s3tenant1:root' } }),
    ],
    [
      'values that are no texts',
      withStatement({ Condition: { Bool: { 'aws:SecureTransport': true } } }),
    ],
    [
      'keys of AWS that nothing here has',
      withStatement({ Condition: { StringEquals: { 'aws:PrincipalOrgID': 'o-1' } } }),
    ],
    [
      'a Deny of all but some',
      withStatement({ Effect: 'Deny', Principal: undefined, NotPrincipal: { AWS: 'alice' } }),
    ],
  ])('is taken: %s', (_, policy) => {
    expect(() => parse(policy)).not.toThrow();
  });
});

describe('a policy that S3 refuses', () => {
  it.each<[string, unknown]>([
    ['no JSON', '{'],
    ['a list', '[]'],
    ['no statement', { Version: '2012-10-17' }],
    ['an empty list of statements', { Statement: [] }],
    ['another version', { Version: '2020-01-01', Statement: STATEMENT }],
    ['an element that nobody knows', { Statement: STATEMENT, Statements: [] }],
    ['one in a statement', withStatement({ Principle: '*' })],
    ['no effect', withStatement({ Effect: undefined })],
    ['another effect', withStatement({ Effect: 'allow' })],
    ['no principal', withStatement({ Principal: undefined })],
    ['two principals', withStatement({ NotPrincipal: { AWS: 'alice' } })],
    [
      'an Allow of all but some',
      withStatement({ Principal: undefined, NotPrincipal: { AWS: 'alice' } }),
    ],
    [
      'a user below an account',
      withStatement({ Principal: { AWS: 'arn:aws:iam::alice:user/bob' } }),
    ],
    ['a principal that is text', withStatement({ Principal: 'alice' })],
    ['a principal of no kind', withStatement({ Principal: { Nobody: 'alice' } })],
    ['a pattern of principals', withStatement({ Principal: { AWS: 'al*' } })],
    ['an empty principal', withStatement({ Principal: {} })],
    ['no action', withStatement({ Action: [] })],
    ['an action of another service', withStatement({ Action: 'ec2:*' })],
    ['an action that is none', withStatement({ Action: 's3:FetchObject' })],
    ['two actions', withStatement({ NotAction: 's3:PutObject' })],
    ['no resource', withStatement({ Resource: undefined })],
    ['another bucket', withStatement({ Resource: 'arn:aws:s3:::videos/*' })],
    ['a longer name', withStatement({ Resource: 'arn:aws:s3:::photos2/*' })],
    ['a resource without an ARN', withStatement({ Resource: 'photos/*' })],
    ['a resource of another service', withStatement({ Resource: 'arn:aws:sqs:::photos/*' })],
    [
      'an operator that is none',
      withStatement({ Condition: { StringEqual: { 's3:prefix': 'a' } } }),
    ],
    ['NullIfExists', withStatement({ Condition: { NullIfExists: { 's3:prefix': 'true' } } })],
    [
      'a key that nobody knows',
      withStatement({ Condition: { StringEquals: { 's3:prefiks': 'a' } } }),
    ],
    [
      'a tag key without a tag',
      withStatement({ Condition: { StringEquals: { 's3:ExistingObjectTag/': 'a' } } }),
    ],
    [
      'a number that is none',
      withStatement({ Condition: { NumericEquals: { 's3:max-keys': 'ten' } } }),
    ],
    [
      'an address that is none',
      withStatement({ Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.300' } } }),
    ],
    [
      'a range that is none',
      withStatement({ Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/33' } } }),
    ],
    [
      'a date that is none',
      withStatement({ Condition: { DateLessThan: { 'aws:CurrentTime': 'soon' } } }),
    ],
    [
      'a condition without values',
      withStatement({ Condition: { StringEquals: { 's3:prefix': [] } } }),
    ],
    ['a condition of text', withStatement({ Condition: 'StringEquals' })],
    ['a variable that is none', withStatement({ Resource: 'arn:aws:s3:::photos/${aws userid}/*' })],
  ])('is refused: %s', (_, policy) => {
    expect(() => parse(policy)).toThrow(expect.objectContaining({ code: 'MalformedPolicy' }));
  });

  const JSON_FORM = "Policies must be valid JSON and the first byte must be '{'";
  it.each<[unknown, string]>([
    ['{', JSON_FORM],
    ['[]', JSON_FORM],
    ['null', JSON_FORM],
    [{ Version: '2012-10-17' }, 'Missing required field Statement'],
    [{ Statement: [] }, 'Could not parse the policy: Statement is empty!'],
    [{ Version: '2020-01-01', Statement: STATEMENT }, 'must contain a valid version string'],
    [{ Id: 1, Statement: STATEMENT }, 'Id must be a string.'],
    [{ Statement: STATEMENT, Statements: [] }, 'Unknown field Statements'],
    [{ Statement: ['a'] }, 'A Statement must be an object.'],
    [{ Statement: [null] }, 'A Statement must be an object.'],
    [withStatement({ Sid: 1 }), 'Sid must be a string.'],
    [withStatement({ Effect: 'allow' }), 'Invalid effect: allow'],
    [withStatement({ Principal: undefined }), 'Missing required field Principal'],
    [withStatement({ NotPrincipal: { AWS: 'a' } }), "NotPrincipal can't stand together"],
    [
      withStatement({ Principal: undefined, NotPrincipal: { AWS: 'a' } }),
      'Allow with NotPrincipal is not allowed.',
    ],
    [withStatement({ Principal: { AWS: [] } }), 'Missing required field Principal'],
    [withStatement({ Principal: { AWS: [1] } }), 'Principal must be a string or a list'],
    [withStatement({ Principal: { Service: 'a' } }), 'Invalid principal in policy'],
    [withStatement({ Principal: { CanonicalUser: 'a b' } }), 'Invalid principal in policy'],
    [withStatement({ Action: undefined }), 'Missing required field Action'],
    [withStatement({ Action: 's3:Fetch' }), 'Policy has invalid action'],
    [withStatement({ NotAction: 's3:PutObject' }), "Action and NotAction can't stand together."],
    [withStatement({ Resource: 'x'.repeat(13) }), 'Policy has invalid resource'],
    [withStatement({ Resource: `${'x'.repeat(13)}photos/*` }), 'Policy has invalid resource'],
    [withStatement({ Condition: ['a'] }), 'Condition must be an object.'],
    [withStatement({ Condition: { Bool: 'a' } }), 'The condition Bool must be an object.'],
    [withStatement({ Condition: { Bool: { 's3:x': 'a' } } }), 'invalid condition key: s3:x'],
    [
      withStatement({ Condition: { Bool: { 'aws:SecureTransport': 'maybe' } } }),
      'Invalid value for the condition Bool of aws:securetransport: maybe',
    ],
    [
      withStatement({ Condition: { Null: { 's3:prefix': ['true', 'maybe'] } } }),
      'Invalid value for the condition Null of s3:prefix',
    ],
    [
      withStatement({ Condition: { ArnEquals: { 'aws:SourceArn': 'arn:aws:s3' } } }),
      'Invalid value for the condition ArnEquals of aws:sourcearn: arn:aws:s3',
    ],
    [
      withStatement({ Condition: { Bool: { 's3:prefix': [{}] } } }),
      'Bool must be a string or a list',
    ],
  ])('%j with its own words: %s', (policy, message) => {
    expect(() => parse(policy)).toThrow(
      expect.objectContaining({
        code: 'MalformedPolicy',
        message: expect.stringContaining(message),
      }),
    );
  });

  it.each<[Json, string | null]>([
    [{}, null],
    [{ Sid: '' }, null],
    [{ Sid: 'a' }, 'a'],
  ])('%j is called %j', (change, sid) => {
    expect(parse(withStatement(change)).statements.map((statement) => statement.sid)).toEqual([
      sid,
    ]);
  });

  it('names that are in every object are no elements', () => {
    expect(() => parse('{"Statement":[], "__proto__": {}}')).toThrow(
      expect.objectContaining({ code: 'MalformedPolicy' }),
    );
    expect(() =>
      parse(withStatement({ Condition: { constructor: { 's3:prefix': 'a' } } })),
    ).toThrow();
  });
});

describe('public policies', () => {
  it.each<[string, Json, boolean]>([
    ['everyone', {}, true],
    [
      'everyone, one action',
      { Action: 's3:GetBucketLocation', Resource: 'arn:aws:s3:::photos' },
      true,
    ],
    ['an account', { Principal: { AWS: 'arn:aws:iam::alice:root' } }, false],
    ['a Deny', { Effect: 'Deny' }, false],
    [
      'a range of addresses',
      { Condition: { IpAddress: { 'aws:SourceIp': '192.0.2.0/24' } } },
      false,
    ],
    ['one private address', { Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/32' } } }, false],
    [
      'a range of nearly all',
      { Condition: { IpAddress: { 'aws:SourceIp': '128.0.0.0/7' } } },
      true,
    ],
    [
      'all addresses among others',
      { Condition: { IpAddress: { 'aws:SourceIp': ['192.0.2.0/24', '0.0.0.0/0'] } } },
      true,
    ],
    [
      'all but some addresses',
      { Condition: { NotIpAddress: { 'aws:SourceIp': '192.0.2.0/24' } } },
      true,
    ],
    [
      'a referer is no caller',
      { Condition: { StringLike: { 'aws:Referer': 'https://example.com/*' } } },
      true,
    ],
    ['a private network', { Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } }, false],
    ['more than it', { Condition: { IpAddress: { 'aws:SourceIp': '172.0.0.0/7' } } }, true],
    ['the shortest range', { Condition: { IpAddress: { 'aws:SourceIp': '8.0.0.0/8' } } }, false],
    [
      'the shortest of IPv6',
      { Condition: { IpAddress: { 'aws:SourceIp': '2001:db8::/32' } } },
      false,
    ],
    ['a shorter one', { Condition: { IpAddress: { 'aws:SourceIp': '2001:db8::/31' } } }, true],
    ['one of no address', { Condition: { StringEquals: { 'aws:SourceIp': 'x' } } }, true],
    ['one VPC', { Condition: { StringEquals: { 'aws:SourceVpc': 'vpc-1' } } }, false],
    ['any VPC', { Condition: { StringLike: { 'aws:SourceVpc': 'vpc-*' } } }, true],
    [
      'a VPC, if there is one',
      { Condition: { StringEqualsIfExists: { 'aws:SourceVpc': 'vpc-1' } } },
      true,
    ],
    ['all but one VPC', { Condition: { StringNotEquals: { 'aws:SourceVpc': 'vpc-1' } } }, true],
    [
      'a variable is not fixed',
      { Condition: { StringEquals: { 'aws:PrincipalArn': '${aws:PrincipalArn}' } } },
      true,
    ],
  ])('are told from others: %s', (_, change, expected) => {
    expect(isPublicPolicy(parse(withStatement(change)))).toBe(expected);
  });
});

describe('a statement whose actions have nothing to act on', () => {
  const check = (Action: unknown, Resource: unknown, more: Json = {}) =>
    requireUsefulStatements(parse(withStatement({ ...more, Action, Resource })));
  const bucket = 'arn:aws:s3:::photos';
  const objects = 'arn:aws:s3:::photos/*';
  const refusal = {
    code: 'MalformedPolicy',
    message: 'Action does not apply to any resource(s) in statement',
  };

  it.each<[unknown, unknown, Json?]>([
    ['s3:GetObject', bucket],
    ['s3:ListBucket', objects],
    [['s3:GetObject', 's3:ListBucket'], objects],
    [['s3:GetObject', 's3:ListBucket'], [bucket]],
    ['s3:*Object', bucket],
    ['s3:ListBucket*', `${objects}`, { Effect: 'Deny' }],
    ['s3:GetObject', 'arn:aws:s3:::photo?'],
    ['s3:ListBucket', 'arn:aws:s3:::*/a'],
  ])('is refused: %j on %j', (action, resource, more) => {
    expect(() => check(action, resource, more)).toThrow(expect.objectContaining(refusal));
  });

  it.each<[unknown, unknown, Json?]>([
    ['s3:GetObject', [bucket, objects]],
    [
      ['s3:GetObject', 's3:ListBucket'],
      [bucket, objects],
    ],
    ['s3:*', bucket],
    ['s3:*', objects],
    ['s3:List*', objects],
    ['s3:GetObject', 'arn:aws:s3:::photos*'],
    ['s3:ListBucket', 'arn:aws:s3:::photo*'],
    ['s3:ListBucket', 'arn:aws:s3:::photo?'],
    ['*', '*'],
    [undefined, objects, { NotAction: 's3:PutObject' }],
    ['s3:ListBucket', undefined, { NotResource: objects, Effect: 'Deny' }],
  ])('is taken otherwise: %j on %j', (action, resource, more) => {
    expect(() => check(action, resource, more)).not.toThrow();
  });
});
