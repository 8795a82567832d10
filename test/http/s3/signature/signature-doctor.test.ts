// Each mistake is made for real: a canonical request as a client with that mistake would sign it,
// sent as it arrives.
import { describe, expect, it } from 'vitest';
import type { StorageError } from '../../../../src/domain/errors.ts';
import type { AccessKey } from '../../../../src/domain/nouns.ts';
import type { HttpRequest } from '../../../../src/http/request.ts';
import { createAuthenticator } from '../../../../src/http/s3/signature/authenticate.ts';
import {
  createKnownSigners,
  readAuthorizationHeader,
} from '../../../../src/http/s3/signature/authorization-header.ts';
import { canonicalRequest } from '../../../../src/http/s3/signature/canonical-request.ts';
import type { Claims } from '../../../../src/http/s3/signature/credential.ts';
import { createDiagnose, type Diagnose } from '../../../../src/http/s3/signature/diagnose.ts';
import { readPresignedQuery } from '../../../../src/http/s3/signature/presigned-query.ts';
import {
  createSignatureDoctor,
  type SignedOtherwise,
} from '../../../../src/http/s3/signature/signature-doctor.ts';
import { failure, HOST, presign } from '../kit/authenticate-kit.ts';
import { makeRequest } from '../kit/make-request.ts';
import {
  ACCESS_KEY_ID,
  type CanonicalParts,
  canonicalText,
  EMPTY_SHA256,
  NOW_MS,
  SECRET,
  type SignOptions,
  sha256,
  signHeaders,
  signText,
  stringToSign,
} from '../kit/sign-for-test.ts';

const KEY = {
  id: ACCESS_KEY_ID,
  secret: SECRET,
  account: { id: 'a', displayName: 'a' },
} as unknown as AccessKey;

/** What the doctor says of a request that was signed as `parts` and came otherwise. */
async function finding(
  parts: Partial<CanonicalParts>,
  came: { method?: string; target?: string; headers?: Record<string, string> },
  nowMs = NOW_MS,
): Promise<string> {
  const { authenticate } = createAuthenticator({
    findAccessKey: () => KEY,
    nowMs: () => nowMs,
    region: 'auto',
    isSignatureV2On: true,
    ownHosts: ['s3.example.net'],
  });
  const headers = {
    ...signHeaders({ path: '/bucket/key', headers: {}, ...parts }),
    ...came.headers,
  };
  const request = makeRequest({ target: '/bucket/key', ...came, headers });
  const error = await Promise.resolve()
    .then(() => authenticate(request))
    .then(
      () => null,
      (reason: StorageError) => reason,
    );
  expect(error?.code).toBe('SignatureDoesNotMatch');
  expect(error?.message).toMatch(
    /^The request signature we calculated does not match the signature you provided\./,
  );
  return error?.message ?? '';
}

/** Headers whose string to sign, or its key, is of another time or region than they say. */
function missigned(text: SignOptions, key: SignOptions = {}): Record<string, string> {
  const { authorization = '', ...signed } = signHeaders({ path: '/bucket/key', headers: {} });
  const sorted = Object.fromEntries(Object.entries(signed).sort(([a], [b]) => (a < b ? -1 : 1)));
  const canonical = canonicalText({
    path: '/bucket/key',
    headers: sorted,
    payloadHash: EMPTY_SHA256,
  });
  const signature = signText(stringToSign(canonical, text), key);
  return {
    ...signed,
    authorization: authorization.replace(/Signature=.*/, `Signature=${signature}`),
  };
}

const signed = (headers: Record<string, string> = {}) => signHeaders({ path: '/', headers });

/** What the doctor tries of a request without bounds, and the signature of the request itself. */
function triedOf(request: HttpRequest, names = { region: 'auto', ownHosts: ['storage.example'] }) {
  const authorization = request.header('authorization');
  const claims =
    authorization === null
      ? readPresignedQuery(request, NOW_MS)
      : readAuthorizationHeader(request, authorization, {
          nowMs: NOW_MS,
          region: 'auto',
          signers: createKnownSigners(),
        });
  const { credential, time } = claims;
  const tried: SignedOtherwise[] = [];
  const collect: Diagnose = (mistakes, isSignatureOf) => {
    for (const mistake of mistakes) isSignatureOf(mistake);
    return null;
  };
  createSignatureDoctor(collect, names)(request, claims, (other) => {
    tried.push(other);
    return false;
  });
  const signatureOf = ({ canonical, amzDate = time.amzDate, scope }: SignedOtherwise) => {
    const { date, region } = scope ?? credential;
    const named =
      scope?.isKeyAlone === false ? `${date}/${region}/s3/aws4_request` : credential.scope;
    const text = `AWS4-HMAC-SHA256\n${amzDate}\n${named}\n${sha256(canonical)}`;
    return signText(text, { amzDate: `${date}T000000Z`, region });
  };
  return {
    canonicals: tried.map(({ canonical }) => canonical),
    signatures: tried.map(signatureOf),
    plain: signatureOf({ canonical: canonicalRequest(request, claims, false) }),
  };
}

