// Small faults that a program could have, found by its syntax tree: a dropped await, a comparison
// that is off by one, a condition turned round, a statement or guard that is gone, "and" for "or",
// a number one larger. Pure; mutants.ts runs them.
import { parseAst } from 'vitest/node';

export const OPERATORS = [
  'await',
  'compare',
  'negate',
  'remove',
  'guard',
  'logical',
  'constant',
] as const;
export type Operator = (typeof OPERATORS)[number];

/** One fault: the characters from `start` to `end` of a file become `replacement`. */
export type Mutation = {
  readonly operator: Operator;
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
};

/** A node of the tree, as ESTree has it. */
type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<
  Record<string, unknown>
>;

const COMPARISONS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
};
const LOGIC: Readonly<Record<string, string>> = { '&&': '||', '||': '&&' };
/**
 * Numbers up to here mean a count or an index; larger ones are sizes and times, where one more
 * means nothing.
 */
const CONSTANT_MAX = 10;
/** Stands where a statement was; the compiler refuses `if (a) ;`, whatever was there. */
const NOTHING = '{}';
/** Statements that only say something to an operator. */
const TELLS = /^(?:await )?(?:[\w.]*\.)?log\.(?:info|error)\(|^(?:say|complain)\(/;
/** What ends a function or a loop early. */
const LEAVES: ReadonlySet<string> = new Set([
  'ReturnStatement',
  'ThrowStatement',
  'ContinueStatement',
  'BreakStatement',
]);

/** What has a body that runs by itself. */
const FUNCTIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as { type?: unknown }).type === 'string';

/** Every fault of these kinds that the text of a TypeScript file can have. */
export function findMutations(text: string): readonly Mutation[] {
  const mutations: Mutation[] = [];
  const program = parseAst(text, { lang: 'ts' }) as unknown as Node;
  visit(program, { text, counters: countersOf(text) }, false, mutations);
  return mutations;
}

/** `counters`: names that count through a list. */
type Source = { readonly text: string; readonly counters: ReadonlySet<string> };

/** Names that the text steps, as loops do: `i++`, `at += 2`. */
function countersOf(text: string): ReadonlySet<string> {
  const steps = text.matchAll(/\b(\w+)(?:\+\+|--| [+-]= )|(?:\+\+|--)(\w+)/g);
  return new Set([...steps].map(([, before, after]) => before ?? after ?? ''));
}

/** `isTried`: within a `try`, whose `catch` and `finally` wait for what is awaited alone. */
function visit(node: Node, source: Source, isTried: boolean, mutations: Mutation[]): void {
  // Types have no faults at run time.
  if (node.type.startsWith('TS') && !/^TS(?:As|Satisfies|NonNull)/.test(node.type)) return;
  // Elsewhere the function itself waits for the promise that it returns.
  if (node.type !== 'ReturnStatement' || isTried) mutations.push(...mutationsOf(node, source.text));
  const children = isForTypesAlone(node, source) ? [node.left] : Object.values(node);
  for (const value of children) {
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) visit(child, source, isTriedIn(node, child, isTried), mutations);
  }
}

function isTriedIn(node: Node, child: Node, isTried: boolean): boolean {
  if (FUNCTIONS.has(node.type)) return false;
  if (node.type !== 'TryStatement') return isTried;
  const hasFinally = node.finalizer !== null && node.finalizer !== undefined;
  return isTried || child === node.block || (child === node.handler && hasFinally);
}

/**
 * Whether the node is `list[i] ?? 0` in a loop over the list: the default stands there for the
 * compiler (`noUncheckedIndexedAccess`), and nothing ever takes it.
 */
function isForTypesAlone(node: Node, { text, counters }: Source): boolean {
  const { left, right, operator } = node;
  if (operator !== '??' || !isNode(left) || !isNode(right) || right.type !== 'Literal')
    return false;
  if (left.type !== 'MemberExpression' || left.computed !== true) return false;
  const { property } = left;
  if (!isNode(property)) return false;
  const names = text.slice(property.start, property.end).match(/[A-Za-z_]\w*/g) ?? [];
  return names.length > 0 && names.every((name) => counters.has(name));
}

