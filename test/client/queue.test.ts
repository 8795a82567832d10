// The queue of a page, against a server on Node: what waits, goes, stops, fails, and what is there
// after a reload.
import { describe, expect, it } from 'vitest';
import {
  type CustomDigest,
  createUploadQueue,
  digestOf,
  droppedFiles,
  type Fetch,
  type QueueItem,
  type QueueOptions,
  type QueueSnapshot,
  treeOf,
} from '../../src/client/index.ts';
import { bytesOf, MiB, useClientServer } from './client-server.ts';

const server = useClientServer();
const fileOf = (name: string, body: string | Uint8Array<ArrayBuffer> = name, lastModified = 1) =>
  new File([body], name, { lastModified });

async function newQueue(options: Partial<QueueOptions> = {}) {
  const bucket = await server.newBucket();
  const queue = createUploadQueue({ client: server.byToken(), bucket, ...options });
  return { bucket: options.bucket ?? bucket, queue };
}

const statesOf = ({ items }: QueueSnapshot) => items.map(({ path, state }) => `${path} ${state}`);

async function keysOf(bucket: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const entry of server.byToken().objects.list(bucket, { query: { delimiter: '' } })) {
    if (entry.kind === 'object') keys.push(entry.key);
  }
  return keys;
}

/** Holds requests with that text in their address until they are let go. */
function holding(text: string) {
  const held: (() => void)[] = [];
  let isOpen = false;
  const fetch: Fetch = async (url, init) => {
    if (init?.method === 'PUT' && url.includes(text) && !isOpen) {
      await new Promise<void>((resolve, reject) => {
        held.push(resolve);
        init.signal?.addEventListener('abort', () => reject(init.signal?.reason));
      });
    }
    return globalThis.fetch(url, init);
  };
  const open = () => {
    isOpen = true;
    for (const go of held.splice(0)) go();
  };
  return { fetch, open, count: () => held.length };
}

