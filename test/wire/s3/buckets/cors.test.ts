// What a browser of another site is told: the configuration through the SDK, preflights, and the
// headers on signed and public answers, errors included.
import {
  type CORSRule,
  DeleteBucketCorsCommand,
  GetBucketCorsCommand,
  PutBucketCorsCommand,
} from '@aws-sdk/client-s3';
import { beforeAll, expect, it } from 'vitest';
import { useBucket } from '../../kit/bucket.ts';
import { openToEveryone } from '../../kit/clients/bucket-work.ts';
import type { Call } from '../../kit/clients/client.ts';
import { client, describeCore } from '../../kit/clients/suite.ts';
import { expectError, expectFailure } from '../../kit/clients/xml.ts';
import { eventually } from '../../kit/eventually.ts';

const { s3, send, anonymous } = client;

const ORIGIN = 'https://app.example';
const RULES: CORSRule[] = [
  {
    AllowedMethods: ['GET', 'HEAD'],
    AllowedOrigins: ['https://*.example'],
    ExposeHeaders: ['ETag'],
    MaxAgeSeconds: 5,
  },
  {
    ID: 'write',
    AllowedMethods: ['PUT', 'POST', 'DELETE'],
    AllowedOrigins: [ORIGIN],
    AllowedHeaders: ['*'],
  },
];

describeCore('cross-origin requests', () => {
  const bucket = useBucket(client);
  const allowOf = (reply: { headers: Readonly<Record<string, string>> }) =>
    reply.headers['access-control-allow-origin'] ?? null;
  const preflight = (headers: Record<string, string>, call: Partial<Call> = {}) =>
    anonymous({ method: 'OPTIONS', bucket, key: 'k', headers, ...call });
  const asked = (method: string) => ({ origin: ORIGIN, 'access-control-request-method': method });
  const configure = (CORSRules: CORSRule[]) =>
    s3.send(new PutBucketCorsCommand({ Bucket: bucket, CORSConfiguration: { CORSRules } }));
  const publicRead = (headers: Record<string, string>, key = 'k') =>
    anonymous({ method: 'GET', bucket, key, headers });

  beforeAll(async () => {
    await send({ method: 'PUT', bucket, key: 'k', body: 'hello' });
    await openToEveryone(client, bucket);
  });

  it('are refused and told nothing where no rule was made', async () => {
    await expectFailure(
      s3.send(new GetBucketCorsCommand({ Bucket: bucket })),
      404,
      'NoSuchCORSConfiguration',
    );
    expectError(await preflight(asked('GET')), 403, 'AccessForbidden');
    expectError(await preflight({}), 400, 'BadRequest');
    const reply = await eventually(
      () => publicRead({ origin: ORIGIN }),
      ({ status }) => status === 200,
    );
    expect([reply.status, allowOf(reply), reply.headers.vary]).toEqual([200, null, undefined]);
  });

  it('follow the rules from the moment they are made until they go', async () => {
    await configure(RULES);
    const { CORSRules } = await s3.send(new GetBucketCorsCommand({ Bucket: bucket }));
    expect(CORSRules).toEqual(RULES);
    const opened = await eventually(
      () => publicRead({ origin: ORIGIN }),
      (reply) => allowOf(reply) !== null,
    );
    expect(opened.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-expose-headers': 'ETag',
      'access-control-allow-credentials': 'true',
      'access-control-max-age': '5',
      vary: expect.stringContaining('Origin'),
    });
    expect(opened.text).toBe('hello');
    await s3.send(new DeleteBucketCorsCommand({ Bucket: bucket }));
    await expectFailure(
      s3.send(new GetBucketCorsCommand({ Bucket: bucket })),
      404,
      'NoSuchCORSConfiguration',
    );
    const closed = await eventually(
      () => publicRead({ origin: ORIGIN }),
      (reply) => allowOf(reply) === null,
    );
    expect([allowOf(closed), closed.headers.vary]).toEqual([null, undefined]);
  });

  it('are answered on both doors alike, errors and 304 too', async () => {
    await configure(RULES);
    const origin = { origin: ORIGIN };
    const hot = await eventually(
      () => publicRead(origin),
      (reply) => allowOf(reply) !== null,
    );
    const { etag = '' } = hot.headers;
    const outcomes: [Call, number][] = [
      [{ method: 'GET', bucket, key: 'k', headers: origin }, 200],
      [{ method: 'HEAD', bucket, key: 'k', headers: origin }, 200],
      [{ method: 'GET', bucket, key: 'k', headers: { ...origin, range: 'bytes=1-2' } }, 206],
      [{ method: 'GET', bucket, key: 'k', headers: { ...origin, 'if-none-match': etag } }, 304],
      [{ method: 'GET', bucket, key: 'k', headers: { ...origin, 'if-match': '"no"' } }, 412],
      [{ method: 'GET', bucket, key: 'k', headers: { ...origin, range: 'bytes=9-' } }, 416],
      [{ method: 'GET', bucket, key: 'missing', headers: origin }, 404],
    ];
    for (const [call, status] of outcomes) {
      for (const reply of [
        await send(call),
        await anonymous({ ...call, headers: call.headers ?? {} }),
      ]) {
        expect([reply.status, allowOf(reply)], JSON.stringify(call)).toEqual([status, ORIGIN]);
        expect(reply.headers.vary).toContain('Origin');
      }
    }
    expect(
      allowOf(await send({ method: 'PUT', bucket, key: 'w', body: 'x', headers: origin })),
    ).toBe(ORIGIN);
    expect(allowOf(await anonymous({ method: 'PUT', bucket, key: 'w', headers: origin }))).toBe(
      ORIGIN,
    );
    expect(
      allowOf(
        await anonymous({
          method: 'PUT',
          bucket,
          key: 'w',
          headers: { origin: 'https://x.example' },
        }),
      ),
    ).toBe(null);
    expect(allowOf(await publicRead({ origin: 'https://evil' }))).toBe(null);
  });

  it('without an Origin get the same bytes and a Vary, again and again', async () => {
    await configure(RULES);
    await eventually(
      () => publicRead({}),
      ({ headers }) => headers.vary !== undefined,
    );
    for (const _ of [1, 2, 3]) {
      const reply = await publicRead({});
      expect([reply.text, allowOf(reply)]).toEqual(['hello', null]);
      expect(reply.headers.vary).toContain('Origin');
      expect(allowOf(await publicRead({ origin: ORIGIN }))).toBe(ORIGIN);
    }
  });

  it('are asked for before: preflights go by rule, not by right', async () => {
    await configure(RULES);
    const headers = {
      ...asked('PUT'),
      'access-control-request-headers': 'content-type,x-amz-meta-a',
    };
    const granted = await preflight(headers, { key: 'not there' });
    expect([granted.status, granted.text]).toEqual([200, '']);
    expect(granted.headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-methods': 'PUT, POST, DELETE',
      'access-control-allow-headers': 'content-type, x-amz-meta-a',
    });
    const target = client.presigned({ method: 'PUT', bucket, key: 'w' });
    const [path = '', sentQuery = ''] = target.split('?');
    expect((await preflight(asked('PUT'), { path, sentQuery })).status).toBe(200);
    expectError(
      await preflight({ ...asked('PUT'), origin: 'https://other.example' }),
      403,
      'AccessForbidden',
    );
    expectError(
      await preflight({ ...asked('GET'), 'access-control-request-headers': 'range' }),
      403,
      'AccessForbidden',
    );
    expectError(await preflight(asked('PATCH')), 400, 'BadRequest');
  });
});
