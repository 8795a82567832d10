// The nouns of Quayside as plain data: what the index stores, what the ports pass,
// what the surfaces render. No HTTP, no SQL, no runtime type appears here.
// Everything can be structured-cloned (worker threads, Durable Object RPC). Branded
// strings are made only by their parse function in core/parse-names.ts or by an
// index row.
import type { KeyScope } from './account-records.ts';
import type { Role } from './accounts.ts';
import type { BucketQuotas } from './billing/quotas.ts';
import type { BucketAccess } from './bucket-access.ts';
import type { BucketSettings } from './bucket-settings.ts';
import type { ByteRange } from './byte-range.ts';
import type { Notify } from './notifications.ts';
import type { DefaultRetention, ObjectFacts } from './object-facts.ts';

declare const brand: unique symbol;
type Brand<Name extends string> = string & { readonly [brand]: Name };

/**
 * 3 to 63 characters of lower-case letters, digits, dots and hyphens. Made by
 * `parseBucketName`.
 */
export type BucketName = Brand<'BucketName'>;
/**
 * Random id of one incarnation of a bucket; a bucket that is deleted and made again
 * gets another.
 */
export type BucketId = Brand<'BucketId'>;
/** 1 to 1,024 bytes of UTF-8, stored as they came. Made by `parseObjectKey`. */
export type ObjectKey = Brand<'ObjectKey'>;
/** Random id of one version of an object. */
export type VersionId = Brand<'VersionId'>;
/**
 * `{bucketId}/{time-ordered random id}`: the owner bucket's id, then an id that
 * sorts by creation time.
 */
export type BlobId = Brand<'BlobId'>;
/** Random id of one multipart upload. */
export type UploadId = Brand<'UploadId'>;
/** Id of an account; the canonical user id of S3. */
export type AccountId = Brand<'AccountId'>;
/** Public half of an access key, 16 to 128 characters. */
export type AccessKeyId = Brand<'AccessKeyId'>;

/**
 * How the bytes of a blob are compressed: frames of zstd, each of `frameBytes`
 * plain bytes but the last, then a seek table (crypto/seek-table.ts). `plainBytes`
 * and `storedBytes` are of the whole blob. It never changes for a blob.
 */
export type BlobCompression = {
  readonly frameBytes: number;
  readonly plainBytes: number;
  readonly storedBytes: number;
};

/**
 * A run of bytes of one blob: of its plain bytes where it is compressed. It must
 * travel whole: without `packing` it means other bytes.
 */
export type Segment = ByteRange & {
  readonly blobId: BlobId;
  /**
   * How the blob is compressed; absent: its bytes are the plain ones. Pointers in KV and
   * colos have the field by this name, so it stays.
   */
  readonly packing?: BlobCompression;
};

/** System headers kept with an object and given back as they came. */
export type ObjectHeaders = {
  readonly contentType?: string;
  readonly cacheControl?: string;
  readonly contentDisposition?: string;
  readonly contentEncoding?: string;
  readonly contentLanguage?: string;
  readonly expires?: string;
  readonly websiteRedirectLocation?: string;
};

export type ChecksumAlgorithm = 'CRC32' | 'CRC32C' | 'CRC64NVME' | 'SHA1' | 'SHA256';

/**
 * One additional checksum. `value` is base64; a COMPOSITE value ends in `-{parts}`.
 */
export type Checksum = {
  readonly algorithm: ChecksumAlgorithm;
  readonly type: 'FULL_OBJECT' | 'COMPOSITE';
  readonly value: string;
};

/**
 * One part of an object that came by multipart upload. `checksum` is the part's own
 * base64 value.
 */
export type ObjectPart = {
  readonly partNumber: number;
  readonly sizeBytes: number;
  readonly checksum: string | null;
};

/**
 * The attributes of an object that a client decides about, apart from its bytes.
 * `userMetadata` has lower-case names, no prefix.
 */
export type ObjectAttributes = {
  readonly headers: ObjectHeaders;
  readonly userMetadata: Readonly<Record<string, string>>;
  readonly storageClass: string;
};

/**
 * The bytes of an object: segments of blobs, or the bytes themselves when they are
 * few. Exactly one of the two.
 */
export type ObjectBody =
  | { readonly segments: readonly Segment[]; readonly inlineBytes: null }
  | { readonly segments: readonly []; readonly inlineBytes: Uint8Array };

/** One version of an object as the index keeps it. `etag` has no quotes. */
export type ObjectVersion = ObjectAttributes &
  ObjectFacts &
  ObjectBody & {
    readonly key: ObjectKey;
    readonly versionId: VersionId;
    /**
     * Whether S3 calls the version `null`: it was made while the bucket kept no
     * versions.
     */
    readonly isNull: boolean;
    readonly sizeBytes: number;
    readonly etag: string;
    readonly lastModifiedMs: number;
    readonly checksum: Checksum | null;
    readonly parts: readonly ObjectPart[] | null;
  };

/**
 * What takes the place of a current version that was deleted in a bucket with
 * versions. It has no bytes.
 */
export type DeleteMarker = Pick<
  ObjectVersion,
  'key' | 'versionId' | 'isNull' | 'lastModifiedMs' | 'ownerId'
> & {
  /** Whether it stands where a job moved an object away; absent: it does not. */
  readonly isOfMove?: boolean;
};

/**
 * A version of a key as a client names it: one of ours, or `null` for the one
 * without an id.
 */
