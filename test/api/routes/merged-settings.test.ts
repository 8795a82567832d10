// A PATCH that names part of a nested setting leaves the rest of it as it is (RFC 7396).
import { beforeAll, expect, it } from 'vitest';
import { openBucket } from '../../../src/core/opened-bucket/bucket-handle.ts';
import type { BucketName } from '../../../src/domain/nouns.ts';
import { putBytes } from '../../core/memory-core.ts';
import { startMemoryApi } from '../memory-api.ts';

type Api = Awaited<ReturnType<typeof startMemoryApi>>;
let api: Api;
const BUCKET = '/buckets/fuzz-bucket-one';

beforeAll(async () => {
  api = await startMemoryApi();
});

async function call(method: string, path: string, body: object | null = null) {
  const headers = {
    ...(body === null ? {} : { 'content-type': 'application/json' }),
    'if-match': '*',
  };
  return api.send({ method, path, headers, body: body === null ? null : JSON.stringify(body) });
}

const patch = async (path: string, body: object) => {
  const reply = await call('PATCH', path, body);
  expect([reply.status, reply.json.code]).toEqual([200, undefined]);
  return reply.json;
};

it('a PATCH of hosting leaves its domains and whatever it does not name', async () => {
  const domains = [{ host: 'www.shop.example', prefix: '' }];
  await patch(BUCKET, {
    hosting: { domains, robots: 'disallow', images: { sizes: [100], maxSize: 500 } },
  });
  const changed = await patch(BUCKET, { hosting: { spaFallback: true, images: { maxSize: 200 } } });
  const images = { sizes: [100], maxSize: 200 };
  expect(changed.hosting).toMatchObject({ domains, robots: 'disallow', spaFallback: true, images });
  expect(await api.core.ports.directory.findHost('www.shop.example')).toMatchObject({
    bucket: 'fuzz-bucket-one',
  });
  const nulls = await patch(BUCKET, {
    hosting: { errorDocument: null, robots: null, images: null },
  });
  expect(nulls.hosting).toMatchObject({
    errorDocument: null,
    robots: 'allow',
    images: null,
    spaFallback: true,
  });
  expect((await patch(BUCKET, { hosting: null })).hosting).toBe(null);
  expect(await api.core.ports.directory.findHost('www.shop.example')).toBe(null);
});

it.each<[string, object, object, unknown]>([
  ['quota', { bytes: '1000', objects: 5 }, { objects: null }, { bytes: '1000', objects: null }],
  ['tags', { a: '1', b: '2' }, { b: null, c: '3' }, { a: '1', c: '3' }],
  [
    'encryption',
    { kind: 'server', refusesCustomerKeys: true },
    { isBucketKey: true },
    { refusesCustomerKeys: true },
  ],
  [
    'website',
    { indexSuffix: 'i', errorKey: 'e' },
    { errorKey: null },
    { indexSuffix: 'i', errorKey: null },
  ],
])('%s of a bucket is merged', async (name, before, change, after) => {
  await patch(BUCKET, { [name]: before });
  expect((await patch(BUCKET, { [name]: change }))[name]).toMatchObject(after as object);
});

it('lists are replaced, emptied by null, and the policy is one document', async () => {
  const cors = [{ allowedMethods: ['GET'], allowedOrigins: ['https://a.example'] }];
  await patch(BUCKET, { cors });
  expect(
    (await patch(BUCKET, { cors: [{ ...cors[0], allowedOrigins: ['*'] }] })).cors,
  ).toHaveLength(1);
  expect(await patch(BUCKET, { cors: null, tags: null })).toMatchObject({ cors: [], tags: {} });
  const statement = {
    Effect: 'Deny',
    Principal: '*',
    Action: 's3:GetObject',
    Resource: 'arn:aws:s3:::fuzz-bucket-one/*',
  };
  const Condition = { Bool: { 'aws:SecureTransport': 'false' } };
  await patch(BUCKET, {
    policy: { Version: '2012-10-17', Statement: { ...statement, Condition } },
  });
  expect((await patch(BUCKET, { policy: { Statement: statement } })).policy).toEqual({
    Statement: statement,
  });
  await patch(BUCKET, { policy: null });
});

it('settings that contradict each other once merged are refused, field by field', async () => {
  await patch(BUCKET, { website: { indexSuffix: 'i' } });
  const both = await call('PATCH', BUCKET, {
    website: { redirectAllTo: { hostName: 'b.example' } },
  });
  expect([both.status, both.json.code, both.json.errors?.[0]?.field]).toEqual([
    400,
    'InvalidInput',
    '/website',
  ]);
  const deep = `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`;
  const headers = { 'content-type': 'application/json', 'if-match': '*' };
  const reply = await api.send({
    method: 'PATCH',
    path: BUCKET,
    headers,
    body: `{"website":${deep}}`,
  });
  expect(reply.json.code).toBe('InvalidInput');
});

it('the scope of an access key loses no limit that is not named', async () => {
  const scope = { buckets: ['photos'], actions: ['s3:Get*'] };
  const { id } = (await call('POST', '/access-keys', { name: 'narrow', scope })).json;
  const none = { prefixes: null, sourceIps: null };
  const changed = await patch(`/access-keys/${id}`, { scope: { prefixes: ['in/'] } });
  expect(changed.scope).toEqual({ ...none, ...scope, prefixes: ['in/'] });
  expect((await patch(`/access-keys/${id}`, { scope: { actions: null } })).scope).toMatchObject({
    actions: null,
  });
});

it('metadata, tags and retention of an object are merged', async () => {
  await call('POST', '/buckets', { name: 'locked-bucket' });
  await patch('/buckets/locked-bucket', { versioning: 'enabled' });
  await patch('/buckets/locked-bucket', { objectLock: {} });
  const bucket = await openBucket(api.core, 'locked-bucket' as BucketName, () => undefined);
  await putBytes(api.core, bucket, 'k', new Uint8Array(3));
  const path = '/buckets/locked-bucket/object?key=k';
  const until = '2999-01-01T00:00:00.000Z';
  await patch(path, { metadata: { a: '1', b: '2' }, tags: { c: '3', d: '4' } });
  const changed = await patch(path, { metadata: { a: null, e: '5' }, tags: { d: null } });
  expect(changed).toMatchObject({ metadata: { b: '2', e: '5' }, tags: { c: '3' } });
  expect(changed.metadata).not.toHaveProperty('a');
  expect((await call('PATCH', path, { retention: { until } })).json.code).toBe('InvalidInput');
  await patch(path, { retention: { mode: 'GOVERNANCE', until } });
  const later = until.replace('2999', '3000');
  expect((await patch(path, { retention: { until: later } })).retention).toEqual({
    mode: 'GOVERNANCE',
    until: later,
  });
  expect(await patch(path, { metadata: null, tags: null })).toMatchObject({
    metadata: {},
    tags: {},
  });
});

it.each([
  [{ domains: [{ host: 'a.example' }, { host: 'B.example' }] }, '/hosting/domains/1/host'],
  [{ indexDocument: 'a/b' }, '/hosting/indexDocument'],
  [{ nonsense: true }, '/hosting'],
])('a PATCH of hosting names the field that cannot be used: %j', async (hosting, field) => {
  const { json: problem } = await call('PATCH', BUCKET, { hosting });
  expect(problem).toMatchObject({ code: 'InvalidRequest', errors: [{ field }] });
  expect(problem.errors[0].message).toBe(problem.detail);
});
