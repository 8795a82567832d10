// What a request says about the digests of its body: Content-MD5, x-amz-checksum-*,
// x-amz-sdk-checksum-algorithm and x-amz-trailer become a BodyExpectation; stored
// checksums become headers again. No digest is computed here. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/checking-object-integrity-upload.html
import type { BodyExpectation } from '../../../core/objects/body-expectation.ts';
import { isChecksumValue } from '../../../crypto/digest-set.ts';
import { StorageError } from '../../../domain/errors.ts';
import type { Checksum, ChecksumAlgorithm } from '../../../domain/nouns.ts';
import { CHECKSUM_ALGORITHMS, FOREIGN_CHECKSUMS } from '../formats/checksum-names.ts';
import type { HeaderLookup } from './request-headers.ts';

/**
 * Trailers of a chunked body: what x-amz-trailer announced, and a look-up that
 * answers once the body has ended.
 */
export type Trailers = {
  readonly trailerNames: readonly string[];
  trailer(name: string): string | null;
};

const CONTENT_MD5_FORM = /^[A-Za-z0-9+/]{22}==$/;
const PREFIX = 'x-amz-checksum-';
/** `x-amz-checksum-crc32` and so on. */
export function checksumHeader(algorithm: string): string {
  return `${PREFIX}${algorithm.toLowerCase()}`;
}

/** The headers that show a checksum with its type; none for null. */
export function checksumHeaders(
  checksum: Pick<Checksum, 'algorithm' | 'value'> | null,
  type: Checksum['type'] | null,
): Record<string, string> {
  if (checksum === null) return {};
  const headers: Record<string, string> = { [checksumHeader(checksum.algorithm)]: checksum.value };
  if (type !== null) headers['x-amz-checksum-type'] = type;
  return headers;
}

/**
 * Whether x-amz-checksum-mode wants the checksum that is stored. InvalidRequest.
 */
export function readChecksumMode(value: string | null): boolean {
  if (value === null || value === '') return false;
  if (value.toUpperCase() === 'ENABLED') return true;
  throw invalid('Value for x-amz-checksum-mode header is invalid.');
}

const invalid = (detail: string) => new StorageError('InvalidRequest', { detail });

/**
 * CRC32 and so on from a header's value, whatever its case. NotImplemented,
 * InvalidRequest.
 */
function parseAlgorithm(value: string, header: string): ChecksumAlgorithm {
  const name = value.trim().toUpperCase();
  const algorithm = CHECKSUM_ALGORITHMS.find((known) => known === name);
  if (algorithm !== undefined) return algorithm;
  if (FOREIGN_CHECKSUMS.some((foreign) => foreign === name)) {
    throw new StorageError('NotImplemented', {
      detail: `The checksum algorithm ${name} is not implemented.`,
    });
  }
  throw invalid(
    `Checksum algorithm provided in ${header} is unsupported. Please try again with any of ` +
      `the valid types: [${CHECKSUM_ALGORITHMS.join(', ')}]`,
  );
}

/** Hex of Content-MD5, or null. InvalidDigest. Source: RFC 1864. */
export function readContentMd5(header: HeaderLookup): string | null {
  const value = header('content-md5');
  if (value === null) return null;
  if (!CONTENT_MD5_FORM.test(value)) {
    throw new StorageError('InvalidDigest', {
      detail: 'The Content-MD5 you specified was invalid.',
    });
  }
  return Uint8Array.fromBase64(value).toHex();
}

type Announced = { readonly algorithm: ChecksumAlgorithm; readonly value: string | null };

/**
 * The one checksum that the headers carry or announce as a trailer (`value` null),
 * or null.
 */
