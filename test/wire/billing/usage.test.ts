// What is metered, against a log that the test writes itself: two accounts, a thousand operations
// by the AWS SDK, by raw requests and by browsers without a key. The bill of each bucket is worked
// out by hand, to the last micro-unit.
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { expect, it } from 'vitest';
import { publicPolicy } from '../../access-samples.ts';
import { freshBucketName, sampleBytes } from '../kit/clients/client.ts';
import { type ApiClient, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { inOneMonth } from '../kit/one-month.ts';

const { target } = client;

/** What a bucket's owner has to pay for. */
type Log = { classA: number; classB: number; bytesOut: number };

/**
 * Prices of S3: 0.005 for 1,000 requests of class A, 0.0004 for 1,000 of class B, 0.09 for a GB
 * (2^30) out. Each line is rounded once. What is stored here for some minutes comes to less than
 * half a micro-unit.
 */
function billMicro({ classA, classB, bytesOut }: Log): number {
  const egress = (BigInt(bytesOut) * 90_000n * 2n + 2n ** 30n) / 2n ** 31n;
  return 5 * classA + Math.round(0.4 * classB) + Number(egress);
}

type Account = { readonly accessKey: string; readonly secretKey: string };
type Work = {
  readonly bucket: string;
  readonly log: Log;
  readonly s3: S3Client;
  readonly signer: Account;
};

/** One round of operations on one key, each written down as it was answered. */
async function workOn({ bucket, log, s3, signer }: Work, number: number): Promise<void> {
  const key = `folder/${number}`;
  const size = 1 + ((number * 7919) % 30_000);
  const body = sampleBytes(size, number + 1);
  const raw = (call: {
    method: string;
    query?: Record<string, string>;
    headers?: Record<string, string>;
    key?: string;
  }) =>
    client.send({ bucket, ...call, signer, unsignedHeaders: { 'accept-encoding': 'identity' } });

  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }));
  log.classA += 1;
  const got = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
  log.classB += 1;
  const bytes = await got.Body?.transformToByteArray();
  log.bytesOut += bytes?.length ?? 0;
  await s3.send(new HeadObjectCommand({ Bucket: bucket, Key: key }));
  log.classB += 1;
  const part = await client.anonymous({
    method: 'GET',
    bucket,
    key,
    headers: { range: 'bytes=0-9' },
  });
  expect(part.status).toBe(206);
  log.classB += 1;
  log.bytesOut += part.body.length;
  // By both doors, a hit and a revalidation; what has not changed is free.
  for (const headers of [{}, {}, { 'if-none-match': `"${got.ETag?.replaceAll('"', '')}"` }]) {
    const read = await client.anonymous({ method: 'GET', bucket, key, headers });
    if (read.status === 200) log.classB += 1;
    else expect(read.status).toBe(304);
    log.bytesOut += read.body.length;
  }
  const list = await raw({ method: 'GET', query: { 'list-type': '2', 'max-keys': '3' } });
  log.classA += 1;
  log.bytesOut += list.body.length;
  const copy = await raw({
    method: 'PUT',
    key: `${key}-copy`,
    headers: { 'x-amz-copy-source': `/${bucket}/${key}` },
  });
  expect(copy.status).toBe(200);
  log.classA += 1;
  log.bytesOut += copy.body.length;
  // Strangers who err cost nothing, and neither does deleting.
  expect((await client.anonymous({ method: 'GET', bucket, key: `${key}-none` })).status).toBe(404);
  expect((await client.anonymous({ method: 'PUT', bucket, key, body: 'x' })).status).toBe(403);
  await s3.send(new DeleteObjectCommand({ Bucket: bucket, Key: `${key}-copy` }));
  // The account's own mistake is free as well.
  expect((await raw({ method: 'GET', key: `${key}-copy` })).status).toBe(404);
}

/** Makes the bucket and opens it to everyone's reads. */
async function openShop(account: Account): Promise<Work & { api: ApiClient }> {
  const credentials = { accessKeyId: account.accessKey, secretAccessKey: account.secretKey };
  const s3 = client.sdk({ credentials });
  const bucket = freshBucketName();
  await s3.send(new CreateBucketCommand({ Bucket: bucket }));
  const put = await client.send({
    method: 'PUT',
    bucket,
    query: { policy: '' },
    body: publicPolicy(bucket),
    signer: account,
  });
  expect(put.status).toBe(204);
  const api = await tokenClient(client, account);
  for (const [unit, rateCardId] of [
    ['money', 'aws-s3-us-east-1'],
    ['bytes', null],
  ]) {
    const cap = { bucket, unit, rateCardId, limit: `${Number.MAX_SAFE_INTEGER}` };
    expect((await api.call('PUT', `/caps/${unit}-${bucket}`, cap)).status).toBe(200);
  }
  // The policy was a write of class A; the bucket itself was made when it was not there yet.
  return { bucket, log: { classA: 1, classB: 0, bytesOut: 0 }, s3, signer: account, api };
}

