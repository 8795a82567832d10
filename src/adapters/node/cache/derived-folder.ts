// The tier of derived bytes below memory on Node: a folder with a budget, an LRU
// cache on disk. Files are named by a digest, written beside and renamed. They
// carry a checksum, because nothing here is synced: after a crash a file may hold
// anything. The folder can be emptied at any time.
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
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
   * Resolves when the files of earlier runs are counted; until then they are only
   * readable.
   */
  readonly ready: Promise<void>;
  stats(): CacheStats;
};

/**
 * First bytes of a file. Behind: CRC-32 of the rest, length of the content type,
 * it, the bytes.
 */
const MAGIC = 'QDB1';
const HEAD_BYTES = MAGIC.length + 4 + 2;
/** Most files; with the usual sizes the budget ends first. */
const FILES_MAX = 200_000;
/** Bytes that a file takes on disk besides its own. Estimate. */
const FILE_OVERHEAD_BYTES = 4096;
/**
 * Time stamps are written at most this often, ms: they only order the files at the
 * next start.
 */
const TOUCH_EVERY_MS = HOUR_MS;

/** A file of the folder, by its id: the digest of its name. */
type CacheEntry = { readonly sizeBytes: number; touchedAtMs: number };

/**
 * Opens the folder, which is made with its first file. `maxBytes` 0: it stores
 * nothing. `isFull`: whether nothing may be added now.
 */
export function openDerivedFolder(
  path: string,
  options: { maxBytes: number; log: Log; isFull?: () => boolean },
): DerivedFolder {
  const { maxBytes, log, isFull = () => false } = options;
  const files = new LRUCache<string, CacheEntry>({
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
  let writes = 0;
  const fileOf = (id: string): string => filePath(path, id);

  function remove(id: string): void {
    rm(fileOf(id), { force: true }).catch((cause) => log.error('derived-delete-failed', { cause }));
  }

  /** Counts the files of earlier runs, the oldest first. */
  async function scan(): Promise<void> {
    const entries = await scanFolder(path);
    for (const [id, entry] of entries) if (!files.has(id)) files.set(id, entry);
  }

  async function read(id: string): Promise<StoredDerived | null> {
    const whole = await readFile(fileOf(id));
    const stored = decode(whole);
    if (stored === null) {
      files.delete(id);
      remove(id);
      return null;
    }
    await touch(id, whole.length);
    return stored;
  }

  /** Makes the file the most recently read one. */
  async function touch(id: string, sizeBytes: number): Promise<void> {
    const nowMs = Date.now();
    const entry = files.get(id);
    if (entry === undefined) {
      files.set(id, { sizeBytes, touchedAtMs: nowMs });
    } else if (nowMs - entry.touchedAtMs > TOUCH_EVERY_MS) {
      entry.touchedAtMs = nowMs;
      await utimes(fileOf(id), nowMs / 1000, nowMs / 1000);
    }
  }

  async function write(id: string, stored: StoredDerived): Promise<void> {
    const whole = encode(stored);
    if (whole.length + FILE_OVERHEAD_BYTES > maxBytes || isFull()) return;
    const file = fileOf(id);
    writes += 1;
    const unfinished = `${file}.${writes}.${process.pid}`;
    await mkdir(dirname(file), { recursive: true });
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

/**
 * Two levels: a folder with hundreds of thousands of files is slow on some systems.
 */
function filePath(root: string, id: string): string {
  return join(root, id.slice(0, 2), id);
}

/**
 * Files of earlier runs by their ids, the oldest first; unfinished ones are
 * deleted.
 */
async function scanFolder(root: string): Promise<readonly (readonly [string, CacheEntry])[]> {
  const entries: (readonly [string, CacheEntry])[] = [];
  for (const folder of await namesIn(root)) {
    for (const id of await namesIn(join(root, folder))) {
      const file = join(root, folder, id);
      if (!/^[0-9a-f]{64}$/.test(id)) {
        // This very run's own file will be renamed in a moment.
        if (!id.endsWith(`.${process.pid}`)) await rm(file, { force: true });
        continue;
      }
      const { size, mtimeMs } = await stat(file);
      entries.push([id, { sizeBytes: size, touchedAtMs: mtimeMs }]);
    }
  }
  return entries.sort(([, a], [, b]) => a.touchedAtMs - b.touchedAtMs);
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

/** Decodes a file; null for anything but what `encode` made. */
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
