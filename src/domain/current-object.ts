// The pair that fast reads work with: a bucket and the object that a key of it
// stands for now.
import type { BucketRecord, ObjectVersion } from './nouns.ts';

/** What a key stands for now, and the bucket that it is in. */
export type CurrentObject = { readonly bucket: BucketRecord; readonly object: ObjectVersion };
