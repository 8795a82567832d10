// Precomputes what a bucket's access means for everyone's reads, whenever it
// changes: what is open, what is closed, and what only the policy itself can decide
// for a given request. Delivery then needs some prefixes and one boolean. It must
// never differ from decide.ts; test/core/auth proves it.
import type { BucketAccess, PublicDecision, PublicReads } from '../../domain/bucket-access.ts';
import type { BucketName } from '../../domain/nouns.ts';
import { type AccessRecord, decide, readPolicy } from './decide.ts';
import { matchesAny, matchesPrincipal } from './policy/evaluate-policy.ts';
import { isPublicPolicy } from './policy/is-public-policy.ts';
import { isPrefixPattern, literalPrefix } from './policy/pattern.ts';
import type { Policy, Statement } from './policy/policy.ts';

type AccessSettings = Omit<BucketAccess, 'publicReads'>;

/**
 * Adds the public reads that follow from the access. Cost: that of parsing the
 * policy.
 */
export function withPublicReads(
  record: Pick<AccessRecord, 'name' | 'ownerId'>,
  access: AccessSettings,
): BucketAccess {
  return { ...access, publicReads: publicReadsOf(record, access) };
}

function publicReadsOf(
  record: Pick<AccessRecord, 'name' | 'ownerId'>,
  access: AccessSettings,
): PublicReads | null {
  const accessRecord: AccessRecord = { ...record, access: { ...access, publicReads: null } };
  const policy = readPolicy(accessRecord);
  if (policy === 'unreadable') return null;
  const { publicAccessBlock: block, ownership } = access;
  if (block?.restrictPublicBuckets && policy !== null && isPublicPolicy(policy)) return null;

  const ignoresPublic = block?.ignorePublicAcls ?? false;
  const prefixes = policy === null ? NO_PREFIXES : prefixesOf(policy, record.name);
  const isAllOwned = ownership === 'BucketOwnerEnforced';
  const isAclHeard = access.hasPublicObjects && !isAllOwned && !ignoresPublic;
  const reads = {
    ...prefixes,
    isAclHeard,
    isAllOwned,
    listing: listingOf(accessRecord, policy),
  };

  const isOpenAnywhere =
    isAclHeard || reads.open.length > 0 || reads.mayOpen.length > 0 || reads.listing !== 'no';
  return isOpenAnywhere ? reads : null;
}

type Prefixes = Pick<PublicReads, 'open' | 'mayOpen' | 'closed' | 'mayClose'>;
const NO_PREFIXES: Prefixes = { open: [], mayOpen: [], closed: [], mayClose: [] };

const NO_VALUES = () => null;
const ANYBODY = { kind: 'anonymous' } as const;
/** Actions in lower case, in which policies compare them. */
const GET_OBJECT = 's3:getobject';
const LIST_BUCKET = 's3:listbucket';

function speaksOf({ principals, actions }: Statement, action: string): boolean {
  return matchesPrincipal(principals, ANYBODY) && matchesAny(actions, action, NO_VALUES);
}

/**
 * The prefixes that a policy opens and closes to everyone's reads, for certain or
 * perhaps.
 */
function prefixesOf(policy: Policy, bucket: BucketName): Prefixes {
  const prefixes = {
    open: new Set<string>(),
    mayOpen: new Set<string>(),
    closed: new Set<string>(),
    mayClose: new Set<string>(),
  };
  for (const statement of policy.statements) {
    if (!speaksOf(statement, GET_OBJECT)) continue;
    for (const { prefix, isWhole } of keysOf(statement, bucket)) {
      const isCertain = isWhole && statement.conditions.length === 0;
      if (statement.effect === 'Allow') prefixes[isCertain ? 'open' : 'mayOpen'].add(prefix);
      else prefixes[isCertain ? 'closed' : 'mayClose'].add(prefix);
    }
  }
  return {
    open: [...prefixes.open],
    mayOpen: [...prefixes.mayOpen],
    closed: [...prefixes.closed],
    mayClose: [...prefixes.mayClose],
  };
}

/**
 * The prefixes of keys that a statement's resources can mean. `isWhole`: they mean
 * every key under the prefix.
 */
function keysOf(
  { resources }: Statement,
  bucket: BucketName,
): { prefix: string; isWhole: boolean }[] {
  if (resources.isNegated) return [{ prefix: '', isWhole: false }];
  const start = `${bucket}/`;
  return resources.patterns.flatMap((pattern) => {
    const literal = literalPrefix(pattern);
    const isFixed = !pattern.hasWildcard && !pattern.hasVariable;
    if (literal.startsWith(start)) {
      return [{ prefix: literal.slice(start.length), isWhole: isPrefixPattern(pattern) }];
    }
    // A pattern that can't reach into the bucket's keys means the bucket alone.
    if (isFixed || !start.startsWith(literal)) return [];
    return [{ prefix: '', isWhole: isPrefixPattern(pattern) }];
  });
}

/**
 * Whether everyone may list; `ask` where a condition or variable makes it depend on
 * the request.
 */
function listingOf(record: AccessRecord, policy: Policy | null): PublicDecision {
  const depends = policy?.statements.some(
    (statement) =>
      speaksOf(statement, LIST_BUCKET) &&
      (statement.conditions.length > 0 || hasVariables(statement)),
  );
  if (depends) return 'ask';
  const request = {
    principal: ANYBODY,
    action: 's3:ListBucket',
    key: null,
    object: null,
    values: NO_VALUES,
  } as const;
  return decide(record, request) === 'allowed' ? 'yes' : 'no';
}

function hasVariables({ resources }: Statement): boolean {
  return resources.patterns.some((pattern) => pattern.hasVariable);
}
