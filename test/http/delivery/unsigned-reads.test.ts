// Unsigned reads that say more than a plain one: a header of S3's, a part, a version, a key. What
// the owner set for strangers holds for them too, and no cache hears otherwise of an address than
// a plain read tells it.
import { beforeAll, describe, expect, it } from 'vitest';
import { createApp } from '../../../src/app.ts';
import { parseConfig } from '../../../src/config.ts';
import { setBucketAccess } from '../../../src/core/buckets/set-bucket-access.ts';
import { HOSTING_DEFAULTS } from '../../../src/core/hosting/read-hosting.ts';
import { setHosting } from '../../../src/core/hosting/set-hosting.ts';
import { NO_EXPECTATION } from '../../../src/core/objects/body-expectation.ts';
import { setBucketSettings } from '../../../src/core/opened-bucket/set-bucket-settings.ts';
import { policyOf } from '../../access-samples.ts';
import { createMemoryCore, openTestBucket, putBytes } from '../../core/memory-core.ts';
import { makeRequest } from '../s3/kit/make-request.ts';

type Headers = Record<string, string>;

const THIEF = { referer: 'https://thief.example/' };
const FRIEND = { referer: 'https://friend.example/' };
const CHECKSUM_MODE = { 'x-amz-checksum-mode': 'ENABLED' };
const TEXT = 'some text';
const CRC32 = 'T7q9ug==';
const CUSTOMER = 'x-amz-server-side-encryption-customer';
const CUSTOMER_KEY = { bytes: new Uint8Array(32).fill(0x6b), md5: 'mT2HRsMGJ5IX5C+0rreZ8Q==' };
const WITH_KEY = {
  [`${CUSTOMER}-algorithm`]: 'AES256',
  [`${CUSTOMER}-key`]: CUSTOMER_KEY.bytes.toBase64(),
  [`${CUSTOMER}-key-md5`]: CUSTOMER_KEY.md5,
};
/** What reads say besides, and what each then gets of a public object of one piece. */
const SAYINGS: readonly (readonly [string, string, Headers, number])[] = [
  ['nothing', '', {}, 200],
  ['a checksum mode', '', CHECKSUM_MODE, 200],
  ['an empty Authorization', '', { authorization: '' }, 200],
  ['a part', '?partNumber=1', {}, 206],
  ['a version', '?versionId=null', {}, 200],
];

const core = createMemoryCore();
const config = { ...parseConfig({ QUAYSIDE_SSE_C_OVER_HTTP: 'always' }), ...core.settings };
let request = makeRequest({ target: '/' });
const app = createApp(core.ports, config, () => request);
let ownerId = '';

async function read(target: string, headers: Headers = {}, method = 'GET') {
  request = makeRequest({ method, target, headers: { host: 'h', ...headers } });
  const response = await app.fetch(new Request('http://h/', { method }), {});
  return {
    status: response.status,
    headers: Object.fromEntries(response.headers) as Headers,
    text: await response.text(),
  };
}

beforeAll(async () => {
  const bucket = await openTestBucket(core, 'site');
  ownerId = bucket.record().ownerId;
  const open = { Principal: '*', Resource: 'arn:aws:s3:::site/*' };
  const Action = ['s3:GetObject', 's3:GetObjectVersion'];
  const friends = { Resource: 'arn:aws:s3:::site/friends/*', Effect: 'Deny', Action };
  const Condition = { StringNotLike: { 'aws:Referer': 'https://friend.example/*' } };
  const policyJson = policyOf(open, [{ Action }, { ...friends, Condition }]);
  await setBucketAccess(bucket, { policyJson });
  await setHosting(core, bucket, {
    ...HOSTING_DEFAULTS,
    hotlink: { allowedHosts: ['friend.example'], allowEmptyReferer: true, match: ['*.jpg'] },
    cacheControlRules: [{ match: '*.jpg', cacheControl: 'max-age=77' }],
  });
  const expectation = {
    ...NO_EXPECTATION,
    checksum: { algorithm: 'CRC32' as const, expected: () => CRC32 },
  };
  for (const key of ['cat.jpg', 'index.html', 'friends/a.txt']) {
    await putBytes(core, bucket, key, new TextEncoder().encode(TEXT), { expectation });
  }
  const encryption = { kind: 'customer', key: CUSTOMER_KEY } as const;
  await putBytes(core, bucket, 'encrypted.jpg', new TextEncoder().encode(TEXT), { encryption });
});

