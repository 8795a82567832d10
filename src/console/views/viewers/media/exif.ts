// What a camera wrote into a picture: read from the first bytes of a JPEG, PNG or
// WebP. TIFF tags of Exif 3.0 (CIPA DC-008); nothing of it is trusted.

export type Exif = {
  readonly camera: string | null;
  readonly takenAt: string | null;
  readonly exposure: string | null;
  /** Degrees; null: no place is in it. */
  readonly place: { readonly latitude: number; readonly longitude: number } | null;
  /** A small JPEG of the picture. */
  readonly thumbnail: Uint8Array<ArrayBuffer> | null;
};

/** Bytes at the front of a picture in which its facts are looked for. */
export const EXIF_BYTES = 128 * 1024;
/** Entries of one directory that are looked at; cameras write some dozens. */
const ENTRIES_MAX = 200;
const TEXT_LENGTH_MAX = 100;

const TAG = {
  make: 0x010f,
  model: 0x0110,
  exif: 0x8769,
  gps: 0x8825,
  exposureTime: 0x829a,
  fNumber: 0x829d,
  iso: 0x8827,
  takenAt: 0x9003,
  focalLength: 0x920a,
  thumbnailAt: 0x0201,
  thumbnailBytes: 0x0202,
} as const;
const GPS = { latitudeRef: 1, latitude: 2, longitudeRef: 3, longitude: 4 } as const;

type Value = string | readonly number[];
type Directory = ReadonlyMap<number, Value>;

/** Reads the facts from the front of a file; null: there are none. */
export function readExif(bytes: Uint8Array): Exif | null {
  const tiff = findTiff(bytes);
  if (tiff === null) return null;
  try {
    return readTiff(tiff);
  } catch (error) {
    // Offsets that lead out of the bytes: a broken file, or one that is cut.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

const ascii = (bytes: Uint8Array, at: number, length: number): string =>
  String.fromCharCode(...bytes.subarray(at, at + length));

/** Where the TIFF block is: a segment of JPEG, a chunk of PNG or WebP. */
function findTiff(bytes: Uint8Array): Uint8Array | null {
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return findInJpeg(bytes);
  if (ascii(bytes, 1, 3) === 'PNG') return findChunk(bytes, 8, 'eXIf', true);
  if (ascii(bytes, 8, 4) === 'WEBP') return findChunk(bytes, 12, 'EXIF', false);
  return null;
}

function findInJpeg(bytes: Uint8Array): Uint8Array | null {
  let at = 2;
  while (at + 4 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1] ?? 0;
    const length = ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0);
    if (marker === 0xe1 && ascii(bytes, at + 4, 4) === 'Exif') {
      return bytes.subarray(at + 10, at + 2 + length);
    }
    // The picture itself begins: what follows is no header.
    if (marker === 0xda || length < 2) return null;
    at += 2 + length;
  }
  return null;
}

function findChunk(
  bytes: Uint8Array,
  from: number,
  name: string,
  isPng: boolean,
): Uint8Array | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = from;
  while (at + 8 <= bytes.length) {
    const length = isPng ? view.getUint32(at) : view.getUint32(at + 4, true);
    if (ascii(bytes, isPng ? at + 4 : at, 4) === name) {
      return bytes.subarray(at + 8, at + 8 + length);
    }
    // PNG ends a chunk with a checksum, RIFF fills it up to an even length.
    at += 8 + length + (isPng ? 4 : length % 2);
  }
  return null;
}

function readTiff(tiff: Uint8Array): Exif {
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  const isLittle = view.getUint16(0) === 0x4949;
  const first = readDirectory(view, view.getUint32(4, isLittle), isLittle);
  const below = (tag: number): Directory => {
    const at = numberOf(first.entries, tag);
    return at === null ? new Map() : readDirectory(view, at, isLittle).entries;
  };
  const exif = below(TAG.exif);
  const second =
    first.nextAt === 0 ? new Map() : readDirectory(view, first.nextAt, isLittle).entries;
  const make = textOf(first.entries, TAG.make);
  const model = textOf(first.entries, TAG.model);
  return {
    camera: model === null || make === null || model.startsWith(make) ? model : `${make} ${model}`,
    takenAt: textOf(exif, TAG.takenAt),
    exposure: exposureOf(exif),
    place: placeOf(below(TAG.gps)),
    thumbnail: thumbnailOf(second, tiff),
  };
}

