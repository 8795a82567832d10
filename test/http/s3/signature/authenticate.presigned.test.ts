// Requests that are signed in their query, in two ways at once, or not at all.
import { describe, expect, it } from 'vitest';
import {
  authenticate,
  authenticator,
  failure,
  HOST,
  MINUTE_MS,
  presign,
  signed,
} from '../kit/authenticate-kit.ts';
import { makeRequest } from '../kit/make-request.ts';
import { NOW_MS, scopeOf, sha256 } from '../kit/sign-for-test.ts';

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
    const error = await failure(
      { target: presign({ expires }), headers: HOST },
      authenticator({ nowMs: () => nowMs }),
    );
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
    [
      { 'X-Amz-Algorithm': 'AWS4-HMAC-SHA1' },
      'AuthorizationQueryParametersError',
      'X-Amz-Algorithm only supports',
    ],
    [{ 'X-Amz-Algorithm': 'AWS4-ECDSA-P256-SHA256' }, 'NotImplemented', 'AWS4-ECDSA-P256-SHA256'],
    [{ 'X-Amz-Credential': 'x/y' }, 'AuthorizationQueryParametersError', 'mal-formed'],
    [
      { 'X-Amz-Credential': `A/${scopeOf({ service: 'sqs' })}` },
      'AuthorizationQueryParametersError',
      'service "sqs"',
    ],
    [
      { 'X-Amz-SignedHeaders': 'host;range;HOST' },
      'AuthorizationQueryParametersError',
      'more than once',
    ],
    [{ 'X-Amz-Date': '2013' }, 'AuthorizationQueryParametersError', 'ISO8601'],
    [
      { 'X-Amz-Date': '20130525T000000Z' },
      'AuthorizationQueryParametersError',
      'Invalid credential date',
    ],
    [{ 'X-Amz-Security-Token': 't0ken' }, 'NotImplemented', 'X-Amz-Security-Token'],
    [{ 'X-Amz-Content-Sha256': 'nonsense' }, 'InvalidArgument', 'x-amz-content-sha256'],
  ])('with %j is %s', async (extra, code, text) => {
    const error = await failure({ target: presign({ extra }), headers: HOST });
    expect(error.code).toBe(code);
    expect(error.message).toContain(text);
  });

  it.each([
    'Credential=%ff%fe',
    'Credential=%00/20130524/us-east-1/s3/aws4_request',
    'Signature=%0A',
    'Signature=é',
  ])(
    'with %s, which is not printable ASCII, is AuthorizationQueryParametersError',
    async (parameter) => {
      const target = presign().replace(new RegExp(`${parameter.split('=')[0]}=[^&]*`), parameter);
      expect((await failure({ target, headers: HOST })).code).toBe(
        'AuthorizationQueryParametersError',
      );
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
    const inQuery = presign({
      method: 'PUT',
      extra: { 'X-Amz-Content-Sha256': payloadHash },
      payloadHash,
    });
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
        const { body } = await authenticate(
          makeRequest({ method: 'PUT', target, headers, body: [Buffer.from(text)] }),
        );
        const pump = body.source.pump(() => {});
        if (isRight) await expect(pump).resolves.toBeUndefined();
        else await expect(pump).rejects.toMatchObject({ code: 'XAmzContentSHA256Mismatch' });
      }
    }
  });
});

describe('two ways at once', () => {
  it('header and query together are InvalidArgument', async () => {
    for (const target of [
      presign(),
      '/b/k?X-Amz-Signature=x',
      '/b/k?AWSAccessKeyId=x&Signature=y&Expires=1',
    ]) {
      const error = await failure({ target, headers: signed() });
      expect(error.code).toBe('InvalidArgument');
      expect(error.message).toContain('Only one auth mechanism allowed');
    }
  });
});

describe('a request without a signature', () => {
  it.each([
    '/b/k',
    '/b/k?X-Amz-Meta=1&max-keys=2&prefix=X-Amz-Signature',
    '/b/k?response-expires=1',
  ])('%s is anonymous', async (target) => {
    for (const headers of [
      HOST,
      { ...HOST, authorization: '' },
      { ...HOST, 'x-amz-acl': 'private' },
    ]) {
      const { principal, isPresigned } = await authenticate(makeRequest({ target, headers }));
      expect([principal, isPresigned]).toEqual([{ kind: 'anonymous' }, false]);
    }
  });

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
    const { body } = await authenticate(
      makeRequest({ method: 'PUT', target: '/b/k', headers, body: [wire] }),
    );
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
