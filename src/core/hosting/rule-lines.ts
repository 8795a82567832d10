// What the rule files `_redirects` and `_headers` have in common: their keys, their
// limits, their lines, and the report of problems in them.
import type { SiteFileName } from '../../domain/hosting.ts';

/** Largest rule file that is read, bytes. Cloudflare Pages has smaller limits. */
export const RULE_FILE_MAX_BYTES = 128 * 1024;
/** Longest line, characters. */
export const RULE_LINE_MAX_LENGTH = 2000;
/** Problems that are reported of one file. */
const PROBLEMS_MAX = 50;

/**
 * A line that is ignored, and why. `line` counts from 1; 0 is the file as a whole.
 */
export type RuleProblem = { readonly line: number; readonly reason: string };

/** Creates a list of problems, up to a bound. */
export function createProblems(): {
  readonly list: readonly RuleProblem[];
  add(line: number, reason: string): void;
} {
  const list: RuleProblem[] = [];
  return {
    list,
    add(line, reason) {
      if (list.length < PROBLEMS_MAX) list.push({ line, reason });
      else if (list.length === PROBLEMS_MAX)
        list.push({ line: 0, reason: 'and more problems like these' });
    },
  };
}

/** A line with its number, from 1. */
export type Line = { readonly number: number; readonly text: string };

/** Lists the lines that are neither blank nor comments, with their indentation. */
export function linesOf(text: string): Line[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  return lines
    .map((line, i) => ({ number: i + 1, text: line.trimEnd() }))
    .filter((line) => line.text !== '' && !line.text.trimStart().startsWith('#'));
}

/** Makes the key of a rule file below the root of a site. */
export function ruleFileKey(prefix: string, name: SiteFileName): string {
  return prefix + name;
}
