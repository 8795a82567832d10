// What is read of a picture's own facts: files that are written here, entry by entry, in both
// orders of bytes and in each of the three formats, and what is left out of them.
import { expect, it } from 'vitest';
import { readExif } from '../../../src/console/views/viewers/media/exif.ts';

type Entry = readonly [tag: number, type: number, values: string | readonly number[]];

const [BYTE, TEXT, SHORT, LONG, RATIO] = [1, 2, 3, 4, 5] as const;
const BYTES: Readonly<Record<number, number>> = {
  [BYTE]: 1,
  [TEXT]: 1,
  [SHORT]: 2,
  [LONG]: 4,
  [RATIO]: 8,
};
const JPEG = [0xff, 0xd8, 0xff, 0xd9];

type Directories = {
  readonly first: readonly Entry[];
  readonly exif?: readonly Entry[];
  readonly gps?: readonly Entry[];
  readonly second?: readonly Entry[];
  /** Stands at offset 1,000. */
  readonly thumbnail?: readonly number[];
  readonly isLittle?: boolean;
};

/** A TIFF block: directories at 8, 200, 400 and 600, longer values behind each. */
function tiffOf({
  first,
  exif,
  gps,
  second,
  thumbnail,
  isLittle = false,
}: Directories): Uint8Array {
  const bytes = new Uint8Array(1100);
  const view = new DataView(bytes.buffer);
  view.setUint16(0, isLittle ? 0x4949 : 0x4d4d);
  view.setUint16(2, 42, isLittle);
  view.setUint32(4, 8, isLittle);
  const below: Entry[] = [
    ...(exif === undefined ? [] : [[0x8769, LONG, [200]] as const]),
    ...(gps === undefined ? [] : [[0x8825, LONG, [400]] as const]),
  ];
  writeDirectory(view, 8, [...first, ...below], second === undefined ? 0 : 600, isLittle);
  if (exif !== undefined) writeDirectory(view, 200, exif, 0, isLittle);
  if (gps !== undefined) writeDirectory(view, 400, gps, 0, isLittle);
  if (second !== undefined) writeDirectory(view, 600, second, 0, isLittle);
  if (thumbnail !== undefined) bytes.set(thumbnail, 1000);
  return bytes;
}

function writeDirectory(
  view: DataView,
  at: number,
  entries: readonly Entry[],
  nextAt: number,
  isLittle: boolean,
): void {
  view.setUint16(at, entries.length, isLittle);
  let beyond = at + 2 + entries.length * 12 + 4;
  for (const [index, [tag, type, values]] of entries.entries()) {
    const entry = at + 2 + index * 12;
    const list =
      typeof values === 'string' ? [...values].map((sign) => sign.charCodeAt(0)) : values;
    const count = type === RATIO ? list.length / 2 : list.length;
    const size = (BYTES[type] ?? 1) * count;
    view.setUint16(entry, tag, isLittle);
    view.setUint16(entry + 2, type, isLittle);
    view.setUint32(entry + 4, count, isLittle);
    const valueAt = size <= 4 ? entry + 8 : beyond;
    if (size > 4) {
      view.setUint32(entry + 8, beyond, isLittle);
      beyond += size;
    }
    for (const [place, value] of list.entries()) {
      if (type === BYTE || type === TEXT) view.setUint8(valueAt + place, value);
      else if (type === SHORT) view.setUint16(valueAt + place * 2, value, isLittle);
      else view.setUint32(valueAt + place * 4, value, isLittle);
    }
  }
  view.setUint32(at + 2 + entries.length * 12, nextAt, isLittle);
}

const ascii = (text: string) => [...text].map((sign) => sign.charCodeAt(0));
const big32 = (value: number) => [
  value >>> 24,
  (value >> 16) & 255,
  (value >> 8) & 255,
  value & 255,
];
const little32 = (value: number) => big32(value).toReversed();

/** A JPEG with another segment in front. */
const jpegOf = (tiff: Uint8Array) => {
  const length = tiff.length + 8;
  const front = [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2];
  const head = [0xff, 0xe1, length >> 8, length & 255, ...ascii('Exif\0\0')];
  return Uint8Array.from([...front, ...head, ...tiff, 0xff, 0xda]);
};
/** A PNG with another chunk in front, each with a checksum that nobody looks at. */
const pngOf = (tiff: Uint8Array) =>
  Uint8Array.from([
    ...[0x89, ...ascii('PNG\r\n'), 0x1a, 0x0a],
    ...[...big32(3), ...ascii('IHDR'), 1, 2, 3, 0, 0, 0, 0],
    ...[...big32(tiff.length), ...ascii('eXIf'), ...tiff, 0, 0, 0, 0],
  ]);
