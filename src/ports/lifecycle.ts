// Lifecycle of a bucket as plain data: the rules as the owner put them. They stand in the bucket's settings; what they
// decide is core/lifecycle's.
// Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-rules.html
import type { Tags } from './object-facts.ts';

/** Which objects a rule is about: all that is set must hold. Null is not asked, and was not written. */
export type LifecycleFilter = {
  readonly prefix: string | null;
  readonly tags: Tags;
  /** Bytes; both bounds exclude themselves. */
  readonly sizeGreaterThan: number | null;
  readonly sizeLessThan: number | null;
};

/** When the current version ends. Exactly one of the three is set. */
export type LifecycleExpiration = {
  /** Days after it was written. */
  readonly days: number | null;
  readonly dateMs: number | null;
  /** Whether a delete marker without any version behind it goes. */
  readonly expiredObjectDeleteMarker: boolean | null;
};

/** When the current version gets another storage class. Exactly one of days and date is set. */
export type LifecycleTransition = {
  readonly days: number | null;
  readonly dateMs: number | null;
  readonly storageClass: string;
};

/** What happens to versions that were replaced or hidden, this many days after that. */
export type NoncurrentExpiration = {
  readonly noncurrentDays: number;
  /** How many newer ones of the key must be there that are not current either; null: none. */
  readonly newerVersions: number | null;
};
export type NoncurrentTransition = NoncurrentExpiration & { readonly storageClass: string };

export type LifecycleRule = {
  readonly id: string;
  readonly isEnabled: boolean;
  /** Whether the prefix was written as S3's first version had it: beside the actions, without a filter. */
  readonly isOldForm: boolean;
  readonly filter: LifecycleFilter;
  readonly expiration: LifecycleExpiration | null;
  readonly transitions: readonly LifecycleTransition[];
  readonly noncurrentExpiration: NoncurrentExpiration | null;
  readonly noncurrentTransitions: readonly NoncurrentTransition[];
  /** Days after the start of a multipart upload that was not finished. */
  readonly abortUploadsAfterDays: number | null;
};

/** Below which size no object changes its class, unless a rule's filter speaks of sizes. Both mean 128 KiB for the classes that we have. */
export type TransitionMinimum = 'all_storage_classes_128K' | 'varies_by_storage_class';

export type LifecycleConfiguration = {
  readonly rules: readonly LifecycleRule[];
  readonly transitionMinimum: TransitionMinimum;
  /** When it was put: a run that began with older rules is begun anew. */
  readonly setAtMs: number;
};
