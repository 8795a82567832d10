// Evaluates a policy for one request. A pure function: everything that counts is in
// its arguments. A Deny that applies wins over every Allow; where no statement
// applies, access control lists decide. Source:
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_evaluation-logic.html
import type { BucketName, ObjectKey, Principal } from '../../../domain/nouns.ts';
import type { S3Action } from './actions.ts';
import { isMet } from './conditions.ts';
import { type Effort, spend, unlimited } from './match-glob.ts';
import { type ConditionValues, matchesPattern } from './pattern.ts';
import type { Policy, PolicyMatch, PolicyPrincipals, Statement } from './policy.ts';

/**
 * A caller in the terms of policies: an account, a program of this service, or
 * anybody.
 */
export type PolicyCaller =
  | { readonly kind: 'account'; readonly accountId: string }
  | { readonly kind: 'service'; readonly name: string }
  | { readonly kind: 'anonymous' };

export type PolicyRequest = {
  readonly caller: PolicyCaller;
  readonly action: S3Action;
  /** The bucket's name, or name, slash and key. */
  readonly resource: string;
  readonly values: ConditionValues;
  /**
   * Budget that all decisions of one HTTP request share; absent: each has only its
   * own.
   */
  readonly effort?: Effort | undefined;
};

/** A request in the terms of policies. `key` null: it is about the bucket. */
export function policyRequestOf(
  { name }: { readonly name: BucketName },
  {
    principal,
    action,
    key,
    values,
    effort,
  }: Pick<PolicyRequest, 'action' | 'values' | 'effort'> & {
    readonly principal: Principal;
    readonly key: ObjectKey | null;
  },
): PolicyRequest {
  return {
    caller: callerOf(principal),
    action,
    resource: key === null ? name : `${name}/${key}`,
    values,
    effort,
  };
}

/** A caller in the terms of policies. */
export function callerOf(principal: Principal): PolicyCaller {
  return principal.kind === 'account'
    ? { kind: 'account', accountId: principal.account.id }
    : { kind: 'anonymous' };
}

/** What a policy says of a request. `none`: no statement applies. */
export type PolicyVerdict = 'allow' | 'deny' | 'none';

/**
 * Budget of one decision, in comparisons of characters: 10 ms of them (measured
 * November 2026). Every pattern that a policy has room for can be searched for in
 * the longest key; S3 names no limit.
 */
const EFFORT_MAX = 2_000_000;

/**
 * Budget of all decisions of one HTTP request, in comparisons of characters: 19
 * patterns searched for in each of 1,000 of the longest keys, or ten of the longest
 * decisions. S3 names no limit.
 */
const REQUEST_EFFORT_MAX = 20_000_000;

/** Makes the budget that all decisions of one HTTP request share. */
export const createRequestEffort = (): Effort => ({ left: REQUEST_EFFORT_MAX });

/**
 * Evaluates the policy for a request. Strangers choose how long a value is, and
 * owners how often it is searched: a request that needs more than EFFORT_MAX, or
 * than its budget, is denied. Cost: about 1 µs for each statement with conditions,
 * less without.
 */
export function evaluatePolicy(policy: Policy, request: PolicyRequest): PolicyVerdict {
  if (isSpent(request.effort)) return 'deny';
  const action = request.action.toLowerCase();
  const effort = { left: EFFORT_MAX, whole: request.effort };
  const counted = { ...request, values: countLookups(request.values, effort) };

  let verdict: PolicyVerdict = 'none';
  for (const statement of policy.statements) {
    if (statement.effect === 'Allow' && verdict === 'allow') continue;
    const doesApply = applies(statement, action, counted, effort);
    if (effort.left < 0) return 'deny';
    if (!doesApply) continue;
    if (statement.effect === 'Deny') return 'deny';
    verdict = 'allow';
  }
  return verdict;
}

/** Effort of looking up a value of the request, in comparisons: 0.25 µs. */
const LOOKUP_EFFORT = 50;

/**
 * Counts the look-ups too: a policy has room for a thousand of them, and a value
 * may have to be decoded.
 */
function countLookups(values: ConditionValues, effort: Effort): ConditionValues {
  return (key) => {
    if (isSpent(effort)) return null;
    const actual = values(key);
    const length = actual?.reduce((sum, value) => sum + value.length, 0) ?? 0;
    spend(effort, LOOKUP_EFFORT + length);
    return actual;
  };
}

/** Whether the budget is spent: more comparisons were needed than it had. */
export function isSpent(effort: Effort | undefined): boolean {
  return effort !== undefined && effort.left < 0;
}

/**
 * Whether a statement allows the caller the action on any resource, under any
 * conditions.
 */
export function couldAllow(policy: Policy, caller: PolicyCaller, action: S3Action): boolean {
  return policy.statements.some(
    ({ effect, principals, actions }) =>
      effect === 'Allow' &&
      isNoServiceOrNamed(principals, caller) &&
      matchesPrincipal(principals, caller) &&
      matchesAny(actions, action.toLowerCase(), NO_VALUES),
  );
}

/** No values: patterns of actions have no variables. */
const NO_VALUES: ConditionValues = () => null;

/** A statement of a policy: its name, and its number from 1. */
export type FoundStatement = { readonly sid: string | null; readonly number: number };

/**
 * Finds the first statement of that effect which applies to the request; null: none
 * does, or the budget is spent. Cost: that of evaluatePolicy.
 */
export function findStatement(
  { statements }: Policy,
  request: PolicyRequest,
  effect: Statement['effect'],
): FoundStatement | null {
  if (isSpent(request.effort)) return null;
  const action = request.action.toLowerCase();
  const effort = { left: EFFORT_MAX, whole: request.effort };
  const counted = { ...request, values: countLookups(request.values, effort) };

  const index = statements.findIndex(
    (statement) => statement.effect === effect && applies(statement, action, counted, effort),
  );
  if (index === -1 || effort.left < 0) return null;
  return { sid: statements[index]?.sid ?? null, number: index + 1 };
}

function applies(
  statement: Statement,
  action: string,
  { caller, resource, values }: PolicyRequest,
  effort: Effort,
): boolean {
  return (
    (statement.effect === 'Deny' || isNoServiceOrNamed(statement.principals, caller)) &&
    matchesPrincipal(statement.principals, caller) &&
    matchesAny(statement.actions, action, values, effort) &&
    matchesAny(statement.resources, resource, values, effort) &&
    statement.conditions.every((condition) => isMet(condition, values, effort))
  );
}

/**
 * Whether an Allow can mean the caller: programs of this service must be allowed by
 * name.
 */
function isNoServiceOrNamed({ services }: PolicyPrincipals, caller: PolicyCaller): boolean {
  return caller.kind !== 'service' || services.has(caller.name);
}

/** Whether a statement's principals include the caller. */
export function matchesPrincipal(principals: PolicyPrincipals, caller: PolicyCaller): boolean {
  return isNamed(principals, caller) !== principals.isNegated;
}

function isNamed(
  { isEveryone, accountIds, services }: PolicyPrincipals,
  caller: PolicyCaller,
): boolean {
  if (isEveryone) return true;
  if (caller.kind === 'account') return accountIds.has(caller.accountId);
  return caller.kind === 'service' && services.has(caller.name);
}

/** Whether an Action or Resource element includes the text. */
export function matchesAny(
  { isNegated, patterns }: PolicyMatch,
  text: string,
  values: ConditionValues,
  effort: Effort = unlimited(),
): boolean {
  return patterns.some((pattern) => matchesPattern(pattern, text, values, effort)) !== isNegated;
}