describeCore('usage', () => {
  const isAsLogged = async () => {
    if (target.other === null) throw new Error('This test needs a second account.');
    const shops = await Promise.all([openShop(target), openShop(target.other)]);
    // Some 300 operations; bill-by-hand.test.ts has a thousand.
    const rounds = Array.from({ length: 12 }, (_, number) => number);
    for (let at = 0; at < rounds.length; at += 6) {
      const batch = rounds.slice(at, at + 6);
      await Promise.all(shops.flatMap((shop) => batch.map((number) => workOn(shop, number))));
    }
    for (const { api, bucket, log } of shops) {
      const standing = async () => {
        const { items } = (await api.call('GET', '/caps')).json;
        const spent = (unit: string) =>
          Number(items.find((item: { id: string }) => item.id === `${unit}-${bucket}`)?.spent);
        return { micro: spent('money'), bytes: spent('bytes') };
      };
      const expected = { micro: billMicro(log), bytes: log.bytesOut };
      await expect.poll(standing, { timeout: 20_000, interval: 500 }).toEqual(expected);
      // The same by name: of each round what workOn did, and the bucket's policy. What has not
      // changed is no read. Deletions are free, so that what is spent does not tell when the last
      // of them has come to the ledger.
      const from = new Date(Date.now() - 7_200_000).toISOString();
      const asked = `/usage?from=${from}&by=total&groupBy=operation,accessKey&bucket=${bucket}`;
      const named = async () => {
        const { items } = (await api.call('GET', asked)).json as {
          items: { operation: string; quantity: string }[];
        };
        const byName = Object.fromEntries(
          items.map(({ operation, quantity }) => [operation, Number(quantity)]),
        );
        const { GetObject = 0, HeadObject = 0, SignedRead = 0, ...others } = byName;
        return { ...others, signedReads: GetObject + HeadObject + SignedRead };
      };
      const once = ['CopyObject', 'DeleteObject', 'ListObjectsV2', 'PutObject'];
      await expect.poll(named, { timeout: 20_000, interval: 500 }).toMatchObject({
        ...Object.fromEntries(once.map((name) => [name, rounds.length])),
        ...{ PutBucketPolicy: 1, PublicRead: 3 * rounds.length, signedReads: 2 * rounds.length },
      });
      const failed = async () => {
        const { items } = (await api.call('GET', `/usage?from=${from}&by=total&bucket=${bucket}`))
          .json as { items: { meter: string; quantity: string }[] };
        const byMeter = Object.fromEntries(items.map((item) => [item.meter, item.quantity]));
        return ['errors/4xx', 'errors/5xx', 'free/blocked'].map((meter) => byMeter[meter]);
      };
      await expect
        .poll(failed, { timeout: 20_000, interval: 500 })
        .toEqual([`${rounds.length}`, undefined, `${2 * rounds.length}`]);
    }
  };
  it('is what a log of it says, for each of two accounts, to the last micro-unit', {
    timeout: 180_000,
  }, async () => {
    await inOneMonth(isAsLogged);
  });

  const countsWhatLeft = async () => {
    const { bucket, s3, api } = await openShop(target);
    const size = 40 * 1024 * 1024;
    await s3.send(
      new PutObjectCommand({ Bucket: bucket, Key: 'film', Body: sampleBytes(size, 1) }),
    );
    for (let visit = 0; visit < 3; visit++) {
      const leaving = new AbortController();
      const response = await fetch(client.url(bucket, 'film'), { signal: leaving.signal });
      expect(response.headers.get('content-length')).toBe(`${size}`);
      await response.body?.getReader().read();
      leaving.abort();
    }
    const spent = async () => {
      const { items } = (await api.call('GET', '/caps')).json;
      return Number(items.find((item: { id: string }) => item.id === `bytes-${bucket}`)?.spent);
    };
    await expect.poll(spent, { timeout: 20_000, interval: 500 }).toBeGreaterThan(0);
    // On Cloudflare the runtime sends large bodies by itself, and they count whole.
    expect(await spent()).toBeLessThanOrEqual(target.platform === 'node' ? 2 * size : 3 * size);
  };
  it('counts of a large body what left before its reader went away', {
    timeout: 60_000,
  }, async () => {
    await inOneMonth(countsWhatLeft);
  });
});
