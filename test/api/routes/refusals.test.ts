// What requests of the JSON API are refused for, in which words, and beside them what is taken and
// differs in that alone.
import { beforeAll, expect, it } from 'vitest';
import { openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import { parseBucketName } from '../../../src/core/parse-names.ts';
import type { AccessKeyId } from '../../../src/domain/nouns.ts';
import { ROOT_ACCOUNT } from '../../../src/domain/root-account.ts';
import { putBytes, sampleBytes } from '../../core/memory-core.ts';
import { startMemoryApi } from '../memory-api.ts';

const api = await startMemoryApi();
const BUCKET = '/buckets/refusals';
const OBJECT = `${BUCKET}/object?key=k`;

async function send(method: string, path: string, body: object | null) {
  const headers = {
    ...(body === null ? {} : { 'content-type': 'application/json' }),
    // A cap is set where there is none yet.
    ...(method === 'POST' || path.startsWith('/caps/') ? {} : { 'if-match': '*' }),
  };
  return api.send({ method, path, headers, body: body === null ? null : JSON.stringify(body) });
}

const afterMs = (ms: number) => new Date(api.core.ports.clock.nowMs() + ms).toISOString();
const HOUR_MS = 3_600_000;
let oldVersion = '';

beforeAll(async () => {
  expect((await send('POST', '/buckets', { name: 'refusals' })).status).toBe(201);
  expect((await send('PATCH', BUCKET, { versioning: 'enabled', objectLock: {} })).json.code).toBe(
    undefined,
  );
  const bucket = await openBucket(api.core, parseBucketName('refusals'), () => undefined);
  const { versionId } = await putBytes(api.core, bucket, 'k', sampleBytes(3));
  oldVersion = versionId;
  await putBytes(api.core, bucket, 'k', sampleBytes(4));
});

const cap = (change: object) => ({
  unit: 'bytes',
  limit: '100',
  period: 'month',
  alertPercents: [],
  ...change,
});
const presigned = (headers: object) => ({
  requests: [{ operation: 'put', key: 'k', headers }],
  expiresSeconds: 60,
});
const signed = (name: string) => presigned({ [name]: 'x' });

it.each<readonly [string, string, string, () => object | null, string]>([
  ['a cap of a bucket', 'PUT', '/caps/one', () => cap({ bucket: 'refusals' }), ''],
  ['a cap of all', 'PUT', '/caps/all', () => cap({}), ''],
  [
    'a cap of a bucket and a key',
    'PUT',
    '/caps/two',
    () => cap({ bucket: 'refusals', accessKeyId: 'k' }),
    'InvalidInput: on a bucket or on an access key, not on both',
  ],
  [
    'a password of somebody who has none',
    'PUT',
    '/me/password',
    () => ({
      currentPassword: 'a'.repeat(12),
      newPassword: 'correct horse battery',
      endTokens: true,
    }),
    'NoSuchMember: You signed in with an access key.',
  ],
  [
    'a key that ends',
    'POST',
    '/access-keys',
    () => ({ name: 'x', expiresAt: afterMs(HOUR_MS) }),
    '',
  ],
  [
    'a key that has ended',
    'POST',
    '/access-keys',
    () => ({ name: 'x', expiresAt: afterMs(0) }),
    'InvalidInput: expiresAt must be in the future.',
  ],
  [
    'a retention that ends',
    'PATCH',
    OBJECT,
    () => ({ retention: { mode: 'GOVERNANCE', until: afterMs(HOUR_MS) } }),
    '',
  ],
  [
    'a retention that has ended',
    'PATCH',
    OBJECT,
    () => ({ retention: { mode: 'GOVERNANCE', until: afterMs(0) } }),
    'InvalidInput: A retention ends in the future.',
  ],
  [
    'metadata of an older version',
    'PATCH',
    `${OBJECT}&versionId=OLD`,
    () => ({ metadata: { a: 'b' } }),
    'InvalidInput: Of an older version only tags and lock',
  ],
  [
    'tags of an older version',
    'PATCH',
    `${OBJECT}&versionId=OLD`,
    () => ({ tags: { a: 'b' } }),
    '',
  ],
  [
    'an emptying of another bucket',
    'POST',
    `${BUCKET}/jobs`,
    () => ({ kind: 'empty', confirm: 'other', allVersions: false }),
    'InvalidRequest: confirm is not the name of the bucket.',
  ],
  ['a signed type', 'POST', `${BUCKET}/presigned-urls`, () => signed('content-type'), ''],
  ['a signed note', 'POST', `${BUCKET}/presigned-urls`, () => signed('x-amz-meta-note'), ''],
  ['a signed tag', 'POST', `${BUCKET}/presigned-urls`, () => signed('x-amz-tagging'), ''],
  [
    'a signed header that S3 does not know',
    'POST',
    `${BUCKET}/presigned-urls`,
    () => signed('x-other'),
    'InvalidInput: ',
  ],
  [
    'a signed right for everybody',
    'POST',
    `${BUCKET}/presigned-urls`,
    () => signed('x-amz-acl'),
    'InvalidInput: ',
  ],
])('%s is taken or refused at its field (%s %s)', async (_what, method, path, body, expected) => {
  const reply = await send(method, path.replace('OLD', oldVersion), body());
  const [code, said = ''] = expected.split(/: (.*)/s);
  if (code === '') expect([reply.json?.code, reply.status < 300]).toEqual([undefined, true]);
  else {
    expect(reply.json).toMatchObject({ code, detail: expect.stringContaining(said) });
    expect(reply.status).toBeGreaterThanOrEqual(400);
  }
});

it('an account has a thousand keys, and no more', async () => {
  const { directory, clock } = api.core.ports;
  const known = await directory.call('listAccessKeys', {
    accountId: ROOT_ACCOUNT.id,
    after: '',
    limit: 1000,
  });
  for (let count = known.length; count < 999; count++) {
    await directory.call('addAccessKey', {
      key: {
        id: `QSFILLER${count}` as AccessKeyId,
        accountId: ROOT_ACCOUNT.id,
        name: 'filler',
        scope: null,
        role: null,
        lastUsedMs: null,
        isEnabled: true,
        createdAtMs: clock.nowMs(),
        expiresAtMs: null,
        revision: 1,
      },
      encryptedSecret: 's',
    });
  }
  expect((await send('POST', '/access-keys', { name: 'last' })).status).toBe(201);
  expect(await send('POST', '/access-keys', { name: 'one more' })).toMatchObject({
    status: 400,
    json: { code: 'InvalidInput', detail: 'An account has at most 1000 access keys.' },
  });
});
