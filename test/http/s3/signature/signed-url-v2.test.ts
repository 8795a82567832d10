// URLs of Signature Version 2, signed by node:crypto over texts that the tests spell out. Nothing
// here knows how src makes such a text.
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { AuthenticatorOptions } from '../../../../src/http/s3/signature/authenticate.ts';
import { authenticator, failure, HOST } from '../kit/authenticate-kit.ts';
import { makeRequest, type RequestParts } from '../kit/make-request.ts';
import { ACCESS_KEY_ID, NOW_MS, SECRET, signHeaders } from '../kit/sign-for-test.ts';

const EXPIRES = `${NOW_MS / 1000 + 600}`;
const PATH = '/b/k%20%2B';
const hmac = (text: string, secret: string = SECRET) =>
  createHmac('sha1', secret).update(text).digest('base64');

type Url = {
  readonly path?: string;
  /** Parameters before those of the signature, as they stand in the URL. */
  readonly query?: readonly string[];
  readonly expires?: string;
  readonly secret?: string;
  readonly accessKeyId?: string;
};

/** Path and query of a URL whose signature is that of `text`. */
function urlOf(
  text: string,
  { path = PATH, query = [], expires = EXPIRES, ...by }: Url = {},
): string {
  const own = [
    `AWSAccessKeyId=${by.accessKeyId ?? ACCESS_KEY_ID}`,
    `Signature=${encodeURIComponent(hmac(text, by.secret))}`,
    `Expires=${expires}`,
  ];
  return `${path}?${[...query, ...own].join('&')}`;
}

const run = authenticator();
async function accept(
  target: string,
  parts: Partial<RequestParts> = {},
  path?: string,
): Promise<void> {
  const { isPresigned, signatureVersion } = await run(
    makeRequest({ headers: HOST, ...parts, target }),
    path,
  );
  expect([isPresigned, signatureVersion]).toEqual([true, 'AWS']);
}
const refused = async (
  target: string,
  parts: Partial<RequestParts> = {},
  options: Partial<AuthenticatorOptions> = {},
) => failure({ headers: HOST, ...parts, target }, authenticator(options));
const plain = `GET\n\n\n${EXPIRES}\n${PATH}`;

