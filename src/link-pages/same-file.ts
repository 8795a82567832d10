// Compares a file of this device with one that the server has. A sender who goes on with
// a folder chooses it whole again, and most of it was sent before.

/** Longest file that is digested: WebCrypto needs it whole in memory. Others are sent again. */
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
