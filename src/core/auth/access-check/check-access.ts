// Whether a caller may do something to a key, or to the keys below a prefix, and by which
// line of the policy. Each answer is a real decision of decide.ts, on the key or on
// witnesses. Where the question leaves a condition open, it is decided twice: as is best
// and as is worst for the caller. Pure.
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
import { exceededLimit } from '../key-scope.ts';
import type { S3Action } from '../policy/actions.ts';
import { createRequestEffort, isSpent, policyRequestOf } from '../policy/evaluate-policy.ts';
import { type Effort, spend } from '../policy/match-glob.ts';
import type { ConditionValues } from '../policy/pattern.ts';
import { type AccessReason, reasonOf } from './access-reason.ts';
import { assumePolicy, type IsOpenKey, openKeysOf, withOpenValues } from './assume-conditions.ts';
import {
  type FindWitnesses,
  type PolicyPatterns,
  readPatterns,
  type Witnesses,
  witnessKeys,
  witnessPrefixes,
} from './witness-keys.ts';

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
  /** The patterns of the policy, where many questions share them. */
  readonly patterns?: PolicyPatterns;
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

/** The outcome for one witness. Reasons are found only for those that are shown. */
type Outcome = {
  readonly name: string;
  readonly best: boolean;
  readonly worst: boolean;
  because(): AccessReason;
  againstBecause(): AccessReason | null;
  readonly dependsOn: readonly string[];
};

/** What is decided on a witness, whatever the scope of the key that is used. */
type Decision = {
  readonly isBestAllowed: boolean;
  readonly isWorstAllowed: boolean;
  bestReason(): AccessReason;
  worstReason(): AccessReason;
  readonly openKeys: readonly string[];
};

/** Effort of one statement in one decision, in comparisons: 0.25 µs. */
const STATEMENT_EFFORT = 50;

/**
 * Makes the checker of a question; all its decisions share one effort, which those of
 * other questions may share too. What is decided for an account is decided once,
 * however many keys it has.
 */
export function createAccessChecker(
  question: AccessQuestion,
  effort: Effort = createRequestEffort(),
): AccessChecker {
  let isExact = true;
  const witnessesOf = createWitnesses(question, effort);
  const decisions = new Map<string, Decision>();
  const decideOnce: DecideName = (call) => {
    const { principal, action, name } = call;
    const id = principal.kind === 'account' ? principal.account.id : '';
    const decisionKey = JSON.stringify([id, action, name]);
    const known = decisions.get(decisionKey);
    if (known !== undefined) return known;
    const decision = decideName(question, call);
    decisions.set(decisionKey, decision);
    return decision;
  };

  return {
    check(principal, scope, action) {
      if (isSpent(effort)) return UNDECIDED;
      const witnesses = witnessesOf(action, scope);
      isExact &&= witnesses.isComplete;
      const outcomes = witnesses.names.map((name) =>
        decideWitness(question, { principal, scope, action, name, effort }, decideOnce),
      );
      return combine(outcomes, question.target, witnesses.plainEnd);
    },
    isExact: () => isExact,
    isSpent: () => isSpent(effort),
  };
}

const LIST: S3Action = 's3:ListBucket';
/** An answer that nobody is shown: the effort is spent. */
const UNDECIDED: AccessFinding = {
  allowed: 'no',
  because: { source: 'nothing' },
  example: null,
  except: null,
  dependsOn: [],
};

/** Makes the witnesses of listings and of all other actions, each once. */
function createWitnesses({ record, policy, patterns, target }: AccessQuestion, effort: Effort) {
  if (target.kind === 'key') {
    const one = { names: [target.key], plainEnd: '', isComplete: true };
    return (): Witnesses => one;
  }
  const { prefix } = target;
  const readable = policy === 'unreadable' ? null : policy;
  let ofListings: FindWitnesses | null = null;
  let ofKeys: FindWitnesses | null = null;
  return (action: S3Action, scope: KeyScope | null): Witnesses => {
    const furtherPrefixes = scope?.prefixes ?? [];
    if (action === LIST) {
      ofListings ??= witnessPrefixes(readable, prefix);
      return ofListings(furtherPrefixes);
    }
    ofKeys ??= witnessKeys(patterns ?? readPatterns(policy), record.name, prefix, effort);
    return ofKeys(furtherPrefixes);
  };
}