/** Bytes of one value, by the type of the entry; the types that are read. */
const TYPE_BYTES: Readonly<Record<number, number>> = { 1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 10: 8 };

function readDirectory(view: DataView, at: number, isLittle: boolean) {
  const entries = new Map<number, Value>();
  const count = view.getUint16(at, isLittle);
  for (let index = 0; index < Math.min(count, ENTRIES_MAX); index++) {
    const entry = at + 2 + index * 12;
    const tag = view.getUint16(entry, isLittle);
    const type = view.getUint16(entry + 2, isLittle);
    const length = Math.min(view.getUint32(entry + 4, isLittle), TEXT_LENGTH_MAX);
    const bytes = (TYPE_BYTES[type] ?? 0) * length;
    if (bytes === 0) continue;
    const valueAt = bytes <= 4 ? entry + 8 : view.getUint32(entry + 8, isLittle);
    entries.set(tag, readValue(view, { at: valueAt, type, length, isLittle }));
  }
  const nextAt = count > ENTRIES_MAX ? 0 : view.getUint32(at + 2 + count * 12, isLittle);
  return { entries, nextAt };
}

type Place = {
  readonly at: number;
  readonly type: number;
  readonly length: number;
  readonly isLittle: boolean;
};

function readValue(view: DataView, { at, type, length, isLittle }: Place): Value {
  if (type === 2) {
    const bytes = new Uint8Array(view.buffer, view.byteOffset + at, length);
    return new TextDecoder().decode(bytes).split('\0', 1)[0]?.trim() ?? '';
  }
  return Array.from({ length }, (_, index) => {
    if (type === 1) return view.getUint8(at + index);
    if (type === 3) return view.getUint16(at + index * 2, isLittle);
    if (type === 4) return view.getUint32(at + index * 4, isLittle);
    const top = view.getUint32(at + index * 8, isLittle);
    const bottom = view.getUint32(at + index * 8 + 4, isLittle);
    return bottom === 0 ? 0 : top / bottom;
  });
}

function textOf(entries: Directory, tag: number): string | null {
  const value = entries.get(tag);
  return typeof value === 'string' && value !== '' ? value : null;
}

function numberOf(entries: Directory, tag: number): number | null {
  const value = entries.get(tag);
  return typeof value === 'object' ? (value[0] ?? null) : null;
}

/** `1/250 s · f/2.8 · ISO 100 · 35 mm`, as much of it as is known. */
function exposureOf(exif: Directory): string | null {
  const seconds = numberOf(exif, TAG.exposureTime);
  const fNumber = numberOf(exif, TAG.fNumber);
  const iso = numberOf(exif, TAG.iso);
  const focalLength = numberOf(exif, TAG.focalLength);
  const parts = [
    seconds === null || seconds <= 0
      ? null
      : seconds < 1
        ? `1/${Math.round(1 / seconds)} s`
        : `${seconds} s`,
    fNumber === null ? null : `f/${Number(fNumber.toFixed(1))}`,
    iso === null ? null : `ISO ${iso}`,
    focalLength === null ? null : `${Math.round(focalLength)} mm`,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(' · ');
}

function placeOf(gps: Directory): Exif['place'] {
  const latitude = degreesOf(gps, GPS.latitude, GPS.latitudeRef, 'S');
  const longitude = degreesOf(gps, GPS.longitude, GPS.longitudeRef, 'W');
  if (latitude === null || longitude === null) return null;
  if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180) return null;
  return { latitude, longitude };
}

function degreesOf(gps: Directory, tag: number, refTag: number, below: string): number | null {
  const value = gps.get(tag);
  if (typeof value !== 'object') return null;
  const [degrees = 0, minutes = 0, seconds = 0] = value;
  const sum = degrees + minutes / 60 + seconds / 3600;
  return textOf(gps, refTag) === below ? -sum : sum;
}

function thumbnailOf(second: Directory, tiff: Uint8Array): Uint8Array<ArrayBuffer> | null {
  const at = numberOf(second, TAG.thumbnailAt);
  const bytes = numberOf(second, TAG.thumbnailBytes);
  if (at === null || bytes === null || bytes === 0 || at + bytes > tiff.length) return null;
  const found = tiff.slice(at, at + bytes);
  return found[0] === 0xff && found[1] === 0xd8 ? found : null;
}
