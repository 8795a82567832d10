// The decision on every request: may this caller do this to that bucket or object? Policy, access
// control lists, ownership and the switches against publicness meet here and nowhere else. A pure
// function of its arguments; the S3 surface asks it for each operation, delivery where a policy
// depends on the request. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/how-s3-evaluates-access-control.html
import type { BucketAccess } from '../../domain/bucket-access.ts';
import type { AccountId, BucketRecord, ObjectKey, Principal } from '../../domain/nouns.ts';
import type { ObjectFacts } from '../../domain/object-facts.ts';
import { isDecidedByObject, isGranted, type OwnedAcl, permissionFor } from './acl.ts';
import { callerOf, explainRefusal, policyRequestOf } from './explain-refusal.ts';
import type { S3Action } from './policy/actions.ts';
import { couldAllow, evaluatePolicy, type PolicyVerdict } from './policy/evaluate-policy.ts';
import { isPublicPolicy } from './policy/is-public-policy.ts';
import type { Effort } from './policy/match-glob.ts';
import { parsePolicy } from './policy/parse-policy.ts';
import type { ConditionValues } from './policy/pattern.ts';
import type { Policy } from './policy/policy.ts';

/** What of a bucket counts. */
export type AccessRecord = Pick<BucketRecord, 'name' | 'ownerId' | 'access'>;

/** What of an object, or of an upload that will be one, counts. */
export type AccessObject = Pick<ObjectFacts, 'ownerId' | 'acl'>;

export type AccessRequest = {
  readonly principal: Principal;
  readonly action: S3Action;
  /** Null: the action is about the bucket. */
  readonly key: ObjectKey | null;
  /**
   * The version that the action reads or changes; null where it is about none, or there is none.
   */
  readonly object: AccessObject | null;
  /** The request's condition keys, those of the object's tags among them. */
  readonly values: ConditionValues;
  /** What all decisions of one HTTP request share. */
  readonly effort?: Effort;
};

/**
 * What the owner may do whatever the policy says, or a wrong policy could never be mended. Source:
 * PutBucketPolicy.
 */
const ALWAYS_THE_OWNERS: ReadonlySet<S3Action> = new Set([
  's3:DeleteBucketPolicy',
  's3:GetBucketPolicy',
  's3:PutBucketPolicy',
]);

/** `denied`: by a statement that says so, which no other right outweighs. */
export type Decision = 'allowed' | 'refused' | 'denied';

/** Decides on one request. Never throws. */
export type Decide = {
  (record: AccessRecord, request: AccessRequest): Decision;
  /** The reason of a refusal, as explainRefusal gives it. */
  readonly explain?: (record: AccessRecord, request: AccessRequest) => string | null;
};

/**
 * Makes the decision for an app: it keeps the policies of the records that it meets, read, as long
 * as those live.
 */
export function createDecide(): Decide {
  const policies = new WeakMap<BucketAccess, ReadPolicy>();
  const policyOf = (record: AccessRecord): ReadPolicy => {
    let policy = policies.get(record.access);
    if (policy === undefined) {
      policy = readPolicy(record);
      policies.set(record.access, policy);
    }
    return policy;
  };
  return Object.assign(
    (record: AccessRecord, request: AccessRequest) => decide(record, request, policyOf(record)),
    {
      explain: (record: AccessRecord, request: AccessRequest) =>
        explainRefusal(record, request, policyOf(record)),
    },
  );
}

