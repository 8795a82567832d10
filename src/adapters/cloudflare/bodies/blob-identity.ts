// What a blob in R2 says of its object, in R2's custom metadata, so that an index
// can be rebuilt from the bucket alone. Written by r2-blob-store.ts; read by a
// rebuild. The format is in docs/storage-schema.md.

import type { BucketName, ObjectHeaders, ObjectKey } from '../../../domain/nouns.ts';
import type { ObjectEncryption } from '../../../domain/object-facts.ts';
import type { BlobIdentity } from '../../../ports/blob-store.ts';

/** Format of the `id` field; a reader of another version must not guess. */
const VERSION = '1';
/**
 * Longest `id` text, characters. R2 allows 8,192 bytes of metadata in all; the rest
 * is for names and the version. Source:
 * https://developers.cloudflare.com/r2/platform/limits/
 */
const ID_MAX_LENGTH = 8000;
/** Bytes before base64 makes four characters of every three. */
const ENCODED_MAX_BYTES = (ID_MAX_LENGTH / 4) * 3;
/** Two lengths of two bytes each. */
const PAIR_OVERHEAD_BYTES = 4;

type Pair = readonly [name: string, value: string];

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Encodes an identity. Bucket, key (1,024 bytes) and encryption (1.5 KiB) always
 * fit, and user metadata (2 KiB) with all but the longest encryption contexts;
 * should long system headers not, the longest are left out and only named (`x`),
 * because losing a header in a rebuild is better than a failed write. Base64 of our
 * own encoding: R2 counts bytes, and JSON makes six of one control character.
 */
export function encodeBlobIdentity(identity: BlobIdentity): Record<string, string> {
  const { bucket, key, part } = identity;
  const pairs: Pair[] = [
    ['b', bucket],
    ['k', key],
  ];
  if (part !== null) pairs.push(['p', `${part.partNumber}/${part.uploadId}`]);
  if (identity.encryption !== null) pairs.push(['e', JSON.stringify(identity.encryption)]);
  if (identity.packing !== undefined)
    pairs.push(['z', `${identity.packing.frameBytes}/${identity.packing.plainBytes}`]);
  if (identity.directory !== undefined) pairs.push(['d', `${identity.directory.offsetBytes}`]);
  const optional: Pair[] = [
    ...Object.entries(identity.userMetadata).map(([name, value]): Pair => [`m${name}`, value]),
    ...Object.entries(identity.headers).map(([name, value]): Pair => [`h${name}`, value]),
  ];
  // User metadata first, then headers from short to long: what does not fit any
  // more is the longest header.
  const rank = ([name, value]: Pair) => (name.startsWith('m') ? 0 : 1 + value.length);
  let left = ENCODED_MAX_BYTES - pairs.reduce((sum, pair) => sum + encodedSize(pair), 0);
  for (const pair of optional.sort((a, b) => rank(a) - rank(b))) {
    const mark: Pair = ['x', pair[0]];
    const fitting =
      encodedSize(pair) + 256 <= left ? pair : encodedSize(mark) <= left ? mark : null;
    if (fitting === null) continue;
    left -= encodedSize(fitting);
    pairs.push(fitting);
  }
  return { v: VERSION, id: encodePairs(pairs).toBase64() };
}

/**
 * The identity, or null when the metadata is not ours. `leftOut` names what did not
 * fit.
 */
export function decodeBlobIdentity(
  metadata: Readonly<Record<string, string>> | undefined,
): { identity: BlobIdentity; leftOut: readonly string[] } | null {
  if (metadata?.v !== VERSION || metadata.id === undefined) return null;
  const headers: Record<string, string> = {};
  const userMetadata: Record<string, string> = {};
  const leftOut: string[] = [];
  let bucket: string | null = null;
  let key: string | null = null;
  let part: BlobIdentity['part'] = null;
  let encryption: ObjectEncryption | null = null;
  let packing: BlobIdentity['packing'];
  let directory: BlobIdentity['directory'];
  try {
    for (const [name, value] of decodePairs(Uint8Array.fromBase64(metadata.id))) {
      if (name === 'b') bucket = value;
      else if (name === 'k') key = value;
      else if (name === 'x') leftOut.push(value);
      else if (name === 'p') part = parsePart(value);
      else if (name === 'e') encryption = JSON.parse(value) as ObjectEncryption;
      else if (name === 'z') packing = parseCompression(value);
      else if (name === 'd') directory = { offsetBytes: Number(value) };
      else if (name.startsWith('m')) userMetadata[name.slice(1)] = value;
      else if (name.startsWith('h')) headers[name.slice(1)] = value;
    }
  } catch {
    return null;
  }
  if (bucket === null || key === null) return null;
  return {
    identity: {
      bucket: bucket as BucketName,
      key: key as ObjectKey,
      headers: headers as ObjectHeaders,
      userMetadata,
      part,
      encryption,
      ...(packing === undefined ? {} : { packing }),
      ...(directory === undefined ? {} : { directory }),
    },
    leftOut,
  };
}

function parsePart(value: string): BlobIdentity['part'] {
  const end = value.indexOf('/');
  return { partNumber: Number(value.slice(0, end)), uploadId: value.slice(end + 1) };
}

function parseCompression(value: string): BlobIdentity['packing'] {
  const [frameBytes, plainBytes] = value.split('/').map(Number);
  return { frameBytes: frameBytes ?? 0, plainBytes: plainBytes ?? 0 };
}

function encodedSize([name, value]: Pair): number {
  return PAIR_OVERHEAD_BYTES + encoder.encode(name).length + encoder.encode(value).length;
}

/** Each text as its length in two bytes (big-endian) and its UTF-8. */
function encodePairs(pairs: readonly Pair[]): Uint8Array {
  const bytes = new Uint8Array(pairs.reduce((sum, pair) => sum + encodedSize(pair), 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const text of pairs.flat()) {
    const { written } = encoder.encodeInto(text, bytes.subarray(at + 2));
    view.setUint16(at, written);
    at += 2 + written;
  }
  return bytes;
}

function* decodePairs(bytes: Uint8Array): Generator<Pair> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  const text = () => {
    const length = view.getUint16(at);
    const end = at + 2 + length;
    if (end > bytes.length) throw new RangeError('The encoded identity ends early.');
    const value = decoder.decode(bytes.subarray(at + 2, end));
    at = end;
    return value;
  };
  while (at < bytes.length) yield [text(), text()];
}
