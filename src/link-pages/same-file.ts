// Whether a file of this device is one that has come already: whoever goes on chooses the
// whole folder again, of which most is there.

/** Larger ones are sent again: WebCrypto digests only what is in memory whole. */
const DIGESTED_MAX_BYTES = 64 * 1024 * 1024;

/**
 * Whether the file has that SHA-256, hex. False where nobody can tell: for large files, and
 * on pages over plain http, which have no WebCrypto.
 */
export async function hasDigest(file: Blob, sha256: string | null): Promise<boolean> {
  if (sha256 === null || file.size > DIGESTED_MAX_BYTES || crypto.subtle === undefined)
    return false;
  const digest = await crypto.subtle.digest('SHA-256', await file.arrayBuffer());
  const hex = Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0'));
  return hex.join('') === sha256;
}