describe('a URL of Signature Version 2', () => {
  it('is the one that AWS publishes', async () => {
    const target =
      '/photos/puppy.jpg?AWSAccessKeyId=AKIAIOSFODNN7EXAMPLE&' +
      'Signature=NpgCjnDzrM%2BWFzoENXmpNDUsSn8%3D&Expires=1175139620';
    const at = authenticator({ nowMs: () => 1_175_139_620_000 });
    const headers = { host: 'johnsmith.s3.amazonaws.com' };
    const known = await at(makeRequest({ target, headers }), '/johnsmith/photos/puppy.jpg');
    expect(known).toMatchObject({
      isPresigned: true,
      signatureVersion: 'AWS',
      principal: { accessKeyId: ACCESS_KEY_ID },
    });
  });

  it.each(['GET', 'HEAD', 'PUT', 'DELETE'])('signs a %s', async (method) => {
    const target = urlOf(`${method}\n\n\n${EXPIRES}\n${PATH}`);
    await accept(target, { method });
    const other = method === 'GET' ? 'HEAD' : 'GET';
    expect((await refused(target, { method: other })).code).toBe('SignatureDoesNotMatch');
  });

  it.each([
    ['a sub-resource', ['acl'], '?acl'],
    ['one with an empty value', ['acl='], '?acl'],
    ['several, sorted', ['uploadId=a%2Fb', 'partNumber=2'], '?partNumber=2&uploadId=a/b'],
    ['a version', ['versionId=x'], '?versionId=x'],
    [
      'one that comes twice, in its order',
      ['versionId=b', 'versionId=a', 'acl'],
      '?acl&versionId=b&versionId=a',
    ],
    [
      'overrides, decoded',
      ['response-content-type=text%2Fx%3B+a', 'response-content-disposition=%C3%BC%20%26b'],
      '?response-content-disposition=ü &b&response-content-type=text/x; a',
    ],
    ['what is none unsigned', ['x-id=GetObject', 'prefix=a', 'max-keys=1'], ''],
    ['an escaped name as what it means', ['%61cl'], '?acl'],
  ])('covers %s', async (_, query, signed) => {
    await accept(urlOf(plain + signed, { query }));
    if (signed !== '')
      expect((await refused(urlOf(plain, { query }))).code).toBe('SignatureDoesNotMatch');
  });

  it.each([
    'attributes',
    'encryption',
    'hosting',
    'legal-hold',
    'tagging',
    'zip',
    'x-quayside-kms-keys',
    'cors',
  ])('is good for no other operation: %s', async (name) => {
    expect((await refused(urlOf(plain, { query: [name] }))).code).toBe('SignatureDoesNotMatch');
  });

  it('covers headers that begin with x-amz-, type and MD5, wherever they stand', async () => {
    const text = `PUT\nbWQ1\ntext/x\n${EXPIRES}\nx-amz-acl:private\nx-amz-meta-a:ü b\n${PATH}`;
    const query = [
      'Content-MD5=bWQ1',
      'content-type=text%2Fx',
      'X-Amz-Meta-A=%C3%BC%20b',
      'x-amz-acl=private',
    ];
    await accept(urlOf(text, { query }), { method: 'PUT' });
    const headers = {
      ...HOST,
      'content-md5': 'bWQ1',
      'content-type': 'text/x',
      'x-amz-acl': 'private',
      'x-amz-meta-a': Buffer.from('ü b').toString('latin1'),
    };
    await accept(urlOf(text), { method: 'PUT', headers });
    // A header that was sent counts in place of the query's, and is what must be signed.
    const changed = { ...headers, 'x-amz-acl': 'public-read' };
    expect((await refused(urlOf(text, { query }), { method: 'PUT', headers: changed })).code).toBe(
      'SignatureDoesNotMatch',
    );
    const added = { ...headers, 'x-amz-tagging': 'a=b' };
    expect((await refused(urlOf(text), { method: 'PUT', headers: added })).code).toBe(
      'SignatureDoesNotMatch',
    );
  });

  it('names the bucket, whatever host does', async () => {
    const target = urlOf(`GET\n\n\n${EXPIRES}\n/bucket/k`, { path: '/k' });
    await accept(target, { headers: { host: 'bucket.example' } }, '/bucket/k');
    await expect(accept(target, {}, '/k')).rejects.toMatchObject({ code: 'SignatureDoesNotMatch' });
  });

  it('of a bucket may be signed with a slash at its end, as botocore does', async () => {
    for (const signed of ['/b', '/b/'])
      await accept(urlOf(`GET\n\n\n${EXPIRES}\n${signed}`, { path: '/b' }));
    const object = urlOf(`GET\n\n\n${EXPIRES}\n/b/k/`, { path: '/b/k' });
    expect((await refused(object)).code).toBe('SignatureDoesNotMatch');
  });

  it('may leave a plus of its signature as it is', async () => {
    const expires = Array.from({ length: 50 }, (_, i) => `${NOW_MS / 1000 + i}`).find((at) =>
      hmac(`GET\n\n\n${at}\n${PATH}`).includes('+'),
    );
    const target = urlOf(`GET\n\n\n${expires}\n${PATH}`, { expires: expires ?? '' });
    await accept(target.replaceAll('%2B', '+').replace('/b/k%20+', PATH));
  });

  it('is good to the second that it names, however late that is', async () => {
    await accept(urlOf(plain), {});
    const later = urlOf(`GET\n\n\n4000000000\n${PATH}`, { expires: '4000000000' });
    await accept(later);
    const endMs = Number(EXPIRES) * 1000;
    const over = await refused(urlOf(plain), {}, { nowMs: () => endMs + 1 });
    expect([over.code, over.message, over.fields.Expires]).toEqual([
      'AccessDenied',
      'Request has expired',
      '2013-05-24T00:10:00Z',
    ]);
    await authenticator({ nowMs: () => endMs })(
      makeRequest({ target: urlOf(plain), headers: HOST }),
    );
  });

  it.each([
    [{ expires: '' }, 'AccessDenied', 'requires the Signature, Expires and AWSAccessKeyId'],
    [{ expires: 'soon' }, 'AccessDenied', 'Invalid date (should be seconds since epoch): soon'],
    [{ expires: '-1' }, 'AccessDenied', 'Invalid date'],
    [{ expires: '9'.repeat(13) }, 'AccessDenied', 'Invalid date'],
    [{ accessKeyId: '' }, 'AccessDenied', 'requires the Signature, Expires and AWSAccessKeyId'],
    [{ accessKeyId: '%00' }, 'AccessDenied', 'requires the Signature, Expires and AWSAccessKeyId'],
    [{ accessKeyId: 'AKIANOBODY' }, 'InvalidAccessKeyId', 'does not exist'],
    [{ secret: 'another' }, 'SignatureDoesNotMatch', 'most likely the secret key'],
    [{ query: ['x-amz-security-token=t'] }, 'NotImplemented', 'Session tokens'],
    [{ query: ['x-amz-content-sha256=nonsense'] }, 'InvalidArgument', 'x-amz-content-sha256'],
  ] as [Url, string, string][])('with %j is %s', async (url, code, text) => {
    const error = await refused(urlOf(plain, url));
    expect([error.code, error.message]).toEqual([code, expect.stringContaining(text)]);
  });

  it('has no signature at all', async () => {
    expect((await refused(`${PATH}?AWSAccessKeyId=${ACCESS_KEY_ID}&Expires=${EXPIRES}`)).code).toBe(
      'AccessDenied',
    );
  });

  it('never has a line or a parameter that another value could swallow', async () => {
    const headers = 'x-amz-meta-a:b\nx-amz-server-side-encryption:AES256\n';
    const lines = `GET\n\n\n${EXPIRES}\n${headers}${PATH}`;
    const folded = ['x-amz-meta-a=b%0Ax-amz-server-side-encryption%3AAES256'];
    expect((await refused(urlOf(lines, { query: folded }))).code).toBe('AccessDenied');
    const parameters = `${plain}?response-content-type=a&versionId=b`;
    const joined = ['response-content-type=a%26versionId%3Db'];
    expect((await refused(urlOf(parameters, { query: joined }))).code).toBe('AccessDenied');
    await accept(urlOf(parameters, { query: ['response-content-type=a', 'versionId=b'] }));
    const type = `PUT\n\nx\n${EXPIRES}\n${PATH}`;
    expect(
      (await refused(urlOf(type, { query: ['content-md5=%0Ax'] }), { method: 'PUT' })).code,
    ).toBe('AccessDenied');
  });

  it('has no key for signed chunks, and none for a trailer that nothing announces', async () => {
    const sha = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD';
    const text = `PUT\n\n\n${EXPIRES}\nx-amz-content-sha256:${sha}\n${PATH}`;
    const headers = { ...HOST, 'x-amz-content-sha256': sha };
    expect((await refused(urlOf(text), { method: 'PUT', headers })).code).toBe('InvalidRequest');
    const trailer = `PUT\n\n\n${EXPIRES}\nx-amz-trailer:x-amz-checksum-crc32\n${PATH}`;
    const announced = { ...HOST, 'x-amz-trailer': 'x-amz-checksum-crc32' };
    expect((await refused(urlOf(trailer), { method: 'PUT', headers: announced })).code).toBe(
      'InvalidRequest',
    );
  });

  it(
    'is refused where the operator wants that, of another method, beside another signature ' +
      'and in a header',
    async () => {
      const unsupported =
        'The authorization mechanism you have provided is not supported. Please use ' +
        'AWS4-HMAC-SHA256.';
      expect((await refused(urlOf(plain), {}, { isSignatureV2On: false })).message).toBe(
        unsupported,
      );
      const post = urlOf(`POST\n\n\n${EXPIRES}\n${PATH}`);
      expect((await refused(post, { method: 'POST' })).message).toBe(unsupported);
      const authorization = `AWS ${ACCESS_KEY_ID}:${hmac(plain)}`;
      expect((await refused(PATH, { headers: { ...HOST, authorization } })).message).toBe(
        unsupported,
      );
      const both = signHeaders({ path: PATH, headers: {} });
      expect((await refused(urlOf(plain), { headers: both })).message).toContain(
        'Only one auth mechanism allowed',
      );
    },
  );
});