describe('a queue', () => {
  it('sends files and folders, a few at a time, and tells whoever listens', async () => {
    const { fetch, open, count } = holding('/in/');
    const client = server.byToken({ fetch });
    const { bucket, queue } = await newQueue({ client, prefix: 'in/', concurrency: 2 });
    let reports = 0;
    const stop = queue.subscribe(() => reports++);
    expect(queue.getSnapshot()).toBe(queue.getSnapshot());
    queue.add([
      fileOf('a.txt'),
      { file: fileOf('b.txt'), path: 'trip/b.txt' },
      { file: fileOf('c.txt'), path: 'trip/day/c.txt' },
    ]);
    await expect.poll(count).toBe(2);
    expect(queue.getSnapshot().totals).toMatchObject({
      files: 3,
      states: { sending: 2, waiting: 1 },
    });
    open();
    await queue.settled();
    expect(await keysOf(bucket)).toEqual(['in/a.txt', 'in/trip/b.txt', 'in/trip/day/c.txt']);
    const { items, totals } = queue.getSnapshot();
    expect(totals).toMatchObject({ sizeBytes: 15, sentBytes: 15, states: { done: 3 } });
    const tree = treeOf(items);
    expect(tree.items.map(({ path }) => path)).toEqual(['a.txt']);
    expect(tree.folders[0]).toMatchObject({ name: 'trip', totals: { files: 2, sizeBytes: 10 } });
    expect(tree.folders[0]?.folders[0]?.items[0]?.path).toBe('trip/day/c.txt');
    expect(reports).toBeGreaterThan(0);
    stop();
    queue.clear();
    expect(queue.getSnapshot().items).toEqual([]);
  });

  it('pauses, resumes and cancels one, some or all', async () => {
    const { fetch, open, count } = holding('.bin');
    const client = server.byToken({ fetch });
    const { bucket, queue } = await newQueue({ client, concurrency: 1 });
    queue.add(['1.bin', '2.bin', '3.bin', '4.bin'].map((name) => fileOf(name)));
    const ids = queue.getSnapshot().items.map(({ id }) => id);
    await expect.poll(count).toBe(1);
    queue.pause([ids[0] ?? '']);
    // Its place is another's now.
    expect(statesOf(queue.getSnapshot()).slice(0, 2)).toEqual(['1.bin paused', '2.bin sending']);
    await queue.cancel([ids[1] ?? '', ids[3] ?? '']);
    queue.pause();
    expect(statesOf(queue.getSnapshot())).toEqual([
      '1.bin paused',
      '2.bin cancelled',
      '3.bin paused',
      '4.bin cancelled',
    ]);
    await queue.settled();
    open();
    queue.resume();
    await queue.settled();
    expect(await keysOf(bucket)).toEqual(['1.bin', '3.bin']);
  });

  it('tells why a file failed, goes on with the others, and tries again when asked', async () => {
    let isBroken = true;
    const fetch: Fetch = async (url, init) => {
      if (isBroken && url.includes('bad.txt')) return new Response(null, { status: 403 });
      return globalThis.fetch(url, init);
    };
    const { bucket, queue } = await newQueue({ client: server.byToken({ fetch }), concurrency: 1 });
    queue.add([fileOf('bad.txt'), fileOf('good.txt')]);
    await queue.settled();
    const [bad] = queue.getSnapshot().items;
    expect(bad).toMatchObject({ state: 'failed', error: { code: 'Http403', status: 403 } });
    expect(await keysOf(bucket)).toEqual(['good.txt']);
    isBroken = false;
    queue.retry();
    await queue.settled();
    expect(statesOf(queue.getSnapshot())).toEqual(['bad.txt done', 'good.txt done']);
  });

  it('goes on after a reload with the same file, and takes back what is cancelled', async () => {
    const texts = new Map<string, string>();
    const storage = {
      getItem: (name: string) => texts.get(name) ?? null,
      setItem: (name: string, text: string) => void texts.set(name, text),
    };
    const sent: string[] = [];
    let isBroken = true;
    const fetch: Fetch = async (url, init) => {
      const part = new URL(url).searchParams.get('partNumber');
      if (init?.method === 'PUT' && part !== null) {
        if (part === '2' && isBroken) return new Response(null, { status: 403 });
        sent.push(`${new URL(url).pathname.split('/').at(-1)} ${part}`);
      }
      return globalThis.fetch(url, init);
    };
    const client = server.byToken({ fetch });
    const optionsFor = () => ({ partSizeBytes: 5 * MiB, maxParallel: 1 });
    const bytes = bytesOf(5 * MiB + 3);
    const files = () => [fileOf('film', bytes), fileOf('other', bytes)];
    const before = await newQueue({ client, storage, optionsFor });
    const { bucket } = before;
    before.queue.add(files());
    await before.queue.settled();
    await expect.poll(() => texts.size).toBe(1);
    await expect.poll(() => JSON.parse([...texts.values()][0] ?? '[]')).toHaveLength(2);

    isBroken = false;
    const after = createUploadQueue({ client, bucket, storage, optionsFor });
    await after.restored;
    expect(statesOf(after.getSnapshot())).toEqual(['film needs-file', 'other needs-file']);
    after.add([fileOf('film', 'not the same')]);
    await after.settled();
    expect(statesOf(after.getSnapshot())).toContain('film needs-file');
    sent.splice(0);
    after.add(files().slice(0, 1));
    await after.settled();
    expect(sent).toEqual(['film 2']);
    await after.cancel();
    expect(await keysOf(bucket)).toEqual(['film']);
    const left = [];
    for await (const upload of server.byToken().uploads.list(bucket)) left.push(upload);
    expect(left).toEqual([]);
    await expect.poll(() => JSON.parse([...texts.values()][0] ?? '')).toEqual([]);
  });

  it('begins anew where the upload was swept meanwhile, and minds no broken storage', async () => {
    const stored = { key: 'swept', path: 'swept', sizeBytes: 5, modifiedAtMs: 1, uploadId: 'gone' };
    const bucket = await server.newBucket();
    const storage = {
      getItem: async () => JSON.stringify([{ ...stored, bucket }]),
      setItem: () => {
        throw new Error('The disk is full.');
      },
    };
    const { queue } = await newQueue({ bucket, storage });
    await queue.restored;
    queue.add([fileOf('swept')]);
    await queue.settled();
    expect(await keysOf(bucket)).toEqual(['swept']);
    const broken = await newQueue({ storage: { ...storage, getItem: () => '{' } });
    await broken.queue.restored;
    expect(broken.queue.getSnapshot().items).toEqual([]);
  });

  it('sends a file to a bucket, a key and with options of its own', async () => {
    const { bucket, queue } = await newQueue({ prefix: 'in/' });
    const other = await server.newBucket();
    await server.byToken().upload(other, 'there', 'old');
    const options = { ifNoneMatch: '*', metadata: { from: 'a test' } } as const;
    queue.add([
      { file: fileOf('a'), path: 'a', key: 'b', options },
      { file: fileOf('c'), path: 'c', bucket: other },
      { file: fileOf('there'), path: 'there', bucket: other, key: 'there', options },
    ]);
    await queue.settled();
    expect(await keysOf(bucket)).toEqual(['b']);
    expect(await keysOf(other)).toEqual(['in/c', 'there']);
    expect((await server.byToken().download(bucket, 'b')).metadata).toEqual({ from: 'a test' });
    const [sent, , refused] = queue.getSnapshot().items;
    expect(sent?.result).toMatchObject({ bucket, key: 'b', sizeBytes: 1 });
    expect(refused?.error?.code).toBe('PreconditionFailed');
  });

  it('has pieces of files digested elsewhere, and says with which checksum they went', async () => {
    const digested: [string, number][] = [];
    const digest: CustomDigest = (algorithm, piece) => {
      digested.push([algorithm, piece instanceof Blob ? piece.size : -1]);
      return digestOf(algorithm, piece);
    };
    const { bucket, queue } = await newQueue({ optionsFor: () => ({ digest }) });
    const bytes = bytesOf(17 * MiB);
    queue.add([fileOf('small', 'abc'), fileOf('large', bytes)]);
    await queue.settled();
    expect(digested).toEqual([
      ['SHA256', 3],
      ['CRC64NVME', 8 * MiB],
      ['CRC64NVME', 8 * MiB],
      ['CRC64NVME', MiB],
    ]);
    const [small, large] = queue.getSnapshot().items;
    const value = 'ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=';
    expect(small?.result?.checksum).toEqual({ algorithm: 'SHA256', value });
    expect(large?.result?.checksum).toBeNull();
    const download = await server.byToken().download(bucket, 'large');
    expect(Buffer.from(await download.bytes()).equals(Buffer.from(bytes))).toBe(true);
    expect(download.verifiedBy()).toBe('crc64nvme');
  });

  it('forgets a file that was taken off the list while it was still being sent', async () => {
    const { fetch, open, count } = holding('.bin');
    const { queue } = await newQueue({ client: server.byToken({ fetch }), concurrency: 1 });
    queue.add([fileOf('1.bin'), fileOf('2.txt')]);
    await expect.poll(count).toBe(1);
    const cancelled = queue.cancel(['0']);
    queue.clear();
    open();
    await cancelled;
    await queue.settled();
    expect(statesOf(queue.getSnapshot())).toEqual(['2.txt done']);
    expect(queue.getSnapshot().totals).toMatchObject({ files: 1, sizeBytes: 5, sentBytes: 5 });
  });

  it('stays quick with thousands of files', () => {
    const client = server.byToken({ fetch: () => new Promise(() => {}) });
    const queue = createUploadQueue({ client, bucket: 'b' });
    const startedAtMs = performance.now();
    queue.add(Array.from({ length: 20_000 }, (_, at) => fileOf(`${at}`)));
    expect(queue.getSnapshot().totals).toMatchObject({ files: 20_000, states: { sending: 3 } });
    expect(performance.now() - startedAtMs).toBeLessThan(5000);
  });
});

