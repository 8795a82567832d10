import { describe, expect, it } from 'vitest';
import { StorageError } from '../../../../src/domain/errors.ts';
import type { AccessKey } from '../../../../src/domain/nouns.ts';
import {
  account,
  authenticate,
  authenticator,
  failure,
  HOST,
  MINUTE_MS,
  presign,
  signed,
} from '../kit/authenticate-kit.ts';
import { makeRequest } from '../kit/make-request.ts';
import {
  ACCESS_KEY_ID,
  AMZ_DATE,
  canonicalText,
  EMPTY_SHA256,
  NOW_MS,
  SECRET,
  scopeOf,
  sha256,
  signatureOf,
  signCanonical,
} from '../kit/sign-for-test.ts';

describe('a signed request', () => {
  it('is accepted at once when the key is found at once', () => {
    expect(authenticate(makeRequest({ target: '/b/k', headers: signed() }))).toMatchObject({
      principal: { kind: 'account', account, accessKeyId: ACCESS_KEY_ID },
      isPresigned: false,
    });
  });

  it('may be signed for any region, the empty one too', async () => {
    for (const region of ['auto', 'us-east-1', '', 'mars-north-7']) {
      const { principal } = await authenticate(
        makeRequest({ target: '/b/k', headers: signed({}, { region }) }),
      );
      expect(principal.kind).toBe('account');
    }
  });

  it.each([
    ['no space', ',', ' '],
    ['much space', ' ,   ', '   '],
    ['tabs', '\t,\t', '\t'],
  ])('may have its components apart by %s', async (_, separator, afterScheme) => {
    const headers = signed();
    const [scheme, ...rest] = (headers.authorization ?? '').split(' ');
    const components = rest.map((part) => part.replace(',', '')).join(separator);
    headers.authorization = `${scheme}${afterScheme}${components}`;
    expect((await authenticate(makeRequest({ target: '/b/k', headers }))).principal.kind).toBe(
      'account',
    );
  });

  it('may have its components in any order', async () => {
    const headers = signed();
    const [scheme, credential, names, signature] = (headers.authorization ?? '')
      .replaceAll(',', '')
      .split(' ');
    headers.authorization = `${scheme} ${signature}, ${names}, ${credential}`;
    expect((await authenticate(makeRequest({ target: '/b/k', headers }))).principal.kind).toBe(
      'account',
    );
  });

  it.each([
    'Fri, 24 May 2013 00:00:00 GMT',
    'Fri, 24 May 2013 00:00:00 +0000',
    '24 May 2013 00:00:00 UTC',
    AMZ_DATE,
  ])('may be dated %s in the Date header', async (date) => {
    const headers = { date, host: 'h', 'x-amz-content-sha256': EMPTY_SHA256 };
    const signature = signCanonical(canonicalText({ path: '/b/k', headers }));
    const authorization =
      `AWS4-HMAC-SHA256 Credential=${ACCESS_KEY_ID}/${scopeOf({})},SignedHeaders=date;host;` +
      `x-amz-content-sha256,Signature=${signature}`;
    const request = makeRequest({ target: '/b/k', headers: { ...headers, authorization } });
    expect((await authenticate(request)).principal.kind).toBe('account');
  });

  it('is dated by X-Amz-Date when it has both', async () => {
    const headers = signed({ headers: { date: 'Sat, 25 May 2013 00:00:00 GMT' } });
    expect((await authenticate(makeRequest({ target: '/b/k', headers }))).principal.kind).toBe(
      'account',
    );
  });

  it('may be 15 minutes off, not more', async () => {
    const at = (nowMs: number) => authenticator({ nowMs: () => nowMs });
    const parts = { target: '/b/k', headers: signed() };
    for (const skewMs of [-15 * MINUTE_MS, 15 * MINUTE_MS]) {
      expect((await at(NOW_MS + skewMs)(makeRequest(parts))).principal.kind).toBe('account');
      const error = await failure(parts, at(NOW_MS + skewMs + Math.sign(skewMs)));
      expect(error.code).toBe('RequestTimeTooSkewed');
      expect(error.fields).toMatchObject({
        RequestTime: AMZ_DATE,
        MaxAllowedSkewMilliseconds: '900000',
      });
    }
  });

  it('may name headers that it does not have', async () => {
    const headers = signed({ headers: { range: '' } });
    delete headers.range;
    expect((await authenticate(makeRequest({ target: '/b/k', headers }))).principal.kind).toBe(
      'account',
    );
  });

  it('has inner and outer spaces of its headers ignored', async () => {
    const headers = {
      ...signed({ headers: { 'x-amz-meta-a': 'one two' } }),
      'x-amz-meta-a': '  one   two ',
    };
    expect((await authenticate(makeRequest({ target: '/b/k', headers }))).principal.kind).toBe(
      'account',
    );
  });

  it.each([
    [
      'UTF-8 bytes signed as they are',
      Buffer.from('Grüße').toString('latin1'),
      Buffer.from('Grüße'),
    ],
    ['a Latin-1 byte signed as UTF-8', 'Grüße', Buffer.from('Grüße')],
  ])('may have metadata in %s', async (_, received, signedBytes) => {
    const mark = '\u0001';
    const names = {
      host: 'h',
      'x-amz-content-sha256': EMPTY_SHA256,
      'x-amz-date': AMZ_DATE,
      'x-amz-meta-a': mark,
    };
    const [before = '', after = ''] = canonicalText({ path: '/b/k', headers: names }).split(mark);
    const signature = signCanonical(
      Buffer.concat([Buffer.from(before), signedBytes, Buffer.from(after)]),
    );
    const authorization =
      `AWS4-HMAC-SHA256 Credential=${ACCESS_KEY_ID}/${scopeOf({})},` +
      `SignedHeaders=${Object.keys(names).join(';')},Signature=${signature}`;
    const request = makeRequest({
      target: '/b/k',
      headers: { ...names, 'x-amz-meta-a': received, authorization },
    });
    expect((await authenticate(request)).principal.kind).toBe('account');
  });

  it('may send a list header in several lines, which arrive joined', async () => {
    const headers = {
      ...signed({ headers: { 'x-amz-object-attributes': 'ETag,Checksum' } }),
      'x-amz-object-attributes': 'ETag, Checksum',
    };
    expect((await authenticate(makeRequest({ target: '/b/k', headers }))).principal.kind).toBe(
      'account',
    );
  });

  it('waits for a key that takes time', async () => {
    const slow = authenticator({ findAccessKey: async (id) => ({ id, secret: SECRET, account }) });
    expect((await slow(makeRequest({ target: '/b/k', headers: signed() }))).principal.kind).toBe(
      'account',
    );
  });

  it('fails as the directory does', async () => {
    const down = authenticator({
      findAccessKey: () => Promise.reject(new StorageError('ServiceUnavailable')),
    });
    expect((await failure({ target: '/b/k', headers: signed() }, down)).code).toBe(
      'ServiceUnavailable',
    );
  });

  it('is judged by the secret of now, not by a key kept from before', async () => {
    let secret = SECRET;
    const changing = authenticator({ findAccessKey: (id): AccessKey => ({ id, secret, account }) });
    const parts = { target: '/b/k', headers: signed() };
    expect((await changing(makeRequest(parts))).principal.kind).toBe('account');
    secret = 'another';
    expect((await failure(parts, changing)).code).toBe('SignatureDoesNotMatch');
    const renewed = { target: '/b/k', headers: signed({}, { secret: 'another' }) };
    expect((await changing(makeRequest(renewed))).principal.kind).toBe('account');
  });
});

