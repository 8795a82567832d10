// A running SHA-256 over a body that streams, for S3's payload hashes and chunk
// signatures. Called by http/s3.
import { createHash } from 'node:crypto';

/**
 * A running SHA-256. `takeHex` gives the digest of all bytes since the last one,
 * and starts anew.
 */
export type RunningSha256 = { update(bytes: Uint8Array): void; takeHex(): string };

/** Starts a running SHA-256 of no bytes. */
export function createRunningSha256(): RunningSha256 {
  let running = createHash('sha256');
  return {
    update(bytes) {
      running.update(bytes);
    },
    takeHex() {
      const digest = running.digest('hex');
      running = createHash('sha256');
      return digest;
    },
  };
}
