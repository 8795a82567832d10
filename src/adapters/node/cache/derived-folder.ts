// The tier of derived bytes below memory on Node: a folder with a budget. Files are named by a
// digest of the name, written beside and renamed, and carry a checksum, because nothing here is
// synced: after a crash a file may be anything. Least recently read ones are deleted when the
// budget is full. The folder can be emptied at any time.
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { crc32 } from '../../../crypto/crc32.ts';
import { sha256Hex } from '../../../crypto/hash.ts';
import { HOUR_MS } from '../../../domain/time.ts';
import type { Log } from '../../../ports/system.ts';
import type { CacheStats } from '../../shared/cache-metrics.ts';
import type { DerivedStore, StoredDerived } from '../../shared/derived-bodies.ts';
import { errnoOf } from '../blobs/fs-errors.ts';

export type DerivedFolder = DerivedStore & {
  /**
   * Resolves when the files that were there are known; until then they are found but not counted.
   */
  readonly ready: Promise<void>;
  stats(): CacheStats;
};

/**
 * First bytes of a file: the format, then CRC-32 of all behind it, length of the content type,
 * content type, bytes.
 */
const MAGIC = 'QDB1';
const HEAD_BYTES = MAGIC.length + 4 + 2;
/** Files counted; with the usual sizes the budget ends first. */
const FILES_MAX = 200_000;
/** What a file takes on disk besides its bytes. Estimate. */
const FILE_OVERHEAD_BYTES = 4096;
/**
 * Time stamps are written no oftener than this, milliseconds: they only order the files at the next
 * start.
 */
const TOUCH_EVERY_MS = HOUR_MS;

/**
 * `maxBytes` 0: keeps nothing. The folder is made when there is something to keep. `isFull`:
 * nothing may be added now.
 */
export function openDerivedFolder(
  path: string,
  options: { maxBytes: number; log: Log; isFull?: () => boolean },
): DerivedFolder {
  const { maxBytes, log, isFull = () => false } = options;
  const files = new LRUCache<string, { readonly sizeBytes: number; touchedAtMs: number }>({
    max: FILES_MAX,
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ sizeBytes }) => sizeBytes + FILE_OVERHEAD_BYTES,
    dispose(_file, id, reason) {
      if (reason !== 'evict') return;
      evictions += 1;
      remove(id);
    },
  });
  let evictions = 0;
  let written = 0;

  // Two levels: a folder with hundreds of thousands of files is slow on some systems.
  const fileOf = (id: string): string => join(path, id.slice(0, 2), id);

  function remove(id: string): void {
    rm(fileOf(id), { force: true }).catch((cause) => log.error('derived-delete-failed', { cause }));
  }

  /** Counts what a run before has left, oldest first, and deletes what it had not finished. */
  async function scan(): Promise<void> {
    const found: { id: string; sizeBytes: number; touchedAtMs: number }[] = [];
    for (const folder of await namesIn(path)) {
      for (const id of await namesIn(join(path, folder))) {
        const file = join(path, folder, id);
        if (!/^[0-9a-f]{64}$/.test(id)) {
          // Of this very run: it will be renamed in a moment.
          if (!id.endsWith(`.${process.pid}`)) await rm(file, { force: true });
          continue;
        }
        const { size, mtimeMs } = await stat(file);
        found.push({ id, sizeBytes: size, touchedAtMs: mtimeMs });
      }
    }
    found.sort((a, b) => a.touchedAtMs - b.touchedAtMs);
    for (const { id, ...file } of found) if (!files.has(id)) files.set(id, file);
  }

  async function read(id: string): Promise<StoredDerived | null> {
    const whole = await readFile(fileOf(id));
    const stored = decode(whole);
    if (stored === null) {
      files.delete(id);
      remove(id);
      return null;
    }
    const nowMs = Date.now();
    const known = files.get(id);
    if (known === undefined) files.set(id, { sizeBytes: whole.length, touchedAtMs: nowMs });
    else if (nowMs - known.touchedAtMs > TOUCH_EVERY_MS) {
      known.touchedAtMs = nowMs;
      await utimes(fileOf(id), nowMs / 1000, nowMs / 1000);
    }
    return stored;
  }

  async function write(id: string, stored: StoredDerived): Promise<void> {
    const whole = encode(stored);
    if (whole.length + FILE_OVERHEAD_BYTES > maxBytes || isFull()) return;
    const file = fileOf(id);
    const unfinished = `${file}.${++written}.${process.pid}`;
    await mkdir(join(path, id.slice(0, 2)), { recursive: true });
    await writeFile(unfinished, whole);
    await rename(unfinished, file);
    files.set(id, { sizeBytes: whole.length, touchedAtMs: Date.now() });
  }

  const ready =
    maxBytes === 0
      ? Promise.resolve()
      : scan().catch((cause) => log.error('derived-scan-failed', { cause }));
  return {
    ready,
    stats: () => ({
      cache: 'derived-disk',
      entries: files.size,
      bytes: files.calculatedSize,
      maxBytes,
      evictions,
    }),
    async get(name) {
      if (maxBytes === 0) return null;
      try {
        return await read(sha256Hex(name));
      } catch (cause) {
        if (errnoOf(cause) !== 'ENOENT') log.error('derived-read-failed', { cause });
        return null;
      }
    },
    async put(name, stored) {
      try {
        await write(sha256Hex(name), stored);
      } catch (cause) {
        log.error('derived-write-failed', { cause });
      }
    },
  };
}

/** Names in a folder; none where there is no such folder. */
async function namesIn(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || errnoOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}

function encode({ bytes, contentType }: StoredDerived): Buffer {
  const type = Buffer.from(contentType ?? '', 'latin1');
  const whole = Buffer.alloc(HEAD_BYTES + type.length + bytes.length);
  whole.write(MAGIC, 0, 'latin1');
  whole.writeUInt16LE(type.length, MAGIC.length + 4);
  type.copy(whole, HEAD_BYTES);
  whole.set(bytes, HEAD_BYTES + type.length);
  whole.writeUInt32LE(crc32(whole.subarray(MAGIC.length + 4)), MAGIC.length);
  return whole;
}

/** What was encoded, or null for anything else. */
function decode(whole: Buffer): StoredDerived | null {
  if (whole.length < HEAD_BYTES || whole.toString('latin1', 0, MAGIC.length) !== MAGIC) return null;
  if (whole.readUInt32LE(MAGIC.length) !== crc32(whole.subarray(MAGIC.length + 4))) return null;
  const bytesAt = HEAD_BYTES + whole.readUInt16LE(MAGIC.length + 4);
  const contentType = whole.toString('latin1', HEAD_BYTES, bytesAt);
  return {
    bytes: new Uint8Array(whole.subarray(bytesAt)),
    contentType: contentType === '' ? null : contentType,
  };
}
