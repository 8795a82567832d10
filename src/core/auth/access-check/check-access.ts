// Whether a caller may do something to a key, or to the keys below a prefix, and by
// which line. Every answer is the real decision of decide.ts, taken on the key or on
// witnesses, under the policy as it is best and as it is worst for the caller where
// the question leaves something open. Pure.
import type { KeyScope } from '../../../domain/account-records.ts';
import type { ObjectKey, Principal } from '../../../domain/nouns.ts';
import type { ObjectFacts } from '../../../domain/object-facts.ts';
import {
  type AccessRecord,
  type AccessRequest,
  DECISIONS,
  decidingRule,
  type ReadPolicy,
} from '../decide.ts';
import { policyRequestOf } from '../explain-refusal.ts';
import { exceededLimit } from '../key-scope.ts';
import type { S3Action } from '../policy/actions.ts';
import { createRequestEffort, isSpent } from '../policy/evaluate-policy.ts';
import type { Effort } from '../policy/match-glob.ts';
import type { ConditionValues } from '../policy/pattern.ts';
import { type AccessReason, reasonOf } from './access-reason.ts';
import { assumePolicy, type IsOpenKey, openKeysOf, withOpenValues } from './assume-conditions.ts';
import { type Witnesses, witnessKeys, witnessPrefixes } from './witness-keys.ts';

/**
 * How far something is allowed. `part`: of some of the keys; `depends`: on what the
 * question leaves open, such as the caller's address.
 */
export type Allowed = 'yes' | 'part' | 'depends' | 'no';

/** What a question is about: one key, or all keys that begin with a prefix. */
export type AccessTarget =
  | { readonly kind: 'key'; readonly key: ObjectKey; readonly object: ObjectFacts | null }
  | { readonly kind: 'prefix'; readonly prefix: string };

/** A question about a bucket, asked of several callers and actions. */
export type AccessQuestion = {
  readonly record: AccessRecord;
  readonly policy: ReadPolicy;
  readonly target: AccessTarget;
  /** Where the caller comes from; null: the question leaves it open. */
  readonly sourceIp: string | null;
  /** The values of a request of that caller, with that prefix of a listing. */
  valuesOf(principal: Principal, action: S3Action, prefix: string | null): ConditionValues;
  /** Whether the question leaves a condition key open for that caller. */
  isOpen(principal: Principal, action: S3Action, key: string): boolean;
};

/** One answer with its reason. */
export type AccessFinding = {
  readonly allowed: Allowed;
  readonly because: AccessReason;
  /** A key or prefix that `because` is about; null: keys in general. */
  readonly example: string | null;
  /** Where it is `part` or `depends`: what is not allowed, and why. */
  readonly except: { readonly because: AccessReason; readonly example: string | null } | null;
  /** Condition keys that the question leaves open, where the answer hangs on them. */
  readonly dependsOn: readonly string[];
};

/** Asks one question of callers. `isExact`: whether no witness was left out. */
export type AccessChecker = {
  check(principal: Principal, scope: KeyScope | null, action: S3Action): AccessFinding;
  isExact(): boolean;
  /** Whether the comparisons of patterns were used up: then answers are worthless. */
  isSpent(): boolean;
};

/** The outcome for one witness. */
type Outcome = {
  readonly name: string;
  readonly best: boolean;
  readonly worst: boolean;
  readonly because: AccessReason;
  readonly againstBecause: AccessReason | null;
  readonly dependsOn: readonly string[];
};

/**
 * Makes the checker of a question; all its decisions share one effort, which those of
 * other questions may share too.
 */
export function createAccessChecker(
  question: AccessQuestion,
  effort: Effort = createRequestEffort(),
): AccessChecker {
  let isExact = true;

  return {
    check(principal, scope, action) {
      const witnesses = witnessesOf(question, scope, action);
      isExact &&= witnesses.isComplete;
      const outcomes = witnesses.names.map((name) =>
        decideWitness(question, { principal, scope, action, name, effort }),
      );
      return combine(outcomes, question.target, witnesses.plainEnd);
    },
    isExact: () => isExact,
    isSpent: () => isSpent(effort),
  };
}

const LIST: S3Action = 's3:ListBucket';

function witnessesOf(
  { record, policy, target }: AccessQuestion,
  scope: KeyScope | null,
  action: S3Action,
): Witnesses {
  if (target.kind === 'key') return { names: [target.key], plainEnd: '', isComplete: true };
  const readable = policy === 'unreadable' ? null : policy;
  const prefixes = scope?.prefixes ?? [];
  return action === LIST
    ? witnessPrefixes(readable, target.prefix, prefixes)
    : witnessKeys(readable, record.name, target.prefix, prefixes);
}