/** A WebP with a chunk of an odd length in front, which is filled up. */
const webpOf = (tiff: Uint8Array) =>
  Uint8Array.from([
    ...[...ascii('RIFF'), ...little32(0), ...ascii('WEBP')],
    ...[...ascii('VP8X'), ...little32(3), 1, 2, 3, 0],
    ...[...ascii('ICCP'), ...little32(2), 1, 2],
    ...[...ascii('EXIF'), ...little32(tiff.length), ...tiff],
  ]);

const CAMERA: readonly Entry[] = [
  [0x010f, TEXT, 'Maker\0'],
  [0x0110, TEXT, 'Model 7\0'],
];
const EXPOSURE: readonly Entry[] = [
  [0x829a, RATIO, [1, 250]],
  [0x829d, RATIO, [28, 10]],
  [0x8827, SHORT, [400]],
  [0x9003, TEXT, '2026:01:02 03:04:05\0'],
  [0x920a, RATIO, [351, 10]],
];
const SYDNEY: readonly Entry[] = [
  [1, TEXT, 'S\0'],
  [2, RATIO, [33, 1, 51, 1, 36, 1]],
  [3, TEXT, 'E\0'],
  [4, RATIO, [151, 1, 12, 1, 0, 1]],
];
const ALL: Directories = {
  first: CAMERA,
  exif: EXPOSURE,
  gps: SYDNEY,
  second: [
    [0x0201, LONG, [1000]],
    [0x0202, LONG, [JPEG.length]],
  ],
  thumbnail: JPEG,
};
const NOTHING = { camera: null, takenAt: null, exposure: null, place: null, thumbnail: null };

it.each([
  ['JPEG', jpegOf],
  ['PNG', pngOf],
  ['WebP', webpOf],
])('all facts are found in a %s, in both orders of bytes', (_name, fileOf) => {
  for (const isLittle of [true, false]) {
    expect(readExif(fileOf(tiffOf({ ...ALL, isLittle })))).toEqual({
      camera: 'Maker Model 7',
      takenAt: '2026:01:02 03:04:05',
      exposure: '1/250 s · f/2.8 · ISO 400 · 35 mm',
      place: { latitude: -(33 + 51 / 60 + 36 / 3600), longitude: 151 + 12 / 60 },
      thumbnail: Uint8Array.from(JPEG),
    });
  }
});

const read = (directories: Directories) => readExif(jpegOf(tiffOf(directories)));

it.each<readonly [string, readonly Entry[], string | null]>([
  ['maker and model', CAMERA, 'Maker Model 7'],
  [
    'a model that names its maker',
    [
      [0x010f, TEXT, 'Maker\0'],
      [0x0110, TEXT, 'Maker 7\0'],
    ],
    'Maker 7',
  ],
  ['a model alone', [[0x0110, TEXT, 'Model 7\0']], 'Model 7'],
  ['a maker alone', [[0x010f, TEXT, 'Maker\0']], null],
  [
    'an empty model',
    [
      [0x010f, TEXT, 'Maker\0'],
      [0x0110, TEXT, '\0\0\0\0\0'],
    ],
    null,
  ],
  ['spaces around', [[0x0110, TEXT, '  Model 7 \0']], 'Model 7'],
  ['a short text', [[0x0110, TEXT, 'abc\0']], 'abc'],
  ['a number', [[0x0110, SHORT, [7]]], null],
  ['a type that nobody knows', [[0x0110, 99, [7]]], null],
  ['a text of 120 letters', [[0x0110, TEXT, 'm'.repeat(120)]], 'm'.repeat(100)],
])('the camera of %s', (_what, first, camera) => {
  expect(read({ first })).toEqual({ ...NOTHING, camera });
});