describe('an unsigned read', () => {
  it.each(SAYINGS)(
    'that says %s is kept from other sites',
    async (_name, query, headers, status) => {
      for (const method of ['GET', 'HEAD']) {
        const refused = await read(`/site/cat.jpg${query}`, { ...headers, ...THIEF }, method);
        expect([refused.status, refused.headers.vary, refused.text.includes(TEXT)]).toEqual([
          403,
          'Referer',
          false,
        ]);
        const given = await read(`/site/cat.jpg${query}`, { ...headers, ...FRIEND }, method);
        expect([given.status, given.text]).toEqual([status, method === 'HEAD' ? '' : TEXT]);
      }
    },
  );

  it('with the key of a client is kept from other sites, and kept by no shared cache', async () => {
    const refused = await read('/site/encrypted.jpg', { ...WITH_KEY, ...THIEF });
    expect([refused.status, refused.headers.vary]).toEqual([403, 'Referer']);
    const given = await read('/site/encrypted.jpg', WITH_KEY);
    expect([given.status, given.text, given.headers['cache-control']]).toEqual([
      200,
      TEXT,
      'private, no-cache',
    ]);
  });

  it.each(SAYINGS)(
    'that says %s gets the headers that a plain one gets of the object',
    async (_name, query, headers, status) => {
      for (const key of ['cat.jpg', 'index.html']) {
        for (const method of ['GET', 'HEAD']) {
          const plain = await read(`/site/${key}`, {}, method);
          const response = await read(`/site/${key}${query}`, headers, method);
          expect(response.status).toBe(status);
          for (const name of ['content-type', 'content-security-policy', 'vary', 'etag']) {
            expect([name, response.headers[name]]).toEqual([name, plain.headers[name]]);
          }
          // Whether everyone may have an older version is not known beforehand.
          const caching = query.includes('versionId')
            ? 'private, no-cache'
            : plain.headers['cache-control'];
          expect(response.headers['cache-control']).toBe(caching);
        }
      }
    },
  );

  it.each(SAYINGS)(
    'that says %s hears so again when nothing has changed',
    async (_name, query, headers) => {
      const { headers: plain } = await read('/site/cat.jpg');
      const known = { 'if-none-match': plain.etag ?? '' };
      const response = await read(`/site/cat.jpg${query}`, { ...headers, ...known });
      expect([response.status, response.headers.vary]).toEqual([304, plain.vary]);
      expect((await read(`/site/cat.jpg${query}`, { ...headers, ...known, ...THIEF })).status).toBe(
        403,
      );
    },
  );

  it.each(SAYINGS)(
    'that says %s and is for some readers alone is kept by no shared cache',
    async (_name, query, headers) => {
      const response = await read(`/site/friends/a.txt${query}`, { ...headers, ...FRIEND });
      expect([response.text, response.headers['cache-control']]).toEqual([
        TEXT,
        'private, no-cache',
      ]);
      expect((await read(`/site/friends/a.txt${query}`, { ...headers, ...THIEF })).status).toBe(
        403,
      );
    },
  );

  it('gets the checksum of the whole object where it wants that', async () => {
    const sum = { 'x-amz-checksum-crc32': CRC32, 'x-amz-checksum-type': 'FULL_OBJECT' };
    for (const method of ['GET', 'HEAD']) {
      expect((await read('/site/cat.jpg', CHECKSUM_MODE, method)).headers).toMatchObject(sum);
      expect((await read('/site/cat.jpg', {}, method)).headers).not.toHaveProperty(
        'x-amz-checksum-crc32',
      );
    }
    const part = await read('/site/cat.jpg', { ...CHECKSUM_MODE, range: 'bytes=0-1' });
    expect([part.status, part.headers['x-amz-checksum-crc32']]).toEqual([206, undefined]);
    const wrong = await read('/site/cat.jpg', { 'x-amz-checksum-mode': 'on' });
    expect([wrong.status, /<Code>(\w+)/.exec(wrong.text)?.[1]]).toEqual([400, 'InvalidRequest']);
  });

  it('of a bucket that is another’s than it expects is refused', async () => {
    expect((await read('/site/index.html', { 'x-amz-expected-bucket-owner': ownerId })).text).toBe(
      TEXT,
    );
    expect((await read('/site/index.html', { 'x-amz-expected-bucket-owner': 'x' })).status).toBe(
      403,
    );
  });

  it('that is refused says to a script by what it differs besides', async () => {
    const bucket = await openTestBucket(core, 'site');
    const rule = {
      id: null,
      allowedMethods: ['GET'],
      allowedOrigins: ['https://a.example'],
      allowedHeaders: [],
    } as const;
    await setBucketSettings(core, bucket, {
      cors: [{ ...rule, exposeHeaders: [], maxAgeSeconds: null }],
    });
    for (const [, query, headers] of SAYINGS) {
      const refused = await read(`/site/cat.jpg${query}`, {
        ...headers,
        ...THIEF,
        origin: 'https://a.example',
      });
      expect(refused.headers.vary).toBe(
        'Referer, Origin, Access-Control-Request-Headers, Access-Control-Request-Method',
      );
      expect(refused.headers['access-control-allow-origin']).toBe('https://a.example');
    }
  });
});
