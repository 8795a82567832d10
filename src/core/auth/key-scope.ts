// Limits a key with a scope. Called for every operation of S3, before decide.ts: a
// key can only ever have less than its account. One pure function;
// test/core/auth/key-scope.test.ts has its table.
import type { KeyScope } from '../../domain/account-records.ts';
import { isInRange, parseIp, parseIpRange } from '../../domain/ip-range.ts';
import { BUCKET_ACTIONS, isObjectAction, OBJECT_ACTIONS, type S3Action } from './policy/actions.ts';

/** Actions that are about no bucket. */
const ACCOUNT_ACTIONS = ['s3:ListAllMyBuckets', 'kms:ListKeys', 'kms:CreateKey'] as const;
export type AccountAction = (typeof ACCOUNT_ACTIONS)[number];

export type ScopedRequest = {
  readonly action: S3Action | AccountAction;
  /** Null: the account itself. */
  readonly bucket: string | null;
  /**
   * Null: the bucket itself; with an action on objects: some key, which is not
   * known yet.
   */
  readonly key: string | null;
  /** The prefix of a listing; null: it has none. */
  readonly prefix: string | null;
  readonly sourceIp: string | null;
};

/** Listings: their prefix says which keys they are about. */
const LISTINGS: ReadonlySet<string> = new Set([
  's3:ListBucket',
  's3:ListBucketVersions',
  's3:ListBucketMultipartUploads',
]);
/**
 * Actions that show nothing of a bucket's keys and change nothing; clients begin
 * with them.
 */
const HARMLESS: ReadonlySet<string> = new Set(['s3:GetBucketLocation']);

/**
 * Whether a request is within the scope. Never throws. Cost: 0.2 µs with a few
 * entries.
 */
export function isWithinScope(scope: KeyScope, request: ScopedRequest): boolean {
  return exceededLimit(scope, request) === null;
}

/**
 * The limit of the scope that a request exceeds, by its name in the JSON API; null:
 * none.
 */
export function exceededLimit(scope: KeyScope, request: ScopedRequest): keyof KeyScope | null {
  const { action, bucket, sourceIp } = request;
  if (scope.sourceIps !== null && !isFrom(scope.sourceIps, sourceIp)) return 'sourceIps';
  if (scope.actions !== null && !scope.actions.some((pattern) => matches(pattern, action)))
    return 'actions';
  if (scope.buckets !== null && !isAmong(scope.buckets, bucket)) return 'buckets';
  return scope.prefixes !== null && !isBelow(scope.prefixes, request) ? 'prefixes' : null;
}

/** Whether the bucket is one of these; a request about no bucket never is. */
function isAmong(buckets: readonly string[], bucket: string | null): boolean {
  return bucket !== null && buckets.some((pattern) => matches(pattern, bucket));
}

function isBelow(
  prefixes: readonly string[],
  { action, bucket, key, prefix }: ScopedRequest,
): boolean {
  if (bucket === null) return false;
  if (key !== null) return prefixes.some((beginning) => key.startsWith(beginning));
  if (isObjectAction(action as S3Action)) return true;
  if (LISTINGS.has(action))
    return prefix !== null && prefixes.some((beginning) => prefix.startsWith(beginning));
  return HARMLESS.has(action);
}

function matches(pattern: string, text: string): boolean {
  return pattern.endsWith('*') ? text.startsWith(pattern.slice(0, -1)) : text === pattern;
}

function isFrom(ranges: readonly string[], sourceIp: string | null): boolean {
  const address = sourceIp === null ? null : parseIp(sourceIp);
  return (
    address !== null &&
    ranges.some((text) => {
      const range = parseIpRange(text);
      return range !== null && isInRange(address, range);
    })
  );
}

const ACTIONS: readonly string[] = [...OBJECT_ACTIONS, ...BUCKET_ACTIONS, ...ACCOUNT_ACTIONS];

/** A scope that limits nothing. */
export const NO_KEY_LIMIT: KeyScope = {
  buckets: null,
  prefixes: null,
  actions: null,
  sourceIps: null,
};

/** The actions that an entry of a scope means. */
export function actionsMatching(pattern: string): readonly string[] {
  return ACTIONS.filter((action) => matches(pattern, action));
}

/**
 * A mistake in a scope as a sentence: an unknown action, or an address that is
 * none. Null: none.
 */
export function scopeMistake(scope: KeyScope): string | null {
  const action = scope.actions?.find((pattern) => actionsMatching(pattern).length === 0);
  if (action !== undefined) return `There is no action ${action}.`;
  const range = scope.sourceIps?.find((text) => parseIpRange(text) === null);
  return range === undefined ? null : `${range} is no address and no range of addresses.`;
}