type WitnessCall = {
  readonly principal: Principal;
  readonly scope: KeyScope | null;
  readonly action: S3Action;
  readonly name: string;
  readonly effort: Effort;
};

function decideWitness(question: AccessQuestion, call: WitnessCall): Outcome {
  const { record, policy, target, sourceIp } = question;
  const { principal, scope, action, name, effort } = call;
  const isListing = action === LIST;
  const key = isListing ? null : (name as ObjectKey);
  const prefix = isListing ? name : null;

  const limit =
    scope === null
      ? null
      : exceededLimit(sourceIp === null ? { ...scope, sourceIps: null } : scope, {
          action,
          bucket: record.name,
          key,
          prefix,
          sourceIp,
        });
  if (limit !== null) {
    const because: AccessReason = { source: 'key-scope', limit };
    const none = { best: false, worst: false, againstBecause: because, dependsOn: [] };
    return { name, because, ...none };
  }

  const isOpen: IsOpenKey = (conditionKey) => question.isOpen(principal, action, conditionKey);
  const request: AccessRequest = {
    principal,
    action,
    key,
    object: target.kind === 'key' && !isListing ? target.object : null,
    values: withOpenValues(question.valuesOf(principal, action, prefix), isOpen),
    effort,
  };
  const decideUnder = (forCaller: 'best' | 'worst') => {
    const assumed = assumePolicy(policy, isOpen, forCaller);
    const rule = decidingRule(record, request, assumed);
    const isAllowed = DECISIONS[rule] === 'allowed';
    return { isAllowed, because: reasonOf(record, request, assumed, rule) };
  };

  const isAddressOpen = scope?.sourceIps != null && sourceIp === null;
  const best = decideUnder('best');
  const worst = decideUnder('worst');
  const isWorstAllowed = worst.isAllowed && !isAddressOpen;
  const dependsOn = [
    ...(best.isAllowed === worst.isAllowed
      ? []
      : openKeysOf(policy, policyRequestOf(record, request), isOpen)),
    ...(best.isAllowed && isAddressOpen ? ['aws:sourceip'] : []),
  ];
  const against: AccessReason = worst.isAllowed
    ? { source: 'key-scope', limit: 'sourceIps' }
    : worst.because;
  return {
    name,
    best: best.isAllowed,
    worst: isWorstAllowed,
    because: best.because,
    againstBecause: isWorstAllowed ? null : against,
    dependsOn: [...new Set(dependsOn)],
  };
}

/** Combines the outcomes of all witnesses; the plainest comes first. */
function combine(
  outcomes: readonly Outcome[],
  target: AccessTarget,
  plainEnd: string,
): AccessFinding {
  const allowed = allowedOf(outcomes);
  const shown = outcomes.find(({ worst }) => worst) ?? outcomes.find(({ best }) => best);
  const against = outcomes.find(({ best }) => !best) ?? outcomes.find(({ worst }) => !worst);
  const subject = allowed === 'no' ? outcomes[0] : shown;
  const exampleOf = (outcome: Outcome | undefined): string | null => {
    if (target.kind === 'key' || outcome === undefined) return null;
    const { name } = outcome;
    const isPlain = plainEnd !== '' && name.endsWith(plainEnd);
    const shownName = isPlain ? name.slice(0, -plainEnd.length) : name;
    return shownName === target.prefix ? null : shownName;
  };

  const isMixed = allowed === 'part' || allowed === 'depends';
  const because = allowed === 'no' ? subject?.againstBecause : subject?.because;
  return {
    allowed,
    because: because ?? { source: 'nothing' },
    example: exampleOf(subject),
    except:
      isMixed && against !== undefined
        ? {
            because: against.againstBecause ?? { source: 'nothing' },
            example: exampleOf(against),
          }
        : null,
    dependsOn: [...new Set(outcomes.flatMap(({ dependsOn }) => dependsOn))].sort(),
  };
}

function allowedOf(outcomes: readonly Outcome[]): Allowed {
  if (outcomes.every(({ worst }) => worst)) return 'yes';
  if (!outcomes.some(({ best }) => best)) return 'no';
  const isAllOpen = outcomes.every(({ best }) => best);
  const isAllUncertain = !outcomes.some(({ worst }) => worst);
  return isAllOpen && isAllUncertain ? 'depends' : 'part';
}