type WitnessCall = {
  readonly principal: Principal;
  readonly scope: KeyScope | null;
  readonly action: S3Action;
  readonly name: string;
  readonly effort: Effort;
};
type DecideName = (call: Omit<WitnessCall, 'scope'>) => Decision;

function decideWitness(
  { record, sourceIp }: AccessQuestion,
  call: WitnessCall,
  decideOnce: DecideName,
): Outcome {
  const { scope, action, name } = call;
  const isListing = action === LIST;
  const limit =
    scope === null
      ? null
      : exceededLimit(sourceIp === null ? { ...scope, sourceIps: null } : scope, {
          action,
          bucket: record.name,
          key: isListing ? null : (name as ObjectKey),
          prefix: isListing ? name : null,
          sourceIp,
        });
  if (limit !== null) {
    const because = (): AccessReason => ({ source: 'key-scope', limit });
    return { name, best: false, worst: false, because, againstBecause: because, dependsOn: [] };
  }

  const isAddressOpen = scope?.sourceIps != null && sourceIp === null;
  const decision = decideOnce(call);
  const { isBestAllowed, isWorstAllowed } = decision;
  const worst = isWorstAllowed && !isAddressOpen;
  const dependsOn = [
    ...decision.openKeys,
    ...(isBestAllowed && isAddressOpen ? ['aws:sourceip'] : []),
  ];
  return {
    name,
    best: isBestAllowed,
    worst,
    because: decision.bestReason,
    againstBecause() {
      if (worst) return null;
      return isWorstAllowed ? { source: 'key-scope', limit: 'sourceIps' } : decision.worstReason();
    },
    dependsOn: [...new Set(dependsOn)],
  };
}

/** Decides on a witness for an account, by the policy as it is best and as it is worst. */
function decideName(
  question: AccessQuestion,
  { principal, action, name, effort }: Omit<WitnessCall, 'scope'>,
): Decision {
  const { record, policy, target } = question;
  const isListing = action === LIST;
  const isOpen: IsOpenKey = (conditionKey) => question.isOpen(principal, action, conditionKey);
  const request: AccessRequest = {
    principal,
    action,
    key: isListing ? null : (name as ObjectKey),
    object: target.kind === 'key' && !isListing ? target.object : null,
    values: withOpenValues(question.valuesOf(principal, action, isListing ? name : null), isOpen),
    effort,
  };
  const statements = policy === null || policy === 'unreadable' ? 0 : policy.statements.length;
  spend(effort, 2 * statements * STATEMENT_EFFORT);
  const decideUnder = (forCaller: 'best' | 'worst') => {
    const assumed = assumePolicy(policy, isOpen, forCaller);
    const rule = decidingRule(record, request, assumed);
    const isAllowed = DECISIONS[rule] === 'allowed';
    return { isAllowed, reason: () => reasonOf(record, request, assumed, rule) };
  };

  const best = decideUnder('best');
  const worst = decideUnder('worst');
  return {
    isBestAllowed: best.isAllowed,
    isWorstAllowed: worst.isAllowed,
    bestReason: best.reason,
    worstReason: worst.reason,
    openKeys:
      best.isAllowed === worst.isAllowed
        ? []
        : openKeysOf(policy, policyRequestOf(record, request), isOpen),
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
  const because = allowed === 'no' ? subject?.againstBecause() : subject?.because();
  return {
    allowed,
    because: because ?? { source: 'nothing' },
    example: exampleOf(subject),
    except:
      isMixed && against !== undefined
        ? {
            because: against.againstBecause() ?? { source: 'nothing' },
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
