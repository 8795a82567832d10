// Quotas as their owners set them and uploads meet them: of those at once at the edge of a quota
// just those happen that fit, whichever way they come.
import { expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { removeBucket } from '../kit/clients/bucket-work.ts';
import { createClient, freshBucketName, sampleBytes } from '../kit/clients/client.ts';
import { type ApiClient, newAccount, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';

const SIZE = 20_000;
const FITTING = 5;

describeCore('a quota', () => {
  const bucket = useBucket(client);
  const path = () => `/buckets/${bucket}`;
  const setQuota = async (api: ApiClient, quota: object | null) => {
    const { headers } = await api.call('GET', path());
    return api.call('PATCH', path(), { quota }, { 'if-match': headers.etag ?? '' });
  };
  const put = (key: string, size = SIZE) =>
    client.send({ method: 'PUT', bucket, key, body: sampleBytes(size, key.length) });

  it('of a bucket admits uploads that fit, and gives back what is deleted', async () => {
    const api = await tokenClient(client);
    expect((await api.call('PATCH', path(), { quota: { bytes: '1' } })).status).toBe(428);
    const set = await setQuota(api, { bytes: `${FITTING * SIZE + 10}` });
    expect([set.status, set.json.quota]).toEqual([
      200,
      { bytes: `${FITTING * SIZE + 10}`, objects: null },
    ]);

    const replies = await Promise.all(Array.from({ length: 16 }, (_, at) => put(`k${at}`)));
    const refused = replies.filter(({ status }) => status !== 200);
    expect(refused).toHaveLength(16 - FITTING);
    for (const { status, text } of refused) {
      expect([status, /<Code>QuotaExceeded<\/Code>/.test(text)]).toEqual([403, true]);
    }
    const totals = await api.call('GET', `${path()}/totals`);
    expect(totals.json.quota.bytes).toBe(`${FITTING * SIZE + 10}`);
    expect(totals.json.items).toMatchObject([
      { current: { bytes: `${FITTING * SIZE}`, objects: FITTING } },
    ]);

    const stored = `k${replies.findIndex(({ status }) => status === 200)}`;
    const copy = {
      method: 'PUT',
      bucket,
      key: 'copy',
      headers: { 'x-amz-copy-source': `/${bucket}/${stored}` },
    };
    expect((await client.send(copy)).status).toBe(403);
    expect((await put(stored, SIZE + 10)).status).toBe(200);
    expect((await client.send({ method: 'DELETE', bucket, key: stored })).status).toBe(204);
    expect((await client.send(copy)).status).toBe(404);
    expect((await put('again')).status).toBe(200);
    expect((await setQuota(api, null)).json.quota).toBe(null);
    expect((await put('more')).status).toBe(200);
  });

  it('of an account is shared by its buckets, and set by the operator alone', async () => {
    const operator = await tokenClient(client);
    const signer = await newAccount(operator, 'shares a quota');
    const owner = createClient({ ...client.target, ...signer });
    const api = await tokenClient(client, signer);
    const names = [freshBucketName(), freshBucketName()];
    for (const name of names)
      expect((await owner.send({ method: 'PUT', bucket: name })).status).toBe(200);
    const quotaPath = `/accounts/${signer.accountId}/quota`;
    const quota = { bytes: null, objects: FITTING };
    const { headers } = await api.call('GET', quotaPath);
    const match = { 'if-match': headers.etag ?? '' };
    expect((await api.call('PUT', quotaPath, quota, match)).status).toBe(403);
    expect((await operator.call('PUT', quotaPath, quota)).status).toBe(428);
    expect((await operator.call('PUT', quotaPath, quota, match)).status).toBe(200);

    const puts = Array.from({ length: 12 }, (_, at) =>
      owner.send({ method: 'PUT', bucket: names[at % 2] ?? '', key: `k${at}`, body: 'x' }),
    );
    const statuses = (await Promise.all(puts)).map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array(FITTING).fill(200), ...Array(12 - FITTING).fill(403)]);
    const standing = await api.call('GET', quotaPath);
    expect(standing.json).toEqual({
      ...quota,
      stored: { bytes: '5', objects: '5', isComplete: true },
    });
    await Promise.all(names.map((name) => removeBucket(owner, name)));
  });
});