describe('a request with a wrong signature', () => {
  it('shows what was signed here, never what the signature should be', async () => {
    const headers = signed({ headers: { 'x-amz-meta-a': 'b' } }, { secret: 'wrong' });
    const error = await failure({ target: '/b/k', headers });
    expect(error.code).toBe('SignatureDoesNotMatch');
    const right = signatureOf(signed({ headers: { 'x-amz-meta-a': 'b' } }));
    expect(JSON.stringify(error.fields)).not.toContain(right);
    const canonical = canonicalText({
      path: '/b/k',
      headers: {
        host: 'storage.example',
        'x-amz-content-sha256': EMPTY_SHA256,
        'x-amz-date': AMZ_DATE,
        'x-amz-meta-a': 'b',
      },
    });
    expect(error.fields).toEqual({
      AWSAccessKeyId: ACCESS_KEY_ID,
      CanonicalRequest: canonical,
      StringToSign: `AWS4-HMAC-SHA256\n${AMZ_DATE}\n${scopeOf({})}\n${sha256(canonical)}`,
      SignatureProvided: signatureOf(headers),
    });
  });

  it.each([
    ['method', { method: 'DELETE' }],
    ['path', { target: '/b/other' }],
    ['query', { target: '/b/k?acl' }],
  ])('is refused when its %s was changed', async (_, change) => {
    expect((await failure({ target: '/b/k', headers: signed(), ...change })).code).toBe(
      'SignatureDoesNotMatch',
    );
  });

  it.each([
    ['host', 'other.example'],
    ['x-amz-content-sha256', 'UNSIGNED-PAYLOAD'],
    ['x-amz-meta-a', 'a, c'],
    ['range', 'bytes=0-1'],
  ])('is refused when its header %s was changed', async (name, value) => {
    const headers = { ...signed({ headers: { range: '', 'x-amz-meta-a': 'a,c' } }), [name]: value };
    expect((await failure({ target: '/b/k', headers })).code).toBe('SignatureDoesNotMatch');
  });

  it.each(['', 'short', 'g'.repeat(64), 'é'.repeat(64), 'A'.repeat(64), '0'.repeat(65)])(
    'is refused with the signature %j',
    async (signature) => {
      const headers = signed();
      headers.authorization = (headers.authorization ?? '').replace(
        /Signature=.*/,
        `Signature=${signature}`,
      );
      expect((await failure({ target: '/b/k', headers })).code).toBe('SignatureDoesNotMatch');
    },
  );

  it('is refused in upper case, and with one digit changed', async () => {
    const headers = signed();
    const right = signatureOf(headers);
    const changed = `${right.slice(0, -1)}${right.endsWith('0') ? '1' : '0'}`;
    for (const signature of [right.toUpperCase(), changed]) {
      const authorization = (headers.authorization ?? '').replace(right, signature);
      const error = await failure({ target: '/b/k', headers: { ...headers, authorization } });
      expect(error.code).toBe('SignatureDoesNotMatch');
    }
  });

  it('comes after an unknown key', async () => {
    const headers = signed({}, { accessKeyId: 'AKIANOBODY0000000000' });
    const error = await failure({ target: '/b/k', headers });
    expect(error.code).toBe('InvalidAccessKeyId');
    expect(error.fields).toEqual({ AWSAccessKeyId: 'AKIANOBODY0000000000' });
  });
});

