// What a feature of delivery may do with a read, and which features a bucket has.
// Features hang in the one list of all-features.ts; deliver.ts and
// fast-path/answer-at-once.ts call what a bucket's features have at each step. A
// bucket's features are worked out once for its settings, so that a feature it has
// not costs its reads nothing.
import type { StorageError } from '../../../domain/errors.ts';
import type { BucketReadPolicy, Pointer } from '../../../domain/nouns.ts';
import type { HeaderRecord } from '../../semantics/object-headers.ts';
import type { BodyOrigin } from '../cache-status.ts';
import type { PlainRead } from '../fast-path/fast-path.ts';
import type { HeaderProfile } from '../header-profile.ts';
import type { ObjectRead, ReadRequest } from '../object-read.ts';
import type { PreparedHeaders } from '../prepared-headers.ts';
import type { Choice, Representation } from '../representation.ts';
import type { Variants } from '../variants.ts';

/** What a response would use, before its body is opened. */
export type PlannedUse = {
  readonly operationClass: 'A' | 'B';
  readonly bytesOut: number;
  /** Whether nothing below the caches is needed for it. */
  readonly fromMemory: boolean;
};

/** What a response uses, known when its body is open. */
export type MadeUse = {
  readonly operationClass: 'A' | 'B';
  readonly bytesOut: number;
  readonly origin: BodyOrigin;
  readonly storageClass: string;
};

/**
 * The part of a representation that is sent. `representation` null: the object
 * itself.
 */
export type SentPart = {
  readonly representation: Representation | null;
  readonly isWhole: boolean;
};

type Visitor = Pick<ReadRequest, 'request' | 'requestId'>;

/**
 * A feature: each step of a read that it has a part in, and nothing for the others.
 */
export type ReadFeature = {
  /**
   * Whether reads of the bucket have to do with it; called once for the bucket's
   * settings.
   */
  isIn(readPolicy: BucketReadPolicy): boolean;
  /** Throws for a read that may not be answered. */
  refuse?(read: ObjectRead): void;
  /**
   * Chooses what is sent in place of the object; null: not here. The first choice
   * counts.
   */
  choose?(read: ObjectRead): Choice | null | Promise<Choice | null>;
  /** Rejects for a use that may not be begun; called before anything is opened. */
  admit?(readPolicy: BucketReadPolicy, use: PlannedUse): Promise<void>;
  /**
   * Why a use may not be counted now, or null. Called in the tick in which the
   * response is counted, for others may have used what `admit` saw.
   */
  refusalNow?(readPolicy: BucketReadPolicy, use: PlannedUse): StorageError | null;
  /** Adds headers to a 200 or 206; null for none. */
  addHeaders?(read: ObjectRead, sent: SentPart): HeaderRecord | null;
  /**
   * Counts the use in place of the meter, and gives headers that say what it cost.
   */
  count?(visitor: Visitor, readPolicy: BucketReadPolicy, use: MadeUse): Promise<HeaderRecord>;
  /** The headers of responses that cost nothing: errors, and 304. */
  readonly freeHeaders?: HeaderRecord;
  /** What it does on the fast path; absent: nothing. */
  readonly atOnce?: FeatureAtOnce;
};

/** A feature's part in the fast path, which never waits. */
export type FeatureAtOnce = {
  /** True: it leaves every read of the bucket to the full path. */
  readonly leavesAll?: true;
  /** Whether it leaves this read to the full path. */
  leaves?(
    read: PlainRead,
    pointer: Pointer,
    profile: HeaderProfile,
    prepared: PreparedHeaders,
  ): boolean;
  /** Representations that memory may have. */
  readonly variants?: Variants;
  /** Whether so many bytes may go out; called right before the response is made. */
  admits?(readPolicy: BucketReadPolicy, bytesOut: number): boolean;
};

type Hook<Name extends keyof ReadFeature> = NonNullable<ReadFeature[Name]>;
type HookAtOnce<Name extends keyof FeatureAtOnce> = NonNullable<FeatureAtOnce[Name]>;

