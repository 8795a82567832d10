// Headers that a presigned URL carries in its query: SDKs move `x-amz-…` headers
// there when they presign, and S3 reads them as if they had been sent. Used by
// routes.ts to make a call; only for presigned requests, whose query is signed.
import type { ChecksumAlgorithm } from '../../../domain/nouns.ts';
import type { HttpRequest } from '../../request.ts';
import { textToHeader } from '../../semantics/header-text.ts';
import { CHECKSUM_ALGORITHMS } from '../formats/checksum-names.ts';
import { checksumHeader } from './checksum-headers.ts';

/**
 * Checksums of no bytes. The JavaScript SDK presigns a PutObject without its body
 * and signs the checksum of nothing into the URL; S3 ignores it, and so must we, or
 * no such URL could be used. A checksum of something is verified. Source:
 * https://github.com/ministackorg/ministack/issues/1695. Remove when that SDK
 * presigns without a checksum.
 */
const CHECKSUM_OF_NOTHING = {
  CRC32: 'AAAAAA==',
  CRC32C: 'AAAAAA==',
  CRC64NVME: 'AAAAAAAAAAA=',
  SHA1: '2jmj7l5rSw0yVb/vlWAYkK/YBwk=',
  SHA256: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
} as const satisfies Record<ChecksumAlgorithm, string>;

const IGNORED: ReadonlyMap<string, string> = new Map(
  CHECKSUM_ALGORITHMS.map((algorithm) => [
    checksumHeader(algorithm),
    CHECKSUM_OF_NOTHING[algorithm],
  ]),
);
/**
 * Says nothing that the checksum's own name does not say, and comes along with the
 * checksum of nothing.
 */
const REDUNDANT = 'x-amz-sdk-checksum-algorithm';

/**
 * Header look-ups of a request, with those of its query where it is presigned. A
 * header that was sent wins.
 */
export type HeaderSource = Pick<HttpRequest, 'header' | 'headerNames'>;

/**
 * Adds to the headers of a presigned request the ones that stand in its query.
 * `further`: names, in lower case, that count there besides those that begin with
 * `x-amz-`.
 */
export function withQueryHeaders(
  request: HeaderSource,
  parameters: Iterable<readonly [name: string, value: string]>,
  further: readonly string[] = [],
): HeaderSource {
  const moved = new Map<string, string>();
  for (const [parameter, value] of parameters) {
    const name = parameter.toLowerCase();
    const isHeader = name.startsWith('x-amz-') || further.includes(name);
    if (!isHeader || name === REDUNDANT || moved.has(name)) continue;
    if (IGNORED.get(name) !== value) moved.set(name, textToHeader(value));
  }
  return {
    header: (name) => request.header(name) ?? moved.get(name) ?? null,
    headerNames: () => new Set([...request.headerNames(), ...moved.keys()]),
  };
}