/** Decides. Cost: 1 µs, with a policy what parsing and evaluating it costs. Never throws. */
export function decide(
  record: AccessRecord,
  request: AccessRequest,
  policy = readPolicy(record),
): Decision {
  const { principal, action, object } = request;
  const { access, ownerId } = record;
  const isOwner = principal.kind === 'account' && principal.account.id === ownerId;
  if (isOwner && ALWAYS_THE_OWNERS.has(action)) return 'allowed';
  const verdict = policy === 'unreadable' ? 'none' : askPolicy(policy, record, request);
  if (verdict === 'deny') return 'denied';
  const objectOwnerId = object === null ? ownerId : ownerOf(record, object);
  const isOwnersObject = objectOwnerId === ownerId;
  if (isOwner && (isOwnersObject || !isDecidedByObject(action))) return 'allowed';
  if (policy === 'unreadable') return 'refused';
  if (!isOwner && isRestricted(record, policy)) return 'refused';
  // The policy is the word of the bucket's owner. It opens what that account owns, and to others
  // what is their own.
  if (verdict === 'allow' && (isOwnersObject || isOwn(principal, objectOwnerId))) return 'allowed';
  const ignoresPublic = access.publicAccessBlock?.ignorePublicAcls ?? false;
  return isGrantedByAcl(record, request, ignoresPublic) ? 'allowed' : 'refused';
}

/**
 * Who owns an object of the bucket: with ownership enforced the bucket's owner, whoever wrote it.
 */
function ownerOf(
  { access, ownerId }: Pick<AccessRecord, 'access' | 'ownerId'>,
  object: AccessObject,
): AccountId {
  return access.ownership === 'BucketOwnerEnforced' ? ownerId : (object.ownerId ?? ownerId);
}

/** The list in force: with ownership enforced there is none but the owner's full control. */
export function aclOf(
  record: Pick<AccessRecord, 'access' | 'ownerId'>,
  object: AccessObject | null,
): OwnedAcl {
  const { access, ownerId } = record;
  const isEnforced = access.ownership === 'BucketOwnerEnforced';
  if (object === null) return { ownerId, acl: isEnforced ? null : access.acl };
  return { ownerId: ownerOf(record, object), acl: isEnforced ? null : object.acl };
}

function isOwn(principal: Principal, objectOwnerId: AccountId): boolean {
  return principal.kind === 'account' && principal.account.id === objectOwnerId;
}

/** A policy that was read; null: the bucket has none. */
export type ReadPolicy = Policy | null | 'unreadable';

/**
 * The policy of a bucket. `unreadable`: stored by a program that took what this one does not; then
 * nobody but the owner gets anything, for it may have held a Deny.
 */
export function readPolicy({ access, name }: Pick<AccessRecord, 'access' | 'name'>): ReadPolicy {
  if (access.policyJson === null) return null;
  try {
    return parsePolicy(access.policyJson, name);
  } catch {
    return 'unreadable';
  }
}

/**
 * Whether the bucket's policy may let the caller do it to some key, under some conditions. For what
 * must be decided before it is known which keys: each of them is decided by itself. Never throws.
 * Cost: that of parsing the policy.
 */
export function mayPolicyAllow(
  record: AccessRecord,
  principal: Principal,
  action: S3Action,
): boolean {
  const policy = readPolicy(record);
  return (
    policy !== null && policy !== 'unreadable' && couldAllow(policy, callerOf(principal), action)
  );
}

function askPolicy(
  policy: Policy | null,
  record: AccessRecord,
  request: AccessRequest,
): PolicyVerdict {
  return policy === null ? 'none' : evaluatePolicy(policy, policyRequestOf(record, request));
}

/** Whether a public policy has shut the bucket to all other accounts. */
function isRestricted({ access }: AccessRecord, policy: Policy | null): boolean {
  return (
    (access.publicAccessBlock?.restrictPublicBuckets ?? false) &&
    policy !== null &&
    isPublicPolicy(policy)
  );
}

function isGrantedByAcl(
  record: AccessRecord,
  request: AccessRequest,
  ignoresPublic: boolean,
): boolean {
  const { principal, action, object } = request;
  const ofObject = permissionFor(action, 'object');
  if (ofObject !== null)
    return object !== null && isGranted(aclOf(record, object), principal, ofObject, ignoresPublic);
  const ofBucket = permissionFor(action, 'bucket');
  return ofBucket !== null && isGranted(aclOf(record, null), principal, ofBucket, ignoresPublic);
}