function readAnnounced(header: HeaderLookup, trailerNames: readonly string[]): Announced | null {
  for (const foreign of FOREIGN_CHECKSUMS) {
    const name = checksumHeader(foreign);
    if (header(name) !== null || trailerNames.includes(name)) {
      throw new StorageError('NotImplemented', {
        detail: `The header ${name} is not implemented.`,
      });
    }
  }
  const announced: Announced[] = [];
  for (const algorithm of CHECKSUM_ALGORITHMS) {
    const value = header(checksumHeader(algorithm));
    if (value !== null) announced.push({ algorithm, value });
  }
  for (const name of trailerNames) {
    const algorithm = CHECKSUM_ALGORITHMS.find((known) => checksumHeader(known) === name);
    if (algorithm === undefined)
      throw invalid('The value specified in the x-amz-trailer header is not supported.');
    announced.push({ algorithm, value: null });
  }
  if (announced.length > 1) {
    throw invalid(
      'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
    );
  }
  return announced[0] ?? null;
}

/**
 * A value that can't be a digest of anything is refused before a byte is read.
 * BadDigest.
 */
function requireForm({
  algorithm,
  value,
}: {
  algorithm: ChecksumAlgorithm;
  value: string;
}): string {
  if (isChecksumValue(algorithm, value)) return value;
  throw new StorageError('BadDigest', {
    detail: `Value for ${checksumHeader(algorithm)} header is invalid.`,
  });
}

/**
 * Digests that the client promises for the body. A trailer that was announced and
 * then does not come makes `expected()` throw. Errors: InvalidDigest, BadDigest (no
 * digest at all), InvalidRequest, NotImplemented.
 */
export function readBodyExpectation(header: HeaderLookup, trailers: Trailers): BodyExpectation {
  const contentMd5Hex = readContentMd5(header);
  const announced = readAnnounced(header, trailers.trailerNames);
  const declared = header('x-amz-sdk-checksum-algorithm');
  const algorithm =
    declared === null ? null : parseAlgorithm(declared, 'x-amz-sdk-checksum-algorithm');
  if (announced === null) {
    if (algorithm === null) return { contentMd5Hex, checksum: null };
    throw invalid(
      'x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or ' +
        'x-amz-trailer headers were found.',
    );
  }
  if (algorithm !== null && algorithm !== announced.algorithm) {
    throw invalid('Value for x-amz-sdk-checksum-algorithm header is invalid.');
  }
  const { value } = announced;
  if (value !== null) {
    const expected = requireForm({ algorithm: announced.algorithm, value });
    return {
      contentMd5Hex,
      checksum: { algorithm: announced.algorithm, expected: () => expected },
    };
  }
  return {
    contentMd5Hex,
    checksum: { algorithm: announced.algorithm, expected: () => trailerValue(announced, trailers) },
  };
}

function trailerValue({ algorithm }: Announced, trailers: Trailers): string {
  const name = checksumHeader(algorithm);
  const value = trailers.trailer(name)?.trim();
  if (value === undefined) throw invalid(`The trailer ${name} was announced and did not come.`);
  return requireForm({ algorithm, value });
}

/**
 * The checksum that the whole object of a CompleteMultipartUpload shall have, as
 * sent: core compares it.
 */
export function readObjectChecksum(
  header: HeaderLookup,
): Pick<Checksum, 'algorithm' | 'value'> | null {
  const announced = readAnnounced(header, []);
  return announced === null
    ? null
    : { algorithm: announced.algorithm, value: announced.value ?? '' };
}

/**
 * x-amz-checksum-algorithm of CreateMultipartUpload and CopyObject, or null.
 * NotImplemented, InvalidRequest.
 */
export function readChecksumAlgorithm(header: HeaderLookup): ChecksumAlgorithm | null {
  const value = header('x-amz-checksum-algorithm');
  return value === null ? null : parseAlgorithm(value, 'x-amz-checksum-algorithm');
}

/** x-amz-checksum-type, or null. InvalidRequest. */
export function readChecksumType(header: HeaderLookup): Checksum['type'] | null {
  const value = header('x-amz-checksum-type')?.trim().toUpperCase();
  if (value === undefined) return null;
  if (value !== 'COMPOSITE' && value !== 'FULL_OBJECT')
    throw invalid('Value for x-amz-checksum-type header is invalid.');
  return value;
}
