// The records of a ZIP archive as bytes: what stands before, behind and after the
// entries, and how long it all will be. Pure; zip-stream.ts puts them in order.
// Entries are stored, never deflated, so their sizes are known ahead.
//
// Why not client-zip, which does nearly this: above 65,534 entries it writes no
// Zip64 end record, so strict readers (Go's) refuse the archive; a client that
// leaves does not reach its source; its CRC runs at a twentieth of zlib's speed
// (version 2.5.1, measured 2026-11; docs/adr/0010). Source: PKWARE APPNOTE 6.3.10;
// the time stamp is Info-ZIP's (APPNOTE 4.6, appendix "extra fields").

/**
 * One entry of an archive. `name` is UTF-8 with slashes and ends in one for a
 * folder, which has no bytes.
 */
export type ZipEntry = {
  readonly name: Uint8Array;
  readonly sizeBytes: number;
  readonly lastModifiedMs: number;
  /**
   * CRC-32 of the bytes where it is known before they are read: such an entry can
   * be read in one pass.
   */
  readonly crc32: number | null;
};

/** An entry that has been written: what the directory at the end says of it. */
export type WrittenEntry = {
  readonly entry: ZipEntry;
  readonly crc32: number;
  readonly offsetBytes: number;
};

/** What 16 and 32 bits can't hold stands in the Zip64 fields instead. */
const MAX_16 = 0xffff;
const MAX_32 = 0xffffffff;

const FILE_HEADER_BYTES = 30;
const DIRECTORY_HEADER_BYTES = 46;
const END_BYTES = 22;
/** The Zip64 end record and its locator. */
const END_64_BYTES = 56 + 20;
/** Extended time stamp: two numbers of 16 bits, flags, seconds since 1970. */
const TIME_EXTRA_BYTES = 9;
const EXTRA_HEAD_BYTES = 4;

/** Versions of the format that a reader must know: folders, or Zip64. */
const VERSION_PLAIN = 20;
const VERSION_64 = 45;
/** Names are UTF-8; sizes and CRC stand behind the bytes. */
const FLAG_UTF8 = 1 << 11;
const FLAG_DESCRIPTOR = 1 << 3;
/**
 * Made on Unix, so that the upper half of the attributes is a mode: `rw-r--r--` of
 * a file or `rwxr-xr-x` of a folder.
 */
const MADE_BY_UNIX = 3 << 8;
const MODE_FILE = 0o100644;
const MODE_FOLDER = 0o040755;
const DOS_FOLDER = 0x10;

const SLASH = 47;

function isFolder({ name }: ZipEntry): boolean {
  return name[name.length - 1] === SLASH;
}

function isLarge({ sizeBytes }: ZipEntry): boolean {
  return sizeBytes >= MAX_32;
}

/** A writer of little-endian numbers. */
function createRecord(lengthBytes: number) {
  const bytes = new Uint8Array(lengthBytes);
  const view = new DataView(bytes.buffer);
  let at = 0;
  return {
    bytes,
    u16(value: number) {
      view.setUint16(at, value, true);
      at += 2;
    },
    u32(value: number) {
      view.setUint32(at, value, true);
      at += 4;
    },
    /** Exact up to 2^53. */
    u64(value: number) {
      view.setUint32(at, value % 2 ** 32, true);
      view.setUint32(at + 4, Math.floor(value / 2 ** 32), true);
      at += 8;
    },
    raw(part: Uint8Array) {
      bytes.set(part, at);
      at += part.length;
    },
  };
}

type Record = ReturnType<typeof createRecord>;

/**
 * MS-DOS time has no zone; readers that know the extended stamp take that, so this
 * one is UTC. From 1980 to 2107.
 */
