// Authorizes every request: may this caller do this to that bucket or object?
// Policy, access control lists, ownership and the block of public access meet here
// and nowhere else. A pure function of its arguments. The S3 surface calls it for
// each operation, delivery where a policy depends on the request. Source:
// https://docs.aws.amazon.com/AmazonS3/latest/userguide/how-s3-evaluates-access-control.html
import type { BucketAccess } from '../../domain/bucket-access.ts';
import type { AccountId, BucketRecord, ObjectKey, Principal } from '../../domain/nouns.ts';
import type { Grant, ObjectFacts } from '../../domain/object-facts.ts';
import { findGrant, isDecidedByObject, type OwnedAcl, permissionFor } from './acl.ts';
import { explainRefusal } from './explain-refusal.ts';
import type { S3Action } from './policy/actions.ts';
import {
  callerOf,
  couldAllow,
  evaluatePolicy,
  type PolicyVerdict,
  policyRequestOf,
} from './policy/evaluate-policy.ts';
import { isPublicPolicy } from './policy/is-public-policy.ts';
import type { Effort } from './policy/match-glob.ts';
import { parsePolicy } from './policy/parse-policy.ts';
import type { ConditionValues } from './policy/pattern.ts';
import type { Policy } from './policy/policy.ts';

/** The part of a bucket's record that a decision depends on. */
export type AccessRecord = Pick<BucketRecord, 'name' | 'ownerId' | 'access'>;

/**
 * The part of an object, or of an upload that will be one, that a decision depends
 * on.
 */
export type AccessObject = Pick<ObjectFacts, 'ownerId' | 'acl'>;

export type AccessRequest = {
  readonly principal: Principal;
  readonly action: S3Action;
  /** Null: the action is about the bucket. */
  readonly key: ObjectKey | null;
  /**
   * The version that the action reads or changes; null where it is about none, or
   * there is none.
   */
  readonly object: AccessObject | null;
  /** The request's condition keys, those of the object's tags among them. */
  readonly values: ConditionValues;
  /** Budget of comparisons that all decisions of one HTTP request share. */
  readonly effort?: Effort;
};

/**
 * Actions of the owner whatever the policy says; otherwise a wrong policy could
 * never be mended. Source: PutBucketPolicy.
 */
const ALWAYS_THE_OWNERS: ReadonlySet<S3Action> = new Set([
  's3:DeleteBucketPolicy',
  's3:GetBucketPolicy',
  's3:PutBucketPolicy',
]);

/** A decision. `denied`: by an explicit Deny, which no other right outweighs. */
export type Decision = 'allowed' | 'refused' | 'denied';

/** Decides on one request. Never throws. */
export type Decide = {
  (record: AccessRecord, request: AccessRequest): Decision;
  /** The reason of a refusal, as explainRefusal gives it. */
  readonly explain?: (record: AccessRecord, request: AccessRequest) => string | null;
};

/**
 * Makes the decision for an app, with a cache of parsed policies, each for as long
 * as its record lives.
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

/**
 * The rule that a decision rests on. `nothing`: none says yes. `restricted`:
 * RestrictPublicBuckets shuts a bucket with a public policy.
 */
export type DecisionRule =
  | 'owner-always'
  | 'policy-deny'
  | 'owner'
  | 'policy-unreadable'
  | 'restricted'
  | 'policy-allow'
  | 'acl'
  | 'nothing';

/** What each rule decides. */
export const DECISIONS: Readonly<Record<DecisionRule, Decision>> = {
  'owner-always': 'allowed',
  'policy-deny': 'denied',
  owner: 'allowed',
  'policy-unreadable': 'refused',
  restricted: 'refused',
  'policy-allow': 'allowed',
  acl: 'allowed',
  nothing: 'refused',
};

/**
 * Decides on one request. Cost: 1 µs, plus parsing and evaluating a policy. Never
 * throws.
 */
