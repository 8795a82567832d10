// Compression of cold bodies as a bucket's owner sees it: what is compressed, that nobody notices,
// what it saves, and how a run is interrupted and resumed.
import { describe, expect, it } from 'vitest';
import { copyObject } from '../../../src/core/objects/copy-object.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import { openBody } from '../../../src/core/objects/read-object.ts';
import { setBucketSettings } from '../../../src/core/opened-bucket/set-bucket-settings.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import type { Segment } from '../../../src/domain/nouns.ts';
import { isSameBytes, patternBytes, readAll } from '../../contract/bodies.ts';
import { logBytes } from '../../contract/index/compressed-blobs.contract.ts';
import { ATTRIBUTES, GRACE_SECONDS, key, putBytes, withPorts } from '../memory-core.ts';
import { completeParts, copyOf, putPart, startUpload } from '../multipart-kit.ts';
import { compressionOf, DAY, LOG, MANY, spared, useCompression } from './compression-kit.ts';

const { core, bucket, compress, put, run, get, isCompressed, saved, expectBody } = useCompression();

describe('a compression run', () => {
  it('compresses old bodies that shrink, and changes nothing else of them', async () => {
    const before = await put('old.log');
    await compress(30);
    await run();
    expect(await isCompressed('old.log')).toBe(false);
    core().advanceSeconds(30 * DAY);
    await put('young.log');
    await run();
    const after = await get('old.log');
    const { segments, ...facts } = after;
    expect(before).toMatchObject(facts);
    const layout = compressionOf(after);
    expect(layout?.plainBytes).toBe(LOG.length);
    expect(layout?.storedBytes).toBeLessThan(LOG.length / 3);
    expect(
      core().blobStore.blobs.get(segments[0]?.blobId as never)?.identity.packing,
    ).toMatchObject({
      plainBytes: LOG.length,
    });
    await expectBody(after);
    for (const [offsetBytes, end] of [
      [0, 1],
      [262_100, 262_200],
      [65_535, 299_999],
      [299_999, 300_000],
    ] as const) {
      const range = { offsetBytes, lengthBytes: end - offsetBytes };
      for (const _ of ['cold', 'warm']) {
        const { body } = await openBody(core(), after, range);
        const bytes = body instanceof ReadableStream ? await readAll(body) : body;
        expect(isSameBytes(bytes ?? new Uint8Array(), LOG.subarray(offsetBytes, end))).toBe(true);
      }
    }
    expect(await isCompressed('young.log')).toBe(false);
    expect(await saved()).toBe(layout && spared(layout));
  });

  it('lets readers of the old blob end, then gives back its room', async () => {
    const before = await put('old.log');
    await compress(1);
    core().advanceSeconds(2 * DAY);
    await run();
    await expectBody(before);
    expect(core().blobStore.blobs.size).toBe(2);
    core().advanceSeconds(GRACE_SECONDS + 1);
    expect(await sweep(core())).toMatchObject({ deletedBlobs: 1 });
    expect(core().blobStore.blobs.size).toBe(1);
    await expectBody(await get('old.log'));
  });

  it('leaves bodies that would not shrink, and samples them once only', async () => {
    await put('noise.bin', patternBytes(100_000));
    await put('photo.jpg', LOG, 'image/jpeg');
    await put('small.txt', LOG.subarray(0, 16_000));
    const gzipped = {
      ...ATTRIBUTES,
      headers: { contentType: 'text/plain', contentEncoding: 'gzip' },
    };
    await putBytes(core(), bucket(), 'coded', LOG, { attributes: gzipped });
    await put('middling', Uint8Array.from([...LOG.subarray(0, 65_536), ...patternBytes(900_000)]));
    await compress(1);
    core().advanceSeconds(2 * DAY);
    await run();
    for (const name of ['noise.bin', 'photo.jpg', 'small.txt', 'coded', 'middling'])
      expect(await isCompressed(name)).toBe(false);
    await core().settle();
    expect(core().blobStore.blobs.size).toBe(5);
    expect(await saved()).toBe(0);
    core().advanceSeconds(2 * DAY);
    let reads = 0;
    const { blobStore } = core().ports;
    const openRuns = (runs: readonly Segment[]) => {
      reads++;
      return blobStore.openRuns(runs);
    };
    const counting = withPorts(core(), {
      blobStore: { ...blobStore, openRuns },
    });
    await run(counting);
    expect(reads).toBe(0);
    // Another word of the owner is another try.
    await compress(1);
    await run(counting);
    expect(reads).toBeGreaterThan(0);
  });

  it('leaves bodies that share their blob, or are encrypted', async () => {
    const source = await put('shared');
    await copyObject(core(), bucket(), copyOf(source, 'copy'));
    await putBytes(core(), bucket(), 'encrypted', LOG, { encryption: { kind: 'server' } });
    await compress(1);
    core().advanceSeconds(2 * DAY);
    await run();
    for (const name of ['shared', 'copy', 'encrypted'])
      expect(await isCompressed(name)).toBe(false);
  });

  it('does not mix up deduplicated and compressed bodies', async () => {
    await setBucketSettings(core(), bucket(), { deduplication: true });
    await put('first');
    await compress(1);
    core().advanceSeconds(2 * DAY);
    await run();
    expect(await isCompressed('first')).toBe(true);
    // The plain blob still exists, and is found by its digest; the compressed one never is.
    for (const name of ['second', 'third']) await put(name);
    for (const name of ['first', 'second', 'third']) await expectBody(await get(name));
    const [totals] = await bucket().call('getStorageTotals', {});
    const compressedBytes = spared(compressionOf(await get('first')) as never);
    expect(totals).toMatchObject({
      currentBytes: 900_000,
      deduplicatedBytes: 300_000,
      compressedBytes,
    });
    // Two share it now.
    core().advanceSeconds(2 * DAY);
    await run();
    expect(await isCompressed('second')).toBe(false);
    await deleteObjects(
      core(),
      bucket(),
      ['first', 'second', 'third'].map((name) => ({ key: key(name) })),
    );
    const [left] = await bucket().call('getStorageTotals', {});
    expect(left).toMatchObject({ currentBytes: 0, deduplicatedBytes: 0, compressedBytes: 0 });
  });

  it('resumes where its budget ended it', async () => {
    for (const name of ['a', 'b', 'c', 'd']) await put(name);
    await compress(1);
    core().advanceSeconds(2 * DAY);
    await run(core(), { bytes: 300_001 });
    expect(await Promise.all(['a', 'b', 'c', 'd'].map(isCompressed))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    await run(core(), { bodies: 1 });
    expect(await Promise.all(['a', 'b', 'c', 'd'].map(isCompressed))).toEqual([
      true,
      true,
      true,
      false,
    ]);
    const stopping = new AbortController();
    stopping.abort();
    await run(core(), { stopping: stopping.signal });
    expect(await isCompressed('d')).toBe(false);
    await run();
    expect(await isCompressed('d')).toBe(true);
  });

  it('ends in the midst of a body when the server stops, and leaves nothing', async () => {
    await put('a');
    await compress(1);
    core().advanceSeconds(2 * DAY);
    const stopping = new AbortController();
    const { blobStore } = core().ports;
    const stoppingStore = {
      ...blobStore,
      write: (...args: Parameters<typeof blobStore.write>) => {
        stopping.abort();
        return blobStore.write(...args);
      },
    };
    await run(withPorts(core(), { blobStore: stoppingStore }), { stopping: stopping.signal });
    expect(await isCompressed('a')).toBe(false);
    expect(core().blobStore.blobs.size).toBe(1);
    await run();
    expect(await isCompressed('a')).toBe(true);
  });

  it('compresses noncurrent versions, and bodies of several parts as one', async () => {
    await setBucketSettings(core(), bucket(), { versioning: 'enabled' });
    const first = await put('log');
    await put('log', logBytes(200_000));
    const upload = await startUpload(core(), bucket(), 'joined');
    const parts = [
      await putPart(core(), bucket(), upload, 1, MANY),
      await putPart(core(), bucket(), upload, 2, LOG),
    ];
    await completeParts(core(), bucket(), upload, parts);
    await compress(1);
    core().advanceSeconds(2 * DAY);
    await run();
    expect(compressionOf(await get('log', first.versionId))?.plainBytes).toBe(300_000);
    expect(compressionOf(await get('log'))?.plainBytes).toBe(200_000);
    await expectBody(await get('log', first.versionId));
    const joined = await get('joined');
    expect(joined.segments).toHaveLength(1);
    expect(joined.parts).toMatchObject([{ sizeBytes: MANY.length }, { sizeBytes: LOG.length }]);
    await expectBody(joined, Uint8Array.from([...MANY, ...LOG]));
  });

  it('repeats failed bodies without stopping the others, and gives up in the end', async () => {
    const broken = await put('broken');
    core().advanceSeconds(60);
    await put('noise', patternBytes(50_000));
    await compress(1);
    core().advanceSeconds(2 * DAY);
    const { blobStore } = core().ports;
    let tries = 0;
    let isMended = false;
    const openRuns = (runs: readonly Segment[]) => {
      if (runs[0]?.blobId !== broken.segments[0]?.blobId || isMended)
        return blobStore.openRuns(runs);
      tries += 1;
      return Promise.reject(new Error('a disk'));
    };
    const failing = withPorts(core(), { blobStore: { ...blobStore, openRuns } });
    for (let day = 0; day < 8; day++) {
      await put(`z${day}`);
      core().advanceSeconds(2 * DAY);
      await run(failing);
      expect(await isCompressed(`z${day}`)).toBe(true);
    }
    expect(tries).toBe(4);
    isMended = true;
    await run(failing);
    expect(await isCompressed('broken')).toBe(false);
    await compress(1);
    await run(failing);
    expect(await isCompressed('broken')).toBe(true);
  });

  it('that failed once is mended by the next', async () => {
    const broken = await put('broken');
    await compress(1);
    core().advanceSeconds(2 * DAY);
    const { blobStore } = core().ports;
    const openRuns = () => Promise.reject(new Error('a disk'));
    await run(withPorts(core(), { blobStore: { ...blobStore, openRuns } }));
    expect(compressionOf(broken)).toBeUndefined();
    core().advanceSeconds(DAY);
    await run();
    expect(await isCompressed('broken')).toBe(true);
  });

  it('exchanges no body whose bytes are not those of its entity tag', async () => {
    const { segments } = await put('rotten');
    await compress(1);
    core().advanceSeconds(2 * DAY);
    const stored = core().blobStore.blobs.get(segments[0]?.blobId as never);
    if (stored !== undefined) stored.bytes[1000] = (stored.bytes[1000] ?? 0) ^ 1;
    await run();
    await core().settle();
    expect(await isCompressed('rotten')).toBe(false);
    expect(core().blobStore.blobs.size).toBe(1);
  });
});
