// Caps as an owner sets them and readers meet them: 64 clients at once, by every door, never get more than the cap lets out.
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { useBucket } from './bucket.ts';
import { openToEveryone } from './bucket-work.ts';
import { sampleBytes } from './client.ts';
import { type ApiClient, tokenClient } from './json-api.ts';
import { client, describeCore } from './suite.ts';
import { startReceiver } from './webhook-receiver.ts';

const CLIENTS = 64;
const SIZE = 100_000;
const LIMIT = 4_000_000;
type Refusal = { readonly status: number; readonly text: string; readonly retryAfter: number };

describeCore('a cap on a bucket', () => {
  const bucket = useBucket(client);
  let api: ApiClient;
  const put = (id: string, cap: object) => api.call('PUT', `/caps/${id}`, { bucket, unit: 'bytes', ...cap });
  const capId = (name: string) => `${name}-${bucket}`;

  beforeAll(async () => {
    await openToEveryone(client, bucket);
    await client.send({ method: 'PUT', bucket, key: 'k', body: sampleBytes(SIZE, 7) });
    api = await tokenClient(client);
  });

  /** Reads until nothing comes any more, by 64 clients at once. Bytes that came, and the last refusal. */
  async function drainCap(): Promise<{ bytes: number; refusals: Refusal[] }> {
    let bytes = 0;
    const refusals: Refusal[] = [];
    const readAll = async (number: number): Promise<void> => {
      for (let at = 0; at < 50; at++) {
        // The hot door, the other one (a query), and signed.
        const call = { method: 'GET', bucket, key: 'k' };
        const kind = (number + at) % 3;
        const query = { 'x-test': `${number}` };
        const reply = await (kind === 2 ? client.send(call) : client.anonymous(kind === 1 ? { ...call, query } : call));
        if (reply.status !== 200) {
          refusals.push({ status: reply.status, text: reply.text, retryAfter: Number(reply.headers['retry-after']) });
          return;
        }
        bytes += reply.body.length;
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, number) => readAll(number)));
    return { bytes, refusals };
  }

  it('lets out what it allows and no byte more, says so, and lets go when it is lifted', async () => {
    const receiver = await startReceiver();
    onTestFinished(receiver.close);
    const hook = await api.call('POST', '/webhooks', { url: receiver.url, types: ['cap.*'] });
    expect(hook.status).toBe(201);
    onTestFinished(async () => void (await api.call('DELETE', `/webhooks/${hook.json.id}`)));
    const set = await put(capId('egress'), { limit: `${LIMIT}`, alertPercents: [50] });
    expect([set.status, set.json.level, set.json.bucket]).toEqual([200, 'open', bucket]);
    const { bytes, refusals } = await drainCap();
    expect(bytes).toBeLessThanOrEqual(LIMIT);
    // Nor much less: what the server keeps for clients who no longer come is little.
    expect(bytes).toBeGreaterThan(LIMIT / 2);
    expect(refusals).toHaveLength(CLIENTS);
    for (const { status, text, retryAfter } of refusals) {
      expect([status, /<Code>UsageCapReached<\/Code>/.test(text)]).toEqual([429, true]);
      expect([retryAfter, retryAfter >= 1 && retryAfter <= 86_400]).toEqual([retryAfter, true]);
    }
    // Caps of other tests tell the account's webhooks too.
    const [alert] = await receiver.until(1, ({ json }) => json.data?.capId === capId('egress'));
    expect(alert?.json).toMatchObject({
      type: 'cap.crossed',
      data: { capId: capId('egress'), percent: 50, unit: 'bytes', limit: `${LIMIT}`, period: 'month' },
    });
    expect(refusals[0]?.text).toMatch(/<EndsAt>\d{4}-\d\d-01T00:00:00.000Z<\/EndsAt>/);
    // What is free goes on, so that the owner can do something about it.
    expect((await client.send({ method: 'DELETE', bucket, key: 'none' })).status).toBe(204);
    const spent = async () => {
      const { items } = (await api.call('GET', '/caps')).json;
      return Number(items.find((item: { id: string }) => item.id === capId('egress')).spent);
    };
    // The last of it is recorded some seconds later.
    await expect.poll(spent, { timeout: 20_000, interval: 500 }).toBe(bytes);

    const liftedUntil = new Date(Date.now() + 3_600_000).toISOString();
    expect((await put(capId('egress'), { limit: `${LIMIT}`, liftedUntil })).status).toBe(200);
    await expect
      .poll(async () => (await client.anonymous({ method: 'GET', bucket, key: 'k' })).status, { timeout: 10_000 })
      .toBe(200);
    expect((await api.call('DELETE', `/caps/${capId('egress')}`)).status).toBe(204);
    expect((await client.anonymous({ method: 'GET', bucket, key: 'k' })).status).toBe(200);
  });

  it('in money refuses writes with 402', async () => {
    const set = await put(capId('money'), { unit: 'money', limit: '1', rateCardId: 'aws-s3-us-east-1' });
    expect(set.status).toBe(200);
    await expect
      .poll(async () => (await client.send({ method: 'PUT', bucket, key: 'new', body: 'x' })).status, {
        timeout: 10_000,
      })
      .toBe(402);
    await api.call('DELETE', `/caps/${capId('money')}`);
    await expect
      .poll(async () => (await client.send({ method: 'PUT', bucket, key: 'new', body: 'x' })).status, {
        timeout: 10_000,
      })
      .toBe(200);
  });

  it('is refused when it makes no sense', async () => {
    for (const wrong of [
      { limit: '0' },
      { limit: '-1' },
      { limit: '1', unit: 'pages' },
      { limit: '1', alertPercents: [0] },
    ]) {
      expect((await put('wrong', wrong)).status).toBe(400);
    }
    expect((await put('wrong', { limit: '1', unit: 'money', rateCardId: 'none' })).status).toBe(400);
    expect((await put('wrong', { limit: '1', bucket: 'nobody-has-this-bucket' })).status).toBe(404);
    expect((await api.call('DELETE', '/caps/none')).status).toBe(404);
  });
});
