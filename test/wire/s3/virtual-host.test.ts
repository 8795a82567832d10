// Virtual-hosted addressing: the bucket in the Host header, the whole path as key, signed for that
// host.
import { beforeAll, expect } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { openToEveryone } from '../kit/clients/bucket-work.ts';
import type { Call } from '../kit/clients/client.ts';
import { exchange } from '../kit/clients/http.ts';
import { client, describeCore, itUnless, virtualHostReason } from '../kit/clients/suite.ts';
import { expectError, xmlRoot } from '../kit/clients/xml.ts';
import { eventually } from '../kit/eventually.ts';

const { send, anonymous, target } = client;
const it = itUnless(virtualHostReason);
const capitalsReason =
  virtualHostReason ??
  (target.platform === 'node'
    ? null
    : 'workerd lower-cases the host, which is signed as it was sent');

describeCore('virtual-hosted requests', () => {
  const bucket = useBucket(client);
  const port = new URL(target.url).port;
  const domain = `${target.baseDomain}:${port}`;
  /** A call on the bucket by host. */
  const hosted = (call: Call): Call => ({ host: `${bucket}.${domain}`, ...call });

  beforeAll(() => send({ method: 'PUT', bucket, key: 'by path', body: 'same object' }));

  it('name the same objects as path-style ones', async () => {
    expect((await send(hosted({ method: 'GET', path: '/by%20path' }))).text).toBe('same object');
    const put = await send(hosted({ method: 'PUT', path: '/a/%C3%BC%2Bb', body: 'by host' }));
    expect(put.status, put.text).toBe(200);
    expect((await send({ method: 'GET', bucket, key: 'a/ü+b' })).text).toBe('by host');
    expect((await send(hosted({ method: 'HEAD', path: '/a/%C3%BC%2Bb' }))).status).toBe(200);
    expect((await send(hosted({ method: 'DELETE', path: '/a/%C3%BC%2Bb' }))).status).toBe(204);
  });

  it('reach the bucket itself at the root', async () => {
    const list = await send(hosted({ method: 'GET', path: '/', query: { 'list-type': '2' } }));
    expect(xmlRoot(list.text, 'ListBucketResult').Name).toBe(bucket);
    expect((await send(hosted({ method: 'HEAD', path: '/' }))).status).toBe(200);
  });

  it('take a key that looks like a bucket and a key', async () => {
    const path = `/${bucket}/inner`;
    await send(hosted({ method: 'PUT', path, body: 'deep' }));
    expect((await send({ method: 'GET', bucket, key: `${bucket}/inner` })).text).toBe('deep');
    expectError(await send({ method: 'GET', bucket, key: 'inner' }), 404, 'NoSuchKey');
  });

  it('need no port in the host', async () => {
    const host = `${bucket}.${target.baseDomain}`;
    expect((await send({ method: 'GET', path: '/by%20path', host })).text).toBe('same object');
  });

  itUnless(capitalsReason)('take host names in capitals', async () => {
    const host = `${bucket}.${domain}`.toUpperCase();
    expect((await send({ method: 'GET', path: '/by%20path', host })).text).toBe('same object');
  });

  it('are presigned for their host and valid for no other', async () => {
    const host = `${bucket}.${domain}`;
    const requestTarget = client.presigned({ method: 'GET', path: '/by%20path', host });
    const visit = (headers: Record<string, string>) =>
      exchange(target.url, { method: 'GET', target: requestTarget, headers });
    expect((await visit({ host })).text).toBe('same object');
    expect((await visit({ host: `other.${domain}` })).status).toBe(403);
  });

  it('to no bucket are told so', async () => {
    const host = `no-such-bucket-here.${domain}`;
    expectError(await send({ method: 'GET', path: '/k', host }), 404, 'NoSuchBucket');
  });

  it('to the domain itself are path-style', async () => {
    expect((await send({ method: 'GET', bucket, key: 'by path', host: domain })).text).toBe(
      'same object',
    );
    const buckets = await send({ method: 'GET', host: domain });
    expect(xmlRoot(buckets.text, 'ListAllMyBucketsResult').Buckets.Bucket.length).toBeGreaterThan(
      0,
    );
  });

  it('without a signature go to public delivery', async () => {
    const host = `${bucket}.${domain}`;
    expectError(await anonymous({ method: 'GET', path: '/by%20path', host }), 403, 'AccessDenied');
    await openToEveryone(client, bucket);
    const read = () => anonymous({ method: 'GET', path: '/by%20path', host });
    expect((await eventually(read, ({ status }) => status === 200)).text).toBe('same object');
  });
});
