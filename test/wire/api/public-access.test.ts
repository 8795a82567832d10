// A prefix that is made public: what the preview says of it comes to be so, and undoing takes away
// exactly what was added.
import { expect, it } from 'vitest';
import { type ApiClient, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';

const fresh = (text: string) => `${text}-${crypto.randomUUID().slice(0, 8)}`;

async function makeBucket(api: ApiClient, keys: readonly string[]): Promise<string> {
  const bucket = fresh('public');
  expect((await api.call('POST', '/buckets', { name: bucket })).status).toBe(201);
  for (const key of keys) {
    const put = await client.send({ method: 'PUT', bucket, key, body: 'twelve bytes' });
    expect(put.status).toBe(200);
  }
  return bucket;
}

const anybodyReads = async (bucket: string, key: string) =>
  (await client.anonymous({ method: 'GET', bucket, key })).status;
const anybodyLists = async (bucket: string, prefix: string) =>
  (await client.anonymous({ method: 'GET', bucket, query: { 'list-type': '2', prefix } })).status;

const BLOCK = {
  blockPublicAcls: true,
  ignorePublicAcls: true,
  blockPublicPolicy: true,
  restrictPublicBuckets: true,
};

describeCore('making a prefix public', () => {
  it('previews size, names that look internal, cost, and what strangers list', async () => {
    const api = await tokenClient(client);
    const names = ['a.jpg', 'b.jpg', '.env', 'dump/x.sql', 'backup-1.zip', '.git/config'];
    const bucket = await makeBucket(api, ['other', ...names.map((name) => `pub/${name}`)]);
    const path = `/buckets/${bucket}`;
    const cap = { unit: 'bytes', limit: '1000000', bucket };
    expect((await api.call('PUT', `/caps/${bucket}`, cap)).status).toBe(200);
    const of = { prefix: 'pub/', what: 'read-and-list' };
    const { status, json } = await api.call('POST', `${path}/public-access-preview`, of);
    expect([status, json]).toMatchObject([
      200,
      {
        lifted: [],
        reads: { allowed: 'yes', because: { source: 'bucket-policy' } },
        lists: { allowed: 'yes' },
        objects: 6,
        bytes: '72',
        isScanComplete: true,
        worstCase: { bytesPerSecond: 125_000_000, days: 30, bytes: '324000000000000' },
      },
    ]);
    expect(json.internalNames.toSorted()).toEqual(
      ['pub/.env', 'pub/.git/config', 'pub/backup-1.zip', 'pub/dump/x.sql'].toSorted(),
    );
    expect(json.urls).toHaveLength(5);
    expect(json.worstCase.reckoning).toContain(json.worstCase.currency);
    expect(json.caps.map(({ id }: { id: string }) => id)).toContain(bucket);
    expect((await api.call('GET', path)).json.policy).toBe(null);

    const opened = await api.call('PUT', `${path}/public-access`, of, { 'if-match': '*' });
    expect([opened.status, opened.json.statements]).toEqual([200, json.statements]);
    expect((await api.call('GET', path)).json.policy.Statement).toEqual(json.statements);
    for (const url of json.urls) {
      const key = decodeURIComponent(new URL(url).pathname).slice(bucket.length + 2);
      expect([url, await anybodyReads(bucket, key)]).toEqual([url, 200]);
    }
    expect(await anybodyReads(bucket, 'other')).toBe(403);
    expect([await anybodyLists(bucket, 'pub/'), await anybodyLists(bucket, '')]).toEqual([
      200, 403,
    ]);
    expect((await api.call('DELETE', `/caps/${bucket}`)).status).toBe(204);
  });

  it('lifts only what would stop it, and takes back only its own', async () => {
    const api = await tokenClient(client);
    const bucket = await makeBucket(api, ['pub/a', 'pub/b*c/x', 'pub/bXc/x']);
    const path = `/buckets/${bucket}`;
    const statement = {
      Sid: 'Mine',
      Effect: 'Allow',
      Principal: { AWS: 'somebody' },
      Action: 's3:GetObject',
      Resource: `arn:aws:s3:::${bucket}/pub/a`,
    };
    const policy = { Version: '2012-10-17', Statement: [statement] };
    const change = { policy, publicAccessBlock: BLOCK };
    const seen = await api.call('PATCH', path, change, { 'if-match': '*' });
    expect(seen.status).toBe(200);

    const open = `${path}/public-access`;
    const of = { prefix: 'pub/b*c/', what: 'read' };
    expect((await api.call('PUT', open, of)).json.code).toBe('PreconditionRequired');
    expect((await api.call('PUT', open, of, { 'if-match': '"older"' })).status).toBe(412);
    const etag = seen.headers.etag ?? '';
    const opened = await api.call('PUT', open, of, { 'if-match': etag });
    expect([opened.status, opened.json.lifted]).toEqual([
      200,
      ['blockPublicPolicy', 'restrictPublicBuckets'],
    ]);
    const after = await api.call('GET', path);
    expect(opened.headers.etag).toBe(after.headers.etag);
    expect(after.json.publicAccessBlock).toEqual({
      ...BLOCK,
      blockPublicPolicy: false,
      restrictPublicBuckets: false,
    });
    expect([
      await anybodyReads(bucket, 'pub/b*c/x'),
      await anybodyReads(bucket, 'pub/bXc/x'),
    ]).toEqual([200, 403]);
    const again = await api.call('PUT', open, of, { 'if-match': after.headers.etag ?? '' });
    expect([again.status, again.json.lifted]).toEqual([200, []]);
    expect((await api.call('GET', path)).json.policy.Statement).toHaveLength(2);

    const close = `${open}?prefix=${encodeURIComponent('pub/b*c/')}`;
    expect((await api.call('DELETE', close)).status).toBe(204);
    expect((await api.call('GET', path)).json.policy).toEqual(policy);
    expect((await api.call('DELETE', close)).json.code).toBe('NoSuchBucketPolicy');
    await expect.poll(() => anybodyReads(bucket, 'pub/b*c/x')).toBe(403);
  });
});
