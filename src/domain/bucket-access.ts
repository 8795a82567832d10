// Who may do what with a bucket, as its owner set it: grants, policy, ownership of
// what others write, and the four switches against publicness. Plain data;
// core/auth decides with it. `publicReads` is worked out from the rest whenever it
// changes (core/auth/public-reads.ts), so that delivery can answer in nanoseconds
// whether everyone may read a key.
import type { Grant } from './object-facts.ts';

/**
 * Who owns what others write into the bucket. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/about-object-ownership.html
 */
export type ObjectOwnership = 'BucketOwnerEnforced' | 'BucketOwnerPreferred' | 'ObjectWriter';

/**
 * The four switches of Block Public Access. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/access-control-block-public-access.html
 */
export type PublicAccessBlock = {
  readonly blockPublicAcls: boolean;
  readonly ignorePublicAcls: boolean;
  readonly blockPublicPolicy: boolean;
  readonly restrictPublicBuckets: boolean;
};

/**
 * Which reads without a signature the access of a bucket allows. Prefixes of
 * keys; '' is every key.
 */
export type PublicReads = {
  /** Under these the policy lets everyone read what the bucket's owner owns. */
  readonly open: readonly string[];
  /**
   * Under these it depends on the request or on a pattern whether the policy lets
   * everyone: it must be evaluated.
   */
  readonly mayOpen: readonly string[];
  /** Under these the policy lets nobody. Wins over everything. */
  readonly closed: readonly string[];
  /** Under these it depends whether the policy forbids it. */
  readonly mayClose: readonly string[];
  /** Whether the ACL of an object can open it. */
  readonly isAclHeard: boolean;
  /** Whether the bucket's owner owns every object in it, whoever wrote it. */
  readonly isAllOwned: boolean;
  /**
   * Whether everyone may list the bucket, and so learn that a key does not exist.
   */
  readonly listing: PublicDecision;
};

/** `ask`: the policy must be evaluated with the request. */
export type PublicDecision = 'yes' | 'no' | 'ask';

export type BucketAccess = {
  /** The bucket's own grants; null means that its owner alone has FULL_CONTROL. */
  readonly acl: readonly Grant[] | null;
  /** The policy as the client sent it, or null. */
  readonly policyJson: string | null;
  /** Null: never set, which means ObjectWriter. */
  readonly ownership: ObjectOwnership | null;
  readonly publicAccessBlock: PublicAccessBlock | null;
  /**
   * Whether an ACL ever opened an object of the bucket to everyone. While not,
   * strangers need no look at objects.
   */
  readonly hasPublicObjects: boolean;
  /** Derived from all of the above; null: nobody reads without a signature. */
  readonly publicReads: PublicReads | null;
};

/** The access of a bucket about which nobody said anything. */
export const PRIVATE_ACCESS: BucketAccess = {
  acl: null,
  policyJson: null,
  ownership: null,
  publicAccessBlock: null,
  hasPublicObjects: false,
  publicReads: null,
};
