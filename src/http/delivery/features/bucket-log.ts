// Access logs of buckets, as a feature of reads: the app writes a line for each
// response of a bucket that has one (observe/observer.ts), and only the full path
// brings all that stands in it.
import type { ReadFeature } from './read-feature.ts';

export function bucketLogFeature(): ReadFeature {
  return {
    isIn: ({ settings }) => settings.logging != null,
    atOnce: { leavesAll: true },
  };
}
