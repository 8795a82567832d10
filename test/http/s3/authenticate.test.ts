import { describe, expect, it } from 'vitest';
import { type AuthenticatorOptions, createAuthenticator } from '../../../src/http/s3/authenticate.ts';
import type { AccessKey, AccountId } from '../../../src/ports/domain.ts';
import { StorageError } from '../../../src/ports/errors.ts';
import { makeRequest, type RequestParts } from './make-request.ts';
import {
  ACCESS_KEY_ID,
  AMZ_DATE,
  type CanonicalParts,
  canonicalText,
  EMPTY_SHA256,
  NOW_MS,
  SECRET,
  type SignOptions,
  scopeOf,
  sha256,
  signatureOf,
  signCanonical,
  signHeaders,
} from './sign-for-test.ts';

const account = { id: 'owner' as AccountId, displayName: 'owner' };
const MINUTE_MS = 60_000;

function authenticator(options: Partial<AuthenticatorOptions> = {}) {
  return createAuthenticator({
    findAccessKey: (id) => (id === ACCESS_KEY_ID ? { id, secret: SECRET, account } : null),
    nowMs: () => NOW_MS,
    region: 'auto',
    ...options,
  }).authenticate;
}
const authenticate = authenticator();

/** The error that a request ends in. */
async function failure(parts: RequestParts, run = authenticate): Promise<StorageError> {
  try {
    await run(makeRequest(parts));
  } catch (error) {
    if (error instanceof StorageError) {
      const shown = `${error.message} ${JSON.stringify(error.fields)}`;
      expect(shown).not.toContain(SECRET);
      return error;
    }
    throw error;
  }
  throw new Error('the request was accepted');
}

/** A request for `/b/k` that is signed in its header. */
function signed(parts: Partial<CanonicalParts> = {}, options: SignOptions = {}): Record<string, string> {
  return signHeaders({ path: '/b/k', headers: {}, ...parts }, options);
}

type Presign = SignOptions & {
  readonly expires?: string;
  readonly extra?: Record<string, string>;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly payloadHash?: string;
};

/** Path and query of a presigned URL for `/b/k`. */
function presign(options: Presign = {}): string {
  const headers = { host: 'storage.example', ...options.headers };
  const query = {
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': `${options.accessKeyId ?? ACCESS_KEY_ID}/${scopeOf(options)}`,
    'X-Amz-Date': options.amzDate ?? AMZ_DATE,
    'X-Amz-Expires': options.expires ?? '60',
    'X-Amz-SignedHeaders': Object.keys(headers).join(';'),
    ...options.extra,
  };
  const text = Object.entries(query)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
  const payloadHash = options.payloadHash ?? 'UNSIGNED-PAYLOAD';
  const canonical = canonicalText({ method: options.method ?? 'GET', path: '/b/k', query: text, headers, payloadHash });
  return `/b/k?${text}&X-Amz-Signature=${signCanonical(canonical, options)}`;
}
const HOST = { host: 'storage.example' };

