// What a client announces of a body, and the proof of it. The surfaces read it off headers;
// write-body.ts and readers of documents verify it.

import { StorageError } from '../../domain/errors.ts';
import type { ChecksumAlgorithm } from '../../domain/nouns.ts';

/** What the client said about the body that it sends. */
export type BodyExpectation = {
  /** From Content-MD5, lower-case hex; null when not sent. */
  readonly contentMd5Hex: string | null;
  /**
   * The additional checksum to compute and keep. `expected` is asked after the body has ended,
   * because the value may come in a trailer: base64, or null when the client left the computing to
   * us.
   */
  readonly checksum: {
    readonly algorithm: ChecksumAlgorithm;
    readonly expected: () => string | null;
  } | null;
};

/** No promise at all. */
export const NO_EXPECTATION: BodyExpectation = { contentMd5Hex: null, checksum: null };

/** Compares what came with what was announced. BadDigest. */
export function verifyBody(
  expectation: BodyExpectation,
  found: { readonly md5Hex: string; readonly checksumBase64: string | null },
): void {
  if (expectation.contentMd5Hex !== null && expectation.contentMd5Hex !== found.md5Hex) {
    throw new StorageError('BadDigest', {
      detail: 'The Content-MD5 you specified did not match what we received.',
    });
  }
  const checksum = expectation.checksum;
  const expected = checksum?.expected() ?? null;
  if (checksum !== null && expected !== null && expected !== found.checksumBase64) {
    throw new StorageError('BadDigest', {
      detail: `The ${checksum.algorithm} you specified did not match the calculated checksum.`,
    });
  }
}
