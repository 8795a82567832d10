// A download that breaks off gives its place back at once, so that its client can go on.
import { beforeAll, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { breakOff, open, untilFree, useShares } from '../kit/share-kit.ts';

/** More than the buffers of both ends and of everything between them. */
const BODY = Buffer.alloc(24 * 1024 * 1024, 'quayside');

describeCore('a download that breaks off', () => {
  const bucket = useBucket(client);
  const shares = useShares(bucket);

  beforeAll(async () => {
    expect((await client.send({ method: 'PUT', bucket, key: 'k', body: BODY })).status).toBe(200);
  });

  it('goes on within seconds where only one is allowed, and counts once', async () => {
    const { id, url } = await shares.ofObject('k', { limits: { downloads: 1 } });
    await breakOff(url, {});
    const half = BODY.length / 2;
    const rest = await untilFree(() => open(url, { range: `bytes=${half}-` }));
    expect([rest.status, rest.bytes.equals(BODY.subarray(half))]).toEqual([206, true]);
    const first = await untilFree(() => open(url, { range: `bytes=0-${half - 1}` }));
    expect([first.status, first.bytes.equals(BODY.subarray(0, half))]).toEqual([206, true]);
    await expect.poll(async () => (await shares.usage(id)).downloads).toBe(1);
    expect((await open(url)).status).toBe(410);
  });
});