describe('headers that are not signed', () => {
  it('are refused when their name begins with x-amz-', async () => {
    const headers = { ...signed(), 'x-amz-acl': 'public-read', 'x-amz-meta-b': '1' };
    const error = await failure({ target: '/b/k', headers });
    expect(error.code).toBe('AccessDenied');
    expect(error.message).toBe('There were headers present in the request which were not signed');
    expect(error.fields).toEqual({ HeadersNotSigned: 'x-amz-acl, x-amz-meta-b' });
  });

  it('are refused in a presigned request too', async () => {
    const error = await failure({
      target: presign(),
      headers: { ...HOST, 'x-amz-copy-source': '/b/secret' },
    });
    expect(error.fields).toEqual({ HeadersNotSigned: 'x-amz-copy-source' });
  });

  it('are refused when host is among them', async () => {
    const headers = signed();
    headers.authorization = (headers.authorization ?? '').replace(
      'SignedHeaders=host;',
      'SignedHeaders=',
    );
    expect((await failure({ target: '/b/k', headers })).fields).toEqual({
      HeadersNotSigned: 'host',
    });
  });

  it('are accepted otherwise', async () => {
    const headers = { ...signed(), 'user-agent': 'x', 'content-type': 'a/b' };
    expect((await authenticate(makeRequest({ target: '/b/k', headers }))).principal.kind).toBe(
      'account',
    );
  });
});

it('a credential may have 256 characters', async () => {
  const rest = `/${scopeOf({})}`;
  const codeOf = async (length: number) => {
    const headers = signed({}, { accessKeyId: 'A'.repeat(length - rest.length) });
    return (await failure({ target: '/b/k', headers })).code;
  };
  expect(await codeOf(256)).toBe('InvalidAccessKeyId');
  expect(await codeOf(257)).toBe('AuthorizationHeaderMalformed');
});

