// The condition operators of policies: what a statement's Condition block demands
// of a request. Values are read and checked once, when the policy is parsed;
// isMet() then compares. Source, on
// https://docs.aws.amazon.com/IAM/latest/UserGuide/:
// reference_policies_elements_condition_operators.html
import { type IpRange, isInRange, parseIp, parseIpRange } from '../../../domain/ip-range.ts';
import { type Effort, spend } from './match-glob.ts';
import { type ConditionValues, matchesPattern, type Pattern, parsePattern } from './pattern.ts';

/** Compares one value of the request with one of the policy. */
type Test = (value: string, values: ConditionValues, effort: Effort) => boolean;

/** One operator with one key, and the values that it compares with. */
export type Condition = {
  readonly key: string;
  /** The operator without set prefix and IfExists: `StringEquals`. */
  readonly operator: string;
  /** The values as the policy wrote them. */
  readonly expected: readonly string[];
  /** Whether the condition holds for a request without the key. */
  readonly ifMissing: boolean;
  /** Which of the request's values must pass. */
  readonly quantifier: 'any' | 'all';
  /** Whether none of the policy's values may fit. */
  readonly isNegated: boolean;
  readonly tests: readonly Test[];
};

type Kind =
  | 'string'
  | 'string-ignore-case'
  | 'like'
  | 'number'
  | 'date'
  | 'bool'
  | 'binary'
  | 'ip'
  | 'arn';
type Comparison = 'equal' | 'less' | 'less-or-equal' | 'greater' | 'greater-or-equal';
type Operator = {
  readonly kind: Kind;
  readonly comparison: Comparison;
  readonly isNegated: boolean;
};

const operator = (kind: Kind, comparison: Comparison = 'equal', isNegated = false): Operator => ({
  kind,
  comparison,
  isNegated,
});

function comparisons(name: string, kind: Kind): [string, Operator][] {
  return [
    [`${name}Equals`, operator(kind)],
    [`${name}NotEquals`, operator(kind, 'equal', true)],
    [`${name}LessThan`, operator(kind, 'less')],
    [`${name}LessThanEquals`, operator(kind, 'less-or-equal')],
    [`${name}GreaterThan`, operator(kind, 'greater')],
    [`${name}GreaterThanEquals`, operator(kind, 'greater-or-equal')],
  ];
}

const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['StringEquals', operator('string')],
  ['StringNotEquals', operator('string', 'equal', true)],
  ['StringEqualsIgnoreCase', operator('string-ignore-case')],
  ['StringNotEqualsIgnoreCase', operator('string-ignore-case', 'equal', true)],
  ['StringLike', operator('like')],
  ['StringNotLike', operator('like', 'equal', true)],
  ...comparisons('Numeric', 'number'),
  ...comparisons('Date', 'date'),
  ['Bool', operator('bool')],
  ['BinaryEquals', operator('binary')],
  ['IpAddress', operator('ip')],
  ['NotIpAddress', operator('ip', 'equal', true)],
  ['ArnEquals', operator('arn')],
  ['ArnLike', operator('arn')],
  ['ArnNotEquals', operator('arn', 'equal', true)],
  ['ArnNotLike', operator('arn', 'equal', true)],
]);

const NAME = /^(?:(ForAllValues|ForAnyValue):)?([A-Za-z]+?)(IfExists)?$/;

/** The mistake of a condition that can't be read, in words for the client. */
export type ConditionProblem = { readonly problem: string };

/**
 * Reads one entry of a Condition block. `hasVariables` as in parsePattern. `Null`
 * becomes a condition without tests: only whether the key is there counts.
 */
export function parseCondition(
  name: string,
  key: string,
  expected: readonly string[],
  hasVariables: boolean,
): Condition | ConditionProblem {
  const [, set, base = '', ifExists] = NAME.exec(name) ?? [];
  if (base === 'Null' && ifExists === undefined) return parseNull(key, expected);
  const operatorOfName = OPERATORS.get(base);
  if (operatorOfName === undefined) return { problem: `Invalid Condition type : ${name}` };

  const { isNegated } = operatorOfName;
  const tests: Test[] = [];
  for (const value of expected) {
    const test = makeTest(operatorOfName, value, hasVariables);
    if (test === null)
      return { problem: `Invalid value for the condition ${name} of ${key}: ${value}` };
    tests.push(test);
  }

  // A set operator defines what an empty set means: ForAllValues holds for it.
  const holdsForEmpty = set === undefined ? isNegated : set === 'ForAllValues';
  return {
    key,
    operator: base,
    expected,
    ifMissing: ifExists !== undefined || holdsForEmpty,
    quantifier: set === 'ForAllValues' ? 'all' : 'any',
    isNegated,
    tests,
  };
}

