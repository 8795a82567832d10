// The calls of the bucket index about quotas. Part of the vocabulary in
// metadata-index.ts.
import type { StorageGrant } from '../../domain/billing/quotas.ts';
import type { BucketAddress, BucketRef, ObjectKey, UploadId } from '../../domain/nouns.ts';

export type QuotaQueries = {
  /**
   * Whether a body of that size has room, before it is read: QuotaExceeded or
   * StorageGrantNeeded, as its commit would say now. `part`: it is one of an
   * upload. BucketChanged.
   */
  requireRoom(input: {
    bucket: BucketRef;
    key: ObjectKey;
    sizeBytes: number;
    part: { readonly uploadId: UploadId; readonly partNumber: number } | null;
  }): void;
};

export type QuotaCommands = {
  /**
   * Takes a grant in, unless a newer one is there, or the bucket is gone.
   * Idempotent.
   */
  setStorageGrant(input: { bucket: BucketAddress; grant: StorageGrant }): void;
  /**
   * Lowers the bucket's grant to what it stores now, which it gives with the
   * sequence of that grant, 0 for none. Null: the bucket is gone. Idempotent.
   */
  settleStorageGrant(input: { bucket: BucketAddress }): StorageGrant | null;
};
