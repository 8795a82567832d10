// The entries of a ZIP by its directory, which is at the end, and the bytes of one entry.
// Source: PKWARE's APPNOTE.TXT 6.3.10, with the extra fields of Info-ZIP's extrafld.txt.

/** What an archive is read from, by ranges; fewer bytes only at its end. */
export type ZipSource = {
  readonly sizeBytes: number;
  read(offsetBytes: number, lengthBytes: number, signal: AbortSignal): Promise<Uint8Array>;
};

export type ZipEntry = {
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedMs: number | null;
  readonly isFolder: boolean;
  readonly isEncrypted: boolean;
  /** How it is compressed: 0 is not at all, 8 is deflate. */
  readonly method: number;
  /** Bytes that it takes in the archive. */
  readonly packedBytes: number;
  /** Where its own header begins, behind which its bytes are. */
  readonly offsetBytes: number;
};

export type ZipListing = {
  readonly entries: readonly ZipEntry[];
  /** Whether these are all. */
  readonly isWhole: boolean;
};

const SIGNATURES = {
  local: 0x04034b50,
  entry: 0x02014b50,
  end: 0x06054b50,
  end64: 0x06064b50,
  locator64: 0x07064b50,
} as const;
/** Lengths of the records without the names and comments in them, bytes. */
const LOCAL_BYTES = 30;
const ENTRY_BYTES = 46;
const END_BYTES = 22;
const END64_BYTES = 56;
const LOCATOR64_BYTES = 20;
/** Longest comment behind the last record, bytes. */
const COMMENT_MAX_BYTES = 0xffff;
/** Instead of a number that has no room in 32 bits. */
const IN_ZIP64 = 0xffffffff;
/** Bytes of an entry that are asked for at once. */
const PIECE_BYTES = 256 * 1024;

const viewOf = (bytes: Uint8Array): DataView =>
  new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** A number of 64 bits; a damaged one may be any. */
const long = (view: DataView, at: number): number => Number(view.getBigUint64(at, true));

type Directory = {
  readonly offsetBytes: number;
  readonly lengthBytes: number;
  /** Where it ends, when nothing stands between it and its record. */
  readonly endBytes: number;
};

/** Finds the record at the end, behind which a comment may be. */
async function findDirectory(source: ZipSource, signal: AbortSignal): Promise<Directory> {
  const tailBytes = Math.min(source.sizeBytes, LOCATOR64_BYTES + END_BYTES + COMMENT_MAX_BYTES);
  const tailAt = source.sizeBytes - tailBytes;
  const tail = viewOf(await source.read(tailAt, tailBytes, signal));
  let at = tail.byteLength - END_BYTES;
  while (at >= 0 && tail.getUint32(at, true) !== SIGNATURES.end) at--;
  if (at < 0) throw new RangeError('It has no directory');

  const locatorAt = at - LOCATOR64_BYTES;
  if (locatorAt >= 0 && tail.getUint32(locatorAt, true) === SIGNATURES.locator64) {
    // What stands before the archive, as in one that unpacks itself, moves the record.
    for (const recordAt of [long(tail, locatorAt + 8), tailAt + locatorAt - END64_BYTES]) {
      if (recordAt < 0 || recordAt + END64_BYTES > source.sizeBytes) continue;
      const record = viewOf(await source.read(recordAt, END64_BYTES, signal));
      if (record.byteLength < END64_BYTES) continue;
      if (record.getUint32(0, true) !== SIGNATURES.end64) continue;
      const [lengthBytes, offsetBytes] = [long(record, 40), long(record, 48)];
      return { offsetBytes, lengthBytes, endBytes: recordAt };
    }
  }
  return {
    offsetBytes: tail.getUint32(at + 16, true),
    lengthBytes: tail.getUint32(at + 12, true),
    endBytes: tailAt + at,
  };
}