describe('a bad Authorization header', () => {
  const valid = signed().authorization ?? '';
  const credential = `Credential=${ACCESS_KEY_ID}/${scopeOf({})}`;
  it.each([
    ['Basic dXNlcjpwYXNz', 'InvalidArgument', 'Unsupported Authorization Type'],
    ['Bearer token', 'InvalidArgument', 'Unsupported Authorization Type'],
    ['AWS4-HMAC-SHA1 x', 'InvalidArgument', 'Unsupported Authorization Type'],
    ['   ', 'InvalidArgument', 'Unsupported Authorization Type'],
    [`AWS ${ACCESS_KEY_ID}:c2ln`, 'InvalidRequest', 'Please use AWS4-HMAC-SHA256.'],
    ['AWS4-ECDSA-P256-SHA256 x', 'NotImplemented', 'AWS4-ECDSA-P256-SHA256'],
    ['AWS4-HMAC-SHA256', 'AuthorizationHeaderMalformed', 'three components'],
    ['AWS4-HMAC-SHA256 ', 'AuthorizationHeaderMalformed', 'three components'],
    ['AWS4-HMAC-SHA256 ,,', 'AuthorizationHeaderMalformed', 'three components'],
    [`${valid}, x=y`, 'AuthorizationHeaderMalformed', 'three components'],
    [`${valid}, ${valid}`, 'AuthorizationHeaderMalformed', 'three components'],
    [valid.replace('Signature=', ''), 'AuthorizationHeaderMalformed', 'three components'],
    [
      valid.replace('SignedHeaders', 'Credential'),
      'AuthorizationHeaderMalformed',
      'three components',
    ],
    [valid.replace(credential, 'Credential='), 'AuthorizationHeaderMalformed', 'mal-formed'],
    [valid.replace(credential, 'Credential=a/b'), 'AuthorizationHeaderMalformed', 'mal-formed'],
    [valid.replace(ACCESS_KEY_ID, ''), 'AuthorizationHeaderMalformed', 'mal-formed'],
    [valid.replace(ACCESS_KEY_ID, 'A'.repeat(300)), 'AuthorizationHeaderMalformed', 'mal-formed'],
    [valid.replace(ACCESS_KEY_ID, 'A\u00e9'), 'AuthorizationHeaderMalformed', 'mal-formed'],
    [
      valid.replace('20130524/', '2013-05-24/'),
      'AuthorizationHeaderMalformed',
      'incorrect date format',
    ],
    [
      valid.replace('20130524/', '20130523/'),
      'AuthorizationHeaderMalformed',
      'Invalid credential date',
    ],
    [
      valid.replace(';x-amz-date', ';x-amz-date;X-AMZ-DATE'),
      'AuthorizationHeaderMalformed',
      'more than once',
    ],
    [valid.replace('/s3/', '/ec2/'), 'AuthorizationHeaderMalformed', 'incorrect service "ec2"'],
    [
      valid.replace('aws4_request', 'aws5_request'),
      'AuthorizationHeaderMalformed',
      'incorrect terminal',
    ],
  ])('%j is %s', async (authorization, code, text) => {
    const error = await failure({ target: '/b/k', headers: { ...signed(), authorization } });
    expect(error.code).toBe(code);
    expect(error.message).toContain(text);
    expect(error.message).not.toContain('token');
    if (code === 'AuthorizationHeaderMalformed') expect(error.fields).toEqual({ Region: 'auto' });
  });
});

describe('a signed request that lacks or garbles something', () => {
  it.each([
    ['x-amz-date', null],
    ['x-amz-date', ''],
    ['x-amz-date', 'today'],
    ['x-amz-date', '20130532T000000Z'],
    ['x-amz-date', '20130230T000000Z'],
    ['x-amz-date', '20130524T240000Z'],
    ['x-amz-date', '2013-05-24T00:00:00Z'],
    ['x-amz-date', 'Fri, 24 Mai 2013 00:00:00 GMT'],
    ['x-amz-date', 'Fri, 24 May 2013 00:00:00 +0200'],
  ])('%s %j is AccessDenied', async (name, value) => {
    const headers: Record<string, string> = signed();
    delete headers[name];
    const error = await failure({
      target: '/b/k',
      headers: { ...headers, ...(value === null ? {} : { [name]: value }) },
    });
    expect(error.code).toBe('AccessDenied');
    expect(error.message).toBe('AWS authentication requires a valid Date or x-amz-date header');
  });

  it('no x-amz-content-sha256 is InvalidRequest', async () => {
    const headers: Record<string, string> = signed();
    delete headers['x-amz-content-sha256'];
    const error = await failure({ target: '/b/k', headers });
    expect([error.code, error.message]).toEqual([
      'InvalidRequest',
      'Missing required header for this request: x-amz-content-sha256',
    ]);
  });

  it.each(['', 'nonsense', 'unsigned-payload', 'a'.repeat(63), 'STREAMING-UNSIGNED-PAYLOAD'])(
    'x-amz-content-sha256 %j is InvalidArgument',
    async (payloadHash) => {
      expect((await failure({ target: '/b/k', headers: signed({ payloadHash }) })).code).toBe(
        'InvalidArgument',
      );
    },
  );

  it.each([
    'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD',
    'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER',
  ])('%s is NotImplemented, by name', async (payloadHash) => {
    const error = await failure({ target: '/b/k', headers: signed({ payloadHash }) });
    expect(error.code).toBe('NotImplemented');
    expect(error.message).toContain(payloadHash);
  });

  it('a session token is NotImplemented, by name', async () => {
    const error = await failure({
      target: '/b/k',
      headers: signed({ headers: { 'x-amz-security-token': 't0ken' } }),
    });
    expect(error.code).toBe('NotImplemented');
    expect(error.message).toContain('x-amz-security-token');
    expect(error.message).not.toContain('t0ken');
  });

  it('a trailer without a place for it is InvalidRequest', async () => {
    const headers = signed({ headers: { 'x-amz-trailer': 'x-amz-checksum-crc32' } });
    expect((await failure({ target: '/b/k', headers })).code).toBe('InvalidRequest');
  });
});