describe('the signature doctor', () => {
  it.each<[string, Partial<CanonicalParts>, Parameters<typeof finding>[1], RegExp]>([
    [
      'a path encoded twice',
      { path: '/bucket/a%2520b' },
      { target: '/bucket/a%20b' },
      /encoded the path twice/,
    ],
    ['a plus for a space', { path: '/bucket/a%2Bb' }, { target: '/bucket/a%20b' }, /signed a plus/],
    ['joined slashes', { path: '/bucket/a/b' }, { target: '/bucket/a//b' }, /double slashes/],
    ['resolved dots', { path: '/bucket/b' }, { target: '/bucket/a/../b' }, /dots/],
    ['a slash at the end', { path: '/bucket' }, { target: '/bucket/' }, /slash at its end/],
    ['virtual-hosted style', { path: '/key' }, {}, /without the bucket/],
    [
      'a host without its port',
      { headers: { host: 'storage.example' } },
      { headers: { host: 'storage.example:9000' } },
      /signed the host "storage.example", but the request came with "storage.example:9000"/,
    ],
    [
      'a host that a proxy tells',
      { headers: { host: 's3.example.com' } },
      { headers: { host: '10.0.0.7:9000', 'x-forwarded-host': 's3.example.com' } },
      /signed the host "s3.example.com"/,
    ],
    [
      'an encoding that a proxy added',
      { headers: { 'accept-encoding': 'identity' } },
      { headers: { 'accept-encoding': 'gzip' } },
      /signed accept-encoding as "identity"/,
    ],
    [
      'a type that got a character set',
      { headers: { 'content-type': 'text/css' } },
      { headers: { 'content-type': 'text/css; charset=utf-8' } },
      /signed content-type as "text\/css"/,
    ],
    [
      'another type',
      { headers: { 'content-type': 'application/xml' } },
      { headers: { 'content-type': 'text/html' } },
      /signed content-type as "application\/xml"/,
    ],
    [
      'a parameter without equals',
      { query: 'acl' },
      { target: '/bucket/key?acl' },
      /write it as "\?name="/,
    ],
    [
      'a query as old curl signs it',
      { query: 'prefix=a/b&list-type=2' },
      { target: '/bucket/key?prefix=a/b&list-type=2' },
      /signed the query as it was sent.*a slash is %2F/,
    ],
    [
      'one that is sorted, with a name alone',
      { query: 'prefix=a/b&versions' },
      { target: '/bucket/key?versions&prefix=a/b' },
      /signed the query as it was sent/,
    ],
    [
      'slashes that stand for themselves',
      { query: 'acl&prefix=a/b' },
      { target: '/bucket/key?acl&prefix=a%2Fb' },
      /signed the query as it was sent/,
    ],
    [
      'a path as old curl signs it',
      { path: '/bucket/x(1)' },
      { target: '/bucket/x(1)' },
      /signed the path as it was sent/,
    ],
    [
      'path and query so',
      { path: '/bucket/x(1)', query: 'b=/&a=1' },
      { target: '/bucket/x(1)?b=/&a=1' },
      /signed the path as it was sent/,
    ],
    [
      'a parameter that a proxy added',
      { query: 'a=1&b=2' },
      { target: '/bucket/key?a=1&cache=3&b=2' },
      /does not cover cache: it was added/,
    ],
    [
      'a host of the service that a proxy in front lost',
      { headers: { host: 's3.example.net' } },
      { headers: { host: '127.0.0.1:9000' } },
      /signed the host "s3.example.net", but the request came with "127.0.0.1:9000"/,
    ],
    [
      'that host with a port',
      { headers: { host: 's3.example.net:9000' } },
      { headers: { host: 'backend:9000' } },
      /signed the host "s3.example.net:9000"/,
    ],
    [
      'a host that a proxy tells with its port elsewhere',
      { headers: { host: 'a.example:8443' } },
      { headers: { host: 'backend', 'x-forwarded-host': 'a.example', 'x-forwarded-port': '8443' } },
      /signed the host "a.example:8443"/,
    ],
    ['a space for a plus', { path: '/bucket/a%20b' }, { target: '/bucket/a+b' }, /signed a space/],
    ['a dot', { path: '/bucket/b' }, { target: '/bucket/./b' }, /resolved the dots/],
    ['dots above all', { path: '/b' }, { target: '/../b' }, /resolved the dots/],
    ['nothing but dots', { path: '/' }, { target: '/bucket/..' }, /resolved the dots/],
    [
      'a slash that is lost at the end',
      { path: '/bucket/' },
      { target: '/bucket' },
      /slash at its end/,
    ],
    [
      'the root, in the style of virtual hosts',
      { path: '/' },
      { target: '/bucket' },
      /without the bucket/,
    ],
    [
      'path style, where the host has the bucket',
      { path: '/bucket/key', headers: { host: 'bucket.storage.example' } },
      { target: '/key', headers: { host: 'bucket.storage.example' } },
      /with the bucket in front \(path style\)/,
    ],
    [
      'a host that a proxy tells as RFC 7239 has it',
      { headers: { host: 's3.example.com' } },
      { headers: { host: 'backend', forwarded: 'for=1.2.3.4;host="s3.example.com";proto=https' } },
      /signed the host "s3.example.com"/,
    ],
    [
      'a host that the third proxy of several tells',
      { headers: { host: 'c.example' } },
      { headers: { host: 'backend', 'x-forwarded-host': 'a.example, b.example, c.example' } },
      /signed the host "c.example"/,
    ],
    [
      'the usual ports',
      { headers: { host: 'storage.example:443' } },
      { headers: { host: 'storage.example' } },
      /signed the host "storage.example:443"/,
    ],
    [
      'a host in upper case',
      { headers: { host: 'storage.example' } },
      { headers: { host: 'Storage.Example' } },
      /signed the host "storage.example"/,
    ],
    [
      'a type that lost its character set',
      { headers: { 'content-type': 'text/css;charset=UTF-8' } },
      { headers: { 'content-type': 'text/css' } },
      /signed content-type as "text\/css;charset=UTF-8"/,
    ],
    [
      'a header that a proxy took away',
      { headers: { expect: '100-continue' } },
      { headers: { expect: '' } },
      /signed expect as "100-continue"/,
    ],
    ['no query', {}, { target: '/bucket/key?versionId=null' }, /without its query/],
    ['another method', {}, { method: 'HEAD' }, /signed for GET, but came as HEAD/],
  ])('knows %s', async (_, parts, came, expected) => {
    expect(await finding(parts, came)).toMatch(expected);
  });

  it.each<[string, { text?: SignOptions; key?: SignOptions }, RegExp]>([
    [
      'a clock that was looked at twice',
      { text: { amzDate: '20130524T000001Z' } },
      /time 20130524T000001Z, but 20130524T000000Z came/,
    ],
    [
      'a key of another day',
      { key: { amzDate: '20130523T235959Z' } },
      /day 20130523, but signed on 20130524/,
    ],
    [
      'another region',
      { text: { region: 'auto' }, key: { region: 'auto' } },
      /signed for the region "auto", but its credential says "us-east-1"/,
    ],
    ['a key of another region', { key: { region: '' } }, /signed for the region "", but/],
  ])('knows %s', async (_, { text = {}, key = {} }, expected) => {
    expect(await finding({}, { headers: missigned(text, key) })).toMatch(expected);
  });

  it('knows a time that was changed on the way', async () => {
    const headers = signHeaders(
      { path: '/bucket/key', headers: {} },
      { amzDate: '20130524T000001Z' },
    );
    const came = { ...headers, 'x-amz-date': '20130524T000000Z' };
    expect(await finding({}, { headers: came })).toMatch(
      /signed the time 20130524T000001Z, but 20130524T000000Z came/,
    );
  });

  it('knows a client that signs its Date and sends another time', async () => {
    const date = 'Fri, 24 May 2013 00:05:00 GMT';
    const headers = { ...missigned({ amzDate: '20130524T000500Z' }), date };
    expect(await finding({}, { headers })).toMatch(/signed the time 20130524T000500Z/);
  });

  it.each([
    ['&utm_source=a', 'utm_source'],
    ['&receipt=1&fbclid=b', 'receipt, fbclid'],
    ['&a=1&b=2&c=3', 'a, b, c'],
  ])('knows what was put behind a presigned URL: %s', async (added, names) => {
    for (const target of [presign() + added, `${presign().replace('?', `?${added.slice(1)}&`)}`]) {
      const error = await failure({ target, headers: HOST });
      expect(error.message).toContain(
        `does not cover ${names}: it was added to the request after that was signed`,
      );
    }
  });

  it('looks at three hosts of proxies, at four of its own, and at no more', async () => {
    const came = { 'x-forwarded-host': 'a.example,b.example,c.example,d.example' };
    const headers = { host: 'backend', ...came };
    expect(await finding({ headers: { host: 'd.example' } }, { headers })).toMatch(/No usual/);
    const names = { region: 'auto', ownHosts: ['o1', 'o2', 'o3', 'o4', 'o5'] };
    const { canonicals } = triedOf(makeRequest({ target: '/', headers: signed() }), names);
    const isTried = (host: string) =>
      canonicals.some((canonical) => canonical.includes(`\nhost:${host}\n`));
    expect(['o1', 'o4', 'o5'].map(isTried)).toEqual([true, true, false]);
  });

  it('names 16 parameters one by one', () => {
    const query = Array.from({ length: 17 }, (_, at) => `p${String(at).padStart(2, '0')}=1`);
    const request = makeRequest({ target: `/?${query.join('&')}`, headers: signed() });
    const { canonicals } = triedOf(request);
    const isTriedWithout = (at: number) =>
      canonicals.includes(
        canonicals[0]?.replace(/\n[^\n]*\n[^\n]*/, `\n/\n${query.toSpliced(at, 1).join('&')}`) ??
          '',
      );
    expect([0, 15, 16].map(isTriedWithout)).toEqual([true, true, false]);
  });

  it.each<[string, Parameters<typeof makeRequest>[0]]>([
    ['a request without anything', { target: '/', headers: signed() }],
    [
      'one with everything',
      {
        method: 'PUT',
        target: '/bucket/a%20b//c/?acl&prefix=x%2Fy&versions=',
        headers: {
          ...signed({
            expect: '',
            connection: 'close',
            'accept-encoding': 'gzip',
            'content-type': 'text/plain; charset=utf-8',
          }),
          date: 'Fri, 24 May 2013 00:00:00 GMT',
          'x-forwarded-host': 'storage.example, other.example:80',
          'x-forwarded-port': '80',
        },
      },
    ],
    ['a presigned one', { target: `${presign()}&a=1&b=2`, headers: HOST }],
  ])('tries nothing twice, nor what it knows to be wrong: %s', (_, parts) => {
    const { signatures, plain } = triedOf(makeRequest(parts));
    expect(signatures.length).toBeGreaterThan(15);
    expect(signatures).not.toContain(plain);
    expect(new Set(signatures).size).toBe(signatures.length);
  });

  it('names the host where it knows nothing else: most proxies change it silently', async () => {
    const came = { headers: { host: '127.0.0.1:9000' } };
    const hint =
      'The request came for the host "127.0.0.1:9000": ' +
      'a proxy in front must hand on the one that clients use.';
    const sentence = await finding({ headers: { host: 'unheard.example' } }, came);
    expect(sentence?.slice(-hint.length)).toBe(hint);
  });

  it('rests when there are too many', () => {
    const diagnose = createSignatureDoctor(
      createDiagnose(() => NOW_MS),
      { region: 'auto', ownHosts: [] },
    );
    const request = makeRequest({ target: '/' });
    const claims = {
      query: [],
      signedHeaders: new Set(),
      signedHeadersText: '',
      payloadHash: '',
      time: { amzDate: '20130524T000000Z', timeMs: NOW_MS },
      credential: { date: '20130524', region: 'us-east-1' },
    } as unknown as Claims;
    const said = Array.from({ length: 60 }, () => diagnose(request, claims, () => false));
    expect(said.indexOf(null)).toBe(50);
  });

  it('suspects the secret when nothing fits', async () => {
    const headers = signHeaders({ path: '/bucket/key', headers: {} }, { secret: 'wrong' });
    expect(await finding({}, { headers })).toMatch(/secret key is not the one of this access key/);
  });
});