it.each<readonly [readonly Entry[], string | null]>([
  [[], null],
  [[[0x829a, RATIO, [2, 1]]], '2 s'],
  [[[0x829a, RATIO, [1, 1]]], '1 s'],
  [[[0x829a, RATIO, [10, 15]]], '1/2 s'],
  [[[0x829a, RATIO, [0, 1]]], null],
  [[[0x829a, RATIO, [1, 0]]], null],
  [[[0x829d, RATIO, [40, 10]]], 'f/4'],
  [[[0x8827, LONG, [100]]], 'ISO 100'],
  [[[0x8827, BYTE, [50]]], 'ISO 50'],
  [[[0x8827, SHORT, [64, 3]]], 'ISO 64'],
  [[[0x920a, RATIO, [499, 10]]], '50 mm'],
  [[[0x8827, TEXT, '100\0']], null],
])('an exposure of %j is %j', (exif, exposure) => {
  expect(read({ first: [], exif })).toEqual({ ...NOTHING, exposure });
});

const place = (latitude: number, south: string, longitude: number, west: string): Entry[] => [
  [1, TEXT, `${south}\0`],
  [2, RATIO, [latitude, 1]],
  [3, TEXT, `${west}\0`],
  [4, RATIO, [longitude, 1]],
];
it.each<readonly [readonly Entry[], object | null]>([
  [place(10, 'N', 20, 'W'), { latitude: 10, longitude: -20 }],
  [place(90, 'S', 180, 'E'), { latitude: -90, longitude: 180 }],
  [place(91, 'N', 20, 'E'), null],
  [place(10, 'N', 181, 'W'), null],
  [place(10, 'N', 20, 'E').slice(0, 2), null],
  [place(10, 'N', 20, 'E').slice(2), null],
  [
    [
      [2, TEXT, '10 degrees\0'],
      [4, RATIO, [20, 1]],
    ],
    null,
  ],
])('a place of %j is %j', (gps, expected) => {
  expect(read({ first: [], gps })).toEqual({ ...NOTHING, place: expected });
});

it.each<readonly [string, number, number, readonly number[], readonly number[] | null]>([
  ['that is there', 1000, 4, JPEG, JPEG],
  ['that ends with the file', 1096, 4, [], null],
  ['of no bytes', 1000, 0, JPEG, null],
  ['beyond the file', 1097, 4, JPEG, null],
  ['that is no JPEG', 1000, 4, [0xff, 0xd9, 0, 0], null],
  ['that begins otherwise', 1000, 4, [0xfe, 0xd8, 0, 0], null],
])('a small picture %s', (_what, at, bytes, thumbnail, expected) => {
  const second: Entry[] = [
    [0x0201, LONG, [at]],
    [0x0202, LONG, [bytes]],
  ];
  const exif = read({ first: [], second, thumbnail });
  expect(exif?.thumbnail ?? null).toEqual(expected === null ? null : Uint8Array.from(expected));
});

it('a small picture may end where the file ends', () => {
  const tiff = tiffOf({
    first: [],
    second: [
      [0x0201, LONG, [1096]],
      [0x0202, LONG, [4]],
    ],
  });
  tiff.set(JPEG, 1096);
  expect(readExif(jpegOf(tiff))?.thumbnail).toEqual(Uint8Array.from(JPEG));
});

it('of a directory 200 entries are looked at, and nothing behind it', () => {
  const many = (count: number) =>
    Uint8Array.from([
      ...[0x4d, 0x4d, 0, 42, 0, 0, 0, 8, 0, count],
      ...Array.from({ length: count - 1 }, () => [0, 1, 0, 3, 0, 0, 0, 1, 0, 1, 0, 0]).flat(),
      ...[0x01, 0x10, 0, 2, 0, 0, 0, 4, ...ascii('cam\0')],
      ...[0, 0, 0, 0],
    ]);
  expect(readExif(jpegOf(many(200)))?.camera).toBe('cam');
  expect(readExif(jpegOf(many(201)))?.camera).toBe(null);
});

it.each([
  ['nothing', []],
  ['a text', ascii('PNGs are pictures, and so are WEBPs')],
  ['a JPEG without facts', [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xda, 0, 9]],
  [
    'a JPEG with facts behind the picture',
    [0xff, 0xd8, 0xff, 0xda, 0, 4, 1, 2, ...jpegOf(tiffOf(ALL)).slice(8)],
  ],
  [
    'a JPEG of a length that is none',
    [0xff, 0xd8, 0xff, 0xe0, 0, 1, 1, 2, ...jpegOf(tiffOf(ALL)).slice(8)],
  ],
  ['half of one', [...jpegOf(tiffOf(ALL)).slice(0, 60)]],
  ['a PNG without facts', [...pngOf(tiffOf(ALL)).slice(0, 27)]],
])('no facts are found in %s', (_what, bytes) => {
  expect(readExif(Uint8Array.from(bytes))).toBe(null);
});
