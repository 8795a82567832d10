import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createAwsChunkedDecoder } from '../../../../src/http/s3/signature/aws-chunked.ts';
import { fuzzRuns } from '../../../fuzz-seed.ts';
import { split } from '../kit/make-request.ts';
import { frameUnsigned } from '../kit/sign-for-test.ts';

const CRC32 = 'x-amz-checksum-crc32';

/** Decodes wire bytes in these pieces; throws what the decoder throws. */
function decode(
  pieces: readonly Uint8Array[],
  decodedLengthBytes: number,
  trailerNames: readonly string[] = [],
) {
  const decoder = createAwsChunkedDecoder({ decodedLengthBytes, trailerNames, signatures: null });
  const payload = pieces.flatMap((piece) => decoder.push(piece));
  decoder.end();
  return { payload: Buffer.concat(payload), trailers: Object.fromEntries(decoder.trailers) };
}

describe('createAwsChunkedDecoder', () => {
  it('gives back what was framed, however it was cut', () => {
    const chunk = fc.uint8Array({ minLength: 1, maxLength: 700 });
    const cuts = fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 6 });
    fc.assert(
      fc.property(
        fc.array(chunk, { maxLength: 8 }),
        cuts,
        fc.boolean(),
        (chunks, lengths, hasTrailer) => {
          const payload = Buffer.concat(chunks);
          const trailers: Record<string, string> = hasTrailer ? { [CRC32]: 'AAAAAA==' } : {};
          const wire = frameUnsigned(chunks, trailers);
          const result = decode(split(wire, lengths), payload.length, Object.keys(trailers));
          expect(result.payload.equals(payload)).toBe(true);
          expect(result.trailers).toEqual(trailers);
        },
      ),
      { numRuns: fuzzRuns(150) },
    );
  });

  it('copies no payload', () => {
    const wire = frameUnsigned([Buffer.from('first chunk'), Buffer.from('second')]);
    const decoder = createAwsChunkedDecoder({
      decodedLengthBytes: 17,
      trailerNames: [],
      signatures: null,
    });
    const pieces = decoder.push(wire);
    expect(pieces.map((piece) => Buffer.from(piece).toString())).toEqual(['first chunk', 'second']);
    expect(pieces.every((piece) => piece.buffer === wire.buffer)).toBe(true);
  });

  it.each([
    ['upper-case digits', 'A\r\n0123456789\r\n0\r\n\r\n', 10],
    ['leading zeros', '0005\r\nhello\r\n0000\r\n\r\n', 5],
    [
      'signatures that nobody asked for',
      `5;chunk-signature=${'a'.repeat(64)}\r\nhello\r\n0\r\n\r\n`,
      5,
    ],
    ['line ends in the payload', '4\r\n\r\n\r\n\r\n0\r\n\r\n', 4],
    ['no payload', '0\r\n\r\n', 0],
    ['nothing at all for no payload', '', 0],
  ])('takes %s', (_, wire, length) => {
    expect(decode([Buffer.from(wire)], length).payload.length).toBe(length);
  });

  it.each([
    ['no last chunk', '5\r\nhello\r\n', 5],
    ['a cut in the payload', '5\r\nhel', 5],
    ['a cut in the last line', '5\r\nhello\r\n0\r\n\r', 5],
    ['no end after the last chunk', '5\r\nhello\r\n0\r\n', 5],
    ['nothing for some payload', '', 5],
    ['a cut in the only line', '0', 0],
    ['no end after the only chunk', '0\r\n', 0],
    ['less than was promised', '5\r\nhello\r\n0\r\n\r\n', 6],
    ['more than was promised', '5\r\nhello\r\n0\r\n\r\n', 4],
    ['a size beyond all numbers', 'ffffffffffffffff\r\n', 5],
    ['a size of 17 digits', '00000000000000005\r\nhello\r\n0\r\n\r\n', 5],
    ['a negative size', '-5\r\nhello\r\n0\r\n\r\n', 5],
    ['a size in other words', '0x5\r\nhello\r\n0\r\n\r\n', 5],
    ['space around the size', ' 5 \r\nhello\r\n0\r\n\r\n', 5],
    ['an empty size', '\r\nhello\r\n0\r\n\r\n', 5],
    ['an unknown extension', '5;name=value\r\nhello\r\n0\r\n\r\n', 5],
    ['a short signature', '5;chunk-signature=abc\r\nhello\r\n0\r\n\r\n', 5],
    ['line feeds alone', '5\nhello\n0\n\n', 5],
    ['a payload longer than its size', '4\r\nhello\r\n0\r\n\r\n', 4],
    ['a payload shorter than its size', '6\r\nhello\r\n0\r\n\r\n', 6],
    ['bytes after the end', '5\r\nhello\r\n0\r\n\r\n!', 5],
    ['a line without end', `5${'0'.repeat(5000)}`, 5],
    ['a body that is not framed', 'hello', 5],
  ])('refuses %s', (_, wire, length) => {
    for (const lengths of [[], [1], [3, 100]]) {
      const pieces = wire === '' ? [] : split(Buffer.from(wire), lengths);
      expect(() => decode(pieces, length)).toThrow(
        expect.objectContaining({ code: 'IncompleteBody' }),
      );
    }
  });

  it.each([
    ['a missing trailer', '', 'InvalidRequest'],
    ['another trailer', 'x-amz-checksum-sha1:AAAA\r\n', 'InvalidRequest'],
    ['a further trailer', `${CRC32}:AAAAAA==\r\nx-amz-meta-a:b\r\n`, 'InvalidRequest'],
    ['the same trailer twice', `${CRC32}:AAAAAA==\r\n${CRC32}:BBBBBB==\r\n`, 'InvalidRequest'],
    ['a trailer without a name', ':AAAAAA==\r\n', 'InvalidRequest'],
    ['a trailer without a colon', `${CRC32}\r\n`, 'InvalidRequest'],
    [
      'a signature where nothing is signed',
      `${CRC32}:A\r\nx-amz-trailer-signature:${'a'.repeat(64)}\r\n`,
      'InvalidRequest',
    ],
    ['a trailer ended by a line feed', `${CRC32}:AAAAAA==\n`, 'IncompleteBody'],
    ['a trailer without end', `${CRC32}:${'A'.repeat(5000)}`, 'IncompleteBody'],
  ])('refuses %s', (_, trailers, code) => {
    const wire = Buffer.from(`5\r\nhello\r\n0\r\n${trailers}\r\n`);
    for (const lengths of [[], [1]]) {
      expect(() => decode(split(wire, lengths), 5, [CRC32])).toThrow(
        expect.objectContaining({ code }),
      );
    }
  });

  it('takes lines of 512 bytes with their line feed, and no longer ones', () => {
    const trailerOf = (lengthBytes: number) =>
      `${CRC32}:${'A'.repeat(lengthBytes - CRC32.length - 3)}\r\n`;
    for (const lengths of [[], [1], [511, 1], [512]]) {
      const decodeLine = (lengthBytes: number) =>
        decode(split(Buffer.from(`0\r\n${trailerOf(lengthBytes)}\r\n`), lengths), 0, [CRC32]);
      expect(decodeLine(512).trailers[CRC32]).toHaveLength(512 - CRC32.length - 3);
      expect(() => decodeLine(513)).toThrow(expect.objectContaining({ code: 'IncompleteBody' }));
    }
  });

  // Source: StreamingUSReader.addTrailer of minio-go: each trailer ends in a line feed, and two
  // empty lines follow.
  it('takes trailers as minio-go writes them', () => {
    const names = [CRC32, 'x-amz-checksum-sha1'];
    const lines = names.map((name) => `${name}:AAAAAA==\n`).join('');
    const wire = Buffer.from(`5\r\nhello\r\n0\r\n${lines}\r\n\r\n`);
    for (const lengths of [[], [1], [7, 2]]) {
      const result = decode(split(wire, lengths), 5, names);
      expect(result.payload.toString()).toBe('hello');
      expect(result.trailers).toEqual({ [CRC32]: 'AAAAAA==', 'x-amz-checksum-sha1': 'AAAAAA==' });
    }
  });

  it.each([
    ['one empty line alone', `${CRC32}:AAAAAA==\n\r\n`, 'IncompleteBody'],
    ['a third empty line', `${CRC32}:AAAAAA==\n\r\n\r\n\r\n`, 'IncompleteBody'],
    ['a trailer between them', `${CRC32}:AAAAAA==\n\r\n${CRC32}:AAAAAA==\n\r\n`, 'IncompleteBody'],
    ['empty lines without a return', `${CRC32}:AAAAAA==\n\n\n`, 'InvalidRequest'],
    ['two empty lines after a whole line', `${CRC32}:AAAAAA==\r\n\r\n\r\n`, 'IncompleteBody'],
  ])('refuses such trailers with %s', (_, end, code) => {
    const wire = Buffer.from(`5\r\nhello\r\n0\r\n${end}`);
    for (const lengths of [[], [1]]) {
      expect(() => decode(split(wire, lengths), 5, [CRC32])).toThrow(
        expect.objectContaining({ code }),
      );
    }
  });

  it('refuses a trailer that was not announced', () => {
    const wire = frameUnsigned([Buffer.from('hello')], { [CRC32]: 'AAAAAA==' });
    expect(() => decode([wire], 5)).toThrow(expect.objectContaining({ code: 'InvalidRequest' }));
  });

  it('keeps the value of a trailer without the space around it', () => {
    const wire = Buffer.from(`0\r\n${CRC32.toUpperCase()}: AAAAAA== \r\n\r\n`);
    expect(decode([wire], 0, [CRC32]).trailers).toEqual({ [CRC32]: 'AAAAAA==' });
  });
});
