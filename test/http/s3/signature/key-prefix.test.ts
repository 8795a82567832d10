// URLs for all keys below a prefix: they are signed for the prefix, and good for nothing else.
import { describe, expect, it } from 'vitest';
import type { StorageError } from '../../../../src/domain/errors.ts';
import { presignUrl } from '../../../../src/http/s3/signature/presign.ts';
import { authenticate, HOST } from '../kit/authenticate-kit.ts';
import { makeRequest } from '../kit/make-request.ts';
import {
  ACCESS_KEY_ID,
  AMZ_DATE,
  canonicalText,
  NOW_MS,
  SECRET,
  scopeOf,
  signCanonical,
} from '../kit/sign-for-test.ts';

const PARAMETER = 'x-quayside-key-prefix';

/** Path and query of a URL that is signed for `signedPath` and comes for `path`. */
function urlOf(prefix: string, path: string, signedPath: string, host = HOST.host): string {
  const query = [
    'X-Amz-Algorithm=AWS4-HMAC-SHA256',
    `X-Amz-Credential=${encodeURIComponent(`${ACCESS_KEY_ID}/${scopeOf({})}`)}`,
    `X-Amz-Date=${AMZ_DATE}`,
    'X-Amz-Expires=60',
    'X-Amz-SignedHeaders=host',
    `${PARAMETER}=${encodeURIComponent(prefix)}`,
  ].join('&');
  const signed = { method: 'PUT', path: signedPath, query, headers: { host } };
  const canonical = canonicalText({ ...signed, payloadHash: 'UNSIGNED-PAYLOAD' });
  return `${path}?${query}&X-Amz-Signature=${signCanonical(canonical)}`;
}

/** The code that the request ends in, `ok` without one. `path`: with the bucket of the host. */
async function outcome(target: string, headers = HOST, path?: string): Promise<string> {
  try {
    await authenticate(makeRequest({ method: 'PUT', target, headers }), path);
    return 'ok';
  } catch (error) {
    return (error as StorageError).code;
  }
}

describe('a URL for a prefix', () => {
  it.each([
    ['in/', '/b/in/a', '/b/in/'],
    ['in/', '/b/in/', '/b/in/'],
    ['in/', '/b/in/a/b%20c', '/b/in/'],
    ['in/', '/b/%69n/a', '/b/in/'],
    ['in', '/b/inside', '/b/in'],
    ['in box/ü+', '/b/in%20box/%c3%bc%2Ba', '/b/in%20box/%C3%BC%2B'],
    ['a/b/', '/b/a%2Fb%2Fc', '/b/a/b/'],
  ])('%j is good for %s', async (prefix, path, signedPath) => {
    expect(await outcome(urlOf(prefix, path, signedPath))).toBe('ok');
  });

  it.each(['/b/out/a', '/b/i', '/b/In/a', '/b/x/in/a', '/b/', '/b', '/in/a'])(
    '"in/" is not good for %s',
    async (path) => {
      expect(await outcome(urlOf('in/', path, '/b/in/'))).toBe('AccessDenied');
    },
  );

  it('is good for no other bucket, nor with another prefix', async () => {
    expect(await outcome(urlOf('in/', '/other/in/a', '/b/in/'))).toBe('SignatureDoesNotMatch');
    const target = urlOf('in/', '/b/in/a', '/b/in/');
    expect(await outcome(target.replace('in%2F&', 'i&'))).toBe('SignatureDoesNotMatch');
    expect(await outcome(target.replace(`&${PARAMETER}=in%2F`, ''))).toBe('SignatureDoesNotMatch');
  });

  it('is none where the prefix is empty', async () => {
    for (const path of ['/b/a', '/b/'])
      expect(await outcome(urlOf('', path, '/b/'))).toBe('AccessDenied');
  });

  it('may name the bucket in the host', async () => {
    const headers = { host: 'b.storage.example' };
    const target = urlOf('in/', '/in/a%20b', '/in/', headers.host);
    expect(await outcome(target, headers, '/b/in/a%20b')).toBe('ok');
    expect(await outcome(target.replace('/in/a', '/on/a'), headers, '/b/on/a%20b')).toBe(
      'AccessDenied',
    );
  });
});

describe('a URL that is made here', () => {
  const made = (changes: Partial<Parameters<typeof presignUrl>[1]> = {}) =>
    presignUrl(
      { id: ACCESS_KEY_ID as never, secret: SECRET },
      {
        method: 'PUT',
        origin: 'https://storage.example:9000',
        bucket: 'b',
        key: 'in/ü (1)+&?.txt',
        query: {},
        headers: {},
        expiresSeconds: 60,
        ...changes,
      },
      { nowMs: NOW_MS, region: 'auto' },
    );
  const headers = { host: 'storage.example:9000' };
  const targetOf = (url: string) => url.slice('https://storage.example:9000'.length);

  it('is right, with its key, its parameters and the headers that it wants', async () => {
    const url = made({
      query: { 'response-content-type': 'a/b; c="d"', acl: '' },
      headers: { 'content-type': 'x/y', 'a-first': '1' },
    });
    expect(url).toMatch(/^https:\/\/storage\.example:9000\/b\/in\/[^?]*\?/);
    expect(decodeURIComponent(new URL(url).pathname)).toBe('/b/in/ü (1)+&?.txt');
    expect(url).toContain(
      `X-Amz-Credential=${ACCESS_KEY_ID}%2F20130524%2Fauto%2Fs3%2Faws4_request`,
    );
    const sent = { ...headers, 'content-type': 'x/y', 'a-first': '1' };
    expect(await outcome(targetOf(url), sent)).toBe('ok');
    for (const wrong of [
      { ...sent, 'content-type': 'other' },
      { ...sent, host: 'other.example' },
    ])
      expect(await outcome(targetOf(url), wrong)).toBe('SignatureDoesNotMatch');
    expect(await outcome(targetOf(url).replace('Expires=60', 'Expires=61'), sent)).toBe(
      'SignatureDoesNotMatch',
    );
  });

  it('for a prefix is good for its key and its neighbours', async () => {
    const target = targetOf(made({ key: 'in/a', keyPrefix: 'in/', query: { [PARAMETER]: 'in/' } }));
    expect(await outcome(target, headers)).toBe('ok');
    expect(await outcome(target.replace('/in/a?', '/in/b?'), headers)).toBe('ok');
    expect(await outcome(target.replace('/in/a?', '/a?'), headers)).toBe('AccessDenied');
  });
});
