// A strict reader of ZIP archives: every record where the one before it ends, every number the same
// in all places that say it, Zip64 exactly where it is needed, every CRC right. Throws at the first
// thing that is not so.
import { crc32 } from 'node:zlib';

export type ZipFile = {
  readonly name: string;
  readonly sizeBytes: number;
  readonly crc32: number;
  /** From the extended time stamp. */
  readonly lastModifiedSeconds: number;
  /** Whether sizes and CRC stand in front, so that it can be read in one pass. */
  readonly isKnownAhead: boolean;
  /** Mode as in Unix. */
  readonly mode: number;
  readonly bytes: Buffer;
};

function check(isRight: boolean, problem: string): asserts isRight {
  if (!isRight) throw new Error(`not a good ZIP: ${problem}`);
}

const same = (a: unknown, b: unknown, what: string) => check(a === b, `${what} is ${a}, not ${b}`);

const number64 = (bytes: Buffer, at: number) => Number(bytes.readBigUInt64LE(at));

/**
 * The numbers at the end of an archive. `bytes` are its last ones, from `startByte` of the whole
 * on.
 */
export function readZipEnd(bytes: Buffer, startByte = 0) {
  const at = bytes.length - 22;
  same(bytes.readUInt32LE(at), 0x06054b50, 'end record');
  const plain = {
    entries: bytes.readUInt16LE(at + 10),
    lengthBytes: bytes.readUInt32LE(at + 12),
    offsetBytes: bytes.readUInt32LE(at + 16),
  };
  same(bytes.readUInt16LE(at + 8), plain.entries, 'entries of this disk');
  same(bytes.readUInt16LE(at + 20), 0, 'comment length');
  const is64 =
    plain.entries === 0xffff ||
    plain.lengthBytes === 0xffffffff ||
    plain.offsetBytes === 0xffffffff;
  if (!is64) {
    same(plain.offsetBytes + plain.lengthBytes, startByte + at, 'end of the directory');
    return { ...plain, is64 };
  }
  const locatorAt = at - 20;
  const endAt = locatorAt - 56;
  same(bytes.readUInt32LE(locatorAt), 0x07064b50, 'Zip64 locator');
  same(number64(bytes, locatorAt + 8), startByte + endAt, 'place of the Zip64 end');
  same(bytes.readUInt32LE(endAt), 0x06064b50, 'Zip64 end record');
  same(number64(bytes, endAt + 4), 44, 'length of the Zip64 end');
  const end = {
    entries: number64(bytes, endAt + 32),
    lengthBytes: number64(bytes, endAt + 40),
    offsetBytes: number64(bytes, endAt + 48),
  };
  same(number64(bytes, endAt + 24), end.entries, 'entries of this disk');
  same(end.offsetBytes + end.lengthBytes, startByte + endAt, 'end of the directory');
  same(plain.entries, Math.min(end.entries, 0xffff), 'entries');
  same(plain.lengthBytes, Math.min(end.lengthBytes, 0xffffffff), 'length of the directory');
  same(plain.offsetBytes, Math.min(end.offsetBytes, 0xffffffff), 'place of the directory');
  return { ...end, is64 };
}

