import { crc32 } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { endOfDirectory, type ZipEntry, zipLength } from '../../../src/http/zip/zip-records.ts';
import { createZipStream } from '../../../src/http/zip/zip-stream.ts';
import {
  readZip,
  readZipDescriptor,
  readZipDirectory,
  readZipEnd,
  readZipHeader,
} from '../../wire/kit/read-zip.ts';

// 4 GiB of checksums take some seconds, more where everything else runs too.
vi.setConfig({ testTimeout: 60_000 });

const NOW_MS = Date.UTC(2026, 10, 20, 13, 14, 15, 678);
const bytesOf = (text: string) => new TextEncoder().encode(text);
const HOOKS = { onPull: () => undefined, onEnd: () => undefined };

function entryOf(name: string, sizeBytes: number, crc: number | null = null): ZipEntry {
  return { name: bytesOf(name), sizeBytes, lastModifiedMs: NOW_MS, crc32: crc };
}

async function collect(stream: ReadableStream<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function streamOf(...chunks: string[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks.shift();
      if (chunk === undefined) controller.close();
      else controller.enqueue(bytesOf(chunk));
    },
  });
}

describe('an archive', () => {
  it('holds bytes, streams, folders and nothing at all, and is as long as was said', async () => {
    const bodies = [bytesOf('hello'), streamOf('wo', 'r', 'ld'), null, null, bytesOf('known')];
    const entries = [
      entryOf('a.txt', 5),
      entryOf('ordner/ü 日本.bin', 5),
      entryOf('leer/', 0, 0),
      entryOf('empty', 0),
      entryOf('known', 5, crc32('known')),
    ];
    const archive = await collect(
      createZipStream(entries, async (number) => bodies[number] ?? null, HOOKS),
    );
    expect(archive.length).toBe(zipLength(entries));
    const files = readZip(archive);
    expect(
      files.map(({ name, bytes, isKnownAhead }) => [name, bytes.toString(), isKnownAhead]),
    ).toEqual([
      ['a.txt', 'hello', false],
      ['ordner/ü 日本.bin', 'world', false],
      ['leer/', '', true],
      ['empty', '', false],
      ['known', 'known', true],
    ]);
    expect(files.map(({ mode }) => mode.toString(8))).toEqual([
      '100644',
      '100644',
      '40755',
      '100644',
      '100644',
    ]);
    expect(files[0]?.lastModifiedSeconds).toBe(Math.floor(NOW_MS / 1000));
  });

  it('of nothing is one too', async () => {
    const archive = await collect(createZipStream([], async () => null, HOOKS));
    expect([archive.length, readZip(archive)]).toEqual([zipLength([]), []]);
  });

  it('has times that MS-DOS can say', async () => {
    const times = [0, Date.UTC(1979, 5, 1), Date.UTC(2050, 0, 1), Date.UTC(2300, 0, 1)];
    const entries = times.map((lastModifiedMs, n) => ({ ...entryOf(`${n}`, 0), lastModifiedMs }));
    const files = readZip(await collect(createZipStream(entries, async () => null, HOOKS)));
    expect(files.map(({ lastModifiedSeconds }) => lastModifiedSeconds)).toEqual([
      0, 297043200, 2147483647, 2147483647,
    ]);
  });

  it('of 70,000 entries is Zip64, because 16 bits can not count them', async () => {
    const entries = Array.from({ length: 70_000 }, (_, n) => entryOf(`f${n}`, 1, crc32('a')));
    const archive = await collect(createZipStream(entries, async () => bytesOf('a'), HOOKS));
    expect(archive.length).toBe(zipLength(entries));
    expect(readZipEnd(archive)).toMatchObject({ entries: 70_000, is64: true });
    expect(readZip(archive).at(-1)?.name).toBe('f69999');
  });

  it.each([
    [{ entries: 0xfffe, offsetBytes: 7, lengthBytes: 9 }, false],
    [{ entries: 0xffff, offsetBytes: 7, lengthBytes: 9 }, true],
    [{ entries: 1, offsetBytes: 0xfffffffe, lengthBytes: 9 }, false],
    [{ entries: 1, offsetBytes: 0xffffffff, lengthBytes: 9 }, true],
    [{ entries: 1, offsetBytes: 2 ** 45, lengthBytes: 2 ** 33 }, true],
  ])('ends as it must: %j', (place, is64) => {
    const bytes = Buffer.from(endOfDirectory(place));
    expect(readZipEnd(bytes, place.offsetBytes + place.lengthBytes)).toEqual({ ...place, is64 });
  });

  // Four gibibytes pass through; a busy machine needs more than the usual time for them.
  it('of more than 4 GiB has its sizes and places in Zip64 fields', {
    timeout: 60_000,
  }, async () => {
    const block = new Uint8Array(64 * 1024 * 1024);
    const blocks = 65;
    const large = () => {
      let left = blocks;
      return new ReadableStream<Uint8Array>({
        pull(controller) {
          if (left-- > 0) controller.enqueue(block);
          else controller.close();
        },
      });
    };
    const entries = [
      entryOf('first', 1),
      entryOf('large', block.length * blocks),
      entryOf('behind', 2),
    ];
    const bodies = [bytesOf('x'), large(), bytesOf('yz')];
    let lengthBytes = 0;
    let tail = Buffer.alloc(0);
    for await (const chunk of createZipStream(
      entries,
      async (number) => bodies[number] ?? null,
      HOOKS,
    )) {
      lengthBytes += chunk.length;
      tail = chunk.length < 4096 ? Buffer.concat([tail, chunk]) : Buffer.alloc(0);
    }
    expect(lengthBytes).toBe(zipLength(entries));
    const startByte = lengthBytes - tail.length;
    const end = readZipEnd(tail, startByte);
    expect(end).toMatchObject({ entries: 3, is64: true });
    const directory = readZipDirectory(tail.subarray(end.offsetBytes - startByte, -98));
    expect(directory.map(({ name, sizeBytes }) => [name, sizeBytes])).toEqual([
      ['first', 1],
      ['large', block.length * blocks],
      ['behind', 2],
    ]);
    // What came behind the large one stands where the directory says.
    const [, ofLarge, ofBehind] = directory;
    if (ofLarge === undefined || ofBehind === undefined) throw new Error('no entry');
    expect(ofBehind.offsetBytes).toBeGreaterThan(2 ** 32);
    const behindAt = ofBehind.offsetBytes - startByte;
    expect(readZipDescriptor(tail.subarray(behindAt - 24), ofLarge)).toBe(24);
    const headerBytes = readZipHeader(tail.subarray(behindAt), ofBehind);
    expect(tail.toString('utf8', behindAt + headerBytes, behindAt + headerBytes + 2)).toBe('yz');
  });

  it('says 4 GiB in front too, where the CRC is known', () => {
    const sizes = [2 ** 32 - 2, 2 ** 32 - 1, 2 ** 40];
    const plain = sizes.map((sizeBytes) => zipLength([entryOf('a', sizeBytes, 1)]) - sizeBytes);
    expect(plain).toEqual([
      30 + 1 + 9 + 46 + 1 + 9 + 98,
      30 + 1 + 29 + 46 + 1 + 29 + 98,
      30 + 1 + 29 + 46 + 1 + 29 + 98,
    ]);
  });
});

