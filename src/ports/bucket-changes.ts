// Notice of changes of a bucket, for clients that show it: a long poll. A revision is
// opaque text that changes with the bucket's objects, settings and jobs. Nothing is
// stored, and nothing is noted of a bucket that nobody waits for.
import type { AccountId, BucketName } from '../domain/nouns.ts';

export type ChangeTopic = 'objects' | 'uploads' | 'jobs' | 'bucket';

export type BucketNews = {
  readonly revision: string;
  /** Whether it is newer than the one asked with. */
  readonly isChanged: boolean;
  /** What changed; null: that is not known any more, so anything may have. */
  readonly topics: readonly ChangeTopic[] | null;
  /** Folders in which keys changed, each up to its last `/`; null: too many. */
  readonly prefixes: readonly string[] | null;
};

export type WaitInput = {
  readonly bucket: BucketName;
  /** Whose waits are counted together. */
  readonly accountId: AccountId;
  /** The member or access key of the account that waits. */
  readonly holder: string;
  /** The revision that the client knows; null: none, so the response comes at once. */
  readonly after: string | null;
  /** Longest wait; the platform may answer sooner. */
  readonly waitMs: number;
};

export type BucketChanges = {
  /**
   * Resolves once the bucket has a newer revision, the time is over, or the client is
   * gone, which `whenGone` reports. TooManyRequests: 64 waits of the account, or 16 of
   * the holder, are under way (on Cloudflare: for this bucket). Cost: none on Node
   * while it waits; on Cloudflare the bucket's object stays awake for at most five
   * seconds.
   */
  wait(input: WaitInput, whenGone?: (release: () => void) => void): Promise<BucketNews>;
};