function writeTime(record: Record, lastModifiedMs: number): void {
  const date = new Date(
    Math.min(Math.max(lastModifiedMs, Date.UTC(1980, 0, 1)), Date.UTC(2107, 11, 31)),
  );
  record.u16(
    (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1),
  );
  record.u16(
    ((date.getUTCFullYear() - 1980) << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate(),
  );
}

/**
 * The time of the last change, exact and in UTC. Readers take it for signed, so it
 * ends in 2038.
 */
function writeTimeExtra(record: Record, lastModifiedMs: number): void {
  record.u16(0x5455);
  record.u16(5);
  record.raw(Uint8Array.of(1));
  record.u32(Math.min(Math.max(Math.floor(lastModifiedMs / 1000), 0), 0x7fffffff));
}

function flagsOf(entry: ZipEntry): number {
  return FLAG_UTF8 | (entry.crc32 === null ? FLAG_DESCRIPTOR : 0);
}

/**
 * What stands before the bytes of an entry. Without a known CRC it says nothing of
 * sizes: the descriptor does.
 */
export function fileHeader(entry: ZipEntry): Uint8Array {
  const { name, sizeBytes, lastModifiedMs } = entry;
  const large = isLarge(entry);
  const extraBytes = TIME_EXTRA_BYTES + (large ? EXTRA_HEAD_BYTES + 16 : 0);
  const toldBytes = entry.crc32 === null ? 0 : sizeBytes;
  const record = createRecord(FILE_HEADER_BYTES + name.length + extraBytes);
  record.u32(0x04034b50);
  record.u16(large ? VERSION_64 : VERSION_PLAIN);
  record.u16(flagsOf(entry));
  record.u16(0);
  writeTime(record, lastModifiedMs);
  record.u32(entry.crc32 ?? 0);
  record.u32(large ? MAX_32 : toldBytes);
  record.u32(large ? MAX_32 : toldBytes);
  record.u16(name.length);
  record.u16(extraBytes);
  record.raw(name);
  writeTimeExtra(record, lastModifiedMs);
  if (large) {
    record.u16(1);
    record.u16(16);
    record.u64(toldBytes);
    record.u64(toldBytes);
  }
  return record.bytes;
}

function descriptorLength(entry: ZipEntry): number {
  if (entry.crc32 !== null) return 0;
  return isLarge(entry) ? 24 : 16;
}

/** What stands behind the bytes of an entry whose CRC was not known before. */
export function dataDescriptor(entry: ZipEntry, crc32: number): Uint8Array {
  const record = createRecord(descriptorLength(entry));
  if (entry.crc32 !== null) return record.bytes;
  record.u32(0x08074b50);
  record.u32(crc32);
  for (let i = 0; i < 2; i++) {
    if (isLarge(entry)) record.u64(entry.sizeBytes);
    else record.u32(entry.sizeBytes);
  }
  return record.bytes;
}

/** Bytes of the Zip64 field of a directory entry: only what does not fit. */
function directoryExtra64(entry: ZipEntry, offsetBytes: number): number {
  return (isLarge(entry) ? 16 : 0) + (offsetBytes >= MAX_32 ? 8 : 0);
}

/** What the directory says of an entry. */
export function directoryHeader({ entry, crc32, offsetBytes }: WrittenEntry): Uint8Array {
  const { name, sizeBytes, lastModifiedMs } = entry;
  const large = isLarge(entry);
  const extra64 = directoryExtra64(entry, offsetBytes);
  const extraBytes = TIME_EXTRA_BYTES + (extra64 === 0 ? 0 : EXTRA_HEAD_BYTES + extra64);
  const folder = isFolder(entry);
  const record = createRecord(DIRECTORY_HEADER_BYTES + name.length + extraBytes);
  record.u32(0x02014b50);
  record.u16(MADE_BY_UNIX | VERSION_64);
  record.u16(extra64 === 0 ? VERSION_PLAIN : VERSION_64);
  record.u16(flagsOf(entry));
  record.u16(0);
  writeTime(record, lastModifiedMs);
  record.u32(crc32);
  record.u32(large ? MAX_32 : sizeBytes);
  record.u32(large ? MAX_32 : sizeBytes);
  record.u16(name.length);
  record.u16(extraBytes);
  // Comment, disk, internal attributes: none.
  record.u16(0);
  record.u16(0);
  record.u16(0);
  record.u16(folder ? DOS_FOLDER : 0);
  record.u16(folder ? MODE_FOLDER : MODE_FILE);
  record.u32(Math.min(offsetBytes, MAX_32));
  record.raw(name);
  writeTimeExtra(record, lastModifiedMs);
  if (extra64 > 0) {
    record.u16(1);
    record.u16(extra64);
    if (large) record.u64(sizeBytes);
    if (large) record.u64(sizeBytes);
    if (offsetBytes >= MAX_32) record.u64(offsetBytes);
  }
  return record.bytes;
}

/** Where the directory of an archive stands and how much is in it. */
export type DirectoryExtent = {
  readonly entries: number;
  readonly offsetBytes: number;
  readonly lengthBytes: number;
};

function needsEnd64({ entries, offsetBytes, lengthBytes }: DirectoryExtent): boolean {
  return entries >= MAX_16 || offsetBytes >= MAX_32 || lengthBytes >= MAX_32;
}

/**
 * The end of an archive, with the Zip64 records where a number is too large for the
 * plain one.
 */
export function endOfDirectory(extent: DirectoryExtent): Uint8Array {
  const { entries, offsetBytes, lengthBytes } = extent;
  const is64 = needsEnd64(extent);
  const record = createRecord(END_BYTES + (is64 ? END_64_BYTES : 0));
  if (is64) {
    record.u32(0x06064b50);
    record.u64(44);
    record.u16(MADE_BY_UNIX | VERSION_64);
    record.u16(VERSION_64);
    record.u32(0);
    record.u32(0);
    record.u64(entries);
    record.u64(entries);
    record.u64(lengthBytes);
    record.u64(offsetBytes);
    record.u32(0x07064b50);
    record.u32(0);
    record.u64(offsetBytes + lengthBytes);
    record.u32(1);
  }
  record.u32(0x06054b50);
  record.u32(0);
  record.u16(Math.min(entries, MAX_16));
  record.u16(Math.min(entries, MAX_16));
  record.u32(Math.min(lengthBytes, MAX_32));
  record.u32(Math.min(offsetBytes, MAX_32));
  record.u16(0);
  return record.bytes;
}

/** Bytes of the whole archive, exactly. Cost: some additions an entry. */
export function zipLength(entries: readonly ZipEntry[]): number {
  let offsetBytes = 0;
  let lengthBytes = 0;
  for (const entry of entries) {
    const extra64 = directoryExtra64(entry, offsetBytes);
    const zip64Bytes = extra64 === 0 ? 0 : EXTRA_HEAD_BYTES + extra64;
    lengthBytes += DIRECTORY_HEADER_BYTES + entry.name.length + TIME_EXTRA_BYTES + zip64Bytes;
    const fileExtraBytes = TIME_EXTRA_BYTES + (isLarge(entry) ? EXTRA_HEAD_BYTES + 16 : 0);
    offsetBytes +=
      FILE_HEADER_BYTES +
      entry.name.length +
      fileExtraBytes +
      entry.sizeBytes +
      descriptorLength(entry);
  }
  const end64 = needsEnd64({ entries: entries.length, offsetBytes, lengthBytes })
    ? END_64_BYTES
    : 0;
  return offsetBytes + lengthBytes + END_BYTES + end64;
}