export function decide(
  record: AccessRecord,
  request: AccessRequest,
  policy = readPolicy(record),
): Decision {
  return DECISIONS[decidingRule(record, request, policy)];
}

/**
 * Finds the rule that decides on a request: `decide` is made of it, and who asks
 * for the reason of a decision gets that very rule. Never throws.
 */
export function decidingRule(
  record: AccessRecord,
  request: AccessRequest,
  policy: ReadPolicy,
): DecisionRule {
  const { principal, action, object } = request;
  const { ownerId } = record;
  const isOwner = principal.kind === 'account' && principal.account.id === ownerId;
  if (isOwner && ALWAYS_THE_OWNERS.has(action)) return 'owner-always';

  const verdict = policy === 'unreadable' ? 'none' : verdictOf(policy, record, request);
  if (verdict === 'deny') return 'policy-deny';

  const objectOwnerId = object === null ? ownerId : ownerOf(record, object);
  const isOwnersObject = objectOwnerId === ownerId;
  if (isOwner && (isOwnersObject || !isDecidedByObject(action))) return 'owner';
  if (policy === 'unreadable') return 'policy-unreadable';
  if (!isOwner && isRestricted(record, policy)) return 'restricted';

  // A policy speaks for the bucket's owner: it opens that account's objects, and to
  // others their own.
  if (verdict === 'allow' && (isOwnersObject || isOwn(principal, objectOwnerId)))
    return 'policy-allow';
  return grantFor(record, request) === null ? 'nothing' : 'acl';
}

/**
 * The owner of an object: with ownership enforced the bucket's owner, whoever wrote
 * it.
 */
function ownerOf(
  { access, ownerId }: Pick<AccessRecord, 'access' | 'ownerId'>,
  object: AccessObject,
): AccountId {
  return access.ownership === 'BucketOwnerEnforced' ? ownerId : (object.ownerId ?? ownerId);
}

/** The list in force: with ownership enforced only the owner's full control. */
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

/** A parsed policy; null: the bucket has none. */
export type ReadPolicy = Policy | null | 'unreadable';

/**
 * Reads the policy of a bucket. `unreadable`: another release stored what this one
 * refuses. Then nobody but the owner gets anything, because the policy may have a
 * Deny (fail closed).
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
 * Whether the bucket's policy may let the caller do it to some key, under some
 * conditions. For requests whose keys are not known yet: each key is then decided
 * by itself. Never throws. Cost: that of parsing the policy.
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

function verdictOf(
  policy: Policy | null,
  record: AccessRecord,
  request: AccessRequest,
): PolicyVerdict {
  return policy === null ? 'none' : evaluatePolicy(policy, policyRequestOf(record, request));
}

/**
 * Whether RestrictPublicBuckets shuts the bucket, which has a public policy, to
 * other accounts.
 */
function isRestricted({ access }: AccessRecord, policy: Policy | null): boolean {
  return (
    (access.publicAccessBlock?.restrictPublicBuckets ?? false) &&
    policy !== null &&
    isPublicPolicy(policy)
  );
}

/** A grant, with the list that it stands in; `owner`: the list's owner needs none. */
export type FoundGrant = {
  readonly list: 'bucket' | 'object';
  readonly grant: Grant | 'owner';
};

/** The grant that allows the action by access control lists; null: none does. */
export function grantFor(record: AccessRecord, request: AccessRequest): FoundGrant | null {
  const { principal, action, object } = request;
  const ignoresPublic = record.access.publicAccessBlock?.ignorePublicAcls ?? false;
  const list = isDecidedByObject(action) ? 'object' : 'bucket';
  const permission = permissionFor(action, list);
  if (permission === null || (list === 'object' && object === null)) return null;

  const owned = aclOf(record, list === 'object' ? object : null);
  const grant = findGrant(owned, principal, permission, ignoresPublic);
  return grant === null ? null : { list, grant };
}
