// Decodes aws-chunked bodies: wire bytes in, payload out as views of them, nothing
// copied and never more than one line kept. payload.ts calls it. It is strict:
// whatever is not exactly the framing ends the body with an error. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html
import { StorageError } from '../../../domain/errors.ts';
import type { ChunkSignatures } from './chunk-signatures.ts';

/**
 * Longest line of framing, bytes with its line feed. A chunk's line needs 99 (16
 * hex digits, the signature and its name), a trailer's about 140 (the base64 of 64
 * bytes and a name); the rest is room for a proxy's habits.
 */
const LINE_MAX_BYTES = 512;
const LF = 0x0a;
const CHUNK_LINE = /^([0-9a-fA-F]{1,16})(?:;chunk-signature=([0-9a-f]{64}))?\r$/;
const TRAILER_SIGNATURE = 'x-amz-trailer-signature';

/** How a body is framed. */
export type AwsChunkedFraming = {
  /** x-amz-decoded-content-length: payload bytes of all chunks together. */
  readonly decodedLengthBytes: number;
  /**
   * Names that x-amz-trailer announced, lower case. Each must come, once, and no
   * other.
   */
  readonly trailerNames: readonly string[];
  /** Verifies chunks and trailers; null for an unsigned body. */
  readonly signatures: ChunkSignatures | null;
};

/** Decodes one body. After an error it must not be used again. */
export type AwsChunkedDecoder = {
  /**
   * Takes wire bytes, split anywhere; gives views of the payload in them.
   * IncompleteBody, SignatureDoesNotMatch, InvalidRequest.
   */
  push(wire: Uint8Array): readonly Uint8Array[];
  /** The wire is over. IncompleteBody when the framing is not. */
  end(): void;
  /** Trailers by lower-case name; all there once `end` returned. */
  readonly trailers: ReadonlyMap<string, string>;
};

const broken = (): StorageError =>
  new StorageError('IncompleteBody', { detail: 'The request body terminated unexpectedly' });

const wrongLength = (): StorageError =>
  new StorageError('IncompleteBody', {
    detail:
      'You did not provide the number of bytes specified by the ' +
      'x-amz-decoded-content-length HTTP header',
  });

/** S3 calls it MalformedTrailerError; the message is S3's. */
export const malformedTrailer = (): StorageError =>
  new StorageError('InvalidRequest', {
    detail:
      'The request contained trailing data that was not well-formed or did not conform to ' +
      'our published schema.',
  });

export function createAwsChunkedDecoder(framing: AwsChunkedFraming): AwsChunkedDecoder {
  const { signatures } = framing;
  const readLine = createLineReader();
  const trailers = createTrailerReader(framing);
  let state: 'start' | 'chunk-line' | 'data' | 'data-end' | 'trailers' | 'done' = 'start';
  let bodyLeft = framing.decodedLengthBytes;
  let chunkLeft = 0;
  let chunkSignature = '';

  const beginChunk = (line: string): void => {
    const [, hex, signature] = CHUNK_LINE.exec(line) ?? [];
    if (hex === undefined || (signatures !== null && signature === undefined)) throw broken();
    chunkLeft = Number.parseInt(hex, 16);
    chunkSignature = signature ?? '';
    if (chunkLeft > bodyLeft) throw wrongLength();
    bodyLeft -= chunkLeft;
    state = 'data';
    if (chunkLeft > 0) return;
    if (bodyLeft > 0) throw wrongLength();
    signatures?.endChunk(chunkSignature);
    state = 'trailers';
  };

  const takeLine = (line: string): void => {
    if (state === 'trailers') {
      if (trailers.take(line)) state = 'done';
    } else if (state === 'data-end') {
      if (line !== '\r') throw broken();
      signatures?.endChunk(chunkSignature);
      state = 'chunk-line';
    } else {
      beginChunk(line);
    }
  };

  const takeData = (wire: Uint8Array, offset: number): Uint8Array => {
    const piece = wire.subarray(offset, offset + chunkLeft);
    signatures?.update(piece);
    chunkLeft -= piece.length;
    if (chunkLeft === 0) state = 'data-end';
    return piece;
  };

  return {
    push(wire) {
      const pieces: Uint8Array[] = [];
      let offset = 0;
      while (offset < wire.length) {
        if (state === 'done') throw broken();
        if (state === 'data') {
          const piece = takeData(wire, offset);
          pieces.push(piece);
          offset += piece.length;
        } else {
          const { line, nextOffset } = readLine(wire, offset);
          if (state === 'start') state = 'chunk-line';
          if (line !== null) takeLine(line);
          offset = nextOffset;
        }
      }
      return pieces;
    },
    end() {
      // minio-go frames an empty body as nothing at all; the length 0 is signed, so
      // nothing can have been cut off.
      const isBareEmpty = state === 'start' && bodyLeft === 0 && framing.trailerNames.length === 0;
      if (state !== 'done' && !isBareEmpty) throw broken();
    },
    trailers: trailers.values,
  };
}

