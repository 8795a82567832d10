// Versions that this isolate has read a moment ago, for readers of links (presigned
// URLs) who may be shown a state of some seconds: so a link that is read again and
// again does not ask the bucket's object each time. Only objects that are there are
// kept: what has just been made is never missing. Bodies have their own tiers.
import { LRUCache } from 'lru-cache';
import type { BucketRef, ObjectKey } from '../../../domain/nouns.ts';
import { changedBy } from '../../../ports/index-calls/index-changes.ts';
import type { IndexApi, ResolvedVersion } from '../../../ports/metadata-index.ts';
import type { Clock } from '../../../ports/system.ts';

/**
 * All of them together, estimated; an object with its small body takes up to 20 KB.
 */
const VERSIONS_MAX_BYTES = 4 * 1024 * 1024;
/** Texts, headers and list links of one, and each of its segments. Estimate. */
const VERSION_BYTES = 2048;
const SEGMENT_BYTES = 256;

type GetVersion = Parameters<IndexApi['getVersion']>[0];

export type RecentVersions = {
  /** What answers the call, if it may be answered so and is known; else null. */
  find(input: GetVersion): ResolvedVersion | null;
  /**
   * Notes that the bucket's object is about to be called, and gives what stores its
   * response.
   */
  expect(input: GetVersion): (found: ResolvedVersion | null) => void;
  /** Forgets what a call of this isolate changes. */
  forget(bucket: BucketRef['id'] | null, name: keyof IndexApi, input: unknown): void;
};

/** `freshSeconds` 0: keeps nothing. */
export function createRecentVersions(clock: Clock, freshSeconds: number): RecentVersions {
  const versions = new LRUCache<
    string,
    { found: ResolvedVersion & { kind: 'object' }; revision: number; untilMs: number }
  >({
    maxSize: VERSIONS_MAX_BYTES,
    sizeCalculation: ({ found: { object } }) =>
      VERSION_BYTES + (object.inlineBytes?.length ?? 0) + SEGMENT_BYTES * object.segments.length,
  });
  let changes = 0;
  const nameOf = (bucket: BucketRef['id'], key: ObjectKey) => `${bucket}/${key}`;
  const isAbout = ({ mayBeStale, versionId }: GetVersion) =>
    mayBeStale === true && versionId === null;
  return {
    find(input) {
      if (!isAbout(input)) return null;
      const known = versions.get(nameOf(input.bucket.id, input.key));
      const isGood =
        known !== undefined &&
        known.revision === input.bucket.revision &&
        known.untilMs > clock.nowMs();
      return isGood ? known.found : null;
    },
    expect(input) {
      const untilMs = clock.nowMs() + freshSeconds * 1000;
      const changesBefore = changes;
      return (found) => {
        // What was changed through here meanwhile may be another version.
        if (
          !isAbout(input) ||
          found?.kind !== 'object' ||
          freshSeconds === 0 ||
          changes !== changesBefore
        )
          return;
        const { id, revision } = input.bucket;
        versions.set(nameOf(id, input.key), { found, revision, untilMs });
      };
    },
    forget(bucket, name, input) {
      const changed = changedBy(name, input);
      if (bucket === null || changed === 'readPolicy' || changed === 'nothing') return;
      changes += 1;
      for (const key of changed) versions.delete(nameOf(bucket, key));
    },
  };
}
