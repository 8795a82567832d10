// Policies with their open conditions assumed: a question that names no address has
// no value for `aws:SourceIp`, so what hangs on it is decided twice, once as it is
// best for the caller and once as it is worst. The decision itself stays the real
// one; only its policy is another. Pure.
import type { ReadPolicy } from '../decide.ts';
import type { Condition } from '../policy/conditions.ts';
import { evaluatePolicy, type PolicyRequest } from '../policy/evaluate-policy.ts';
import type { ConditionValues } from '../policy/pattern.ts';
import type { Policy, Statement } from '../policy/policy.ts';

/** Whether a question leaves the value of a condition key open. */
export type IsOpenKey = (key: string) => boolean;

/** Any value: a condition that is assumed compares it with nothing. */
const ANY_VALUE: readonly string[] = ['?'];

/** The values of a question; keys that it leaves open have some value. */
export function withOpenValues(values: ConditionValues, isOpen: IsOpenKey): ConditionValues {
  return (key) => (isOpen(key) ? ANY_VALUE : values(key));
}

/**
 * The policy in which every open condition is as good, or as bad, for the caller as
 * it can be. The number, effect and publicness of its statements stay.
 */
export function assumePolicy(
  policy: ReadPolicy,
  isOpen: IsOpenKey,
  forCaller: 'best' | 'worst',
): ReadPolicy {
  if (policy === null || policy === 'unreadable') return policy;
  const statements = policy.statements.map((statement) => {
    const doesHold = (statement.effect === 'Allow') === (forCaller === 'best');
    return assumeStatement(statement, isOpen, doesHold);
  });
  return { statements };
}

function assumeStatement(statement: Statement, isOpen: IsOpenKey, doesHold: boolean): Statement {
  if (!statement.conditions.some(({ key }) => isOpen(key))) return statement;
  const conditions = statement.conditions.map((condition) =>
    isOpen(condition.key) ? assumeCondition(condition, doesHold) : condition,
  );
  return { ...statement, conditions };
}

function assumeCondition(condition: Condition, doesHold: boolean): Condition {
  return { ...condition, tests: [() => doesHold !== condition.isNegated] };
}

/** The open keys that a decision on the request hangs on, in their order. */
export function openKeysOf(
  policy: ReadPolicy,
  request: PolicyRequest,
  isOpen: IsOpenKey,
): readonly string[] {
  if (policy === null || policy === 'unreadable') return [];
  const keys = policy.statements.flatMap((statement) => {
    const openKeys = statement.conditions.map(({ key }) => key).filter(isOpen);
    if (openKeys.length === 0) return [];
    const alone: Policy = { statements: [assumeStatement(statement, isOpen, true)] };
    return evaluatePolicy(alone, request) === 'none' ? [] : openKeys;
  });
  return [...new Set(keys)].sort();
}
