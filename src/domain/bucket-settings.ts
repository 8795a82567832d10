// What the owner of a bucket configures besides access, as plain data. It stands in
// the index as one JSON text, so a setting added here must have a value in
// NO_SETTINGS: that is what buckets have that were made before it.

import type { StorageQuota } from './billing/quotas.ts';
import type { HostingSettings } from './hosting.ts';
import type { LifecycleConfiguration } from './lifecycle.ts';
import type { NotificationRule } from './notifications.ts';
import type { BucketName } from './nouns.ts';
import type { DefaultRetention, Tags } from './object-facts.ts';
import type { InvalidationWatermarks } from './purge.ts';

/**
 * The methods that a CORS rule can allow. Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/ManageCorsUsing.html
 */
export type CorsMethod = 'GET' | 'PUT' | 'POST' | 'DELETE' | 'HEAD';

/**
 * One rule of CORS. Origins and allowed headers hold at most one `*` each, which
 * stands for any run of characters.
 */
export type CorsRule = {
  readonly id: string | null;
  readonly allowedMethods: readonly CorsMethod[];
  readonly allowedOrigins: readonly string[];
  /**
   * Headers that a preflight may ask for, as they were written; they compare
   * without regard to case.
   */
  readonly allowedHeaders: readonly string[];
  readonly exposeHeaders: readonly string[];
  /**
   * How long a browser may keep the response to a preflight; null: its own default.
   */
  readonly maxAgeSeconds: number | null;
};

/** Null leaves the protocol as the request had it. */
export type RedirectProtocol = 'http' | 'https' | null;

/**
 * Where a routing rule sends a request; null leaves a part as it was. At most one
 * of the two replacements is set.
 */
export type RoutingRedirect = {
  readonly hostName: string | null;
  readonly protocol: RedirectProtocol;
  /** HTTP status, 301 to 308; null means 301. */
  readonly statusCode: number | null;
  /**
   * Takes the place of the condition's prefix, or stands before the key when there
   * is none.
   */
  readonly replaceKeyPrefixWith: string | null;
  readonly replaceKeyWith: string | null;
};

/**
 * When a rule applies: all that is set must hold. With `errorCode` it applies only
 * after a read failed so.
 */
export type RoutingRule = {
  readonly keyPrefix: string | null;
  readonly errorCode: number | null;
  readonly redirect: RoutingRedirect;
};

/**
 * A website: either everything goes to another host, or there is an index suffix
 * and the rest.
 */
export type WebsiteConfiguration = {
  readonly redirectAllTo: { readonly hostName: string; readonly protocol: RedirectProtocol } | null;
  /**
   * `index.html`: what a key that is empty or ends in `/` stands for. Null only
   * with `redirectAllTo`.
   */
  readonly indexSuffix: string | null;
  readonly errorKey: string | null;
  readonly routingRules: readonly RoutingRule[];
};

/**
 * How a bucket encrypts what is written without a word about encryption, and which
 * words it refuses.
 */
export type BucketEncryption = {
  /**
   * By the server's master key, or by a KMS key (`named`); `keyId` null: the key
   * for whoever names none.
   */
  readonly standard:
    | { readonly kind: 'server' }
    | { readonly kind: 'named'; readonly keyId: string | null; readonly isDoubled: boolean };
  /**
   * Stored and shown, null as nothing: here every object has a data key of its own
   * either way.
   */
  readonly isBucketKey: boolean | null;
  /** Whether writes with keys of clients are refused. */
  readonly refusesCustomerKeys: boolean;
};

/** Where the log of a bucket's requests goes, and how its objects are named. */
export type BucketLogging = {
  readonly targetBucket: BucketName;
  readonly targetPrefix: string;
  /**
   * Null: prefix and time alone; else also by owner, bucket and day, which is that
   * of the event or of the delivery.
   */
  readonly partitionedBy: 'EventTime' | 'DeliveryTime' | null;
};

export type BucketSettings = {
  readonly logging: BucketLogging | null;
  /** Null: the owner of the bucket. */
  readonly requestPayer: 'requester' | null;
  /** Null: the bucket has never kept versions. */
  readonly versioning: 'enabled' | 'suspended' | null;
  readonly cors: readonly CorsRule[] | null;
  readonly website: WebsiteConfiguration | null;
  /** Takes the place of `website` where both are set. */
  readonly hosting: HostingSettings | null;
  /** At most 50. Null: none were put, which S3 tells from an empty set. */
  readonly tags: Tags | null;
  /**
   * Null: nothing in the bucket can be locked. Once set it stays, and with it
   * `versioning` stays enabled.
   */
  readonly objectLock: { readonly defaultRetention: DefaultRetention | null } | null;
  readonly lifecycle: LifecycleConfiguration | null;
  /**
   * For how many days what is deleted or replaced is kept; null: as `lifecycle`
   * says. `versioning` is on with it.
   */
  readonly trash: { readonly days: number; readonly setAtMs: number } | null;
  /** Null: what is written without a word about encryption is not encrypted. */
  readonly encryption: BucketEncryption | null;
  /**
   * Null: what is written is stored as often as it comes. True: equal bodies of a
   * storage class are stored once.
   */
  readonly deduplication: true | null;
  /**
   * Bodies that were written so many days ago are compressed, if they shrink by it.
   * `setAtMs`: when the setting was put. Null: none are.
   */
  readonly compression: { readonly afterDays: number; readonly setAtMs: number } | null;
  /** Null: changes are not reported. */
  readonly notifications: readonly NotificationRule[] | null;
  /** What the bucket may store at most. Null: nothing limits it. */
  readonly quota: StorageQuota | null;
  /**
   * Whether its account has a quota, of which the bucket needs a grant
   * (core/quotas). Null: none is.
   */
  readonly hasAccountQuota: true | null;
  /**
   * Whether a cap of its owner is on it (core/caps): only then are reads of the
   * bucket checked. Null: none is.
   */
  readonly isCapped: true | null;
  /**
   * Who gets a receipt of each request without asking for it: who signs as the
   * owner's account, or everyone. Null: only who signs so and asks.
   */
  readonly receipts: 'owner' | 'everyone' | null;
  /**
   * How old public reads may be, where the platform is not always exact. Null:
   * balanced.
   */
  readonly metadata: 'strict' | 'kv' | null;
  /** Moved by purges alone. Null: there was none. */
  readonly purges: InvalidationWatermarks | null;
};

/** The settings of a bucket whose owner has configured nothing. */
export const NO_SETTINGS: BucketSettings = {
  logging: null,
  requestPayer: null,
  versioning: null,
  cors: null,
  website: null,
  hosting: null,
  tags: null,
  objectLock: null,
  lifecycle: null,
  trash: null,
  encryption: null,
  deduplication: null,
  compression: null,
  notifications: null,
  quota: null,
  hasAccountQuota: null,
  isCapped: null,
  receipts: null,
  metadata: null,
  purges: null,
};
