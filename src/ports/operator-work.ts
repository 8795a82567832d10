// What the platform's upkeep needs of the core: proofs of what is stored, and
// reports to the operator.

import type { ObjectBody, ObjectVersion } from '../domain/nouns.ts';
import type { BlobStore } from './blob-store.ts';

/**
 * A share of the disk in use that was passed, in percent, and the figures of that
 * moment.
 */
export type DiskReport = {
  readonly percent: number;
  readonly usedPercent: number;
  readonly totalBytes: number;
  readonly freeBytes: number;
};

/**
 * A share of the room of a bucket's index that was passed, in percent, and the figures
 * of that moment.
 */
export type RoomReport = {
  readonly percent: number;
  readonly usedPercent: number;
  readonly usedBytes: number;
  readonly maxBytes: number;
};

export type ObjectDamage = { readonly kind: 'missing' | 'damaged'; readonly detail: string };

/**
 * An object that can't be read whole; `versionId`, or `uploadId` with `partNumber`,
 * says which of the key's.
 */
export type HurtReport = ObjectDamage & {
  readonly bucket: string;
  readonly key: string;
  readonly versionId?: string;
  readonly uploadId?: string;
  readonly partNumber?: number;
};

/** `unproved`: only its client could. */
export type StoredProof = 'proved' | 'unproved' | { readonly detail: string };

export type OperatorWork = {
  /**
   * Resolves when the report is durable, and rejects where it is to be made again;
   * `objectHurt` too.
   */
  diskCrossed(report: DiskReport): Promise<void>;
  objectHurt(report: HurtReport): Promise<void>;
  /**
   * Reads a body from the store and compares it with its digests. Never rejects.
   */
  proveBody(
    blobStore: Pick<BlobStore, 'openRuns' | 'read'>,
    body: ObjectBody & Pick<ObjectVersion, 'sizeBytes' | 'etag' | 'parts' | 'encryption'>,
  ): Promise<StoredProof>;
};
