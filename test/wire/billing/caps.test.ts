// Caps as an owner sets them and readers meet them: 64 clients at once, by every door, never get
// more than the cap lets out.
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { openToEveryone, removeBucket } from '../kit/clients/bucket-work.ts';
import { freshBucketName, sampleBytes } from '../kit/clients/client.ts';
import { type ApiClient, tokenClient } from '../kit/clients/json-api.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { inOneMonth } from '../kit/one-month.ts';
import { startReceiver } from '../kit/webhook-receiver.ts';

const CLIENTS = 64;
const SIZE = 100_000;
const LIMIT = 4_000_000;
type Refusal = { readonly status: number; readonly text: string; readonly retryAfter: number };

/** A bucket that everyone reads, with an object of SIZE, for one test; removed after it. */
async function openShop(): Promise<string> {
  const bucket = freshBucketName();
  await client.s3.send(new CreateBucketCommand({ Bucket: bucket }));
  onTestFinished(async () => {
    if (!client.target.isTemporary) await removeBucket(client, bucket);
  });
  await openToEveryone(client, bucket);
  await client.send({ method: 'PUT', bucket, key: 'k', body: sampleBytes(SIZE, 7) });
  return bucket;
}

/**
 * Reads until nothing comes any more, by 64 clients at once. Bytes that came, and the last refusal.
 */
async function drainCap(bucket: string): Promise<{ bytes: number; refusals: Refusal[] }> {
  let bytes = 0;
  const refusals: Refusal[] = [];
  const readAll = async (number: number): Promise<void> => {
    for (let at = 0; at < 50; at++) {
      // The fast path, the full path (a query), and signed.
      const call = { method: 'GET', bucket, key: 'k' };
      const kind = (number + at) % 3;
      const query = { 'x-test': `${number}` };
      const reply = await (kind === 2
        ? client.send(call)
        : client.anonymous(kind === 1 ? { ...call, query } : call));
      if (reply.status !== 200) {
        refusals.push({
          status: reply.status,
          text: reply.text,
          retryAfter: Number(reply.headers['retry-after']),
        });
        return;
      }
      bytes += reply.body.length;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, number) => readAll(number)));
  return { bytes, refusals };
}

describeCore('a cap on a bucket', () => {
  let api: ApiClient;
  const put = (
    id: string,
    bucket: string,
    cap: object,
    headers: Readonly<Record<string, string>> = {},
  ) => api.call('PUT', `/caps/${id}`, { bucket, unit: 'bytes', ...cap }, headers);
  beforeAll(async () => {
    api = await tokenClient(client);
  });

  const isKept = async () => {
    const bucket = await openShop();
    const capId = `egress-${bucket}`;
    const receiver = await startReceiver();
    onTestFinished(receiver.close);
    const hook = await api.call('POST', '/webhooks', { url: receiver.url, types: ['cap.*'] });
    expect(hook.status).toBe(201);
    onTestFinished(async () => void (await api.call('DELETE', `/webhooks/${hook.json.id}`)));
    const set = await put(capId, bucket, { limit: `${LIMIT}`, alertPercents: [50] });
    expect([set.status, set.json.level, set.json.bucket]).toEqual([200, 'open', bucket]);
    const { bytes, refusals } = await drainCap(bucket);
    expect(bytes).toBeLessThanOrEqual(LIMIT);
    // Nor much less: what the server keeps for clients who no longer come is little.
    expect(bytes).toBeGreaterThan(LIMIT / 2);
    expect(refusals).toHaveLength(CLIENTS);
    for (const { status, text, retryAfter } of refusals) {
      expect([status, /<Code>UsageCapReached<\/Code>/.test(text)]).toEqual([429, true]);
      expect([retryAfter, retryAfter >= 1 && retryAfter <= 86_400]).toEqual([retryAfter, true]);
    }
    // Caps of other tests tell the account's webhooks too.
    const [alert] = await receiver.until(1, ({ json }) => json.data?.capId === capId);
    expect(alert?.json).toMatchObject({
      type: 'cap.crossed',
      data: { capId, percent: 50, unit: 'bytes', limit: `${LIMIT}`, period: 'month' },
    });
    expect(refusals[0]?.text).toMatch(/<EndsAt>\d{4}-\d\d-01T00:00:00.000Z<\/EndsAt>/);
    // What is free goes on, so that the owner can do something about it.
    expect((await client.send({ method: 'DELETE', bucket, key: 'none' })).status).toBe(204);
    const spent = async () => {
      const { items } = (await api.call('GET', '/caps')).json;
      return Number(items.find((item: { id: string }) => item.id === capId).spent);
    };
    // The last of it is recorded some seconds later.
    await expect.poll(spent, { timeout: 20_000, interval: 500 }).toBe(bytes);

    const liftedUntil = new Date(Date.now() + 3_600_000).toISOString();
    const lift = (match: object) =>
      put(capId, bucket, { limit: `${LIMIT}`, liftedUntil }, { ...match });
    const lifts = [
      await lift({}),
      await lift({ 'if-match': '"other"' }),
      await lift({ 'if-match': set.headers.etag }),
    ];
    expect(lifts.map(({ status }) => status)).toEqual([428, 412, 200]);
    expect((await api.call('GET', `/caps/${capId}`)).headers.etag).toBe(lifts[2]?.headers.etag);
    await expect
      .poll(async () => (await client.anonymous({ method: 'GET', bucket, key: 'k' })).status)
      .toBe(200);
    expect((await api.call('DELETE', `/caps/${capId}`)).status).toBe(204);
    expect((await client.anonymous({ method: 'GET', bucket, key: 'k' })).status).toBe(200);
  };
  it('lets out what it allows and no byte more, says so, and lets go when it is lifted', {
    timeout: 60_000,
  }, async () => {
    await inOneMonth(isKept);
  });

  it('in money refuses writes with 402', async () => {
    const bucket = await openShop();
    const set = await put(`money-${bucket}`, bucket, {
      unit: 'money',
      limit: '1',
      rateCardId: 'aws-s3-us-east-1',
    });
    expect(set.status).toBe(200);
    await expect
      .poll(
        async () => (await client.send({ method: 'PUT', bucket, key: 'new', body: 'x' })).status,
      )
      .toBe(402);
    await api.call('DELETE', `/caps/money-${bucket}`);
    await expect
      .poll(
        async () => (await client.send({ method: 'PUT', bucket, key: 'new', body: 'x' })).status,
      )
      .toBe(200);
  });

  it('is refused when it makes no sense', async () => {
    const bucket = await openShop();
    for (const wrong of [
      { limit: '0' },
      { limit: '-1' },
      { limit: '1', unit: 'pages' },
      { limit: '1', alertPercents: [0] },
    ]) {
      expect((await put('wrong', bucket, wrong)).status).toBe(400);
    }
    expect(
      (await put('wrong', bucket, { limit: '1', unit: 'money', rateCardId: 'none' })).status,
    ).toBe(400);
    expect((await put('wrong', 'nobody-has-this-bucket', { limit: '1' })).status).toBe(404);
    expect((await api.call('DELETE', '/caps/none')).status).toBe(404);
  });
});
