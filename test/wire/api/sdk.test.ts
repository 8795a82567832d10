// The TypeScript client against whatever platform this runs on; test/client has its own cases.
import { expect, it } from 'vitest';
import { createClient } from '../../../src/client/index.ts';
import { client, describeCore } from '../kit/clients/suite.ts';

const MiB = 1024 * 1024;
const { target } = client;

describeCore('the TypeScript client', () => {
  it('sends whole and in parts, resumes, lists and reads back, by key and by token', async () => {
    const accessKey = { id: target.accessKey, secret: target.secretKey };
    const options = { endpoint: target.url, region: target.region };
    const byKey = createClient({ ...options, accessKey });
    const { token } = await byKey.tokens.create({ body: { name: 'client' } });
    const bucket = `wire-client-${crypto.randomUUID().slice(0, 13)}`;
    await byKey.buckets.create({ body: { name: bucket } });
    const bytes = new Uint8Array(6 * MiB).map((_, at) => (at * 31) >> 5);
    for (const sdk of [byKey, createClient({ ...options, token })]) {
      const said = { metadata: { from: 'Łódź' }, contentType: 'text/plain' };
      await sdk.upload(bucket, 'small ü', 'text', said);
      const small = await sdk.download(bucket, 'small ü');
      expect(small).toMatchObject(said);
      expect([await small.text(), small.verifiedBy()]).toEqual(['text', 'sha256']);

      const parts = { partSizeBytes: 5 * MiB };
      const { id: uploadId } = await sdk.request('POST /buckets/{bucket}/uploads', {
        path: { bucket },
        body: { key: 'large', checksum: 'CRC64NVME' },
      });
      await sdk.resumeUpload({ bucket, key: 'large', uploadId }, bytes, parts);
      const large = await sdk.download(bucket, 'large');
      expect(Buffer.compare(await large.bytes(), bytes)).toBe(0);
      expect(large.verifiedBy()).toBe('crc64nvme');
      const taken = sdk.upload(bucket, 'large', bytes, { ...parts, ifNoneMatch: '*' });
      await expect(taken).rejects.toMatchObject({ code: 'PreconditionFailed' });

      const keys: string[] = [];
      for await (const entry of sdk.objects.list(bucket, { query: { limit: 1 } })) {
        if (entry.kind === 'object') keys.push(entry.key);
      }
      expect(keys).toEqual(['large', 'small ü']);
      for await (const upload of sdk.uploads.list(bucket)) expect(upload).toBeUndefined();
      for (const key of keys) await sdk.objects.delete(bucket, { query: { key } });
    }
    await byKey.buckets.delete(bucket);
  });
});
