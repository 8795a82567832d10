// Bytes both ways against a server on Node, with both credentials.
import { beforeAll, describe, expect, it } from 'vitest';
import type { Fetch, Progress } from '../../src/client/index.ts';
import { QuaysideError } from '../../src/client/index.ts';
import { bytesOf, MiB, useClientServer } from './client-server.ts';

const server = useClientServer();
/** The least that goes in two parts. */
const IN_PARTS = { partSizeBytes: 5 * MiB } as const;
const LARGE_BYTES = 5 * MiB + 7;
const LARGE = bytesOf(LARGE_BYTES);
let bucket = '';
beforeAll(async () => {
  bucket = await server.newBucket();
});

it('the client refuses keys that no URL can name before a byte is sent', async () => {
  let requests = 0;
  const fetch: Fetch = (url, init) => {
    requests++;
    return globalThis.fetch(url, init);
  };
  for (const client of [server.byKey({ fetch }), server.byToken({ fetch })]) {
    for (const key of ['..', 'a/../b.txt', './a', 'a/.', 'a/..']) {
      const refused = { code: 'InvalidInput', fields: [{ field: 'key' }] };
      await expect(client.upload(bucket, key, 'x')).rejects.toMatchObject(refused);
      await expect(client.upload(bucket, key, LARGE, IN_PARTS)).rejects.toMatchObject(refused);
      await expect(client.download(bucket, key)).rejects.toMatchObject(refused);
    }
  }
  expect(requests).toBe(0);
  for (const key of ['a..b/c', '.hidden', 'a/...', 'a/..b']) {
    await server.byKey().upload(bucket, key, key);
    expect(await (await server.byToken().download(bucket, key)).text()).toBe(key);
  }
});

const isPart = (url: string, init?: RequestInit) =>
  init?.method === 'PUT' && url.includes('partNumber=');

/** Notes the numbers of parts that are sent; `before` may fail or delay one. */
function watchParts(before: (partNumber: number, signal: AbortSignal) => unknown = () => {}) {
  const sent: number[] = [];
  const fetch: Fetch = async (url, init) => {
    if (isPart(url, init)) {
      const partNumber = Number(new URL(url).searchParams.get('partNumber'));
      sent.push(partNumber);
      await before(partNumber, init?.signal ?? AbortSignal.any([]));
    }
    return globalThis.fetch(url, init);
  };
  return { sent, fetch };
}

async function unfinished(key: string): Promise<number> {
  let count = 0;
  for await (const _ of server.byToken().uploads.list(bucket, { query: { prefix: key } })) count++;
  return count;
}

const streamOf = (...chunks: Uint8Array<ArrayBuffer>[]) =>
  new Blob(chunks).stream() as ReadableStream<Uint8Array>;

