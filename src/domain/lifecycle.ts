// Lifecycle of a bucket as plain data: the rules as the owner put them, which stand
// in the bucket's settings, and what the index and core say to each other when the
// rules are carried out. What rules decide is core/lifecycle's. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/intro-lifecycle-rules.html
import type { ObjectKey, ObjectVersion, UploadId, VersionId } from './nouns.ts';
import type { Tags } from './object-facts.ts';

/**
 * Which objects a rule is about: all that is set must hold. Null: no such
 * condition, and none was written.
 */
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

/**
 * When the current version gets another storage class. Exactly one of days and date
 * is set.
 */
export type LifecycleTransition = {
  readonly days: number | null;
  readonly dateMs: number | null;
  readonly storageClass: string;
};

/**
 * What happens to versions that were replaced or hidden, this many days after that.
 */
export type NoncurrentExpiration = {
  readonly noncurrentDays: number;
  /**
   * How many newer ones of the key must be there that are not current either; null:
   * none.
   */
  readonly newerVersions: number | null;
};
export type NoncurrentTransition = NoncurrentExpiration & { readonly storageClass: string };

export type LifecycleRule = {
  readonly id: string;
  readonly isEnabled: boolean;
  /**
   * Whether the prefix was written as S3's first version had it: beside the
   * actions, without a filter.
   */
  readonly isOldForm: boolean;
  readonly filter: LifecycleFilter;
  readonly expiration: LifecycleExpiration | null;
  readonly transitions: readonly LifecycleTransition[];
  readonly noncurrentExpiration: NoncurrentExpiration | null;
  readonly noncurrentTransitions: readonly NoncurrentTransition[];
  /** Days after the start of a multipart upload that was not finished. */
  readonly abortUploadsAfterDays: number | null;
};

/**
 * Below which size no object changes its class, unless a rule's filter speaks of
 * sizes. Both mean 128 KiB for the classes that we have.
 */
export type TransitionMinimum = 'all_storage_classes_128K' | 'varies_by_storage_class';

export type LifecycleConfiguration = {
  readonly rules: readonly LifecycleRule[];
  readonly transitionMinimum: TransitionMinimum;
  /** When it was put: a run that began with older rules is begun anew. */
  readonly setAtMs: number;
};

/** Something that rules may be about, as the index finds it. */
export type LifecycleSubject =
  | (Facts & { readonly kind: 'current'; readonly lastModifiedMs: number })
  | (Facts & {
      readonly kind: 'noncurrent';
      readonly isMarker: boolean;
      readonly replacedAtMs: number;
      /** How many newer objects of the key are not current either. */
      readonly newerVersions: number;
    })
  /** A delete marker that hides nothing any more. */
  | (Pick<ObjectVersion, 'key' | 'versionId' | 'lastModifiedMs'> & { readonly kind: 'lone-marker' })
  | {
      readonly kind: 'upload';
      readonly key: ObjectKey;
      readonly uploadId: UploadId;
      readonly createdAtMs: number;
    };
type Facts = Pick<
  ObjectVersion,
  'key' | 'versionId' | 'sizeBytes' | 'storageClass' | 'tags' | 'lock'
>;

/**
 * What becomes of one: it is hidden or goes, goes for good, changes its class, is
 * given up.
 */
export type LifecycleAction =
  | {
      readonly kind: 'expire';
      readonly key: ObjectKey;
      readonly versionId: VersionId;
      readonly markerId: VersionId;
    }
  | { readonly kind: 'remove'; readonly key: ObjectKey; readonly versionId: VersionId }
  | {
      readonly kind: 'transition';
      readonly key: ObjectKey;
      readonly versionId: VersionId;
      readonly storageClass: string;
    }
  | { readonly kind: 'abort'; readonly key: ObjectKey; readonly uploadId: UploadId };

/** How many actions of each kind took place. */
export type LifecycleCounts = { readonly [Kind in LifecycleAction['kind']]: number };

/** Subjects of one page at most, and so actions of one commit: it stays short. */
export const LIFECYCLE_PAGE_MAX = 250;

/**
 * Current objects; other versions and markers; uploads. A run goes through them in
 * this order.
 */
export const LIFECYCLE_PHASES = ['objects', 'versions', 'uploads'] as const;
export type LifecyclePhase = (typeof LIFECYCLE_PHASES)[number];

/**
 * The cursor of a run: it goes on behind the last row seen of the keys with this
 * prefix.
 */
export type LifecycleCursor = {
  readonly phase: LifecyclePhase;
  readonly prefix: string;
  /** '' is the start. */
  readonly afterKey: string;
  /** Id of a version or an upload; '' where keys have one row each. */
  readonly afterId: string;
  /** Objects among the versions of `afterKey` that were seen. */
  readonly newerVersions: number;
};

/**
 * Which rows can be due at all, so that the others stay in the index. Times are of
 * the row; null: none for this reason.
 */
export type LifecycleBounds = {
  /** Written, replaced or begun up to then: may have to go. */
  readonly endUpToMs: number | null;
  /** Written, replaced or begun up to then: may have to change its class. */
  readonly moveUpToMs: number | null;
  readonly moveMinBytes: number;
  /** Objects of these classes go nowhere. */
  readonly moveUnlessIn: readonly string[];
  /** Delete markers that hide nothing, made up to then. */
  readonly markersUpToMs: number | null;
};

/** How far a bucket's rules were carried out. */
export type LifecycleRun = {
  /** When the rules of this run were put: others begin a new run. */
  readonly setAtMs: number;
  readonly startedAtMs: number;
  /** Null: it went through. */
  readonly place: LifecycleCursor | null;
};
