// Equal bytes of a bucket stored once, as its owner sees it: switched on by JSON, filled by S3,
// looked at by JSON. What comes of it on a bill takes an hour at least:
// test/core/objects/deduplication.test.ts moves the clock.
import { expect, it } from 'vitest';
import { useBucket } from '../../kit/bucket.ts';
import { sampleBytes } from '../../kit/clients/client.ts';
import { tokenClient } from '../../kit/clients/json-api.ts';
import { client, describeCore } from '../../kit/clients/suite.ts';
import { complete, putPart, startUpload } from '../../kit/multipart-kit.ts';

const { send } = client;
const SIZE = 70_000;
const body = sampleBytes(SIZE);

describeCore('a bucket that stores equal bytes once', () => {
  const bucket = useBucket(client);
  const put = async (key: string, headers: Record<string, string> = {}) => {
    const reply = await send({ method: 'PUT', bucket, key, body, headers });
    expect(reply.status, reply.text).toBe(200);
  };

  // Each shard of a split bucket deduplicates by itself (ADR 53), so sums are others there.
  const isSplit = Number(process.env.QUAYSIDE_SHARD_ROWS ?? 0) > 0;
  it.skipIf(isSplit)('saves what is there already, and keeps what is referred to', async () => {
    const api = await tokenClient(client);
    const path = `/buckets/${bucket}`;
    const seen = await api.call('GET', path);
    expect(seen.json.deduplication).toBe(false);
    await put('before');
    const set = (deduplication: boolean, match = '') =>
      api.call('PATCH', path, { deduplication }, { 'if-match': match });
    const changed = await set(true, seen.headers.etag);
    expect([changed.status, changed.json.deduplication]).toEqual([200, true]);
    const standard = async () => {
      const { items } = (await api.call('GET', `${path}/totals`)).json;
      const { current, uploads, saved } = items[0];
      return {
        bytes: Number(current.bytes) + Number(uploads.bytes),
        saved: Number(saved.deduplicated),
      };
    };
    for (const key of ['a', 'b', 'c']) await put(key);
    expect(await standard()).toEqual({ bytes: 4 * SIZE, saved: 2 * SIZE });
    // Neither is equal to what stands there: one is encrypted, the other has another class.
    await put('encrypted', { 'x-amz-server-side-encryption': 'AES256' });
    await put('cold', { 'x-amz-storage-class': 'STANDARD_IA' });
    expect(await standard()).toEqual({ bytes: 5 * SIZE, saved: 2 * SIZE });
    const copied = await send({
      method: 'PUT',
      bucket,
      key: 'copy',
      headers: { 'x-amz-copy-source': `${bucket}/a` },
    });
    expect(copied.status).toBe(200);
    const uploadId = await startUpload(bucket, 'parts');
    const part = await putPart(bucket, 'parts', uploadId, 1, body);
    expect(await standard()).toEqual({ bytes: 7 * SIZE, saved: 4 * SIZE });
    expect((await complete(bucket, 'parts', uploadId, [part])).status).toBe(200);
    expect(await standard()).toEqual({ bytes: 7 * SIZE, saved: 4 * SIZE });

    for (const key of ['a', 'b', 'copy'])
      expect((await send({ method: 'DELETE', bucket, key })).status).toBe(204);
    expect(await standard()).toEqual({ bytes: 4 * SIZE, saved: SIZE });
    for (const key of ['before', 'c', 'parts', 'encrypted', 'cold']) {
      const got = await send({ method: 'GET', bucket, key });
      expect([key, got.status, got.body.equals(body)]).toEqual([key, 200, true]);
    }
    const off = await set(false, changed.headers.etag);
    expect([off.status, off.json.deduplication]).toEqual([200, false]);
    await put('after');
    expect(await standard()).toEqual({ bytes: 5 * SIZE, saved: SIZE });
  });
});