describe('the doctor of such URLs', () => {
  it.each<[string, string, Url, Partial<RequestParts>, RegExp]>([
    [
      'a type that nobody signed',
      plain,
      {},
      { headers: { ...HOST, 'content-type': 'a/b' } },
      /Content-Type "a\/b"/,
    ],
    [
      'an MD5 that nobody signed',
      plain,
      {},
      { headers: { ...HOST, 'content-md5': 'bWQ1' } },
      /has Content-MD5, but the URL was signed without one/,
    ],
    [
      'a header that came later',
      plain,
      {},
      { headers: { ...HOST, 'x-amz-acl': 'private' } },
      /x-amz-acl was added/,
    ],
    ['a parameter that came later', plain, { query: ['versionId=a'] }, {}, /versionId was added/],
    ['another method', plain, {}, { method: 'HEAD' }, /signed for GET, but came as HEAD/],
    [
      'a path without its bucket',
      `GET\n\n\n${EXPIRES}\n/k`,
      { path: '/b/k' },
      {},
      /without the bucket/,
    ],
    ['another encoding', `GET\n\n\n${EXPIRES}\n/b/%28`, { path: '/b/(' }, {}, /another encoding/],
    ['two encodings', `GET\n\n\n${EXPIRES}\n/b/%2520`, { path: '/b/%20' }, {}, /encoded twice/],
  ])('knows %s', async (_, text, url, parts, finding) => {
    const error = await refused(urlOf(text, url), parts);
    expect([error.code, error.message]).toEqual([
      'SignatureDoesNotMatch',
      expect.stringMatching(finding),
    ]);
    expect(error.fields).toMatchObject({ AWSAccessKeyId: ACCESS_KEY_ID });
    expect(JSON.stringify(error.fields)).not.toContain(hmac(error.fields.StringToSign ?? ''));
  });
});
