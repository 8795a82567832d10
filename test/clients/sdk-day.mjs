// A day of the SDK in a runtime that is not Node: sdk-deno.sh and sdk-bun.sh run it over the client
// that `npm run build` makes. It uses what browsers and every such runtime have, and `process.env`.
import assert from 'node:assert/strict';
import process from 'node:process';
import { createClient, createUploadQueue, QuaysideError } from './client/index.js';

const { BUCKET: bucket, ENDPOINT: endpoint } = process.env;
const accessKey = {
  id: process.env.AWS_ACCESS_KEY_ID,
  secret: process.env.AWS_SECRET_ACCESS_KEY,
};
const byKey = createClient({ endpoint, accessKey });
const { token } = await byKey.tokens.create({ body: { name: bucket } });
const byToken = createClient({ endpoint, token });

/** Bytes that repeat nowhere soon, so that parts can't change places unseen. */
const film = new Uint8Array(20_000_000);
const words = new Uint32Array(film.buffer);
for (let at = 0; at < words.length; at++) words[at] = Math.imul(at, 0x9e3779b1);
const isSame = (found, expected) =>
  assert.ok(found.length === expected.length && found.every((byte, at) => byte === expected[at]));

await byKey.buckets.create({ body: { name: bucket } });
for (const [name, client] of Object.entries({ byKey, byToken })) {
  const options = { contentType: 'text/plain', metadata: { from: 'Zürich' }, ifNoneMatch: '*' };
  await client.upload(bucket, `${name}/ü +&%.txt`, 'hello', options);
  await assert.rejects(client.upload(bucket, `${name}/ü +&%.txt`, 'again', options), {
    code: 'PreconditionFailed',
  });
  const text = await client.download(bucket, `${name}/ü +&%.txt`);
  assert.equal(await text.text(), 'hello');
  assert.equal(text.metadata.from, 'Zürich');

  // In parts, from a Blob and from a stream whose length nobody knows; the first one is stopped
  // at its id and resumed.
  let uploadId = '';
  const interrupted = client.upload(bucket, `${name}/film`, new Blob([film]), {
    onUploadId(id) {
      uploadId = id;
      throw new Error('the machine stops here');
    },
  });
  await assert.rejects(interrupted, /the machine stops here/);
  await client.resumeUpload({ bucket, key: `${name}/film`, uploadId }, new Blob([film]));
  let at = 0;
  const stream = new ReadableStream({
    pull(controller) {
      if (at === film.length) return controller.close();
      controller.enqueue(film.slice(at, Math.min(film.length, at + 999_983)));
      at = Math.min(film.length, at + 999_983);
    },
  });
  await client.upload(bucket, `${name}/stream`, stream);
  for (const key of ['film', 'stream']) {
    const download = await client.download(bucket, `${name}/${key}`);
    isSame(await download.bytes(), film);
    assert.notEqual(download.verifiedBy(), null);
  }
  const range = { offsetBytes: 9_999_990, lengthBytes: 20 };
  const part = await client.download(bucket, `${name}/film`, { range });
  isSame(await part.bytes(), film.slice(9_999_990, 10_000_010));

  const names = [];
  for await (const { key } of client.objects.list(bucket, { query: { prefix: `${name}/` } }))
    names.push(key);
  assert.deepEqual(
    names.sort(),
    ['film', 'stream', 'ü +&%.txt'].map((key) => `${name}/${key}`),
  );
}

const { items } = await byToken.objects.presign(bucket, {
  body: { requests: [{ operation: 'get', key: 'byKey/film' }], expiresSeconds: 60 },
});
const followed = await fetch(items[0].url, { headers: { range: 'bytes=0-9' } });
isSame(new Uint8Array(await followed.arrayBuffer()), film.slice(0, 10));

const queue = createUploadQueue({ client: byToken, bucket, prefix: 'queue/' });
queue.add(['a', 'b', 'c'].map((name) => new File([name], `${name}.txt`)));
await queue.settled();
assert.equal(await (await byKey.download(bucket, 'queue/b.txt')).text(), 'b');

const failure = await byToken.download(bucket, 'no such key').catch((error) => error);
assert.ok(failure instanceof QuaysideError);
assert.deepEqual([failure.code, failure.status], ['NoSuchKey', 404]);
assert.equal(typeof failure.requestId, 'string');