describe('a stream of an archive', () => {
  /** Bodies that tell when they are opened and let go. */
  function watched(sizeBytes: number, count: number) {
    const opened: number[] = [];
    const cancelled: number[] = [];
    const entries = Array.from({ length: count }, (_, n) => entryOf(`${n}`, sizeBytes));
    const open = async (number: number) => {
      opened.push(number);
      return new ReadableStream<Uint8Array>({
        pull: (controller) => controller.enqueue(new Uint8Array(100_000)),
        cancel: () => void cancelled.push(number),
      });
    };
    return { opened, cancelled, entries, open };
  }

  it('opens nothing before it is read, and little ahead', async () => {
    const { opened, entries, open } = watched(1_000_000, 20);
    const reader = createZipStream(entries, open, HOOKS).getReader();
    await Promise.resolve();
    expect(opened).toEqual([]);
    await reader.read();
    expect(opened.length).toBeLessThanOrEqual(5);
    await reader.cancel();
  });

  it('opens large entries one at a time', async () => {
    const { opened, entries, open } = watched(2_000_000, 20);
    const reader = createZipStream(entries, open, HOOKS).getReader();
    await reader.read();
    expect(opened).toEqual([0]);
    await reader.cancel();
  });

  it('lets go of everything when its reader leaves', async () => {
    const { opened, cancelled, entries, open } = watched(1_000_000, 20);
    let ends = 0;
    const reader = createZipStream(entries, open, { ...HOOKS, onEnd: () => ends++ }).getReader();
    await reader.read();
    await reader.read();
    await reader.cancel(new Error('gone'));
    await expect.poll(() => cancelled.toSorted()).toEqual(opened);
    expect(ends).toBe(1);
  });

  it('lets go of what is opened while its reader leaves', async () => {
    const { cancelled, entries, open } = watched(1_000_000, 1);
    const asked = Promise.withResolvers<void>();
    const opening = Promise.withResolvers<void>();
    const openLate = async (number: number) => {
      asked.resolve();
      await opening.promise;
      return open(number);
    };
    const reader = createZipStream(entries, openLate, HOOKS).getReader();
    const reading = reader.read();
    await asked.promise;
    const leaving = reader.cancel();
    opening.resolve();
    await Promise.all([reading, leaving]);
    await expect.poll(() => cancelled).toEqual([0]);
  });

  it.each([
    ['too few bytes', 6, null],
    ['too many bytes', 4, null],
    ['other bytes than the CRC says', 5, 1],
  ])('breaks rather than be wrong: %s', async (_problem, sizeBytes, crc) => {
    let ends = 0;
    const entries = [entryOf('ok', 2), entryOf('bad', sizeBytes, crc), entryOf('next', 2)];
    const bodies = [bytesOf('ok'), streamOf('he', 'llo'), streamOf('xx')];
    const hooks = { ...HOOKS, onEnd: () => ends++ };
    const reading = collect(
      createZipStream(entries, async (number) => bodies[number] ?? null, hooks),
    );
    await expect(reading).rejects.toThrow('A body in a ZIP');
    expect(ends).toBe(1);
  });

  it('breaks with what an entry breaks with, opened ahead or not', async () => {
    for (const failing of [0, 1, 3]) {
      const { cancelled, opened, entries, open } = watched(100_000, 4);
      let ends = 0;
      const openSome = (number: number) =>
        number === failing ? Promise.reject(new Error('no disk')) : open(number);
      const hooks = { ...HOOKS, onEnd: () => ends++ };
      await expect(collect(createZipStream(entries, openSome, hooks))).rejects.toThrow();
      expect(ends).toBe(1);
      await expect.poll(() => cancelled.length).toBeGreaterThanOrEqual(opened.length - failing - 1);
    }
  });
});
