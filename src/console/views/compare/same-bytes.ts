// Whether two objects have the same bytes, by what is stored of them and without
// reading any: size, then checksums of the whole, then ETags that are digests.
import type { ObjectDetail } from 'quayside/client';

export type Sameness =
  | { readonly is: 'same' | 'different'; readonly by: 'size' | 'etag' }
  | { readonly is: 'same' | 'different'; readonly by: 'checksum'; readonly algorithm: string }
  | { readonly is: 'unknown' };

/** A plain MD5: of multipart uploads and encrypted objects the ETag is none. */
const MD5 = /^[0-9a-f]{32}$/;

type Digests = Pick<ObjectDetail, 'size' | 'etag' | 'checksum' | 'encryption'>;

export function compareDigests(left: Digests, right: Digests): Sameness {
  if (left.size !== right.size) return { is: 'different', by: 'size' };
  const [one, other] = [left.checksum, right.checksum];
  const isComparable =
    one !== null &&
    other !== null &&
    one.algorithm === other.algorithm &&
    one.type === other.type &&
    one.type === 'FULL_OBJECT';
  if (isComparable) {
    const is = one.value === other.value ? 'same' : 'different';
    // A short checksum shows a difference; that there is none it cannot prove.
    const isProof = is === 'different' || /^SHA/.test(one.algorithm);
    if (isProof) return { is, by: 'checksum', algorithm: one.algorithm };
  }
  const isDigest = [left, right].every(
    ({ etag, encryption }) =>
      MD5.test(etag) && (encryption === null || encryption.kind === 'server'),
  );
  if (isDigest) return { is: left.etag === right.etag ? 'same' : 'different', by: 'etag' };
  return { is: 'unknown' };
}
