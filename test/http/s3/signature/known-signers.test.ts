// The memory of parsed headers: what it may find, and how large it grows.
import { describe, expect, it } from 'vitest';
import {
  createKnownSigners,
  readAuthorizationHeader,
} from '../../../../src/http/s3/signature/authorization-header.ts';
import { authenticator, signed } from '../kit/authenticate-kit.ts';
import { makeRequest } from '../kit/make-request.ts';
import { ACCESS_KEY_ID, NOW_MS, scopeOf } from '../kit/sign-for-test.ts';

const headerOf = (id: string, signature = 'a'.repeat(64)) =>
  `AWS4-HMAC-SHA256 Credential=${id}/${scopeOf({})}, SignedHeaders=host, Signature=${signature}`;

function open() {
  const signers = createKnownSigners();
  const read = (authorization: string) =>
    readAuthorizationHeader(makeRequest({ target: '/', headers: signed() }), authorization, {
      nowMs: NOW_MS,
      region: 'auto',
      signers,
    });
  const keep = (authorization: string) => signers.keep(authorization, read(authorization));
  return { signers, read, keep };
}

describe('known signers', () => {
  it('are found by all of a header but its signature', () => {
    const { signers, read, keep } = open();
    expect(signers.find(headerOf('A'))).toBeNull();
    keep(headerOf('A'));
    expect(signers.find(headerOf('A', '7'.repeat(64)))?.credential.accessKeyId).toBe('A');
    expect(signers.find(headerOf('B'))).toBeNull();
    expect(signers.find(headerOf('A').replace('AWS4', 'BWS4'))).toBeNull();
    const claims = read(headerOf('A', '7'.repeat(64)));
    expect(claims).toMatchObject({
      signature: '7'.repeat(64),
      credential: { accessKeyId: 'A' },
      signedHeadersText: 'host',
    });
    expect([...claims.signedHeaders]).toEqual(['host']);
  });

  it.each([63, 65])('are none of a header with a signature of %i digits', (digits) => {
    const { signers, keep } = open();
    const header = headerOf('A', 'a'.repeat(digits));
    keep(header);
    expect(signers.find(header)).toBeNull();
  });

  it.each([',', ' ', '\t'])('are not found where the end has %j in it', (sign) => {
    const { signers, read, keep } = open();
    keep(headerOf('A'));
    const longer = headerOf('A', `${'a'.repeat(10)}${sign}${'a'.repeat(53)}`);
    expect(signers.find(longer)).toBeNull();
    if (sign === ',') expect(() => read(longer)).toThrow('three components');
  });

  it('begin anew when there are 4,096', () => {
    const { signers, keep } = open();
    for (let at = 0; at < 4096; at++) keep(headerOf(`id${at}`));
    keep(headerOf('id5'));
    expect(signers.find(headerOf('id0'))).not.toBeNull();
    keep(headerOf('one-more'));
    expect(signers.find(headerOf('one-more'))).not.toBeNull();
    for (const id of ['id0', 'id5', 'id4095']) expect(signers.find(headerOf(id))).toBeNull();
  });

  it('let the next request of a client be read by what was known, and judged by itself', () => {
    const run = authenticator();
    const ask = (headers: Record<string, string>) => run(makeRequest({ target: '/b/k', headers }));
    for (const _ of [1, 2])
      expect(ask(signed())).toMatchObject({ principal: { accessKeyId: ACCESS_KEY_ID } });
    const { authorization = '', ...rest } = signed();
    const wrong = authorization.replace(/.$/, (last) => (last === '0' ? '1' : '0'));
    expect(() => ask({ ...rest, authorization: wrong })).toThrow(
      expect.objectContaining({ code: 'SignatureDoesNotMatch' }),
    );
  });
});
