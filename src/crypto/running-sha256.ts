// A SHA-256 that runs along with a body, for S3's payload hashes and chunk signatures. http/s3
// calls it.
import { createHash } from 'node:crypto';

/**
 * A running SHA-256. `takeHex` gives the digest of all bytes since the last one, and starts anew.
 */
export type RunningSha256 = { update(bytes: Uint8Array): void; takeHex(): string };

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
