// Quotas of stored bytes and objects, as plain data: what a bucket or an account
// may store at most, and the grants by which the buckets of an account share its
// quota. index/objects/quotas.ts keeps them in the commit, the ledger gives grants
// out, core/quotas brings them from there to the buckets.

/**
 * Bytes as clients see them, of current objects, older versions and parts of
 * uploads; objects are current ones and older versions. Compression and
 * deduplication change neither.
 */
export type StorageAmount = { readonly bytes: number; readonly objects: number };

/** Null: no limit. */
export type StorageQuota = { readonly bytes: number | null; readonly objects: number | null };

/**
 * What a bucket may store of its account's quota. Grants of a bucket have ascending
 * sequences.
 */
export type StorageGrant = StorageAmount & { readonly sequence: number };

/**
 * What bounds a bucket's commits: its own quota, and whether its account has one
 * too.
 */
export type BucketQuotas = { readonly own: StorageQuota | null; readonly isShared: boolean };
