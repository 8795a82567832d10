// Server-Timing as a browser reads it: on public answers the tiers, on S3 answers the steps.
import { expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { openToEveryone } from '../kit/clients/bucket-work.ts';
import { sampleBytes } from '../kit/clients/client.ts';
import { client, describeCore } from '../kit/clients/suite.ts';

const { send, anonymous } = client;

/** `name;desc=token;dur=number, …`. Source: https://www.w3.org/TR/server-timing/ */
const TIMING =
  /^[a-z]+(?:;desc=[a-z]+)?(?:;dur=\d+(?:\.\d+)?)?(?:, [a-z]+(?:;desc=[a-z]+)?(?:;dur=\d+(?:\.\d+)?)?)*$/;

describeCore('Server-Timing', () => {
  const bucket = useBucket(client);

  it('says which tiers a public read came from, and a constant once it is hot', async () => {
    await openToEveryone(client, bucket);
    await send({ method: 'PUT', bucket, key: 'timed', body: sampleBytes(50_000, 5) });
    const read = async () =>
      (await anonymous({ method: 'GET', bucket, key: 'timed' })).headers['server-timing'];
    const cold = await read();
    expect(cold).toMatch(TIMING);
    expect(cold).toMatch(/^metadata;desc=(kv|index);dur=\S+, body;desc=bucket;dur=\S+, total;dur=/);
    // The body comes into memory behind a response.
    await expect.poll(read).toBe('hit;desc=memory');
  });

  it('says how long an operation took', async () => {
    const put = await send({ method: 'PUT', bucket, key: 'k', body: 'x' });
    expect(put.headers['server-timing']).toMatch(TIMING);
    expect(put.headers['server-timing']).toMatch(/^auth;dur=\S+, work;dur=\S+, total;dur=/);
    const get = await send({ method: 'GET', bucket, key: 'k' });
    expect(get.headers['server-timing']).toMatch(/body;desc=[a-z]+/);
  });
});
