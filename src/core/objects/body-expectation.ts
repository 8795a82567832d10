// The digests that a client announces for a body, and their verification. The
// surfaces read them from headers; write-body.ts and readers of documents verify
// them.

import { StorageError } from '../../domain/errors.ts';
import type { ChecksumAlgorithm } from '../../domain/nouns.ts';

/** The digests that the client announced for the body that it sends. */
export type BodyExpectation = {
  /** From Content-MD5, lower-case hex; null when not sent. */
  readonly contentMd5Hex: string | null;
  /**
   * The additional checksum to compute and store. `expected` is called after the
   * body has ended, because the value may come in a trailer: base64, or null when
   * the client sent none.
   */
  readonly checksum: {
    readonly algorithm: ChecksumAlgorithm;
    readonly expected: () => string | null;
  } | null;
};

/** The expectation of a client that announced nothing. */
export const NO_EXPECTATION: BodyExpectation = { contentMd5Hex: null, checksum: null };

/** Compares the computed digests with the announced ones. BadDigest. */
export function verifyBody(
  expectation: BodyExpectation,
  computed: { readonly md5Hex: string; readonly checksumBase64: string | null },
): void {
  if (expectation.contentMd5Hex !== null && expectation.contentMd5Hex !== computed.md5Hex) {
    throw new StorageError('BadDigest', {
      detail: 'The Content-MD5 you specified did not match what we received.',
    });
  }

  const checksum = expectation.checksum;
  const expected = checksum?.expected() ?? null;
  if (checksum !== null && expected !== null && expected !== computed.checksumBase64) {
    throw new StorageError('BadDigest', {
      detail: `The ${checksum.algorithm} you specified did not match the calculated checksum.`,
    });
  }
}
