// Which tests can notice a fault in a file: those that import it, by whatever way, the nearest
// first. Read from the texts, with what is started as a process (`new URL('…/src/node.ts',
// import.meta.url)`) as if it were imported.
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Specifiers of modules beside or above; of `import type` none, for nothing runs by it. */
const IMPORTS = /(?:^|\n)\s*(?:import|export)\s+(?!type\b)[^'"`;]*?from\s*'(\.[^']+\.ts)'/g;
const OTHERS = /(?:import\(\s*|new URL\(\s*|(?:^|\n)import\s+)'(\.[^']+\.ts)'/g;

/** Files by whom they import, all named from the root of the repository. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>;

/** `files`: all sources and tests, from the root. */
export function readImports(root: string, files: readonly string[]): ImportGraph {
  return new Map(
    files.map((file) => [file, importsOf(file, readFileSync(join(root, file), 'utf8'))]),
  );
}

/** What a file of that text imports. */
export function importsOf(file: string, text: string): readonly string[] {
  const specifiers = [IMPORTS, OTHERS].flatMap((form) =>
    [...text.matchAll(form)].map(([, specifier]) => specifier ?? ''),
  );
  return [...new Set(specifiers.map((specifier) => posix.join(posix.dirname(file), specifier)))];
}

/** A project of vitest.config.ts that runs tests; `elsewhere`: a browser does. */
export type Project = 'node' | 'workerd' | 'wire-node' | 'elsewhere';

/** The project that runs the test. */
export function projectOf(test: string): Project {
  if (test.startsWith('test/workerd/')) return 'workerd';
  if (test.startsWith('test/wire/')) return 'wire-node';
  return test.startsWith('test/console/') && !test.endsWith('-unit.test.ts') ? 'elsewhere' : 'node';
}

/**
 * Test files that come to the file: those with its name first, then those in the folder that
 * mirrors its own, and of these those with the fewest steps.
 */
export function testsOf(graph: ImportGraph, file: string): readonly string[] {
  const importers = new Map<string, string[]>();
  for (const [from, imports] of graph)
    for (const to of imports) importers.set(to, [...(importers.get(to) ?? []), from]);
  const reached = new Set([file]);
  // A set goes through what is added to it on the way: nearest first.
  for (const each of reached)
    for (const importer of importers.get(each) ?? []) reached.add(importer);
  const folders = mirroredFolders(file);
  const name = posix.basename(file, '.ts');
  const nearness = (test: string) => {
    const isNamesake = posix.basename(test, '.test.ts') === name;
    return sharedSteps(folders, mirroredFolders(test)) + (isNamesake ? folders.length : 0);
  };
  return [...reached]
    .filter((each) => each.endsWith('.test.ts'))
    .toSorted((left, right) => nearness(right) - nearness(left));
}

/** Folders below src or test, which mirror each other but for the one of all adapters. */
function mirroredFolders(file: string): readonly string[] {
  return file
    .split('/')
    .slice(1, -1)
    .filter((folder) => folder !== 'adapters');
}

function sharedSteps(left: readonly string[], right: readonly string[]): number {
  const end = left.findIndex((folder, at) => folder !== right[at]);
  return end === -1 ? left.length : end;
}
