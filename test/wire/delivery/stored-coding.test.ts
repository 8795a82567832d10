// Objects that are stored in a coding of their own, whatever a reader asks for: S3 gives the bytes
// as they are.
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { openToEveryone } from '../kit/clients/bucket-work.ts';
import { sampleBytes } from '../kit/clients/client.ts';
import { client, describeCore } from '../kit/clients/suite.ts';
import { eventually } from '../kit/eventually.ts';

const { send, anonymous } = client;
const TEXT = Buffer.from(sampleBytes(20_000, 5).toString('base64'));
const STORED = { gzip: gzipSync(TEXT), br: brotliCompressSync(TEXT) };
const READERS = ['identity', 'gzip', 'br', 'gzip, deflate, br', 'br;q=0.5, gzip;q=0.1', undefined];

describeCore('an object that is stored in a coding', () => {
  const bucket = useBucket(client);

  it.each(Object.entries(STORED))(
    'of its own, %s, comes back as it is, whole and in part',
    async (coding, bytes) => {
      const key = `${coding}.css`;
      const stored = { 'content-encoding': coding, 'content-type': 'text/css' };
      await send({ method: 'PUT', bucket, key, body: bytes, headers: stored });
      for (const accepted of READERS) {
        const headers: Record<string, string> =
          accepted === undefined ? {} : { 'accept-encoding': accepted };
        const whole = await send({ method: 'GET', bucket, key, headers });
        expect([whole.status, whole.body.equals(bytes)], accepted).toEqual([200, true]);
        const part = await send({
          method: 'GET',
          bucket,
          key,
          headers: { ...headers, range: 'bytes=3-99' },
        });
        expect([part.status, part.body.equals(bytes.subarray(3, 100))], accepted).toEqual([
          206,
          true,
        ]);
        const head = await send({ method: 'HEAD', bucket, key, headers });
        for (const { headers: sent } of [whole, head]) {
          expect(sent['content-encoding']?.toLowerCase(), accepted).toBe(coding);
          expect(sent['content-length'], accepted).toBe(`${bytes.length}`);
        }
      }
    },
  );

  it('is what strangers get too', async () => {
    await openToEveryone(client, bucket);
    const read = () =>
      anonymous({
        method: 'GET',
        bucket,
        key: 'gzip.css',
        headers: { 'accept-encoding': 'identity' },
      });
    await eventually(read, ({ status }) => status === 200);
    // By the fast path, once it is in memory.
    for (const reply of [await read(), await read()]) {
      expect([reply.status, reply.body.equals(STORED.gzip)]).toEqual([200, true]);
    }
  });
});