/** Fields of an extra by their numbers. */
function readExtra(bytes: Buffer): Map<number, Buffer> {
  const fields = new Map<number, Buffer>();
  let at = 0;
  while (at < bytes.length) {
    const end = at + 4 + bytes.readUInt16LE(at + 2);
    check(end <= bytes.length, 'an extra field is too long');
    fields.set(bytes.readUInt16LE(at), bytes.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

/** What the directory says, each with the place of its entry. `bytes` are the directory alone. */
export function readZipDirectory(bytes: Buffer) {
  const entries = [];
  let at = 0;
  while (at < bytes.length) {
    same(bytes.readUInt32LE(at), 0x02014b50, 'directory header');
    same(bytes.readUInt16LE(at + 10), 0, 'method');
    const nameBytes = bytes.readUInt16LE(at + 28);
    const extraBytes = bytes.readUInt16LE(at + 30);
    const nameAt = at + 46;
    const extra = readExtra(bytes.subarray(nameAt + nameBytes, nameAt + nameBytes + extraBytes));
    const time = extra.get(0x5455);
    check(time !== undefined && time[0] === 1, 'no time stamp');
    const extra64 = extra.get(1) ?? Buffer.alloc(0);
    let at64 = 0;
    const wide = (short: number) => {
      if (short !== 0xffffffff) return short;
      at64 += 8;
      return number64(extra64, at64 - 8);
    };
    const sizeBytes = wide(bytes.readUInt32LE(at + 24));
    same(wide(bytes.readUInt32LE(at + 20)), sizeBytes, 'stored size');
    const offsetBytes = wide(bytes.readUInt32LE(at + 42));
    same(at64, extra64.length, 'length of the Zip64 field');
    same(bytes.readUInt16LE(at + 6), extra64.length > 0 ? 45 : 20, 'version needed');
    entries.push({
      name: new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(
        bytes.subarray(nameAt, nameAt + nameBytes),
      ),
      flags: bytes.readUInt16LE(at + 8),
      crc32: bytes.readUInt32LE(at + 16),
      mode: bytes.readUInt16LE(at + 40),
      lastModifiedSeconds: time.readUInt32LE(1),
      dosTime: bytes.readUInt32LE(at + 12),
      sizeBytes,
      offsetBytes,
    });
    at = nameAt + nameBytes + extraBytes;
  }
  return entries;
}

export type ZipDirectoryEntry = ReturnType<typeof readZipDirectory>[number];

/** Checks the header in front of an entry; gives its length. */
export function readZipHeader(bytes: Buffer, entry: ZipDirectoryEntry): number {
  same(bytes.readUInt32LE(0), 0x04034b50, 'file header');
  same(bytes.readUInt16LE(6), entry.flags, 'flags');
  check((entry.flags & ~0x0808) === 0 && (entry.flags & 0x0800) !== 0, `flags ${entry.flags}`);
  same(bytes.readUInt32LE(10), entry.dosTime, 'time');
  const hasDescriptor = (entry.flags & 8) !== 0;
  const is64 = entry.sizeBytes >= 0xffffffff;
  const toldBytes = hasDescriptor ? 0 : entry.sizeBytes;
  same(bytes.readUInt32LE(14), hasDescriptor ? 0 : entry.crc32, 'CRC in front');
  same(bytes.readUInt32LE(18), is64 ? 0xffffffff : toldBytes, 'stored size in front');
  same(bytes.readUInt32LE(22), is64 ? 0xffffffff : toldBytes, 'size in front');
  const nameEnd = 30 + bytes.readUInt16LE(26);
  same(bytes.toString('utf8', 30, nameEnd), entry.name, 'name');
  const end = nameEnd + bytes.readUInt16LE(28);
  const extra64 = readExtra(bytes.subarray(nameEnd, end)).get(1);
  same(extra64?.length ?? 0, is64 ? 16 : 0, 'Zip64 field in front');
  if (extra64 !== undefined) same(number64(extra64, 0), toldBytes, 'Zip64 size in front');
  return end;
}

/** Checks what stands behind an entry; gives its length. */
export function readZipDescriptor(bytes: Buffer, entry: ZipDirectoryEntry): number {
  if ((entry.flags & 8) === 0) return 0;
  same(bytes.readUInt32LE(0), 0x08074b50, 'descriptor');
  same(bytes.readUInt32LE(4), entry.crc32, 'CRC behind');
  const is64 = entry.sizeBytes >= 0xffffffff;
  same(is64 ? number64(bytes, 16) : bytes.readUInt32LE(12), entry.sizeBytes, 'size behind');
  same(is64 ? number64(bytes, 8) : bytes.readUInt32LE(8), entry.sizeBytes, 'stored size behind');
  return is64 ? 24 : 16;
}

/** All entries of a whole archive, in order. */
export function readZip(bytes: Buffer): ZipFile[] {
  const end = readZipEnd(bytes);
  const directory = readZipDirectory(
    bytes.subarray(end.offsetBytes, end.offsetBytes + end.lengthBytes),
  );
  same(directory.length, end.entries, 'entries in the directory');
  let at = 0;
  const files = directory.map((entry) => {
    same(entry.offsetBytes, at, 'place of an entry');
    const bodyAt = at + readZipHeader(bytes.subarray(at), entry);
    const body = bytes.subarray(bodyAt, bodyAt + entry.sizeBytes);
    same(crc32(body), entry.crc32, 'CRC');
    at = bodyAt + entry.sizeBytes;
    at += readZipDescriptor(bytes.subarray(at), entry);
    const { name, sizeBytes, lastModifiedSeconds, mode } = entry;
    return {
      name,
      sizeBytes,
      lastModifiedSeconds,
      mode,
      crc32: entry.crc32,
      isKnownAhead: (entry.flags & 8) === 0,
      bytes: body,
    };
  });
  same(end.offsetBytes, at, 'place of the directory');
  return files;
}
