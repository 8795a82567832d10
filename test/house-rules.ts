// What makes a file readable to a stranger, as rules that a program can check: width, length of
// functions, docstrings that stand alone, and words that the field does not use. Called by
// architecture.test.ts; `node test/house-rules.ts src/core` prints the breaches of a folder.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseAst } from 'vitest/node';

/** Columns of a line of code or comment. */
export const MAX_COLUMNS = 100;
/** Lines of a function, its signature and its end with it. */
export const MAX_FUNCTION_LINES = 100;
/** TypeScript files beside each other in a folder. */
export const MAX_FILES = 25;

/** A docstring that begins so says nothing where it is read alone, as in an editor's hover. */
const DEPENDENT_OPENING = /^(?:The same|Of|What of|As|Those|So|Whence|That|See)\b/;
/** A comment between lines of code that begins so hangs on one that may move. */
const DEPENDENT_COMMENT = /^(?:Of|What of|As|Those|So|Whence|And)\b/;

/**
 * Words that had a meaning of our own, and what to say instead (docs/glossary.md). A word stands
 * here when it has no other meaning that the code needs.
 */
export const RETIRED_WORDS: Readonly<Record<string, string>> = {
  'hot lane': 'fast path',
  'hot door': 'fast path',
  hotLane: 'fastPath',
  hotDoor: 'fastPath',
  gate: 'bucket read policy',
  gates: 'bucket read policies',
  wish: 'requested options',
  wishes: 'requested options',
  arrivals: 'new blob references',
  vouched: 'validated at',
  unbelieved: 'negative cache',
  'load valve': 'hot-key offload',
  packed: 'compressed',
  tidy: 'maintenance',
  breathe: 'yieldToEventLoop',
  lent: 'borrowed',
  sealed: 'encrypted',
  namedKey: 'kmsKey',
  'named key': 'KMS key',
  told: 'reported',
  dressed: 'with representation headers',
  'least time': 'minimum storage duration',
  'both homes': 'both platforms',
  'Node home': 'Node platform',
  homes: 'platforms',
};

/**
 * Literals with a retired word that stay as they are, each with its reason: what is stored or sent
 * under a name can't be renamed.
 */
export const STORED_LITERALS: Readonly<Record<string, string>> = {
  "'quayside sealed text 1'": 'label of a key derivation: every stored text was encrypted with it',
};

/**
 * Columns with a retired word, by file: databases on disk have them, and so do the rows that are
 * read from them (docs/storage-schema.md).
 */
export const STORED_COLUMNS: Readonly<Record<string, string>> = {
  'src/index/billing/billing-progress.ts': 'told',
  'src/index/directory/idempotency-records.ts': 'sealed',
  'src/index/tables/account-tables.ts': 'sealed',
  'src/index/tables/billing-tables.ts': 'told',
};

export type Breach = { readonly path: string; readonly line: number; readonly what: string };

type Node = { readonly type: string; readonly start: number; readonly end: number } & Readonly<
  Record<string, unknown>
>;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as { type?: unknown }).type === 'string';

const lineAt = (text: string, offset: number) => text.slice(0, offset).split('\n').length;

/** An import of one name, or a regular expression alone: nothing breaks these. */
const UNBREAKABLE = /^import .* from '[^']*';$|^\s*\/.*\/[dgimsuvy]*[,;]?$/;

/** Lines beyond the width, but for what no formatter can break. */
export function wideLines(path: string, text: string): readonly Breach[] {
  return text.split('\n').flatMap((content, i) => {
    const isTooWide = content.length > MAX_COLUMNS && !UNBREAKABLE.test(content);
    return isTooWide ? [{ path, line: i + 1, what: `${content.length} columns` }] : [];
  });
}

/** Functions beyond the limit, those inside of others too. */
export function longFunctions(path: string, text: string): readonly Breach[] {
  const found: Breach[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      value.forEach(visit);
      return;
    }
    if (!isNode(value)) return;
    if (/Function/.test(value.type) && isNode(value.body)) {
      const line = lineAt(text, value.start);
      const lines = lineAt(text, value.end) - line + 1;
      if (lines > MAX_FUNCTION_LINES) found.push({ path, line, what: `${lines} lines` });
    }
    for (const [name, child] of Object.entries(value)) if (name !== 'parent') visit(child);
  };
  visit(parseAst(text, { lang: path.endsWith('x') ? 'tsx' : 'ts' }));
  return found;
}

/** Docstrings, file headers and comments whose first words need a sentence before them. */
export function dependentDocstrings(path: string, text: string): readonly Breach[] {
  const found: Breach[] = [];
  const note = (line: number, opening: string, pattern: RegExp) => {
    if (pattern.test(opening))
      found.push({ path, line, what: `docstring "${opening.slice(0, 40)}"` });
  };
  for (const { index, 1: opening = '' } of text.matchAll(/\/\*\*[\s*]*([^\n]*)/g))
    note(lineAt(text, index), opening, DEPENDENT_OPENING);
  const lines = text.split('\n').map((line) => /^\s*\/\/ (.*)/.exec(line)?.[1] ?? null);
  for (const [at, comment] of lines.entries()) {
    if (comment === null || (lines[at - 1] ?? null) !== null) continue;
    note(at + 1, comment, at === 0 ? DEPENDENT_OPENING : DEPENDENT_COMMENT);
  }
  return found;
}

/** Uses of retired words, in code, comments and strings, but for names that are stored. */
export function retiredWords(path: string, text: string): readonly Breach[] {
  const words = Object.keys(RETIRED_WORDS).join('|');
  const pattern = new RegExp(`(?<![\\w-])(?:${words})(?![\\w-])`, 'g');
  const judged = Object.keys(STORED_LITERALS).reduce(
    (rest, literal) => rest.replaceAll(literal, "'".padEnd(literal.length, ' ')),
    text,
  );
  return [...judged.matchAll(pattern)]
    .filter(({ 0: word }) => STORED_COLUMNS[path] !== word)
    .map(({ index, 0: word }) => ({
      path,
      line: lineAt(text, index),
      what: `"${word}": say ${RETIRED_WORDS[word]}`,
    }));
}

/** Source files that begin without a comment that says what they own. */
export function withoutHeader(path: string, text: string): readonly Breach[] {
  // A translation has the header of its original.
  if (/\/i18n\/(?!en\/)\w+\//.test(path)) return [];
  return /^\/[/*]/.test(text) ? [] : [{ path, line: 1, what: 'no header' }];
}

export const RULES = {
  wideLines,
  longFunctions,
  dependentDocstrings,
  retiredWords,
  withoutHeader,
} as const;

/** Every TypeScript file below a folder, or the file itself. */
export function typescriptFiles(path: string): readonly string[] {
  if (!existsSync(path)) return [];
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory()
      ? typescriptFiles(join(path, entry.name))
      : /\.tsx?$/.test(entry.name)
        ? [join(path, entry.name)]
        : [],
  );
}

if (import.meta.main) {
  for (const path of process.argv.slice(2).flatMap(typescriptFiles)) {
    const text = readFileSync(path, 'utf8');
    for (const [rule, check] of Object.entries(RULES))
      for (const { line, what } of check(path, text))
        process.stdout.write(`${path}:${line} ${rule}: ${what}\n`);
  }
}