export type VersionName = VersionId | 'null';

/** What a listing says of an object. `ownerId` null: the owner of the bucket. */
export type ObjectSummary = {
  readonly key: ObjectKey;
  readonly ownerId: AccountId | null;
  readonly sizeBytes: number;
  readonly etag: string;
  readonly lastModifiedMs: number;
  readonly storageClass: string;
  readonly checksum: Pick<Checksum, 'algorithm' | 'type'> | null;
};

/** A line of a listing of versions. `isLatest`: what the key stands for now. */
export type VersionSummary = ObjectSummary & {
  readonly versionId: VersionId;
  readonly isNull: boolean;
  readonly isMarker: boolean;
  readonly isLatest: boolean;
  /** When the next version took its place; null for the latest. */
  readonly replacedAtMs: number | null;
};

/**
 * Whether a bucket retains what is replaced or deleted. It can't be switched off
 * again, only suspended.
 */
export type Versioning = 'off' | 'enabled' | 'suspended';

/**
 * A bucket. `revision` grows with each change of the record; a caller that decided
 * on an older one is refused.
 */
export type BucketRecord = {
  readonly id: BucketId;
  readonly name: BucketName;
  readonly ownerId: AccountId;
  readonly createdAtMs: number;
  readonly revision: number;
  readonly access: BucketAccess;
  readonly settings: BucketSettings;
  /**
   * Rule files of the site, as in BucketReadPolicy. Only `resolve` gives them, and
   * only of a bucket whose hosting settings want it; absent means none.
   */
  readonly siteFiles?: readonly SiteFile[];
  /**
   * Set while the bucket's index has too little room for bodies: small ones go to
   * blobs of their own then. Only `getBucket` says so.
   */
  readonly isIndexCrowded?: true;
};

/** A file of rules that a site has now, with its current version. */
export type SiteFile = { readonly key: ObjectKey; readonly versionId: VersionId };

/**
 * The bucket that a caller decided on: the index refuses with `BucketChanged` when
 * it is no longer this one.
 */
export type BucketRef = Pick<BucketRecord, 'id' | 'name' | 'revision'> & {
  /** Versioning, as the record of that revision says; absent means `off`. */
  readonly versioning?: Versioning;
  /** Default retention, as the record of that revision says; absent means none. */
  readonly defaultRetention?: DefaultRetention | null;
  /**
   * Who gets reports of changes, as the record of that revision says, and who makes
   * this one; absent means nobody.
   */
  readonly notify?: Notify;
  /**
   * Quotas that hold for the bucket, as the record of that revision says; absent
   * means none.
   */
  readonly quotas?: BucketQuotas;
};

/**
 * A bucket's incarnation by its id, and its name, which says in which database it
 * is.
 */
export type BucketAddress = Pick<BucketRecord, 'id' | 'name'>;

/** An account: `id` is the canonical user id, `displayName` what listings show. */
export type Account = { readonly id: AccountId; readonly displayName: string };

/** An access key with its secret and the account that it speaks for. */
export type AccessKey = {
  readonly id: AccessKeyId;
  readonly secret: string;
  readonly account: Account;
  /** What it may do at most; absent or null: all that its account may. */
  readonly scope?: KeyScope | null;
  /**
   * What it may do in the JSON API; null: nothing; absent: all that an owner may.
   */
  readonly role?: Role | null;
};

/** Who makes a request: an account by one of its keys, or nobody in particular. */
export type Principal =
  | {
      readonly kind: 'account';
      readonly account: Account;
      readonly accessKeyId: AccessKeyId;
      /** The scope of its access key. */
      readonly scope?: KeyScope | null;
    }
  | { readonly kind: 'anonymous' };

/**
 * What must be true of a version that is to be deleted; null: no such condition.
 * Times in whole seconds, as S3 shows them.
 */
export type DeleteCondition = {
  readonly ifMatch: string | null;
  readonly ifLastModifiedSeconds: number | null;
  readonly ifSizeBytes: number | null;
};

/**
 * A conditional write (RFC 9110 section 13): entity tags without quotes, or `*`.
 */
export type WriteCondition = {
  readonly ifMatch: string | null;
  readonly ifNoneMatch: string | null;
};

/**
 * The bucket read policy: what a reader without a signature meets of the owner's
 * access and settings, in one small record.
 */
export type BucketReadPolicy = {
  readonly bucketId: BucketId;
  readonly ownerId: AccountId;
  readonly revision: number;
  readonly access: BucketAccess;
  readonly settings: Pick<
    BucketSettings,
    'cors' | 'website' | 'hosting' | 'logging' | 'purges' | 'isCapped' | 'receipts' | 'metadata'
  >;
  /**
   * `_headers` and `_redirects` at the roots of the bucket's site, those that there
   * are; absent means none.
   */
  readonly siteFiles?: readonly SiteFile[];
};

/** What a reader needs of the current version of a key. */
export type Pointer = ObjectAttributes &
  ObjectBody &
  Pick<ObjectFacts, 'ownerId' | 'tags' | 'encryption'> &
  Pick<
    ObjectVersion,
    'key' | 'versionId' | 'isNull' | 'sizeBytes' | 'etag' | 'lastModifiedMs' | 'checksum'
  > & {
    /** Whether its own access control list lets everyone read it. */
    readonly isPublicByAcl: boolean;
  };
