import { describe, expect, it } from 'vitest';
import { createDecide } from '../../../src/core/auth/decide.ts';
import type { Core } from '../../../src/core/core.ts';
import type { BucketId } from '../../../src/domain/nouns.ts';
import { createDelivery } from '../../../src/http/delivery/create-delivery.ts';
import { newFastPathCounts } from '../../../src/http/delivery/fast-path/fast-path-counts.ts';
import { renderS3Error } from '../../../src/http/s3/errors.ts';
import { createS3Surface } from '../../../src/http/s3/routes.ts';
import { publicPolicy } from '../../access-samples.ts';
import { deliverySettings } from '../delivery/delivery-settings.ts';
import { makeRequest } from './kit/make-request.ts';
import { codeOf } from './kit/responses.ts';
import { createTestSurface, NO_DOMAINS } from './kit/surface.ts';

/** A read that names a version needs a right of its own. */
const versionsToo = (policy: string) => policy.replace('"s3:GetObject"', '"s3:GetObject*"');
/** The surface itself, for whom nobody has a key. */
const surfaceOver = (core: Core) =>
  createS3Surface(core, {
    findAccessKey: () => null,
    decide: createDecide(),
    findAccounts: async () => new Map(),
    takeReceipt: () => Promise.reject(new Error('Nobody asked for one.')),
    fastPathCounts: newFastPathCounts(),
    ...NO_DOMAINS,
    deliver: () => new Response(),
    unsignedHeaders: createDelivery(core, deliverySettings(), createDecide()).unsignedHeaders,
    region: 'auto',
    zipIdleSeconds: 1,
    isServerTimingOn: false,
    customerKeysOverHttp: 'loopback',
    isSignatureV2On: true,
  });

describe('the order of things', () => {
  const surface = createTestSurface();

  it('what S3 does not know is refused before anybody is asked who they are', async () => {
    expect(
      codeOf(await surface.send({ path: '/b', query: { replication: '' }, as: 'nobody' })),
    ).toEqual([501, 'NotImplemented']);
    expect(codeOf(await surface.send({ method: 'PATCH', path: '/b/k', as: 'nobody' }))).toEqual([
      405,
      'MethodNotAllowed',
    ]);
  });

  it('a wrong signature comes before a missing bucket, that before a missing right', async () => {
    const handled = surfaceOver(surface.core);
    const request = makeRequest({
      target: '/no-such-bucket',
      headers: { host: 'h', authorization: 'AWS4-HMAC-SHA256 x' },
    });
    await expect(
      handled.handle(
        request,
        { bucket: 'no-such-bucket', rawKey: null, isVirtualHost: false },
        'R',
      ),
    ).rejects.toMatchObject({
      code: 'AuthorizationHeaderMalformed',
    });
    expect(codeOf(await surface.send({ path: '/no-such-bucket', as: 'stranger' }))).toEqual([
      404,
      'NoSuchBucket',
    ]);
    expect(codeOf(await surface.send({ path: '/Bad!Name' }))).toEqual([400, 'InvalidBucketName']);
  });

  it.each(['%zz', 'a%', '%ff%fe', 'a%c3'])(
    'what decodes to no text (%s) is refused before the signature',
    async (rawKey) => {
      const handled = surfaceOver(surface.core);
      const request = makeRequest({
        target: `/b/${rawKey}`,
        headers: { host: 'h', authorization: 'AWS4-HMAC-SHA256 x' },
      });
      await expect(
        handled.handle(request, { bucket: 'b', rawKey, isVirtualHost: false }, 'R'),
      ).rejects.toMatchObject({
        code: 'InvalidURI',
      });
    },
  );

  it('a key that can be none is refused, one that is odd is kept', async () => {
    await surface.send({ method: 'PUT', path: '/odd' });
    expect(codeOf(await surface.send({ path: `/odd/${'k'.repeat(1025)}` }))).toEqual([
      400,
      'KeyTooLongError',
    ]);
    for (const key of ['//', '..', 'a/../b', '+', '%', ' ', 'é\u{1F600}', '\u0001']) {
      expect((await surface.send({ method: 'PUT', path: `/odd/${key}`, body: key })).status).toBe(
        200,
      );
      expect((await surface.send({ path: `/odd/${key}` })).text).toBe(key);
    }
  });
});

