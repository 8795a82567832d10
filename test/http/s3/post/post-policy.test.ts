import { describe, expect, it } from 'vitest';
import {
  parsePostPolicy,
  requireAllowed,
  sizeLimits,
} from '../../../../src/http/s3/post/post-policy.ts';
import { failing } from '../kit/responses.ts';

const EXPIRATION = '2030-01-01T00:00:00.000Z';
const NOW_MS = Date.parse('2029-12-31T00:00:00Z');
const policy = (...conditions: unknown[]) =>
  parsePostPolicy(JSON.stringify({ expiration: EXPIRATION, conditions }));
const check = (conditions: unknown[], fields: Record<string, string>, nowMs = NOW_MS) =>
  requireAllowed(policy(...conditions), new Map(Object.entries(fields)), nowMs);

describe('a policy', () => {
  it.each([
    ['not json', 'x'],
    ['no object', '3'],
    ['nothing', 'null'],
    ['no expiration', '{"conditions":[]}'],
    ['another case', `{"Expiration":"${EXPIRATION}","conditions":[]}`],
    ['a time of another form', '{"expiration":"2030-01-01 00:00:00+00:00","conditions":[]}'],
    ['no conditions', `{"expiration":"${EXPIRATION}"}`],
    ['conditions in capitals', `{"expiration":"${EXPIRATION}","CONDITIONS":[]}`],
    ['an empty condition', `{"expiration":"${EXPIRATION}","conditions":[{}]}`],
    ['two in one', `{"expiration":"${EXPIRATION}","conditions":[{"a":"b","c":"d"}]}`],
    ['a number for a text', `{"expiration":"${EXPIRATION}","conditions":[{"a":1}]}`],
    [
      'an unknown operator',
      `{"expiration":"${EXPIRATION}","conditions":[["ends-with","$key","x"]]}`,
    ],
    ['no dollar', `{"expiration":"${EXPIRATION}","conditions":[["eq","key","x"]]}`],
    ['a range of one', `{"expiration":"${EXPIRATION}","conditions":[["content-length-range",0]]}`],
    [
      'a negative range',
      `{"expiration":"${EXPIRATION}","conditions":[["content-length-range",-1,0]]}`,
    ],
  ])('is refused with %s', (_, text) => {
    expect(() => parsePostPolicy(text)).toThrow(failing('InvalidPolicyDocument'));
  });

  it('allows what its conditions say, without regard to the case of names', () => {
    const unsigned = {
      policy: 'p',
      signature: 's',
      awsaccesskeyid: 'a',
      'x-amz-checksum-crc32': 'c',
    };
    const allowed: Parameters<typeof check>[] = [
      [[{ bUcKeT: 'b' }, ['StArTs-WiTh', '$KeY', 'user/']], { bucket: 'b', key: 'user/x' }],
      [[['eq', '$key', '$literal']], { key: '$literal' }],
      [[['starts-with', '$content-type', 'image/']], { 'content-type': 'image/a,image/b' }],
      [[['starts-with', '$x-amz-meta-any', '']], { 'x-amz-meta-any': 'thing' }],
      [[['starts-with', '$x-amz-meta-any', '']], {}],
      [[], { 'x-ignore-me': '1', ...unsigned }],
    ];
    for (const given of allowed) expect(() => check(...given), JSON.stringify(given)).not.toThrow();
  });

  it.each([
    ['another value', [{ key: 'a' }], { key: 'b' }],
    ['another start', [['starts-with', '$key', 'user/']], { key: 'other' }],
    [
      'one of a list',
      [['starts-with', '$content-type', 'image/']],
      { 'content-type': 'image/a,text/b' },
    ],
    ['a field that is missing', [['starts-with', '$x-amz-meta-a', 'a']], {}],
    ['an exact field that is missing', [['eq', '$x-amz-meta-a', '']], {}],
    ['an empty value for one that is not', [['eq', '$x-amz-meta-a', '']], { 'x-amz-meta-a': 'b' }],
    ['a field that nobody allowed', [{ key: 'a' }], { key: 'a', acl: 'public-read' }],
  ])('denies %s', (_, conditions, fields) => {
    expect(() => check(conditions as unknown[], fields as Record<string, string>)).toThrow(
      failing('AccessDenied'),
    );
  });

  it('ends', () => {
    expect(() => check([], {}, Date.parse(EXPIRATION))).toThrow(failing('AccessDenied'));
  });

  it('bounds the file', () => {
    expect(
      sizeLimits(policy(['content-length-range', 2, 9], ['content-length-range', '0', '5'])),
    ).toEqual({
      minBytes: 2,
      maxBytes: 5,
    });
    expect(sizeLimits(policy()).maxBytes).toBe(Number.POSITIVE_INFINITY);
  });
});