describe('what is dropped', () => {
  const fileEntry = (path: string) => ({
    isFile: true,
    fullPath: path,
    file: (done: (file: File) => void) => done(fileOf(path.split('/').at(-1) ?? '')),
  });
  const folderEntry = (path: string, ...batches: object[][]) => ({
    isFile: false,
    fullPath: path,
    createReader: () => ({
      readEntries: (done: (some: object[]) => void) => done(batches.shift() ?? []),
    }),
  });
  const itemOf = (entry: object | null, file: File | null = null) => ({
    kind: 'file',
    getAsFile: () => file,
    webkitGetAsEntry: () => entry,
  });

  it('is files, and folders to their last file', async () => {
    const inner = folderEntry('/trip/day', [fileEntry('/trip/day/c')]);
    const folder = folderEntry('/trip', [fileEntry('/trip/a'), inner], [fileEntry('/trip/b')]);
    const text = { kind: 'string', getAsFile: () => null };
    const items = [itemOf(folder), text, itemOf(null, fileOf('alone'))];
    const files = await droppedFiles({ items });
    expect(files.map(({ path }) => path)).toEqual(['trip/a', 'trip/day/c', 'trip/b', 'alone']);
  });

  it('has a folder that is empty as an empty file whose path ends in a slash', async () => {
    const folder = folderEntry('/trip', [folderEntry('/trip/none')]);
    const [only, ...others] = await droppedFiles({ items: [itemOf(folder)] });
    expect(others).toEqual([]);
    expect(only).toMatchObject({ path: 'trip/none/', file: { size: 0 } });
  });
});

it('an item is never changed in place', async () => {
  const { queue } = await newQueue();
  queue.add([fileOf('a')]);
  const [before] = queue.getSnapshot().items;
  const copy = structuredClone(before) as QueueItem;
  await queue.settled();
  expect(before).toEqual(copy);
  expect(queue.getSnapshot().items[0]).not.toBe(before);
});
