// What S3 knows of an object version besides bytes and headers, as plain data:
// whose it is, who may read it, its tags, what keeps it from being deleted, how its
// bytes are encrypted. Tags, grants and lock may change after the write.
import type { AccountId } from './nouns.ts';

/**
 * Source:
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html#permissions
 */
export type Permission = 'READ' | 'WRITE' | 'READ_ACP' | 'WRITE_ACP' | 'FULL_CONTROL';
/**
 * The groups that S3 defines: everybody, everybody with an account, and whoever
 * delivers access logs.
 */
export type GranteeGroup = 'AllUsers' | 'AuthenticatedUsers' | 'LogDelivery';
export type Grantee =
  | { readonly kind: 'account'; readonly id: AccountId }
  | { readonly kind: 'group'; readonly group: GranteeGroup };
export type Grant = { readonly grantee: Grantee; readonly permission: Permission };

/** At most 10, keys up to 128 characters, values up to 256. */
export type Tags = Readonly<Record<string, string>>;

export type RetentionMode = 'GOVERNANCE' | 'COMPLIANCE';
/**
 * Source: https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock.html
 */
export type ObjectLock = {
  readonly retention: { readonly mode: RetentionMode; readonly untilMs: number } | null;
  /** Null: it never had one, which S3 tells from one that was taken away. */
  readonly hasLegalHold: boolean | null;
};

const NO_LOCK: ObjectLock = { retention: null, hasLegalHold: null };

/**
 * For how long new versions of a bucket are retained that say nothing themselves.
 * Exactly one of the two is set.
 */
export type DefaultRetention = {
  readonly mode: RetentionMode;
  readonly days: number | null;
  readonly years: number | null;
};

/**
 * Envelope encryption of a version at rest: its bytes are encrypted with a data key
 * of its own, which stands here wrapped. It is wrapped by a key that only the
 * client has (`customer`), by the master key (`server`), or by a KMS key (`named`, since
 * rows and the JSON API say so). core/encryption/envelope.ts makes and opens it.
 */
export type ObjectEncryption =
  | { readonly kind: 'customer'; readonly wrappedKey: string }
  | { readonly kind: 'server'; readonly wrappedKey: string }
  | {
      readonly kind: 'named';
      readonly keyId: string;
      readonly wrappedKey: string;
      /** Whether the bytes are encrypted twice, one layer around the other. */
      readonly isDoubled: boolean;
      readonly isBucketKey: boolean;
      /** Base64 of the JSON that the client bound to the object, or null. */
      readonly context: string | null;
    };

export type ObjectFacts = {
  /** The account that wrote it; null means the owner of the bucket. */
  readonly ownerId: AccountId | null;
  /** The grants of its ACL; null means that its owner alone has FULL_CONTROL. */
  readonly acl: readonly Grant[] | null;
  readonly tags: Tags;
  readonly lock: ObjectLock | null;
  readonly encryption: ObjectEncryption | null;
};

/** The facts of an object about which nobody said anything. */
export const NO_FACTS: ObjectFacts = {
  ownerId: null,
  acl: null,
  tags: {},
  lock: null,
  encryption: null,
};

/**
 * What a locked version can't be: deleted. `bypass`: the caller may, and asked to,
 * override GOVERNANCE.
 */
export function isLocked(lock: ObjectLock | null, nowMs: number, bypass: boolean): boolean {
  if (lock === null) return false;
  const { retention, hasLegalHold } = lock;
  const isRetained =
    retention !== null && retention.untilMs > nowMs && !(retention.mode === 'GOVERNANCE' && bypass);
  return hasLegalHold === true || isRetained;
}

/**
 * The lock of a new version: what it says itself, else what its bucket says. Years
 * are those of the calendar, in UTC.
 */
export function lockOfNew(
  lock: ObjectLock | null,
  rule: DefaultRetention | null,
  nowMs: number,
): ObjectLock | null {
  if (rule === null || (lock !== null && lock.retention !== null)) return lock;
  const until = new Date(nowMs);
  if (rule.days !== null) until.setUTCDate(until.getUTCDate() + rule.days);
  if (rule.years !== null) until.setUTCFullYear(until.getUTCFullYear() + rule.years);
  return {
    retention: { mode: rule.mode, untilMs: until.getTime() },
    hasLegalHold: lock?.hasLegalHold ?? null,
  };
}

/**
 * Whether one retention may take another's place: a longer one of the same mode
 * always, anything else only when the old one is over or is GOVERNANCE and
 * bypassed. So from GOVERNANCE to COMPLIANCE needs the bypass too. Source:
 * "Retention modes" of
 * https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock.html
 */
export function mayReplaceRetention(
  old: ObjectLock['retention'],
  next: ObjectLock['retention'],
  nowMs: number,
  bypass: boolean,
): boolean {
  if (old === null || old.untilMs <= nowMs) return true;
  if (next !== null && next.untilMs >= old.untilMs && next.mode === old.mode) return true;
  return old.mode === 'GOVERNANCE' && bypass;
}

/** A change of a lock; what is absent stays. */
export type LockChange = Partial<ObjectLock>;

/**
 * The lock of a version after a change; 'refused' where its retention may not be replaced
 * so.
 */
export function lockAfter(
  old: ObjectLock | null,
  change: LockChange,
  nowMs: number,
  bypass: boolean,
): ObjectLock | null | 'refused' {
  const { retention: oldRetention, hasLegalHold: oldHold } = old ?? NO_LOCK;
  const { retention = oldRetention, hasLegalHold = oldHold } = change;
  const mayReplace =
    change.retention === undefined || mayReplaceRetention(oldRetention, retention, nowMs, bypass);
  if (!mayReplace) return 'refused';
  return retention === null && hasLegalHold === null ? null : { retention, hasLegalHold };
}

/** What may change of a version that exists; what is absent stays. */
export type VersionChange = {
  readonly tags?: Tags;
  readonly acl?: readonly Grant[] | null;
  readonly retention?: ObjectLock['retention'];
  readonly hasLegalHold?: boolean;
  /**
   * The version's data key, wrapped anew. It must be that of this very version, so
   * `versionId` must not be 'null'.
   */
  readonly encryption?: ObjectEncryption;
};