describe.each(['byToken', 'byKey'] as const)('with a client %s', (kind) => {
  it.each([
    ['a text', 'héllo', 6],
    ['nothing', '', 0],
    ['bytes', bytesOf(1000), 1000],
    ['a view', new DataView(bytesOf(10).buffer, 3, 4), 4],
    ['a blob', new Blob(['a', 'bc']), 3],
    ['a short stream', streamOf(bytesOf(5), bytesOf(7)), 12],
  ])('%s goes in one request and comes back verified', async (name, source, length) => {
    const client = server[kind]();
    const key = `${kind}/${name} ü(1)*'!&+?#%.txt`;
    const sent = await client.upload(bucket, key, source);
    expect(sent).toMatchObject({ bucket, key, sizeBytes: length });
    const download = await client.download(bucket, key);
    expect(download).toMatchObject({ sizeBytes: length, etag: sent.etag });
    expect((await download.bytes()).length).toBe(length);
    expect(download.verifiedBy()).toBe('sha256');
  });

  it('what is said of an object comes back', async () => {
    const client = server[kind]();
    const key = `${kind}/said`;
    const said = {
      contentType: 'text/plain; charset=utf-8',
      cacheControl: 'max-age=60',
      metadata: { from: 'Zürich', note: 'Łódź', plain: 'yes' },
    };
    for (const source of ['abc', LARGE]) {
      await client.upload(bucket, key, source, { ...IN_PARTS, ...said, tags: { kind: 'ä b=c' } });
      const download = await client.download(bucket, key);
      await download.body.cancel();
      expect(download).toMatchObject({ contentType: said.contentType, metadata: said.metadata });
      const detail = await server.byToken().objects.get(bucket, { query: { key } });
      expect(detail).toMatchObject({ ...said, tags: { kind: 'ä b=c' } });
    }
  });

  it('a large object goes in parts, with progress, and comes back by ranges', async () => {
    const client = server[kind]();
    const key = `${kind}/large`;
    const bytes = LARGE;
    const seen: Progress[] = [];
    const { sent, fetch } = watchParts();
    const options = { ...IN_PARTS, onProgress: (progress: Progress) => seen.push(progress) };
    const done = await server[kind]({ fetch }).upload(bucket, key, new Blob([bytes]), options);
    expect(done.etag).toMatch(/-2$/);
    expect(sent.toSorted()).toEqual([1, 2]);
    expect(seen.at(-1)).toMatchObject({ sentBytes: bytes.length, totalBytes: bytes.length });
    const range = { offsetBytes: 5 * MiB - 3, lengthBytes: 6 };
    const part = await (await client.download(bucket, key, { range })).bytes();
    expect(part).toEqual(bytes.subarray(5 * MiB - 3, 5 * MiB + 3));
    const whole = await client.download(bucket, key);
    expect(Buffer.compare(await whole.bytes(), bytes)).toBe(0);
    expect(whole.verifiedBy()).toBe('crc64nvme');
  });

  it('a long stream goes in parts', async () => {
    const client = server[kind]();
    const bytes = LARGE;
    const done = await client.upload(bucket, `${kind}/stream`, streamOf(bytes), {
      ...IN_PARTS,
      checksum: 'sha256',
    });
    expect(done).toMatchObject({ sizeBytes: bytes.length, etag: expect.stringMatching(/-2$/) });
  });

  it('conditions hold for one request and for parts', async () => {
    const client = server[kind]();
    const key = `${kind}/conditions`;
    const first = await client.upload(bucket, key, 'first', { ifNoneMatch: '*' });
    // A condition holds for the bytes that are there already too.
    for (const source of ['first', 'second', LARGE]) {
      for (const condition of [{ ifNoneMatch: '*' as const }, { ifMatch: '0'.repeat(32) }]) {
        const refused = client.upload(bucket, key, source, { ...IN_PARTS, ...condition });
        await expect(refused).rejects.toMatchObject({ code: 'PreconditionFailed', status: 412 });
      }
    }
    expect(await unfinished(key)).toBe(0);
    await client.upload(bucket, key, LARGE, { ...IN_PARTS, ifMatch: first.etag });
    const refused = client.download(bucket, key, { ifMatch: first.etag });
    await expect(refused).rejects.toMatchObject({ status: 412 });
  });

  it('an interrupted upload goes on elsewhere, and sends what is missing or differs', async () => {
    const key = `${kind}/resumed`;
    const bytes = bytesOf(15 * MiB + 9);
    const options = { partSizeBytes: 5 * MiB, maxParallel: 1 };
    let uploadId = '';
    const broken = watchParts((partNumber) => {
      if (partNumber === 3) throw new QuaysideError('Broken', 'The machine died.');
    });
    const begun = server[kind]({ fetch: broken.fetch }).upload(bucket, key, bytes, {
      ...options,
      onUploadId: (id) => {
        uploadId = id;
      },
    });
    await expect(begun).rejects.toMatchObject({ code: 'Broken' });
    const changed = bytes.slice();
    changed[0] = 255 - (bytes[0] ?? 0);
    const { sent, fetch } = watchParts();
    const client = server[kind]({ fetch });
    const done = await client.resumeUpload({ bucket, key, uploadId }, new Blob([changed]));
    expect(sent.toSorted()).toEqual([1, 3, 4]);
    expect(done).toMatchObject({ sizeBytes: bytes.length, etag: expect.stringMatching(/-4$/) });
    const download = await client.download(bucket, key);
    expect(Buffer.compare(await download.bytes(), changed)).toBe(0);
    const again = client.resumeUpload({ bucket, key, uploadId }, new Blob([changed]));
    await expect(again).rejects.toMatchObject({ code: 'NoSuchUpload' });
  });

  it('a paused upload sends nothing, and goes on', async () => {
    const key = `${kind}/paused`;
    const started = Promise.withResolvers<void>();
    let hangs = true;
    const { sent, fetch } = watchParts((_, signal) => {
      started.resolve();
      if (!hangs) return undefined;
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      );
    });
    const task = server[kind]({ fetch }).upload(bucket, key, LARGE, IN_PARTS);
    await started.promise;
    task.pause();
    hangs = false;
    const before = sent.length;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(sent.length).toBe(before);
    expect(task.progress().sentBytes).toBe(0);
    task.resume();
    expect(await task).toMatchObject({ sizeBytes: LARGE_BYTES });
  });

  it.each(['cancel', 'signal'] as const)(
    'an upload that ends by %s leaves nothing',
    async (how) => {
      const key = `${kind}/cancelled-${how}`;
      const aborting = new AbortController();
      const started = Promise.withResolvers<void>();
      const { fetch } = watchParts((_, signal) => {
        started.resolve();
        return new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        );
      });
      const { signal } = aborting;
      const task = server[kind]({ fetch }).upload(bucket, key, LARGE, { ...IN_PARTS, signal });
      const failure = task.catch((error: unknown) => error);
      await started.promise;
      expect(await unfinished(key)).toBe(1);
      if (how === 'cancel') await task.cancel();
      else aborting.abort(new Error('gone'));
      expect(await failure).toMatchObject(
        how === 'cancel' ? { code: 'Cancelled' } : { message: 'gone' },
      );
      expect(await unfinished(key)).toBe(0);
    },
  );
});

