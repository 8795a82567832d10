// Conditions on GET and HEAD (RFC 9110 section 13, with S3's order of precedence): a table against
// one object.
import { beforeAll, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { expectError } from '../kit/clients/xml.ts';
import { md5Hex } from '../kit/reference-checksums.ts';

const { send } = client;
const BODY = '0123456789';
const ETAG = `"${md5Hex(Buffer.from(BODY))}"`;
const OTHER = '"00000000000000000000000000000000"';
const PAST = 'Sat, 01 Jan 2000 00:00:00 GMT';
const FUTURE = 'Tue, 01 Jan 2090 00:00:00 GMT';

type Case = readonly [status: number, headers: Record<string, string>];

const CASES: Case[] = [
  [200, { 'if-match': ETAG }],
  [200, { 'if-match': '*' }],
  [200, { 'if-match': `${OTHER}, ${ETAG}` }],
  [200, { 'if-match': ETAG.replaceAll('"', '') }],
  [412, { 'if-match': OTHER }],
  [304, { 'if-none-match': ETAG }],
  [304, { 'if-none-match': `W/${ETAG}` }],
  [304, { 'if-none-match': '*' }],
  [304, { 'if-none-match': `${OTHER}, ${ETAG}` }],
  [200, { 'if-none-match': OTHER }],
  [200, { 'if-modified-since': PAST }],
  [200, { 'if-modified-since': 'no date at all' }],
  [200, { 'if-unmodified-since': FUTURE }],
  [412, { 'if-unmodified-since': PAST }],
  [200, { 'if-unmodified-since': 'no date at all' }],
  [200, { 'if-match': ETAG, 'if-unmodified-since': PAST }],
  [412, { 'if-match': OTHER, 'if-unmodified-since': FUTURE }],
  [304, { 'if-none-match': ETAG, 'if-modified-since': PAST }],
  [200, { 'if-none-match': OTHER, 'if-modified-since': FUTURE }],
  [304, { 'if-match': ETAG, 'if-none-match': ETAG }],
  [412, { 'if-match': OTHER, 'if-none-match': ETAG }],
];

describeCore('conditional reads', () => {
  const bucket = useBucket(client);
  beforeAll(async () => {
    await send({
      method: 'PUT',
      bucket,
      key: 'k',
      body: BODY,
      headers: { 'cache-control': 'max-age=5' },
    });
  });

  it.each(CASES)('answer %i to %j', async (status, headers) => {
    const get = await send({ method: 'GET', bucket, key: 'k', headers });
    expect(get.status).toBe(status);
    if (status === 200) expect(get.text).toBe(BODY);
    if (status === 412) expectError(get, 412, 'PreconditionFailed');
    if (status === 304) {
      expect(get.body.length).toBe(0);
      expect(get.headers.etag).toBe(ETAG);
      expect(get.headers['last-modified']).toMatch(/GMT$/);
      expect(get.headers['cache-control']).toBe('max-age=5');
    }
    const head = await send({ method: 'HEAD', bucket, key: 'k', headers });
    expect([head.status, head.body.length]).toEqual([status, 0]);
  });

  it('compare the date to the second', async () => {
    const { headers } = await send({ method: 'HEAD', bucket, key: 'k' });
    const modified = headers['last-modified'] ?? '';
    const since = await send({
      method: 'GET',
      bucket,
      key: 'k',
      headers: { 'if-modified-since': modified },
    });
    expect(since.status).toBe(304);
    const unmodified = await send({
      method: 'GET',
      bucket,
      key: 'k',
      headers: { 'if-unmodified-since': modified },
    });
    expect(unmodified.status).toBe(200);
  });

  it.each([
    [206, { 'if-range': ETAG }],
    [200, { 'if-range': OTHER }],
    [200, { 'if-range': `W/${ETAG}` }],
    [200, { 'if-range': PAST }],
    [304, { 'if-none-match': ETAG }],
    [412, { 'if-match': OTHER }],
    [206, { 'if-match': ETAG }],
  ] as Case[])('together with a range answer %i to %j', async (status, headers) => {
    const reply = await send({
      method: 'GET',
      bucket,
      key: 'k',
      headers: { range: 'bytes=2-4', ...headers },
    });
    expect(reply.status).toBe(status);
    if (status === 206) expect(reply.text).toBe('234');
    if (status === 200) expect(reply.text).toBe(BODY);
  });

  it('of a missing object are still 404', async () => {
    for (const headers of [
      { 'if-match': ETAG },
      { 'if-none-match': ETAG },
      { 'if-match': '*' },
    ] as Case[1][]) {
      expectError(await send({ method: 'GET', bucket, key: 'missing', headers }), 404, 'NoSuchKey');
    }
  });
});
