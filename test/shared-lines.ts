// Places in the sources that share six lines or more: what one rule would look like that was
// written twice. Called by test/readability.test.ts; `node test/shared-lines.ts` prints them.
// Blank lines, comments, imports and lone punctuation do not count, nor how far a line is indented.
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Lines that a run has in common at least. */
export const SHARED_LINES_MIN = 6;

export type SourceText = { readonly path: string; readonly text: string };

/** The longest run that two places share; the lines say where it begins and ends in each. */
export type SharedRun = {
  readonly first: string;
  readonly second: string;
  readonly at: string;
};

type Line = { readonly number: number; readonly text: string };

/** The lines that count, with their numbers. */
function linesThatCount(text: string): readonly Line[] {
  const blank = (match: string) => match.replace(/[^\n]/g, '');
  const code = text
    .replace(/^import\b[^;]*?(?:from\s+)?'[^']*';$/gms, blank)
    .replace(/\/\*[\s\S]*?\*\//g, blank)
    .replace(/^[^\S\n]*\/\/.*$/gm, '');
  return code
    .split('\n')
    .map((line, i) => ({ number: i + 1, text: line.trim() }))
    .filter((line) => /\w/.test(line.text));
}

/** Every pair of files, or of places in a file, that share a run, with the longest of them. */
export function sharedRuns(sources: readonly SourceText[]): readonly SharedRun[] {
  const files = sources.map(({ path, text }) => ({ path, lines: linesThatCount(text) }));
  const places = new Map<string, (readonly [file: number, at: number])[]>();
  for (const [file, { lines }] of files.entries())
    for (let at = 0; at + SHARED_LINES_MIN <= lines.length; at++) {
      const run = lines.slice(at, at + SHARED_LINES_MIN).map((line) => line.text);
      const known = places.get(run.join('\n')) ?? [];
      known.push([file, at]);
      places.set(run.join('\n'), known);
    }

  const longest = new Map<string, { length: number; a: number; b: number; i: number; j: number }>();
  const shared = [...places.values()].filter((known) => known.length > 1);
  for (const known of shared)
    for (const [a, i] of known)
      for (const [b, j] of known) {
        if (a > b || (a === b && i >= j)) continue;
        const length = lengthOfRun(files[a]?.lines ?? [], i, files[b]?.lines ?? [], j, a === b);
        if (length < SHARED_LINES_MIN) continue;
        const pair = `${a} ${b}`;
        if (length > (longest.get(pair)?.length ?? 0)) longest.set(pair, { length, a, b, i, j });
      }

  return [...longest.values()].map(({ length, a, b, i, j }) => {
    const span = (file: number, from: number) => {
      const lines = files[file]?.lines ?? [];
      return `${lines[from]?.number}-${lines[from + length - 1]?.number}`;
    };
    return {
      first: files[a]?.path ?? '',
      second: files[b]?.path ?? '',
      at: `${span(a, i)} and ${span(b, j)}`,
    };
  });
}

/** How many lines from there on are the same; a run does not reach into its own copy. */
function lengthOfRun(
  a: readonly Line[],
  i: number,
  b: readonly Line[],
  j: number,
  isOneFile: boolean,
): number {
  let length = 0;
  while (a[i + length] !== undefined && a[i + length]?.text === b[j + length]?.text) length++;
  return isOneFile ? Math.min(length, j - i) : length;
}

/** Made by programs, of texts that stand elsewhere. */
const GENERATED: ReadonlySet<string> = new Set([
  'src/client/api-types.ts',
  'src/index/tables/fresh-schema.ts',
]);

/** The sources of the repository, but for generated ones. */
export function readSources(): readonly SourceText[] {
  const root = fileURLToPath(new URL('..', import.meta.url));
  return readdirSync(`${root}src`, { recursive: true, encoding: 'utf8' })
    .map((path) => `src/${path.replaceAll('\\', '/')}`)
    .filter((path) => /\.tsx?$/.test(path) && !GENERATED.has(path))
    .sort()
    .map((path) => ({ path, text: readFileSync(root + path, 'utf8') }));
}

if (import.meta.main) {
  for (const { first, second, at } of sharedRuns(readSources()))
    process.stdout.write(`${first} ~ ${second}: ${at}\n`);
}
