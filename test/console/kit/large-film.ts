// A film of gigabytes: an MP4 of VP8 pictures that lie in few places of it, red in its first part
// and blue in its last, with its table of contents (`moov`) at the end, as cameras write it.
// Source: ISO/IEC 14496-12; https://www.webmproject.org/vp9/mp4/
import sharp from 'sharp';
import type { Piece } from './large-objects.ts';

const MEBIBYTE = 1024 * 1024;
const BLOCK_BYTES = 32 * MEBIBYTE;
const SIDE_PX = 64;
/** Units a second. */
const TIMESCALE = 1000;
/** Pictures of a block, one behind the other at its start, and how long each is shown. */
const PICTURES = 45;
const PICTURE_UNITS = 250;
/** `ftyp`, and the head of `mdat` with its 64-bit length. */
const FTYP_BYTES = 24;
const MDAT_HEAD_BYTES = 16;

export type LargeFilm = {
  readonly pieces: readonly Piece[];
  readonly seconds: number;
  /** Where blue begins. */
  readonly blueFromSeconds: number;
};

/** A film of so many blocks of 32 MiB, the last quarter of them blue. */
export async function largeFilm(blocks: number): Promise<LargeFilm> {
  const [red, blue] = await Promise.all([pictureOf('#e00000'), pictureOf('#0000e0')]);
  const reds = Math.round(blocks * 0.75);
  const first = blockOf(red, FTYP_BYTES + MDAT_HEAD_BYTES);
  first.set(box('ftyp', text('isom'), u32(0), text('isomvp08')), 0);
  first.set(
    Buffer.concat([u32(1), text('mdat'), u64(blocks * BLOCK_BYTES - FTYP_BYTES)]),
    FTYP_BYTES,
  );
  const offsets = Array.from({ length: blocks }, (_, at) => at * BLOCK_BYTES);
  offsets[0] = FTYP_BYTES + MDAT_HEAD_BYTES;
  const sizes = offsets.flatMap((_, at) =>
    Array.from({ length: PICTURES }, () => (at < reds ? red : blue).length),
  );
  const secondsOf = (count: number) => (count * PICTURES * PICTURE_UNITS) / TIMESCALE;
  return {
    pieces: [
      { body: first, times: 1 },
      { body: blockOf(red), times: reds - 1 },
      { body: blockOf(blue), times: blocks - reds },
      { body: moov(offsets, sizes), times: 1 },
    ],
    seconds: secondsOf(blocks),
    blueFromSeconds: secondsOf(reds),
  };
}

/** One VP8 picture: what a WebP has inside. Source: RFC 9649 */
async function pictureOf(background: string): Promise<Buffer> {
  const size = { width: SIDE_PX, height: SIDE_PX, channels: 3 } as const;
  const webp = await sharp({ create: { ...size, background } })
    .webp()
    .toBuffer();
  if (webp.toString('latin1', 12, 16) !== 'VP8 ') throw new Error('The WebP is no plain VP8');
  return webp.subarray(20, 20 + webp.readUInt32LE(16));
}

function blockOf(picture: Buffer, fromByte = 0): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES);
  for (let at = 0; at < PICTURES; at++) picture.copy(block, fromByte + at * picture.length);
  return block;
}

const text = (letters: string) => Buffer.from(letters, 'latin1');
const zeros = (count: number) => Buffer.alloc(count);
const u16 = (...values: number[]) => Buffer.concat(values.map((value) => number(value, 2)));
const u32 = (...values: number[]) => Buffer.concat(values.map((value) => number(value, 4)));
const u64 = (...values: number[]) => Buffer.concat(values.map((value) => number(value, 8)));

function number(value: number, lengthBytes: 2 | 4 | 8): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes.subarray(8 - lengthBytes);
}

function box(type: string, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  return Buffer.concat([u32(body.length + 8), text(type), body]);
}

/** A box with version 0 and flags. */
const full = (type: string, flags: number, ...parts: Buffer[]) => box(type, u32(flags), ...parts);

const MATRIX = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);

function moov(offsets: readonly number[], sizes: readonly number[]): Buffer {
  const units = sizes.length * PICTURE_UNITS;
  const side = SIDE_PX * 0x10000;
  const movie = [u32(0, 0, TIMESCALE, units, 0x10000), u16(0x0100), zeros(10), MATRIX, zeros(24)];
  const track = [u32(0, 0, 1, 0, units), zeros(16), MATRIX, u32(side, side)];
  const media = box(
    'mdia',
    full('mdhd', 0, u32(0, 0, TIMESCALE, units), u16(0x55c4, 0)),
    full('hdlr', 0, zeros(4), text('vide'), zeros(12), text('film\0')),
    box(
      'minf',
      full('vmhd', 1, zeros(8)),
      box('dinf', full('dref', 0, u32(1), full('url ', 1))),
      samples(offsets, sizes),
    ),
  );
  return box(
    'moov',
    full('mvhd', 0, ...movie, u32(2)),
    box('trak', full('tkhd', 3, ...track), media),
  );
}

function samples(offsets: readonly number[], sizes: readonly number[]): Buffer {
  const codec = box('vpcC', u32(0x01000000), Buffer.from([0, 10, 0x82, 2, 2, 2]), u16(0));
  const entry = box(
    'vp08',
    zeros(6),
    u16(1),
    zeros(16),
    u16(SIDE_PX, SIDE_PX),
    u32(0x480000, 0x480000, 0),
    u16(1),
    zeros(32),
    u16(0x18, 0xffff),
    codec,
  );
  return box(
    'stbl',
    full('stsd', 0, u32(1), entry),
    full('stts', 0, u32(1, sizes.length, PICTURE_UNITS)),
    full('stsc', 0, u32(1, 1, PICTURES, 1)),
    full('stsz', 0, u32(0, sizes.length, ...sizes)),
    full('co64', 0, u32(offsets.length), u64(...offsets)),
  );
}
