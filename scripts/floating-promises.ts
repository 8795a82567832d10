// Promises that nobody waits for, by the types of the compiler: the linter's rule sees those of our
// own functions alone, not what node:fs, R2 or a parameter gives, nor what is returned past a
// `catch`. Measured 2026-11: of the 618 awaits whose fault shows when they are dropped this sees
// all; of 310 statements of one line the rule sees 263. Part of `npm test`; a promise that is meant
// to go on alone says `void`, in an async function even where its failure is handled.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type Expression,
  type FunctionLikeDeclaration,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast';
import {
  isAssignmentOperator,
  isBinaryExpression,
  isCallExpression,
  isExpressionStatement,
  isFunctionLikeDeclaration,
  isPropertyAccessExpression,
  isReturnStatement,
  isTryStatement,
} from 'typescript/unstable/ast/is';
import { API, type Project, type Type, TypeFlags } from 'typescript/unstable/sync';

/** All projects, which between them have all sources; a test compares them with the folder. */
export const CONFIGS = [
  'tsconfig.neutral.json',
  'tsconfig.client.json',
  'tsconfig.json',
  'tsconfig.workers.json',
  'tsconfig.console.json',
];
/** Types of any other kind can't be waited for. */
const MAY_BE_PROMISE = TypeFlags.Object | TypeFlags.Union | TypeFlags.Intersection;

/**
 * `file:line` of each under `folder`, named from the root, in order. `configs`: the projects that
 * are looked through.
 */
export function findFloatingPromises(
  root: string,
  folder = 'src',
  configs: readonly string[] = CONFIGS,
): readonly string[] {
  const api = new API({ cwd: root });
  try {
    const positions: string[] = [];
    const seen = new Set<string>();
    const start = `${join(root, folder)}/`;
    for (const config of configs.map((name) => join(root, name))) {
      const project = api.updateSnapshot({ openProjects: [config] }).getProject(config);
      if (project === undefined) throw new Error(`${config} is no project.`);
      const files = project.program
        .getSourceFileNames()
        .filter((name) => name.startsWith(start) && !seen.has(name));
      for (const file of files) {
        seen.add(file);
        for (const line of linesOf(project, file))
          positions.push(`${file.slice(root.length + 1)}:${line}`);
      }
    }
    return positions.sort();
  } finally {
    api.close();
  }
}

function linesOf(project: Project, file: string): readonly number[] {
  const source = project.program.getSourceFile(file);
  if (source === undefined) return [];
  const expressions: Expression[] = [];
  /**
   * `isTried`: within the `try` of an async function, whose `catch` hears only of what was awaited,
   * or before its `finally`, which runs early otherwise.
   */
  const visit = (node: Node, isAsync: boolean, isTried: boolean): void => {
    if (isExpressionStatement(node) && !isKept(node.expression)) {
      // An async function can wait: what goes on alone there looks like a forgotten `await`.
      if (isAsync || !isHandled(node.expression)) expressions.push(node.expression);
    }
    if (isTried && isReturnStatement(node) && node.expression !== undefined)
      expressions.push(node.expression);
    const isFunction = isFunctionLikeDeclaration(node);
    const inAsync = isFunction ? isAsyncFunction(node) : isAsync;
    node.forEachChild((child) => {
      visit(child, inAsync, !isFunction && (isTried || (inAsync && isWatched(node, child))));
    });
  };
  visit(source, false, false);
  const types = project.checker.getTypeAtLocation(expressions);
  return expressions
    .filter((_, at) => isPromise(project, types[at]))
    .map((expression) => source.text.slice(0, expression.getStart(source)).split('\n').length);
}

function isAsyncFunction(node: FunctionLikeDeclaration): boolean {
  return node.modifiers?.some(({ kind }) => kind === SyntaxKind.AsyncKeyword) === true;
}

/** Whether what follows within the statement depends on how that part of it ends. */
function isWatched(node: Node, part: Node): boolean {
  if (!isTryStatement(node)) return false;
  return part === node.tryBlock || (part === node.catchClause && node.finallyBlock !== undefined);
}

/** Whether an assignment keeps it. */
function isKept(expression: Expression): boolean {
  return isBinaryExpression(expression) && isAssignmentOperator(expression.operatorToken.kind);
}

/**
 * Whether its failure goes somewhere: `.catch(f)`, `.then(f, g)`, and what is chained to one of
 * them by `.finally`.
 */
function isHandled(expression: Expression): boolean {
  if (!isCallExpression(expression) || !isPropertyAccessExpression(expression.expression))
    return false;
  const { name, expression: before } = expression.expression;
  if (name.text === 'finally') return isHandled(before);
  return (
    (name.text === 'catch' && expression.arguments.length === 1) ||
    (name.text === 'then' && expression.arguments.length === 2)
  );
}

function isPromise(project: Project, type: Type | undefined): boolean {
  if (type === undefined || (type.flags & MAY_BE_PROMISE) === 0) return false;
  if (type.isUnionType()) return type.getTypes().some((each) => isPromise(project, each));
  return project.checker.getPropertyOfType(type, 'then') !== undefined;
}

if (import.meta.main) {
  const positions = findFloatingPromises(
    fileURLToPath(new URL('..', import.meta.url)).replace(/[/\\]$/, ''),
  );
  for (const position of positions)
    process.stdout.write(`${position} makes a promise that nobody waits for.\n`);
  process.exitCode = positions.length > 0 ? 1 : 0;
}