describe('a signed request', () => {
  it('is accepted at once when the key is found at once', () => {
    expect(authenticate(makeRequest({ target: '/b/k', headers: signed() }))).toMatchObject({
      principal: { kind: 'account', account, accessKeyId: ACCESS_KEY_ID },
      isPresigned: false,
    });
  });

  it('may be signed for any region, the empty one too', async () => {
    for (const region of ['auto', 'us-east-1', '', 'mars-north-7']) {
      const { principal } = await authenticate(makeRequest({ target: '/b/k', headers: signed({}, { region }) }));
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
    headers.authorization = `${scheme}${afterScheme}${rest.map((part) => part.replace(',', '')).join(separator)}`;
    expect((await authenticate(makeRequest({ target: '/b/k', headers }))).principal.kind).toBe('account');
  });

  it('may have its components in any order', async () => {
    const headers = signed();
    const [scheme, credential, names, signature] = (headers.authorization ?? '').replaceAll(',', '').split(' ');
    headers.authorization = `${scheme} ${signature}, ${names}, ${credential}`;
    expect((await authenticate(makeRequest({ target: '/b/k', headers }))).principal.kind).toBe('account');
  });

  it.each(['Fri, 24 May 2013 00:00:00 GMT', 'Fri, 24 May 2013 00:00:00 +0000', '24 May 2013 00:00:00 UTC', AMZ_DATE])(
    'may be dated %s in the Date header',
    async (date) => {
      const headers = { date, host: 'h', 'x-amz-content-sha256': EMPTY_SHA256 };
      const signature = signCanonical(canonicalText({ path: '/b/k', headers }));
      const authorization = `AWS4-HMAC-SHA256 Credential=${ACCESS_KEY_ID}/${scopeOf({})},SignedHeaders=date;host;x-amz-content-sha256,Signature=${signature}`;
      const request = makeRequest({ target: '/b/k', headers: { ...headers, authorization } });
      expect((await authenticate(request)).principal.kind).toBe('account');
    },
  );

  it('is dated by X-Amz-Date when it has both', async () => {
    const headers = signed({ headers: { date: 'Sat, 25 May 2013 00:00:00 GMT' } });
    expect((await authenticate(makeRequest({ target: '/b/k', headers }))).principal.kind).toBe('account');
  });

  it('may be 15 minutes off, not more', async () => {
    const at = (nowMs: number) => authenticator({ nowMs: () => nowMs });
    const parts = { target: '/b/k', headers: signed() };
    for (const skewMs of [-15 * MINUTE_MS, 15 * MINUTE_MS]) {
      expect((await at(NOW_MS + skewMs)(makeRequest(parts))).principal.kind).toBe('account');
      const error = await failure(parts, at(NOW_MS + skewMs + Math.sign(skewMs)));
      expect(error.code).toBe('RequestTimeTooSkewed');
      expect(error.fields).toMatchObject({ RequestTime: AMZ_DATE, MaxAllowedSkewMilliseconds: '900000' });
    }
  });

  it('may name headers that it does not have', async () => {
    const headers = signed({ headers: { range: '' } });
    delete headers.range;
    expect((await authenticate(makeRequest({ target: '/b/k', headers }))).principal.kind).toBe('account');
  });

  it('has inner and outer spaces of its headers ignored', async () => {
    const headers = { ...signed({ headers: { 'x-amz-meta-a': 'one two' } }), 'x-amz-meta-a': '  one   two ' };
    expect((await authenticate(makeRequest({ target: '/b/k', headers }))).principal.kind).toBe('account');
  });

  it.each([
    ['UTF-8 bytes signed as they are', Buffer.from('Grüße').toString('latin1'), Buffer.from('Grüße')],
    ['a Latin-1 byte signed as UTF-8', 'Grüße', Buffer.from('Grüße')],
  ])('may have metadata in %s', async (_, received, signedBytes) => {
    const mark = '\u0001';
    const names = { host: 'h', 'x-amz-content-sha256': EMPTY_SHA256, 'x-amz-date': AMZ_DATE, 'x-amz-meta-a': mark };
    const [before = '', after = ''] = canonicalText({ path: '/b/k', headers: names }).split(mark);
    const signature = signCanonical(Buffer.concat([Buffer.from(before), signedBytes, Buffer.from(after)]));
    const authorization = `AWS4-HMAC-SHA256 Credential=${ACCESS_KEY_ID}/${scopeOf({})},SignedHeaders=${Object.keys(names).join(';')},Signature=${signature}`;
    const request = makeRequest({ target: '/b/k', headers: { ...names, 'x-amz-meta-a': received, authorization } });
    expect((await authenticate(request)).principal.kind).toBe('account');
  });

  it('may send a list header in several lines, which arrive joined', async () => {
    const headers = {
      ...signed({ headers: { 'x-amz-object-attributes': 'ETag,Checksum' } }),
      'x-amz-object-attributes': 'ETag, Checksum',
    };
    expect((await authenticate(makeRequest({ target: '/b/k', headers }))).principal.kind).toBe('account');
  });

  it('waits for a key that takes time', async () => {
    const slow = authenticator({ findAccessKey: async (id) => ({ id, secret: SECRET, account }) });
    expect((await slow(makeRequest({ target: '/b/k', headers: signed() }))).principal.kind).toBe('account');
  });

  it('fails as the directory does', async () => {
    const down = authenticator({
      findAccessKey: () => Promise.reject(new StorageError('ServiceUnavailable')),
    });
    expect((await failure({ target: '/b/k', headers: signed() }, down)).code).toBe('ServiceUnavailable');
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
  it('is told what was signed here, never what the signature should be', async () => {
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
    expect((await failure({ target: '/b/k', headers: signed(), ...change })).code).toBe('SignatureDoesNotMatch');
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
      headers.authorization = (headers.authorization ?? '').replace(/Signature=.*/, `Signature=${signature}`);
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
    const error = await failure({ target: presign(), headers: { ...HOST, 'x-amz-copy-source': '/b/secret' } });
    expect(error.fields).toEqual({ HeadersNotSigned: 'x-amz-copy-source' });
  });

  it('are refused when host is among them', async () => {
    const headers = signed();
    headers.authorization = (headers.authorization ?? '').replace('SignedHeaders=host;', 'SignedHeaders=');
    expect((await failure({ target: '/b/k', headers })).fields).toEqual({ HeadersNotSigned: 'host' });
  });

  it('are accepted otherwise', async () => {
    const headers = { ...signed(), 'user-agent': 'x', 'content-type': 'a/b' };
    expect((await authenticate(makeRequest({ target: '/b/k', headers }))).principal.kind).toBe('account');
  });
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
    [valid.replace('SignedHeaders', 'Credential'), 'AuthorizationHeaderMalformed', 'three components'],
    [valid.replace(credential, 'Credential='), 'AuthorizationHeaderMalformed', 'mal-formed'],
    [valid.replace(credential, 'Credential=a/b'), 'AuthorizationHeaderMalformed', 'mal-formed'],
    [valid.replace(ACCESS_KEY_ID, ''), 'AuthorizationHeaderMalformed', 'mal-formed'],
    [valid.replace(ACCESS_KEY_ID, 'A'.repeat(300)), 'AuthorizationHeaderMalformed', 'mal-formed'],
    [valid.replace(ACCESS_KEY_ID, 'A\u00e9'), 'AuthorizationHeaderMalformed', 'mal-formed'],
    [valid.replace('20130524/', '2013-05-24/'), 'AuthorizationHeaderMalformed', 'incorrect date format'],
    [valid.replace('20130524/', '20130523/'), 'AuthorizationHeaderMalformed', 'Invalid credential date'],
    [valid.replace('/s3/', '/ec2/'), 'AuthorizationHeaderMalformed', 'incorrect service "ec2"'],
    [valid.replace('aws4_request', 'aws5_request'), 'AuthorizationHeaderMalformed', 'incorrect terminal'],
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
      expect((await failure({ target: '/b/k', headers: signed({ payloadHash }) })).code).toBe('InvalidArgument');
    },
  );

  it.each(['STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD', 'STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER'])(
    '%s is NotImplemented, by name',
    async (payloadHash) => {
      const error = await failure({ target: '/b/k', headers: signed({ payloadHash }) });
      expect(error.code).toBe('NotImplemented');
      expect(error.message).toContain(payloadHash);
    },
  );

  it('a session token is NotImplemented, by name', async () => {
    const error = await failure({ target: '/b/k', headers: signed({ headers: { 'x-amz-security-token': 't0ken' } }) });
    expect(error.code).toBe('NotImplemented');
    expect(error.message).toContain('x-amz-security-token');
    expect(error.message).not.toContain('t0ken');
  });

  it('a trailer without a place for it is InvalidRequest', async () => {
    const headers = signed({ headers: { 'x-amz-trailer': 'x-amz-checksum-crc32' } });
    expect((await failure({ target: '/b/k', headers })).code).toBe('InvalidRequest');
  });
});

describe('a presigned request', () => {
  it('is accepted until it expires', async () => {
    const target = presign({ expires: '60' });
    for (const nowMs of [NOW_MS - 15 * MINUTE_MS, NOW_MS, NOW_MS + MINUTE_MS]) {
      const at = authenticator({ nowMs: () => nowMs });
      expect(await at(makeRequest({ target, headers: HOST }))).toMatchObject({ isPresigned: true });
    }
  });

  it.each([
    ['60', NOW_MS + MINUTE_MS + 1, 'Request has expired'],
    ['0', NOW_MS, 'Request has expired'],
    ['604800', NOW_MS + 604_801_000, 'Request has expired'],
    ['60', NOW_MS - 15 * MINUTE_MS - 1, 'Request is not yet valid'],
  ])('of %s seconds is AccessDenied at %d', async (expires, nowMs, message) => {
    const error = await failure({ target: presign({ expires }), headers: HOST }, authenticator({ nowMs: () => nowMs }));
    expect([error.code, error.message]).toEqual(['AccessDenied', message]);
    expect(error.fields.ServerTime).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(error.fields.Expires).toMatch(/Z$/);
  });

  it.each([
    ['-7', 'AccessDenied', 'non-negative'],
    ['604801', 'AccessDenied', 'less than a week'],
    ['1e3', 'AuthorizationQueryParametersError', 'number'],
    ['9'.repeat(30), 'AuthorizationQueryParametersError', 'number'],
    [' 60', 'AuthorizationQueryParametersError', 'number'],
  ])('of %j seconds is %s', async (expires, code, text) => {
    const error = await failure({ target: presign({ expires }), headers: HOST });
    expect(error.code).toBe(code);
    expect(error.message).toContain(text);
  });

  it.each(['Algorithm', 'Credential', 'Date', 'Expires', 'SignedHeaders', 'Signature'])(
    'without or with an empty X-Amz-%s is AuthorizationQueryParametersError',
    async (name) => {
      for (const replacement of ['', `X-Amz-${name}=&`]) {
        const target = `${presign()}&`.replace(new RegExp(`X-Amz-${name}=[^&]*&`), replacement);
        const error = await failure({ target, headers: HOST });
        expect(error.code).toBe('AuthorizationQueryParametersError');
        expect(error.message).toContain('requires the X-Amz-Algorithm');
      }
    },
  );

  it.each([
    [{ 'X-Amz-Algorithm': 'AWS4-HMAC-SHA1' }, 'AuthorizationQueryParametersError', 'X-Amz-Algorithm only supports'],
    [{ 'X-Amz-Algorithm': 'AWS4-ECDSA-P256-SHA256' }, 'NotImplemented', 'AWS4-ECDSA-P256-SHA256'],
    [{ 'X-Amz-Credential': 'x/y' }, 'AuthorizationQueryParametersError', 'mal-formed'],
    [{ 'X-Amz-Credential': `A/${scopeOf({ service: 'sqs' })}` }, 'AuthorizationQueryParametersError', 'service "sqs"'],
    [{ 'X-Amz-Date': '2013' }, 'AuthorizationQueryParametersError', 'ISO8601'],
    [{ 'X-Amz-Date': '20130525T000000Z' }, 'AuthorizationQueryParametersError', 'Invalid credential date'],
    [{ 'X-Amz-Security-Token': 't0ken' }, 'NotImplemented', 'X-Amz-Security-Token'],
    [{ 'X-Amz-Content-Sha256': 'nonsense' }, 'InvalidArgument', 'x-amz-content-sha256'],
  ])('with %j is %s', async (extra, code, text) => {
    const error = await failure({ target: presign({ extra }), headers: HOST });
    expect(error.code).toBe(code);
    expect(error.message).toContain(text);
  });

  it.each(['Credential=%ff%fe', 'Credential=%00/20130524/us-east-1/s3/aws4_request', 'Signature=%0A', 'Signature=é'])(
    'with %s, which is not printable ASCII, is AuthorizationQueryParametersError',
    async (parameter) => {
      const target = presign().replace(new RegExp(`${parameter.split('=')[0]}=[^&]*`), parameter);
      expect((await failure({ target, headers: HOST })).code).toBe('AuthorizationQueryParametersError');
    },
  );

  it('with a changed query, host or method is SignatureDoesNotMatch', async () => {
    const target = presign();
    for (const parts of [
      { target: `${target}&acl`, headers: HOST },
      { target: target.replace('Expires=60', 'Expires=61'), headers: HOST },
      { target, headers: { host: 'other.example' } },
      { target, headers: HOST, method: 'PUT' },
    ]) {
      expect((await failure(parts)).code).toBe('SignatureDoesNotMatch');
    }
  });

  it('may carry the hash of its body in the query, or in a signed header', async () => {
    const payloadHash = sha256('body');
    const inQuery = presign({ method: 'PUT', extra: { 'X-Amz-Content-Sha256': payloadHash }, payloadHash });
    const header = { 'x-amz-content-sha256': payloadHash };
    const inHeader = presign({ method: 'PUT', headers: header, payloadHash });
    for (const [target, headers] of [
      [inQuery, HOST],
      [inHeader, { ...HOST, ...header }],
    ] as const) {
      for (const [text, isRight] of [
        ['body', true],
        ['b0dy', false],
      ] as const) {
        const { body } = await authenticate(makeRequest({ method: 'PUT', target, headers, body: [Buffer.from(text)] }));
        const pump = body.source.pump(() => {});
        if (isRight) await expect(pump).resolves.toBeUndefined();
        else await expect(pump).rejects.toMatchObject({ code: 'XAmzContentSHA256Mismatch' });
      }
    }
  });
});

describe('two ways at once, and old ones', () => {
  it('header and query together are InvalidArgument', async () => {
    for (const target of [presign(), '/b/k?X-Amz-Signature=x', '/b/k?AWSAccessKeyId=x&Signature=y&Expires=1']) {
      const error = await failure({ target, headers: signed() });
      expect(error.code).toBe('InvalidArgument');
      expect(error.message).toContain('Only one auth mechanism allowed');
    }
  });

  it('a query of Signature Version 2 is InvalidRequest', async () => {
    const error = await failure({
      target: `/b/k?Expires=1&AWSAccessKeyId=${ACCESS_KEY_ID}&Signature=x`,
      headers: HOST,
    });
    expect([error.code, error.message]).toEqual([
      'InvalidRequest',
      'The authorization mechanism you have provided is not supported. Please use AWS4-HMAC-SHA256.',
    ]);
  });
});

describe('a request without a signature', () => {
  it.each(['/b/k', '/b/k?X-Amz-Meta=1&max-keys=2&prefix=X-Amz-Signature', '/b/k?response-expires=1'])(
    '%s is anonymous',
    async (target) => {
      for (const headers of [HOST, { ...HOST, authorization: '' }, { ...HOST, 'x-amz-acl': 'private' }]) {
        const { principal, isPresigned } = await authenticate(makeRequest({ target, headers }));
        expect([principal, isPresigned]).toEqual([{ kind: 'anonymous' }, false]);
      }
    },
  );

  it('keeps its body as it is', async () => {
    const headers = { ...HOST, 'x-amz-content-sha256': sha256('something else') };
    const { body } = await authenticate(
      makeRequest({ method: 'PUT', target: '/b/k', headers, body: [Buffer.from('x')] }),
    );
    expect(body.source.lengthBytes).toBe(1);
    const chunks: Uint8Array[] = [];
    await body.source.pump((chunk) => void chunks.push(chunk));
    expect(Buffer.concat(chunks).toString()).toBe('x');
  });

  it('has its unsigned chunks decoded', async () => {
    const headers = {
      ...HOST,
      'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
      'x-amz-decoded-content-length': '5',
      'x-amz-trailer': 'x-amz-checksum-crc32',
    };
    const wire = Buffer.from('5\r\nhello\r\n0\r\nx-amz-checksum-crc32:NhCmhg==\r\n\r\n');
    const { body } = await authenticate(makeRequest({ method: 'PUT', target: '/b/k', headers, body: [wire] }));
    const chunks: Uint8Array[] = [];
    await body.source.pump((chunk) => void chunks.push(chunk));
    expect(Buffer.concat(chunks).toString()).toBe('hello');
    expect(body.trailer('x-amz-checksum-crc32')).toBe('NhCmhg==');
  });

  it('cannot have signed chunks', async () => {
    const headers = { ...HOST, 'x-amz-content-sha256': 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' };
    expect((await failure({ method: 'PUT', target: '/b/k', headers })).code).toBe('InvalidRequest');
  });
});