/**
 * Collects bytes up to a line feed, over as many pieces as it takes. A line comes
 * without it, with its return.
 */
function createLineReader(): (
  wire: Uint8Array,
  offset: number,
) => { line: string | null; nextOffset: number } {
  let partialLine = '';
  return (wire, offset) => {
    const window = wire.subarray(offset, offset + LINE_MAX_BYTES - partialLine.length);
    const length = window.indexOf(LF);
    if (length < 0) {
      partialLine += String.fromCharCode(...window);
      if (partialLine.length >= LINE_MAX_BYTES) throw broken();
      return { line: null, nextOffset: offset + window.length };
    }
    const line = partialLine + String.fromCharCode(...window.subarray(0, length));
    partialLine = '';
    return { line, nextOffset: offset + length + 1 };
  };
}

/**
 * Reads the lines after the last chunk; `take` says whether that was the empty line
 * that ends them. Lines end in CRLF. minio-go ends each trailer in a line feed,
 * with an empty line before the signature; of unsigned ones it ends the body with
 * two empty lines (StreamingUSReader.addTrailer). All of it is taken.
 */
function createTrailerReader({ trailerNames, signatures }: AwsChunkedFraming) {
  const values = new Map<string, string>();
  const isSigned = signatures !== null && trailerNames.length > 0;
  let signedText = '';
  let expects: 'trailer' | 'signature' | 'end' = 'trailer';
  let hasBareLine = false;

  const takeEmpty = (): boolean => {
    if (values.size !== trailerNames.length) throw malformedTrailer();
    if (expects === 'end' || (!isSigned && !hasBareLine)) return true;
    if (expects === 'signature') throw malformedTrailer();
    expects = isSigned ? 'signature' : 'end';
    return false;
  };

  const takeTrailer = (name: string, value: string): void => {
    if (isSigned && name === TRAILER_SIGNATURE) {
      signatures?.endTrailers(signedText, value);
      expects = 'end';
      return;
    }
    const key = name.toLowerCase();
    if (expects !== 'trailer' || values.has(key) || !trailerNames.includes(key))
      throw malformedTrailer();
    values.set(key, value.trim());
    signedText += `${name}:${value}\n`;
  };

  return {
    values,
    take(line: string): boolean {
      const hasReturn = line.endsWith('\r');
      if (!hasReturn && (trailerNames.length === 0 || expects !== 'trailer')) throw broken();
      if (!hasReturn) hasBareLine = true;
      const text = hasReturn ? line.slice(0, -1) : line;
      if (text === '' && hasReturn) return takeEmpty();
      const colon = text.indexOf(':');
      if (colon <= 0) throw malformedTrailer();
      takeTrailer(text.slice(0, colon), text.slice(colon + 1));
      return false;
    },
  };
}
