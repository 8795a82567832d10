// The calls of the bucket index about uses of presigned URLs that may be used a
// limited number of times. Part of the vocabulary in metadata-index.ts.
import type { BucketRef } from '../../domain/nouns.ts';

export type UrlUseCommands = {
  /**
   * Takes one of the uses of a URL, and forgets some URLs that have expired. `id`:
   * digest of the URL's signature. AccessDenied when all are taken. BucketChanged.
   */
  takeUrlUse(input: {
    bucket: BucketRef;
    id: string;
    maxUses: number;
    nowMs: number;
    expiresAtMs: number;
  }): void;
  /** Gives a use back, because nothing was written. BucketChanged. */
  releaseUrlUse(input: { bucket: BucketRef; id: string }): void;
};
