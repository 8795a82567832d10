// Who signed a request, as far as memory can prove it: what the fast path asks. Whatever is not
// sure here is the full path's, which finds what is wrong.
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { AccessKey } from '../../../../src/domain/nouns.ts';
import {
  type AuthenticatorOptions,
  createAuthenticator,
} from '../../../../src/http/s3/signature/authenticate.ts';
import { isSigned } from '../../../../src/http/s3/signature/is-signed.ts';
import { account, HOST, presign, signed } from '../kit/authenticate-kit.ts';
import { makeRequest, type RequestParts } from '../kit/make-request.ts';
import { ACCESS_KEY_ID, NOW_MS, SECRET } from '../kit/sign-for-test.ts';

const KEY: AccessKey = { id: ACCESS_KEY_ID as never, secret: SECRET, account };

function open(options: Partial<AuthenticatorOptions> = {}) {
  const { authenticate, signerOf } = createAuthenticator({
    findAccessKey: (id) => (id === ACCESS_KEY_ID ? KEY : null),
    nowMs: () => NOW_MS,
    region: 'auto',
    isSignatureV2On: true,
    ownHosts: [],
    ...options,
  });
  const signer = (parts: RequestParts) => signerOf(makeRequest(parts), makeRequest(parts).rawPath);
  /** Asks as the full path does, so that memory has the signing key. */
  const ask = (parts: RequestParts) => authenticate(makeRequest(parts));
  const learn = (parts: RequestParts): void => void ask(parts);
  return { signer, learn, ask };
}

const inHeader = (): RequestParts => ({ target: '/b/k', headers: signed() });
const inQuery = (): RequestParts => ({ target: presign(), headers: HOST });
const EXPIRES = `${NOW_MS / 1000 + 60}`;
const v2 = (text = `GET\n\n\n${EXPIRES}\n/b/k`, id = ACCESS_KEY_ID): RequestParts => {
  const signature = createHmac('sha1', SECRET).update(text).digest('base64');
  const signed = `Signature=${encodeURIComponent(signature)}&Expires=${EXPIRES}`;
  return { target: `/b/k?AWSAccessKeyId=${id}&${signed}`, headers: HOST };
};

describe('the signer', () => {
  it.each([
    ['in a header', inHeader, false],
    ['in a query', inQuery, true],
  ] as const)('%s is known once its signing key is in memory', (_, parts, isPresigned) => {
    const { signer, learn } = open();
    expect(signer(parts())).toBeNull();
    learn(parts());
    expect(signer(parts())).toMatchObject({ accessKey: KEY, isPresigned });
  });

  it('comes with the query in canonical encoding', () => {
    const { signer, learn } = open();
    const parts = { target: '/b/k?x-id=a+b', headers: signed({ query: 'x-id=a%20b' }) };
    learn(parts);
    expect(signer(parts)?.query).toEqual([{ name: 'x-id', value: 'a%20b' }]);
  });

  it.each([
    ['in a header', inHeader],
    ['in a query', inQuery],
  ] as const)('%s is none with another request, or a key that is not there', (_, parts) => {
    const { signer, learn } = open();
    learn(parts());
    expect(signer({ ...parts(), method: 'HEAD' })).toBeNull();
    let found: AccessKey | null | Promise<AccessKey> = KEY;
    const other = open({ findAccessKey: () => found });
    other.learn(parts());
    expect(other.signer(parts())).not.toBeNull();
    found = null;
    expect(other.signer(parts())).toBeNull();
    found = Promise.resolve(KEY);
    expect(other.signer(parts())).toBeNull();
    found = { ...KEY, secret: 'changed' };
    expect(other.signer(parts())).toBeNull();
  });

  it('is none of a body in chunks, of a URL for a prefix, and without a signature', async () => {
    const { signer, learn } = open();
    const payloadHash = 'STREAMING-UNSIGNED-PAYLOAD-TRAILER';
    const length = { 'x-amz-decoded-content-length': '0' };
    const chunked = { target: '/b/k', headers: signed({ payloadHash, headers: length }) };
    learn(chunked);
    expect(signer(chunked)).toBeNull();

    const extra = { 'x-quayside-key-prefix': 'k' };
    const below = { target: presign({ extra }), headers: HOST };
    learn(below);
    expect(signer(below)).toBeNull();
    expect(signer({ target: '/b/k', headers: HOST })).toBeNull();
  });

  it('is an error with a header that nobody signed, and with two signatures', () => {
    const { signer, learn } = open();
    learn(inHeader());
    const headers = { ...signed(), 'x-amz-acl': 'private' };
    expect(() => signer({ target: '/b/k', headers })).toThrow(
      expect.objectContaining({ code: 'AccessDenied' }),
    );
    expect(() => signer({ target: presign(), headers: signed() })).toThrow(
      expect.objectContaining({ code: 'InvalidArgument' }),
    );
  });

  it('is the one of the URL beside a bearer token, which is no signature', () => {
    const { signer, ask } = open();
    const parts = { target: presign(), headers: { ...HOST, authorization: 'Bearer abc' } };
    expect(ask(parts)).toMatchObject({ isPresigned: true });
    expect(signer(parts)).toMatchObject({ isPresigned: true });
    const alone = { target: '/b/k', headers: { ...HOST, authorization: 'Bearer abc' } };
    expect(() => signer(alone)).toThrow('Unsupported Authorization Type');
  });

  it('by Signature Version 2 is known at once, where it is right and the version is on', () => {
    const { signer } = open();
    expect(signer(v2())).toMatchObject({
      accessKey: KEY,
      isPresigned: true,
      query: expect.arrayContaining([{ name: 'Expires', value: EXPIRES }]),
    });
    expect(signer(v2('another text'))).toBeNull();
    expect(signer(v2(undefined, 'AKIANOBODY'))).toBeNull();
    expect(open({ findAccessKey: async () => KEY }).signer(v2())).toBeNull();
    expect(() => open({ isSignatureV2On: false }).signer(v2())).toThrow(
      expect.objectContaining({ code: 'InvalidRequest' }),
    );
  });

  it('by Signature Version 2 may have a key that takes time', async () => {
    const { ask } = open({ findAccessKey: async () => KEY });
    expect(await ask(v2())).toMatchObject({ isPresigned: true, signatureVersion: 'AWS' });
  });
});

describe('whether somebody signed', () => {
  it.each<[RequestParts, boolean]>([
    [inHeader(), true],
    [inQuery(), true],
    [v2(), true],
    [{ target: '/b/k', headers: { authorization: 'AWS wrong' } }, true],
    [{ target: '/b/k?X-Amz-Signature=wrong' }, true],
    [{ target: '/b/k' }, false],
    [{ target: '/b/k', headers: { authorization: 'Bearer AWS' } }, false],
    [{ target: '/b/k?prefix=X-Amz-Signature=' }, false],
    [{ target: '/b/k?a=1&AWSAccessKeyId=x' }, true],
    [{ target: '/b/k?myAWSAccessKeyId=x' }, false],
  ])('%j: %s', (parts, expected) => {
    expect(isSigned(makeRequest(parts))).toBe(expected);
  });
});