describe('unsigned reads', () => {
  const surface = createTestSurface();

  it('are delivery’s, unless they want what it has not', async () => {
    await surface.send({ method: 'PUT', path: '/open' });
    await surface.send({
      method: 'PUT',
      path: '/open',
      query: { policy: '' },
      body: versionsToo(publicPolicy('open')),
    });
    await surface.send({ method: 'PUT', path: '/open/k', body: 'from the index' });
    const read = (query: Record<string, string>, headers: Record<string, string> = {}) =>
      surface.send({ path: '/open/k', query, headers, as: 'nobody' });
    expect((await read({})).text).toBe('delivered open k');
    expect((await read({ 'x-id': 'GetObject' })).text).toBe('delivered open k');
    expect((await read({ partNumber: '1' })).text).toBe('from the index');
    expect((await read({ versionId: 'null' })).text).toBe('from the index');
    for (const name of ['x-amz-checksum-mode', 'x-amz-expected-bucket-owner', 'authorization']) {
      expect((await read({}, { [name]: '' })).text).toBe('delivered open k');
    }
    expect(
      codeOf(await read({}, { 'x-amz-server-side-encryption-customer-algorithm': 'AES256' })),
    ).toEqual([400, 'InvalidArgument']);
    expect((await surface.send({ path: '/open/k', as: 'stranger' })).text).toBe('from the index');
  });
});

describe('metering', () => {
  it('counts what was answered, by class, bucket and bytes, and no failure', async () => {
    const surface = createTestSurface({ inlineBodyMaxBytes: 0 });
    const { send, core, meter } = surface;
    await send({ method: 'PUT', path: '/metered' });
    const name = 'metered' as Parameters<typeof core.ports.metadataIndex.call>[0];
    const record = await core.ports.metadataIndex.call(name, 'getBucket', { name });
    const id = record?.id as BucketId;
    await send({ method: 'PUT', path: '/metered/k', body: '12345' });
    await send({ path: '/metered/k' });
    await send({ method: 'HEAD', path: '/metered/k' });
    await send({ path: '/metered/k', headers: { range: 'bytes=0-1' } });
    // What has not changed is free.
    expect((await send({ path: '/metered/k', headers: { 'if-none-match': '*' } })).status).toBe(
      304,
    );
    await send({ method: 'DELETE', path: '/metered/none' });
    await send({ path: '/metered/missing' });
    await send({ path: '/metered/k', as: 'stranger' });
    expect(meter.ofBucket(id)).toEqual({
      operations: { A: 1, B: 3, free: 2 },
      bytesOut: { memory: 0, edge: 0, bucket: 7, none: 0 },
    });
  });
});

describe('what breaks', () => {
  it('reaches the log as it was thrown, and the client as InternalError', async () => {
    const { core } = createTestSurface();
    const broken = new Error('the disk is on fire');
    const failing = {
      ...core,
      ports: { ...core.ports, metadataIndex: { call: () => Promise.reject(broken) } },
    };
    const surface = surfaceOver(failing);
    const request = makeRequest({ target: '/b?location', headers: { host: 'h' } });
    await expect(
      surface.handle(request, { bucket: 'bucket', rawKey: null, isVirtualHost: false }, 'R'),
    ).rejects.toBe(broken);
    const response = renderS3Error(broken, { method: 'GET', resource: '/b', requestId: 'R' });
    expect([response.status, await response.text()]).toEqual([
      500,
      expect.not.stringContaining('fire'),
    ]);
  });
});

describe('the age of a signature', () => {
  const surface = createTestSurface();
  const AGE_MS = 600_000;
  const amzDate = (timeMs: number) => new Date(timeMs).toISOString().replace(/[-:]|\.\d+/g, '');
  const policy = {
    Version: '2012-10-17',
    Statement: {
      Effect: 'Deny',
      Principal: '*',
      Action: 's3:GetObject',
      Resource: 'arn:aws:s3:::aged/*',
      Condition: { NumericGreaterThan: { 's3:signatureAge': `${AGE_MS / 2}` } },
    },
  };

  it('is that of the date that was signed, whatever the query says', async () => {
    await surface.send({ method: 'PUT', path: '/aged' });
    await surface.send({ method: 'PUT', path: '/aged/k', body: 'x' });
    const put = {
      method: 'PUT',
      path: '/aged',
      query: { policy: '' },
      body: JSON.stringify(policy),
    };
    expect((await surface.send(put)).status).toBe(204);
    expect((await surface.send({ path: '/aged/k' })).status).toBe(200);
    surface.advanceMs(AGE_MS);
    const now = amzDate(surface.core.ports.clock.nowMs());
    for (const query of [{}, { 'X-Amz-Date': now }, { 'x-amz-date': now }]) {
      expect(codeOf(await surface.send({ path: '/aged/k', query }))).toEqual([403, 'AccessDenied']);
    }
  });
});