/** The entries, at most so many. RangeError: this is no ZIP, or it is damaged. */
export async function readZip(
  source: ZipSource,
  entriesMax: number,
  signal: AbortSignal,
): Promise<ZipListing> {
  const { offsetBytes, lengthBytes, endBytes } = await findDirectory(source, signal);
  if (lengthBytes === 0) return { entries: [], isWhole: true };
  // Bytes before the archive, which it does not know of, move all that it names.
  const shifts = new Set([0, endBytes - lengthBytes - offsetBytes]);
  for (const shift of shifts) {
    const from = offsetBytes + shift;
    if (from < 0 || from + lengthBytes > endBytes) continue;
    const bytes = await source.read(from, lengthBytes, signal);
    if (bytes.length < lengthBytes || lengthBytes < ENTRY_BYTES) continue;
    if (viewOf(bytes).getUint32(0, true) === SIGNATURES.entry) {
      return readEntries(bytes, shift, entriesMax);
    }
  }
  throw new RangeError('Its directory is not where it should be');
}

function readEntries(bytes: Uint8Array, shift: number, entriesMax: number): ZipListing {
  const view = viewOf(bytes);
  const entries: ZipEntry[] = [];
  let at = 0;
  while (at + ENTRY_BYTES <= bytes.length && view.getUint32(at, true) === SIGNATURES.entry) {
    if (entries.length === entriesMax) return { entries, isWhole: false };
    const nameBytes = view.getUint16(at + 28, true);
    const extraBytes = view.getUint16(at + 30, true);
    const end = at + ENTRY_BYTES + nameBytes + extraBytes + view.getUint16(at + 32, true);
    if (end > bytes.length) throw new RangeError('An entry of the directory is cut');
    const header = bytes.subarray(at, at + ENTRY_BYTES);
    const name = bytes.subarray(at + ENTRY_BYTES, at + ENTRY_BYTES + nameBytes);
    const extra = bytes.subarray(at + ENTRY_BYTES + nameBytes).subarray(0, extraBytes);
    entries.push(entryOf(viewOf(header), name, extraFields(extra), shift));
    at = end;
  }
  // Behind the entries there may be a signature of all, but nothing before them.
  return { entries, isWhole: true };
}

type Extra = ReadonlyMap<number, DataView>;

/** The extra fields by their ids; one that is cut ends them. */
function extraFields(bytes: Uint8Array): Extra {
  const view = viewOf(bytes);
  const fields = new Map<number, DataView>();
  for (let at = 0; at + 4 <= bytes.length; ) {
    const length = view.getUint16(at + 2, true);
    if (at + 4 + length > bytes.length) break;
    fields.set(view.getUint16(at, true), viewOf(bytes.subarray(at + 4, at + 4 + length)));
    at += 4 + length;
  }
  return fields;
}

const EXTRA = { zip64: 0x0001, ntfs: 0x000a, timestamp: 0x5455, unicodePath: 0x7075 } as const;

function entryOf(header: DataView, name: Uint8Array, extra: Extra, shift: number): ZipEntry {
  const flags = header.getUint16(8, true);
  const path = nameOf(name, (flags & 0x800) !== 0, extra);
  const zip64 = extra.get(EXTRA.zip64);
  let at = 0;
  // Only numbers without room in the header are in the extra field, in this order.
  const numberAt = (offset: number): number => {
    const value = header.getUint32(offset, true);
    if (value !== IN_ZIP64 || zip64 === undefined || at + 8 > zip64.byteLength) return value;
    at += 8;
    return long(zip64, at - 8);
  };
  const sizeBytes = numberAt(24);
  const packedBytes = numberAt(20);
  const offsetBytes = numberAt(42) + shift;
  const isDosFolder = header.getUint8(5) === 0 && (header.getUint8(38) & 0x10) !== 0;
  return {
    path,
    sizeBytes,
    packedBytes,
    offsetBytes,
    modifiedMs: modifiedMsOf(header, extra),
    isFolder: path.endsWith('/') || isDosFolder,
    isEncrypted: (flags & 1) !== 0,
    method: header.getUint16(10, true),
  };
}

/** The code page that names had before UTF-8, from 0x80 on. */
const CODE_PAGE_437 =
  'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒ' +
  'áíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐' +
  '└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀' +
  'αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0';

