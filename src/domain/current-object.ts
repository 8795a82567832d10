import type { BucketName, BucketRecord, ObjectKey, ObjectVersion } from './nouns.ts';

/** What a key stands for now, and the bucket that it is in. */
export type CurrentObject = { readonly bucket: BucketRecord; readonly object: ObjectVersion };

/**
 * Bucket and current object of a key, at once, where memory knows both, and as exactly as the index
 * would say it; null: ask that. The same pair comes again until one of the two changes. A home
 * whose memory is not exact has none.
 */
export type PeekCurrent = (bucket: BucketName, key: ObjectKey) => CurrentObject | null;