/**
 * The features of a bucket, by the step in which they act. Lists are in the order
 * of the list.
 */
export type BucketFeatures = {
  readonly refuse: readonly Hook<'refuse'>[];
  readonly choose: readonly Hook<'choose'>[];
  readonly admit: readonly Hook<'admit'>[];
  readonly refusalNow: readonly Hook<'refusalNow'>[];
  readonly addHeaders: readonly Hook<'addHeaders'>[];
  /** Null: the meter counts. */
  readonly count: Hook<'count'> | null;
  readonly freeHeaders: HeaderRecord | null;
  readonly atOnce: BucketFeaturesAtOnce;
};

export type BucketFeaturesAtOnce = {
  readonly leavesAll: boolean;
  readonly leaves: readonly HookAtOnce<'leaves'>[];
  readonly variants: Variants | null;
  /** Null: every response may go out, and a range may be read when it does. */
  readonly admits: HookAtOnce<'admits'> | null;
};

export type FeaturesOf = (readPolicy: BucketReadPolicy) => BucketFeatures;

/**
 * Makes the memo over a list. Cost: a comparison for the bucket of the last read,
 * else 30 ns.
 */
export function createFeaturesOf(list: readonly ReadFeature[]): FeaturesOf {
  const known = new WeakMap<BucketReadPolicy['settings'], BucketFeatures>();
  let lastSettings: BucketReadPolicy['settings'] | null = null;
  let lastFeatures: BucketFeatures | null = null;

  return (readPolicy) => {
    const { settings } = readPolicy;
    if (settings === lastSettings && lastFeatures !== null) return lastFeatures;
    let features = known.get(settings);
    if (features === undefined) {
      features = featuresIn(list, readPolicy);
      known.set(settings, features);
    }
    lastSettings = settings;
    lastFeatures = features;
    return features;
  };
}

function featuresIn(list: readonly ReadFeature[], readPolicy: BucketReadPolicy): BucketFeatures {
  const own = list.filter((feature) => feature.isIn(readPolicy));
  const atOnce = own.flatMap((feature) => feature.atOnce ?? []);

  return {
    refuse: own.flatMap(({ refuse }) => refuse ?? []),
    choose: own.flatMap(({ choose }) => choose ?? []),
    admit: own.flatMap(({ admit }) => admit ?? []),
    refusalNow: own.flatMap(({ refusalNow }) => refusalNow ?? []),
    addHeaders: own.flatMap(({ addHeaders }) => addHeaders ?? []),
    count: own.find(({ count }) => count !== undefined)?.count ?? null,
    freeHeaders: own.find(({ freeHeaders }) => freeHeaders !== undefined)?.freeHeaders ?? null,
    atOnce: {
      leavesAll: atOnce.some(({ leavesAll }) => leavesAll === true),
      leaves: atOnce.flatMap(({ leaves }) => leaves ?? []),
      variants: atOnce.find(({ variants }) => variants !== undefined)?.variants ?? null,
      admits: atOnce.find(({ admits }) => admits !== undefined)?.admits ?? null,
    },
  };
}

type FeaturesOfRead = {
  readonly readPolicy: BucketReadPolicy;
  readonly features: BucketFeatures;
};

/**
 * Asks a bucket's features whether a use may be begun; rejects with the first that
 * says no.
 */
export function admitAll(
  { features, readPolicy }: FeaturesOfRead,
  use: PlannedUse,
): Promise<unknown> {
  return Promise.all(features.admit.map((admit) => admit(readPolicy, use)));
}

/** The first reason why a use may not be counted now; null: there is none. */
export function findRefusal(
  { features, readPolicy }: FeaturesOfRead,
  use: PlannedUse,
): StorageError | null {
  for (const refusalNow of features.refusalNow) {
    const refusal = refusalNow(readPolicy, use);
    if (refusal !== null) return refusal;
  }
  return null;
}
