// The entries of a TAR, header by header: each says how far the next one is, so the
// bytes of the entries are not read. POSIX ustar, pax names (IEEE Std 1003.1), and
// the long names of GNU tar.
import type { ByteSource } from '../bytes.ts';

export type TarEntry = {
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number | null;
  readonly isFolder: boolean;
  /** Where its bytes begin. */
  readonly offsetBytes: number;
};

export type TarPage = {
  readonly entries: readonly TarEntry[];
  /** Where reading goes on; null: this was the end. */
  readonly nextOffset: number | null;
};

const BLOCK_BYTES = 512;
/** Bytes that are read at once: small entries then need no request of their own. */
const WINDOW_BYTES = 64 * 1024;
/** Requests of one page of entries. */
const READS_MAX = 100;
/** Long names above this are broken, bytes. */
const NAME_MAX_BYTES = 16 * 1024;

const text = (block: Uint8Array, from: number, length: number): string => {
  const field = block.subarray(from, from + length);
  const end = field.indexOf(0);
  return new TextDecoder().decode(end === -1 ? field : field.subarray(0, end));
};

/** A number: octal digits, or base 256 with the highest bit set (GNU). */
function number(block: Uint8Array, from: number, length: number): number {
  const first = block[from] ?? 0;
  if (first < 0x80) return Number.parseInt(text(block, from, length).trim() || '0', 8);
  let value = first & 0x7f;
  for (let at = from + 1; at < from + length; at++) value = value * 256 + (block[at] ?? 0);
  return value;
}

/** Whether the sum of the header is right; the sum's own field counts as blanks. */
function isHeader(block: Uint8Array): boolean {
  let sum = 0;
  for (let at = 0; at < BLOCK_BYTES; at++) sum += at >= 148 && at < 156 ? 32 : (block[at] ?? 0);
  return sum === number(block, 148, 8);
}

/** The path of a pax header: records of `length key=value\n`. */
function paxPath(records: string): string | null {
  let at = 0;
  while (at < records.length) {
    const blank = records.indexOf(' ', at);
    const length = Number(records.slice(at, blank));
    if (blank === -1 || !Number.isInteger(length) || length <= 0) return null;
    const record = records.slice(blank + 1, at + length - 1);
    if (record.startsWith('path=')) return record.slice('path='.length);
    at += length;
  }
  return null;
}

/** Reads windows of a source, so that headers near each other cost one request. */
function createWindow(source: ByteSource, signal: AbortSignal) {
  let start = 0;
  let bytes: Uint8Array = new Uint8Array();
  let reads = 0;
  return {
    reads: () => reads,
    async read(offset: number, length: number): Promise<Uint8Array> {
      if (offset < start || offset + length > start + bytes.length) {
        bytes = await source.read(offset, Math.max(length, WINDOW_BYTES), signal);
        start = offset;
        reads++;
      }
      return bytes.subarray(offset - start, offset - start + length);
    },
  };
}

/**
 * Entries from an offset on: some hundred requests' worth of them. RangeError: this
 * is no TAR, or it is cut.
 */
export async function readTar(
  source: ByteSource,
  from: number,
  signal: AbortSignal,
): Promise<TarPage> {
  const window = createWindow(source, signal);
  const entries: TarEntry[] = [];
  let at = from;
  let longPath: string | null = null;
  while (window.reads() < (longPath === null ? READS_MAX : 2 * READS_MAX)) {
    const block = await window.read(at, BLOCK_BYTES);
    if (block.length < BLOCK_BYTES || block.every((byte) => byte === 0)) {
      return { entries, nextOffset: null };
    }
    if (!isHeader(block)) throw new RangeError('A header of the TAR is damaged');
    const sizeBytes = number(block, 124, 12);
    // A size below zero would lead back, and round and round.
    if (!Number.isSafeInteger(sizeBytes) || sizeBytes < 0)
      throw new RangeError('A size of the TAR is damaged');
    const type = String.fromCharCode(block[156] ?? 0);
    const offsetBytes = at + BLOCK_BYTES;
    at = offsetBytes + Math.ceil(sizeBytes / BLOCK_BYTES) * BLOCK_BYTES;
    if (type === 'x' || type === 'L') {
      const name = await window.read(offsetBytes, Math.min(sizeBytes, NAME_MAX_BYTES));
      const found = text(name, 0, name.length);
      longPath = type === 'L' ? found : (paxPath(found) ?? longPath);
      continue;
    }
    if (type === 'g') continue;
    entries.push({ ...entryOf(block, longPath, type), sizeBytes, offsetBytes });
    longPath = null;
  }
  return { entries, nextOffset: at };
}

function entryOf(block: Uint8Array, longPath: string | null, type: string) {
  const isUstar = text(block, 257, 5) === 'ustar';
  const prefix = isUstar ? text(block, 345, 155) : '';
  const name = text(block, 0, 100);
  const path = longPath ?? (prefix === '' ? name : `${prefix}/${name}`);
  const modifiedMs = number(block, 136, 12) * 1000;
  return {
    path,
    // No date is so far away, or the field has no number in it.
    modifiedMs: Number.isNaN(new Date(modifiedMs).getTime()) ? null : modifiedMs,
    isFolder: type === '5' || path.endsWith('/'),
  };
}
