// Digests of an object for those who ask: Repr-Digest and Content-Digest (RFC
// 9530), and the older Digest (RFC 3230). They come from what was stored with the
// object; only a small body is ever computed over, which small-body-digests.ts reads
// where it is not at hand. Called by delivery and by signed reads. Pure.
import { sha256Base64 } from '../../crypto/hash.ts';
import type { Checksum, Pointer } from '../../domain/nouns.ts';
import type { HttpRequest } from '../request.ts';
import type { HeaderRecord } from './object-headers.ts';

/** Headers that ask for one. */
export const WANT_DIGEST_HEADERS = [
  'want-content-digest',
  'want-digest',
  'want-repr-digest',
] as const;

/**
 * Largest body that is computed over, bytes: what stands in a row, or did before it
 * moved into a pack. 10 µs for each 16 KiB.
 */
const COMPUTED_MAX_BYTES = 64 * 1024;
/** Nobody names more algorithms than there are. */
const WANT_MAX_LENGTH = 512;

/**
 * Names of the registry by what objects are stored with. Source: RFC 9530 section
 * 5, IANA "Hash Algorithms for HTTP Digest Fields".
 */
const ALGORITHMS = { SHA256: 'sha-256', SHA1: 'sha', CRC32C: 'crc32c' } as const satisfies Partial<
  Record<Checksum['algorithm'], string>
>;
/**
 * In the order of our preference; the ones behind the first are no protection, but
 * tell of a broken transfer.
 */
type AlgorithmName = (typeof ALGORITHMS)[keyof typeof ALGORITHMS] | 'md5';
const PREFERENCE: readonly AlgorithmName[] = ['sha-256', 'sha', 'md5', 'crc32c'];
/**
 * The older header knows no crc32c in this form. Source: RFC 3230 section 4.1.1,
 * RFC 5843.
 */
const LEGACY: readonly AlgorithmName[] = ['sha-256', 'sha', 'md5'];

/** What digests can be known from. */
export type DigestSource = Pick<Pointer, 'etag' | 'checksum' | 'encryption' | 'inlineBytes'>;

/**
 * The digest fields that the request wants and that can be given; null for none.
 * `isWhole`: the response carries all bytes, so that its content is the
 * representation. Cost: three look-ups when nothing is wanted.
 */
export function digestHeaders(
  request: Pick<HttpRequest, 'header'>,
  source: DigestSource,
  isWhole: boolean,
): HeaderRecord | null {
  const wanted = WANT_DIGEST_HEADERS.map((name) => request.header(name));
  if (wanted.every((header) => header === null)) return null;
  const [content = null, legacy = null, repr = null] = wanted;
  const headers: HeaderRecord = {};
  const ofRepr = repr === null ? null : choose(parseWeights(repr), PREFERENCE, source);
  if (ofRepr !== null) headers['repr-digest'] = `${ofRepr.name}=:${ofRepr.value}:`;
  const ofContent =
    content === null || !isWhole ? null : choose(parseWeights(content), PREFERENCE, source);
  if (ofContent !== null) headers['content-digest'] = `${ofContent.name}=:${ofContent.value}:`;
  const ofLegacy = legacy === null ? null : choose(parseQualities(legacy), LEGACY, source);
  if (ofLegacy !== null) headers.digest = `${ofLegacy.name.toUpperCase()}=${ofLegacy.value}`;
  return headers;
}

/**
 * Whether the request wants a SHA-256 that nothing but the bytes of a small stored body
 * tells. Cost: three look-ups for a small blob.
 */
export function isDigestOfBytes(
  request: Pick<HttpRequest, 'header'>,
  source: DigestSource & Pick<Pointer, 'sizeBytes'>,
): boolean {
  const { checksum, encryption, inlineBytes, sizeBytes } = source;
  if (inlineBytes !== null || encryption !== null || sizeBytes > COMPUTED_MAX_BYTES) return false;
  if (checksum?.type === 'FULL_OBJECT' && checksum.algorithm === 'SHA256') return false;
  const [content = null, legacy = null, repr = null] = WANT_DIGEST_HEADERS.map((name) =>
    request.header(name),
  );
  const wanted = [
    content === null ? null : parseWeights(content),
    legacy === null ? null : parseQualities(legacy),
    repr === null ? null : parseWeights(repr),
  ];
  return wanted.some((weights) => (weights?.get(ALGORITHMS.SHA256) ?? 0) > 0);
}

/** How much each algorithm is wanted; those with 0 are not. */
type Wanted = ReadonlyMap<string, number>;

/**
 * `sha-256=10, sha=1`: a dictionary of integers from 0 to 10. One that is not is as
 * if not sent. Source: RFC 9530 section 4.
 */
function parseWeights(header: string): Wanted {
  return parseList(header, /^([a-z*][a-z0-9_\-.*]*)=(10|\d)(?:;.*)?$/);
}

/**
 * `SHA-256;q=1, md5;q=0.3`: a list with qualities. Source: RFC 3230 section 4.3.1.
 */
function parseQualities(header: string): Wanted {
  return parseList(
    header.toLowerCase(),
    /^([a-z0-9_\-.]+)(?:[\t ]*;[\t ]*q=([01](?:\.\d{0,3})?))?$/,
  );
}

function parseList(header: string, member: RegExp): Wanted {
  const wanted = new Map<string, number>();
  if (header.length > WANT_MAX_LENGTH) return wanted;
  for (const text of header.split(',')) {
    const parts = member.exec(text.trim());
    if (parts === null) return new Map();
    wanted.set(parts[1] ?? '', Number(parts[2] ?? 1));
  }
  return wanted;
}

/** What is wanted most among what we have. */
function choose(wanted: Wanted, names: readonly AlgorithmName[], source: DigestSource) {
  let best: { name: AlgorithmName; value: string } | null = null;
  let bestWeight = 0;
  for (const name of names) {
    const weight = wanted.get(name) ?? 0;
    const value = weight > bestWeight ? digestOf(name, source) : null;
    if (value === null) continue;
    best = { name, value };
    bestWeight = weight;
  }
  return best;
}

/** Base64, or null where it can't be known without reading the body. */
function digestOf(name: AlgorithmName, source: DigestSource): string | null {
  const { etag, checksum, encryption, inlineBytes } = source;
  const isOfAll = checksum?.type === 'FULL_OBJECT';
  if (isOfAll && name === ALGORITHMS[checksum.algorithm as keyof typeof ALGORITHMS])
    return checksum.value;
  // What stands in the row of an encrypted object is encrypted.
  const isSmall =
    inlineBytes !== null && encryption === null && inlineBytes.length <= COMPUTED_MAX_BYTES;
  if (name === 'sha-256' && isSmall) return sha256Base64(inlineBytes);
  // The etag of what came in one piece is its MD5, unless another key than the
  // server's own protects it. Source: S3, API_Object (ETag).
  const showsMd5 = encryption === null || encryption.kind === 'server';
  if (name !== 'md5' || !showsMd5 || !/^[0-9a-f]{32}$/.test(etag)) return null;
  return Uint8Array.fromHex(etag).toBase64();
}
