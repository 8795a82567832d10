// Texts that are no ASCII, in headers whose value must be: encoded words. S3
// answers user metadata so, and ASCII is what every server, proxy and client hands
// on unharmed (workerd sends no byte that is not UTF-8). Pure. Source: RFC 2047;
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/UsingMetadata.html#UserMetadata

/** Longest encoded word. Source: RFC 2047 section 2. */
const WORD_MAX_LENGTH = 75;
const PREFIX = { Q: '=?UTF-8?Q?', B: '=?UTF-8?B?' } as const;
const SUFFIX = '?=';

const NOT_ASCII = /[^\x20-\x7e\t]/;
const NOT_ASCII_ALL = /[^\x20-\x7e\t]/g;
/**
 * What stands for itself in the Q encoding; a space becomes `_`. Source: RFC 2047
 * section 4.2.
 */
const Q_SAFE = /^[!#-<>@-^`-~]$/;

const encoder = new TextEncoder();

/**
 * `bytes`, a header text of one character a byte, as it is where it is ASCII, else
 * as encoded words of UTF-8: Q where most of it is ASCII, B otherwise, as S3
 * chooses. Bytes that are no UTF-8 count as ISO-8859-1. Cost: 30 ns for ASCII.
 */
export function toEncodedWords(bytes: string): string {
  if (!NOT_ASCII.test(bytes)) return bytes;
  const text = decodeBytes(bytes);
  const foreign = bytes.match(NOT_ASCII_ALL)?.length ?? 0;
  const encoding = foreign * 2 < bytes.length ? 'Q' : 'B';
  const room = WORD_MAX_LENGTH - PREFIX[encoding].length - SUFFIX.length;
  const words: string[] = [];
  let characters: string[] = [];
  let length = 0;
  const finish = () => {
    const content =
      encoding === 'Q' ? characters.join('') : encoder.encode(characters.join('')).toBase64();
    words.push(PREFIX[encoding] + content + SUFFIX);
    characters = [];
    length = 0;
  };
  // No character may be cut: each word must be whole by itself.
  for (const character of text) {
    const piece = encoding === 'Q' ? toQ(character) : character;
    const pieceLength = encoding === 'Q' ? piece.length : encoder.encode(piece).length;
    const isFull =
      encoding === 'Q'
        ? length + pieceLength > room
        : 4 * Math.ceil((length + pieceLength) / 3) > room;
    if (isFull) finish();
    characters.push(piece);
    length += pieceLength;
  }
  finish();
  return words.join(' ');
}

function decodeBytes(bytes: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Uint8Array.from(bytes, (sign) => sign.charCodeAt(0)),
    );
  } catch {
    return bytes;
  }
}

function toQ(character: string): string {
  if (Q_SAFE.test(character)) return character;
  if (character === ' ') return '_';
  return Array.from(
    encoder.encode(character),
    (byte) => `=${byte.toString(16).toUpperCase().padStart(2, '0')}`,
  ).join('');
}