function nameOf(bytes: Uint8Array, isUtf8: boolean, extra: Extra): string {
  const unicode = extra.get(EXTRA.unicodePath);
  // The field is of that name alone: a tool that does not know it may have changed the name.
  if (unicode !== undefined && unicode.byteLength > 5) {
    const { buffer, byteOffset, byteLength } = unicode;
    const text = new Uint8Array(buffer, byteOffset + 5, byteLength - 5);
    if (unicode.getUint32(1, true) === crc32(bytes)) return new TextDecoder().decode(text);
  }
  try {
    // Many write UTF-8 and do not say so.
    return new TextDecoder('utf-8', { fatal: !isUtf8 }).decode(bytes);
  } catch {
    const characterOf = (byte: number) =>
      byte < 0x80 ? String.fromCharCode(byte) : CODE_PAGE_437.charAt(byte - 0x80);
    return Array.from(bytes, characterOf).join('');
  }
}

/** Source: ISO 3309. Names alone are digested: bit by bit is quick enough. */
function crc32(bytes: Uint8Array): number {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

/** Between 1601, where Windows begins, and 1970, milliseconds. */
const WINDOWS_EPOCH_MS = 11_644_473_600_000;

/** The time with a zone, where the archive has one; else that of whoever made the archive. */
function modifiedMsOf(header: DataView, extra: Extra): number | null {
  const ntfs = extra.get(EXTRA.ntfs);
  if (ntfs !== undefined && ntfs.byteLength >= 16) return long(ntfs, 8) / 10_000 - WINDOWS_EPOCH_MS;
  const unix = extra.get(EXTRA.timestamp);
  if (unix !== undefined && unix.byteLength >= 5 && unix.getUint8(0) & 1) {
    return unix.getInt32(1, true) * 1000;
  }
  const [time, date] = [header.getUint16(12, true), header.getUint16(14, true)];
  if (date === 0) return null;
  const day = [1980 + (date >> 9), ((date >> 5) & 15) - 1, date & 31] as const;
  return new Date(...day, time >> 11, (time >> 5) & 63, (time & 31) * 2).getTime();
}

/** The bytes of an entry, as they went into the archive; an error where it is damaged. */
export function openZipEntry(
  source: ZipSource,
  entry: ZipEntry,
  signal: AbortSignal,
): ReadableStream<Uint8Array> {
  const compressed = compressedBytesOf(source, entry, signal);
  if (entry.method === 0) return compressed;
  return compressed.pipeThrough(new DecompressionStream('deflate-raw'));
}

function compressedBytesOf(
  source: ZipSource,
  { method, offsetBytes, packedBytes }: ZipEntry,
  signal: AbortSignal,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  let at = 0;
  let left = packedBytes;
  return new ReadableStream(
    {
      async start() {
        if (method !== 0 && method !== 8) {
          throw new RangeError(`It is compressed by method ${method}`);
        }
        const isInside = offsetBytes >= 0 && offsetBytes + LOCAL_BYTES <= source.sizeBytes;
        const local = isInside ? await source.read(offsetBytes, LOCAL_BYTES, signal) : null;
        if (local === null || viewOf(local).getUint32(0, true) !== SIGNATURES.local) {
          throw new RangeError('The entry is not where it should be');
        }
        const view = viewOf(local);
        at = offsetBytes + LOCAL_BYTES + view.getUint16(26, true) + view.getUint16(28, true);
        if (at + packedBytes > source.sizeBytes) throw new RangeError('The entry is cut');
      },
      async pull(stream) {
        const bytes =
          left === 0 ? null : await source.read(at, Math.min(left, PIECE_BYTES), signal);
        if (bytes === null) stream.close();
        else if (bytes.length === 0) stream.error(new RangeError('The entry is cut'));
        else stream.enqueue(bytes as Uint8Array<ArrayBuffer>);
        at += bytes?.length ?? 0;
        left -= bytes?.length ?? 0;
      },
    },
    { highWaterMark: 0 },
  );
}
