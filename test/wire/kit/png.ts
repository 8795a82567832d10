// PNG files made with no library, for tests of images.
import { crc32, deflateSync } from 'node:zlib';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

function chunk(type: string, content: Buffer): Buffer {
  const whole = Buffer.alloc(12 + content.length);
  whole.writeUInt32BE(content.length, 0);
  whole.write(type, 4, 'latin1');
  content.copy(whole, 8);
  whole.writeUInt32BE(crc32(whole.subarray(4, 8 + content.length)), 8 + content.length);
  return whole;
}

/** An image of one grey; with `pixels` false only its head says so. */
export function pngOf(width: number, height: number, pixels = true): Buffer {
  const row = Buffer.alloc(width * 3, 200);
  return pngOfRows(
    width,
    height,
    Array.from({ length: pixels ? height : 0 }, () => row),
  );
}

/** An image of noise, which no coder makes small; `bytes`: three for each pixel. */
export function noisyPngOf(width: number, height: number, bytes: Buffer): Buffer {
  const rowBytes = width * 3;
  return pngOfRows(
    width,
    height,
    Array.from({ length: height }, (_, y) => bytes.subarray(y * rowBytes, (y + 1) * rowBytes)),
  );
}

function pngOfRows(width: number, height: number, lines: readonly Buffer[]): Buffer {
  const header = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const rows = deflateSync(Buffer.concat(lines.flatMap((line) => [Buffer.from([0]), line])));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', rows),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
