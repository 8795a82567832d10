// Whom a share link lets in: by address, by country; and links that end by money, by time, or for
// one recipient.
import { randomUUID } from 'node:crypto';
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { freshBucketName, sampleBytes } from '../kit/clients/client.ts';
import { newAccount, setRateCard, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore, itUnless } from '../kit/clients/suite.ts';
import { from, open, openPage, untilFree, untilStatus, useShares } from '../kit/share-kit.ts';

const BODY = sampleBytes(1_000_000, 61);
const { target } = client;
/** Why no address or country of our choice is believed; null where they are. */
const elsewhereReason = target.isTemporary ? null : 'somebody else’s server sees where we are';

describeCore('a share link', () => {
  const bucket = useBucket(client);
  const shares = useShares(bucket);
  const key = 'million.bin';
  const statusesOf = async (url: string, requests: readonly Record<string, string>[]) => {
    const statuses: number[] = [];
    for (const headers of requests) statuses.push((await open(url, headers)).status);
    return statuses;
  };

  beforeAll(async () => {
    expect((await client.send({ method: 'PUT', bucket, key, body: BODY })).status).toBe(200);
  });

  itUnless(elsewhereReason)('is for addresses and ranges of both families', async () => {
    const addresses = ['203.0.113.7', '198.51.100.0/25', '2001:db8:1::/48', '2001:db8::5'];
    const { url } = await shares.ofObject(key, { audience: { addresses } });
    const inside = ['203.0.113.7', '198.51.100.127', '2001:db8:1:ffff::1', '2001:0DB8:0::5'];
    const outside = ['203.0.113.8', '198.51.100.128', '2001:db8:2::1', '2001:db8::6', '::1'];
    expect(await statusesOf(url, inside.map(from))).toEqual(inside.map(() => 200));
    expect(await statusesOf(url, outside.map(from))).toEqual(outside.map(() => 403));
    // An IPv4 client of a socket that speaks both is the same client.
    expect((await open(url, from('::ffff:203.0.113.7'))).status).toBe(200);
    const page = await openPage(url, from('203.0.113.8'));
    expect([page.status, page.html.includes('million.bin')]).toEqual([403, false]);
    expect(page.html).toContain('This link is not open from here');
  });

  it('takes no audience that is none', async () => {
    for (const audience of [
      { addresses: ['203.0.113.0/33'] },
      { addresses: ['203.0.113'] },
      { addresses: ['2001:db8::/129'] },
      { addresses: [] },
      { countries: ['ch'] },
      { countries: ['CHE'] },
    ]) {
      const body = { target: { kind: 'object', key }, audience };
      const { status } = await shares.api().call('POST', `/buckets/${bucket}/share-links`, body);
      expect([JSON.stringify(audience), status]).toEqual([JSON.stringify(audience), 400]);
    }
  });

  itUnless(elsewhereReason)('is for countries, and for nobody of whom none is known', async () => {
    // Cloudflare says it with the request; workerd's stand-in says that everybody is in the US.
    const country = target.platform === 'node' ? { 'x-country': 'US' } : {};
    const { id, url } = await shares.ofObject(key, { audience: { countries: ['US', 'CH'] } });
    expect((await open(url, country)).status).toBe(200);
    await shares.change(id, { audience: { countries: ['CH', 'DE'] } });
    expect((await untilStatus(url, 403, country)).status).toBe(403);
    if (target.platform !== 'node') return;
    const unknown = [{}, { 'x-country': '' }, { 'x-country': 'ch' }, { 'cf-ipcountry': 'CH' }];
    expect(await statusesOf(url, unknown)).toEqual([403, 403, 403, 403]);
    expect((await open(url, { 'x-country': 'DE' })).status).toBe(200);
  });

  it('begins and ends by its times, which can be changed later', async () => {
    const at = (ms: number) => new Date(Date.now() + ms).toISOString();
    const { id, url } = await shares.ofObject(key, { notBefore: at(3_600_000) });
    expect((await open(url)).status).toBe(404);
    await shares.change(id, { notBefore: null, expiresAt: at(1500) });
    expect((await untilStatus(url, 200)).status).toBe(200);
    await expect.poll(async () => (await open(url)).status).toBe(410);
    await shares.change(id, { expiresAt: at(3_600_000) });
    expect((await untilStatus(url, 200)).status).toBe(200);
    const wrong = await shares.change(id, { notBefore: at(7_200_000) });
    expect(wrong.status).toBe(400);
  });

  it('has recipients that are revoked one by one, and come back one by one', async () => {
    const { id, url } = await shares.ofObject(key);
    const labels = await Promise.all(['Ada', 'Bob', 'Eve'].map((name) => shares.label(id, name)));
    const set = (label: string | undefined, isRevoked: boolean) =>
      shares.api().call('PATCH', `${shares.pathOf(id)}/labels/${label}`, { isRevoked });
    const [ada, bob, eve] = labels;
    await set(ada?.id, true);
    await set(eve?.id, true);
    expect((await untilStatus(ada?.url ?? '', 410)).status).toBe(410);
    expect((await untilStatus(eve?.url ?? '', 410)).status).toBe(410);
    expect((await untilStatus(bob?.url ?? '', 200)).status).toBe(200);
    await set(ada?.id, false);
    expect((await untilStatus(ada?.url ?? '', 200)).status).toBe(200);
    expect((await open(eve?.url ?? '')).status).toBe(410);
    expect((await open(`${url}~aaaaaaaa`)).status).toBe(404);
    await shares.revoke(id);
    expect((await untilStatus(bob?.url ?? '', 410)).status).toBe(410);
  });

  it('ends when its traffic has cost what it may', async () => {
    const operator = shares.api();
    const owner = await newAccount(operator, 'money');
    const api = await tokenClient(client, owner);
    const s3 = client.sdk({
      credentials: { accessKeyId: owner.accessKey, secretAccessKey: owner.secretKey },
    });
    const Bucket = freshBucketName();
    await s3.send(new CreateBucketCommand({ Bucket }));
    await s3.send(new PutObjectCommand({ Bucket, Key: key, Body: BODY }));
    const make = (moneyMicro: string) =>
      api.call('POST', `/buckets/${Bucket}/share-links`, {
        target: { kind: 'object', key },
        limits: { moneyMicro },
      });
    const payBy = async (card: object) => {
      const id = `links-${randomUUID().slice(0, 8)}`;
      const body = { ...CARD, ...card, id };
      expect((await operator.call('PUT', `/rate-cards/${id}`, body)).status).toBe(200);
      await setRateCard(operator, owner.accountId, id);
    };

    await payBy({ lines: [{ ...TRAFFIC, tiers: [{ price: '0' }] }] });
    expect((await make('1')).status).toBe(400);
    // The dearest price holds: one million bytes cost one dollar.
    await payBy({ lines: [TRAFFIC] });
    const { url } = (await make('2500000')).json;
    for (let at = 0; at < 2; at++) expect((await untilFree(() => open(url))).status).toBe(200);
    await expect.poll(async () => (await open(url)).status).toBe(410);
    const rest = await open(url, { range: 'bytes=0-499999' });
    expect([rest.status, rest.bytes.length]).toEqual([206, 500_000]);
    await expect.poll(async () => (await open(url, { range: 'bytes=0-0' })).status).toBe(410);
  });
});

const CARD = {
  name: 'Links',
  currency: 'USD',
  source: 'https://example.com/prices',
  asOf: '2026-11-23',
  monthHours: 720,
};
const TRAFFIC = {
  label: 'Traffic',
  meters: ['egress/memory', 'egress/edge', 'egress/bucket', 'egress/made'],
  unit: { name: 'KB', size: 1000 },
  tiers: [{ upTo: '20', price: '0.0005' }, { price: '0.001' }],
};