function mutationsOf(node: Node, text: string): Mutation[] {
  const { start, end } = node;
  const source = (part: unknown) => (isNode(part) ? text.slice(part.start, part.end) : '');
  const whole = (operator: Operator, replacement: string): Mutation => ({
    operator,
    start,
    end,
    replacement,
  });
  switch (node.type) {
    case 'ExpressionStatement':
      return statement(node, text, whole);
    case 'ReturnStatement':
      return isNode(node.argument) && node.argument.type === 'AwaitExpression'
        ? [whole('await', `return ${source(node.argument.argument)};`)]
        : [];
    case 'ThrowStatement':
      return [whole('remove', NOTHING)];
    case 'IfStatement':
      return [turnedRound(node.test, text), ...(isGuard(node) ? [whole('guard', NOTHING)] : [])];
    case 'ConditionalExpression':
      return [turnedRound(node.test, text)];
    case 'BinaryExpression':
      return operatorOf(node, text, 'compare', COMPARISONS);
    case 'LogicalExpression':
      return operatorOf(node, text, 'logical', LOGIC);
    case 'Literal':
      return typeof node.value === 'number' &&
        /^\d+$/.test(source(node)) &&
        node.value <= CONSTANT_MAX
        ? [whole('constant', String(node.value + 1))]
        : [];
    default:
      return [];
  }
}

function statement(
  node: Node,
  text: string,
  whole: (operator: Operator, replacement: string) => Mutation,
): Mutation[] {
  const { expression } = node;
  if (!isNode(expression) || TELLS.test(text.slice(node.start, node.end)) || node.directive != null)
    return [];
  const removed = whole('remove', NOTHING);
  if (expression.type !== 'AwaitExpression' || !isNode(expression.argument)) return [removed];
  const { argument } = expression;
  return [whole('await', `${text.slice(argument.start, argument.end)};`), removed];
}

function turnedRound(test: unknown, text: string): Mutation {
  const { start, end } = test as Node;
  return { operator: 'negate', start, end, replacement: `!(${text.slice(start, end)})` };
}

/** Whether all it does is to leave. */
function isGuard({ consequent, alternate }: Node): boolean {
  if (alternate !== null && alternate !== undefined) return false;
  const body =
    isNode(consequent) && consequent.type === 'BlockStatement' ? consequent.body : [consequent];
  const [only, ...more] = body as readonly unknown[];
  return more.length === 0 && isNode(only) && LEAVES.has(only.type);
}

/** The operator stands between its sides. */
function operatorOf(
  { left, right, operator }: Node,
  text: string,
  kind: Operator,
  table: Readonly<Record<string, string>>,
): Mutation[] {
  const replacement = table[String(operator)];
  if (replacement === undefined || !isNode(left) || !isNode(right)) return [];
  const start = text.indexOf(String(operator), left.end);
  return start < 0 || start >= right.start
    ? []
    : [{ operator: kind, start, end: start + String(operator).length, replacement }];
}

/** 1 for the first line. */
export function lineOf(text: string, at: number): number {
  return text.slice(0, at).split('\n').length;
}

/** The text with that fault in it. */
export function applied(text: string, { start, end, replacement }: Mutation): string {
  return text.slice(0, start) + replacement + text.slice(end);
}

/**
 * The text without those awaits, each under blanks: all others stay on their lines and columns,
 * so that one run of a check judges them all.
 */
export function withoutAwaits(text: string, mutations: readonly Mutation[]): string {
  const word = 'await';
  let bare = text;
  for (const { start } of mutations) {
    const at = text.indexOf(word, start);
    bare = bare.slice(0, at) + ' '.repeat(word.length) + bare.slice(at + word.length);
  }
  return bare;
}
