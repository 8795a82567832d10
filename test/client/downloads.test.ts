// Downloads over lines that break: the bytes are those of one object, or there is an error.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Fetch } from '../../src/client/index.ts';
import { bytesOf, useClientServer } from './client-server.ts';

const server = useClientServer();
const bytes = bytesOf(3_000_000);
let bucket = '';
beforeAll(async () => {
  bucket = await server.newBucket();
  const options = { checksum: 'crc64nvme', contentType: 'image/x-test' } as const;
  await server.byToken().upload(bucket, 'large', bytes, options);
});

/** A line whose answers break off after so many bytes each; a cut of null is none. */
function cutting(...cuts: (number | null)[]) {
  const ranges: (string | null)[] = [];
  const fetch: Fetch = async (url, init) => {
    const response = await globalThis.fetch(url, init);
    if (init?.method !== 'GET' || response.body === null) return response;
    ranges.push(new Headers(init.headers).get('range'));
    const cut = cuts.shift() ?? null;
    if (cut === null) return response;
    let left = cut;
    const body = response.body.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          controller.enqueue(chunk.subarray(0, left));
          left -= chunk.length;
          if (left <= 0) controller.error(new TypeError('terminated'));
        },
      }),
    );
    return new Response(body, { status: response.status, headers: response.headers });
  };
  return { fetch, ranges };
}

describe.each(['byToken', 'byKey'] as const)('a download %s', (kind) => {
  it('a download goes on where the line was cut', async () => {
    const { fetch, ranges } = cutting(1_000_000, 10, 1_500_000);
    const download = await server[kind]({ fetch }).download(bucket, 'large');
    expect(Buffer.compare(await download.bytes(), bytes)).toBe(0);
    expect(ranges.map((range) => range !== null)).toEqual([false, true, true, true]);
    expect(download.verifiedBy()).toBe('crc64nvme');
  });

  it('a download goes on in the middle of a range', async () => {
    const { fetch, ranges } = cutting(500);
    const range = { offsetBytes: 100, lengthBytes: 1_000_000 };
    const download = await server[kind]({ fetch }).download(bucket, 'large', { range });
    expect(Buffer.compare(await download.bytes(), bytes.subarray(100, 1_000_100))).toBe(0);
    expect(ranges).toEqual(['bytes=100-1000099', expect.stringMatching(/^bytes=\d+-1000099$/)]);
    expect(download.verifiedBy()).toBe('length');
  });
});

it('a download never joins two objects', async () => {
  await server.byToken().upload(bucket, 'replaced', bytes);
  const { fetch } = cutting(1000);
  const download = await server.byToken({ fetch }).download(bucket, 'replaced');
  await server.byToken().upload(bucket, 'replaced', bytesOf(bytes.length, 2));
  await expect(download.bytes()).rejects.toMatchObject({ code: 'ObjectChanged' });
});

it('a download gives up on a line that brings nothing any more', async () => {
  const { fetch, ranges } = cutting(1000, ...Array.from({ length: 20 }, () => 0));
  const download = await server.byToken({ fetch }).download(bucket, 'large');
  await expect(download.bytes()).rejects.toMatchObject({ code: 'NetworkFailure' });
  expect(ranges.length).toBeLessThan(12);
});

it('a download takes no byte that was changed on the way', async () => {
  const spoiling: Fetch = async (url, init) => {
    const response = await globalThis.fetch(url, init);
    if (init?.method !== 'GET') return response;
    const spoiled = new Uint8Array(await response.arrayBuffer());
    spoiled[5] = 255 - (spoiled[5] ?? 0);
    return new Response(spoiled, { headers: response.headers });
  };
  await server.byToken().upload(bucket, 'sha256', bytesOf(1000));
  for (const key of ['large', 'sha256']) {
    const download = await server.byToken({ fetch: spoiling }).download(bucket, key);
    await expect(download.bytes()).rejects.toMatchObject({ code: 'ChecksumMismatch' });
  }
});

it('a download comes as a stream, a blob, a text, or into a file', async () => {
  const client = server.byToken();
  await client.upload(bucket, 'text', 'héllo', { contentType: 'text/plain' });
  const get = () => client.download(bucket, 'text');
  expect(await (await get()).text()).toBe('héllo');
  const blob = await (await get()).blob();
  expect([blob.size, blob.type]).toEqual([6, 'text/plain']);
  const chunks: Uint8Array[] = [];
  const sink = () => new WritableStream<Uint8Array>({ write: (chunk) => void chunks.push(chunk) });
  await (await get()).saveTo(sink());
  // What a page gets of showSaveFilePicker().
  await (await get()).saveTo({ createWritable: async () => sink() });
  expect(Buffer.concat(chunks).toString()).toBe('héllohéllo');
  const reader = (await get()).body.getReader();
  expect((await reader.read()).value).toEqual(new TextEncoder().encode('héllo'));
});

it('a download reads no more than is wanted, and ends with its signal', async () => {
  const client = server.byToken();
  const aborting = new AbortController();
  const { signal } = aborting;
  const download = await client.download(bucket, 'large', { signal });
  const reader = download.body.getReader();
  expect((await reader.read()).value?.length).toBeLessThan(bytes.length);
  aborting.abort(new Error('gone'));
  await expect(reader.read()).rejects.toThrow('gone');
});

it('an older version, and an object that is decoded by the platform', async () => {
  const versioned = await server.newBucket({ versioning: 'enabled' });
  const client = server.byKey();
  const first = await client.upload(versioned, 'a', 'first');
  await client.upload(versioned, 'a', 'second');
  const options = first.versionId === null ? {} : { versionId: first.versionId };
  expect(await (await client.download(versioned, 'a', options)).text()).toBe('first');
  const zipped = new Blob(['zipped']).stream().pipeThrough(new CompressionStream('gzip'));
  const body = await new Response(zipped).blob();
  await client.upload(versioned, 'zipped', body, { contentEncoding: 'gzip' });
  const download = await client.download(versioned, 'zipped');
  expect(await download.text()).toBe('zipped');
  expect([download.sizeBytes, download.verifiedBy()]).toEqual([null, 'nothing']);
});
