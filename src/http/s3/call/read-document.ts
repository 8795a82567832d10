// The small body of a request, read whole and proved, for every operation that
// takes a document.
import { verifyBody } from '../../../core/objects/body-expectation.ts';
import { collect } from '../../../core/objects/collect.ts';
import { createDigestSet } from '../../../crypto/digest-set.ts';
import { StorageError } from '../../../domain/errors.ts';
import { readBodyExpectation } from '../headers/checksum-headers.ts';
import type { S3Call } from './call.ts';

/**
 * Reads the small body of a request (XML, a policy) whole and proves it against the
 * Content-MD5 and the checksum that came with it. With `needsDigest` one of them
 * must. Errors: MaxMessageLengthExceeded, BadDigest, InvalidRequest, those of
 * readBodyExpectation, and what the source throws.
 */
export async function readDocument(
  call: Pick<S3Call, 'header' | 'body' | 'request'>,
  maxBytes: number,
  needsDigest = false,
): Promise<Uint8Array> {
  const expectation = readBodyExpectation(call.header, call.body);
  const { contentMd5Hex, checksum } = expectation;
  if (needsDigest && contentMd5Hex === null && checksum === null) {
    throw new StorageError('InvalidRequest', {
      detail: 'Missing required header for this request: Content-MD5 OR x-amz-checksum-*',
    });
  }
  const bytes = await collect(call.body.source, maxBytes);
  const digests = createDigestSet({
    md5: contentMd5Hex !== null,
    sha256: false,
    checksum: checksum?.algorithm ?? null,
  });
  digests.update(bytes);
  const { md5Hex, checksumBase64 } = digests.finish();
  verifyBody(expectation, { md5Hex: md5Hex ?? '', checksumBase64 });
  call.request.notes.document = bytes;
  return bytes;
}