function parseNull(key: string, expected: readonly string[]): Condition | ConditionProblem {
  const booleans = new Set(expected.map((value) => value.toLowerCase()));
  if ([...booleans].some((text) => text !== 'true' && text !== 'false') || booleans.size === 0) {
    return { problem: `Invalid value for the condition Null of ${key}` };
  }
  // The test passes for every value: the condition holds for a request with the key
  // exactly where the policy says "false".
  const tests: readonly Test[] = booleans.has('false') ? [() => true] : [];
  return {
    key,
    operator: 'Null',
    expected,
    ifMissing: booleans.has('true'),
    quantifier: 'any',
    isNegated: false,
    tests,
  };
}

/**
 * Whether a request with these values meets the condition. The result means nothing
 * once the effort is spent.
 */
export function isMet(condition: Condition, values: ConditionValues, effort: Effort): boolean {
  const actual = values(condition.key);
  if (actual === null || actual.length === 0) return condition.ifMissing;
  const passes = (value: string) =>
    condition.tests.some((test) => test(value, values, effort)) !== condition.isNegated;
  return condition.quantifier === 'all' ? actual.every(passes) : actual.some(passes);
}

function makeTest(
  { kind, comparison }: Operator,
  expected: string,
  hasVariables: boolean,
): Test | null {
  switch (kind) {
    case 'string':
    case 'like':
      return patternTest(expected, { hasVariables, hasWildcards: kind === 'like' }, (text) => text);
    case 'string-ignore-case':
      return reading(
        patternTest(expected, { hasVariables, hasWildcards: false }, (text) => text.toLowerCase()),
      );
    case 'arn':
      return reading(arnTest(expected, hasVariables));
    case 'number':
      return reading(orderTest(expected, comparison, parseNumber));
    case 'date':
      return reading(orderTest(expected, comparison, parseDate));
    case 'bool':
      return reading(boolTest(expected));
    case 'binary':
      return (value) => value === expected;
    case 'ip':
      return reading(ipTest(parseIpRange(expected)));
  }
}

/** Adds the effort of a test that looks at all of the request's value. */
function reading(test: Test | null): Test | null {
  return (
    test && ((value, values, effort) => spend(effort, value.length) && test(value, values, effort))
  );
}

function patternTest(
  expected: string,
  options: { hasVariables: boolean; hasWildcards: boolean },
  fold: (text: string) => string,
): Test | null {
  const pattern = parsePattern(expected, options);
  if (pattern === null) return null;
  const folded: Pattern = {
    ...pattern,
    parts: pattern.parts.map((part) => (typeof part === 'string' ? fold(part) : part)),
  };
  const foldedValues =
    (values: ConditionValues): ConditionValues =>
    (key) =>
      values(key)?.map(fold) ?? null;
  return (value, values, effort) =>
    matchesPattern(folded, fold(value), foldedValues(values), effort);
}

/**
 * Compares ARNs: each of the six parts is a pattern of its own, so `*` never spans
 * a colon.
 */
function arnTest(expected: string, hasVariables: boolean): Test | null {
  const patterns = arnParts(expected).map((part) =>
    parsePattern(part, { hasVariables, hasWildcards: true }),
  );
  if (patterns.length !== 6 || patterns.includes(null)) return null;
  return (value, values, effort) => {
    const parts = arnParts(value);
    return (
      parts.length === 6 &&
      patterns.every(
        (pattern, i) => pattern !== null && matchesPattern(pattern, parts[i] ?? '', values, effort),
      )
    );
  };
}

/**
 * The parts of `arn:partition:service:region:account:resource`; the last may have
 * colons.
 */
function arnParts(text: string): string[] {
  const parts = text.split(':');
  return parts.length <= 6 ? parts : [...parts.slice(0, 5), parts.slice(5).join(':')];
}

function orderTest(
  expected: string,
  comparison: Comparison,
  parse: (text: string) => number | null,
): Test | null {
  const right = parse(expected);
  if (right === null) return null;
  return (value) => {
    const left = parse(value);
    return left !== null && compare(left, comparison, right);
  };
}

function compare(left: number, comparison: Comparison, right: number): boolean {
  switch (comparison) {
    case 'equal':
      return left === right;
    case 'less':
      return left < right;
    case 'less-or-equal':
      return left <= right;
    case 'greater':
      return left > right;
    case 'greater-or-equal':
      return left >= right;
  }
}

const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/;

function parseNumber(text: string): number | null {
  return NUMBER.test(text.trim()) ? Number(text) : null;
}

/**
 * Reads a time, ISO 8601 as W3C profiles it or seconds since 1970, into
 * milliseconds. Source: https://www.w3.org/TR/NOTE-datetime
 */
function parseDate(text: string): number | null {
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1000;
  if (
    !/^\d{4}-\d{2}(?:-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?)?$/.test(
      text,
    )
  )
    return null;
  const timeMs = Date.parse(text);
  return Number.isNaN(timeMs) ? null : timeMs;
}

function boolTest(expected: string): Test | null {
  const lower = expected.toLowerCase();
  return lower === 'true' || lower === 'false' ? (value) => value.toLowerCase() === lower : null;
}

function ipTest(range: IpRange | null): Test | null {
  if (range === null) return null;
  return (value) => {
    const address = parseIp(value);
    return address !== null && isInRange(address, range);
  };
}
