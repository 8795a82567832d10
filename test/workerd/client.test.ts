// The client inside the Workers runtime: its fetch, streams and WebCrypto are not those of Node.
import { expect, it } from 'vitest';
import { createClient } from '../../src/client/index.ts';
import { freshBucketName } from './kit/bucket.ts';
import { createIsolate } from './kit/isolate.ts';

const MiB = 1024 * 1024;
const KEY = { id: 'client-in-workerd', secret: 'client-in-workerd-secret' };

it('the client sends texts, streams and parts, and reads them back', async () => {
  const settings = { QUAYSIDE_ROOT_ACCESS_KEY: KEY.id, QUAYSIDE_ROOT_SECRET_KEY: KEY.secret };
  const isolate = createIsolate({ settings });
  // What a connection would say of a body.
  const fetch: typeof isolate.fetch = (url, init) => {
    const headers = new Headers(init?.headers);
    if (init?.body instanceof Uint8Array) headers.set('content-length', `${init.body.length}`);
    return isolate.fetch(url, { ...init, headers });
  };
  const options = { endpoint: 'https://files.example', fetch };
  const byKey = createClient({ ...options, accessKey: KEY });
  const { token } = await byKey.tokens.create({ body: { name: 'client' } });
  const bucket = freshBucketName();
  await byKey.buckets.create({ body: { name: bucket } });
  const large = new Uint8Array(5 * MiB + 3).map((_, at) => (at * 31) >> 5);
  for (const client of [byKey, createClient({ ...options, token })]) {
    await client.upload(bucket, 'text', 'héllo');
    const text = await client.download(bucket, 'text');
    expect([await text.text(), text.verifiedBy()]).toEqual(['héllo', 'sha256']);
    const stream = new Blob([large]).stream();
    await client.upload(bucket, 'large', stream, { partSizeBytes: 5 * MiB });
    const download = await client.download(bucket, 'large');
    const answer = new Response(download.body);
    expect((await answer.arrayBuffer()).byteLength).toBe(large.length);
    expect(download.verifiedBy()).toBe('crc64nvme');
  }
});