it('an upload that is cancelled while its stream says nothing ends', async () => {
  const silent = new ReadableStream<Uint8Array>({ pull: () => new Promise(() => {}) });
  const task = server.byToken().upload(bucket, 'silent', silent);
  await task.cancel();
  await expect(task).rejects.toMatchObject({ code: 'Cancelled' });
});

it('objects that are sent together are presigned together, and fail alone', async () => {
  const questions: string[] = [];
  const fetch: Fetch = (url, init) => {
    if (url.endsWith('/presigned-urls')) questions.push(url);
    return globalThis.fetch(url, init);
  };
  const client = server.byToken({ fetch });
  const keys = Array.from({ length: 20 }, (_, at) => `together/${at}`);
  await Promise.all(keys.map((key) => client.upload(bucket, key, key)));
  expect(questions.length).toBeLessThan(keys.length / 2);
  questions.length = 0;
  const fine = keys.map((key) => client.upload(bucket, key, key));
  const wrong = client.upload(bucket, 'x'.repeat(2000), 'a');
  await expect(wrong).rejects.toMatchObject({ code: 'InvalidInput' });
  await Promise.all(fine);
  // By halves, not one by one.
  expect(questions.length).toBeLessThan(keys.length);
});

it('a key with a scope, which is for S3 alone, sends and reads in its prefix', async () => {
  const scope = { buckets: [bucket], prefixes: ['in/'] };
  const made = await server.byToken().keys.create({ body: { name: 'scoped', scope } });
  const accessKey = { id: made.id, secret: made.secretAccessKey };
  const client = server.byKey({ accessKey });
  await client.upload(bucket, 'in/a', LARGE, IN_PARTS);
  expect((await client.download(bucket, 'in/a')).sizeBytes).toBe(LARGE_BYTES);
  await expect(client.upload(bucket, 'out/a', 'x')).rejects.toMatchObject({
    code: 'AccessDenied',
    status: 403,
    hint: 'See /-/docs#AccessDenied of the server.',
  });
  await expect(client.buckets.get(bucket)).rejects.toMatchObject({ code: 'AccessDenied' });
});

it('a clock that is wrong by a day signs by the server’s', async () => {
  const realNow = Date.now;
  Date.now = () => realNow() - 86_400_000;
  try {
    const client = server.byKey();
    await client.upload(bucket, 'skewed', LARGE, IN_PARTS);
    expect(await (await server.byKey().download(bucket, 'skewed')).bytes()).toHaveLength(
      LARGE_BYTES,
    );
  } finally {
    Date.now = realNow;
  }
});
