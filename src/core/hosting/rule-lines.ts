// What the files `_redirects` and `_headers` have in common: their names, their limits, and how
// problems in them are told.
import type { SiteFileName } from '../../domain/hosting.ts';

/**
 * Larger files are not read at all, bytes. Source of the limits: those of Cloudflare Pages, where
 * they are smaller.
 */
export const RULE_FILE_MAX_BYTES = 128 * 1024;
/** Longest line, characters. */
export const RULE_LINE_MAX_LENGTH = 2000;
/** Problems told of one file; the rest is counted only. */
const PROBLEMS_MAX = 50;

/** A line that is left out, and why. `line` counts from 1; 0 is the file as a whole. */
export type RuleProblem = { readonly line: number; readonly reason: string };

/** Collects problems, up to a bound. */
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

export type Line = { readonly number: number; readonly text: string };

/** Lines with something on them that is no comment, with their indentation. */
export function linesOf(text: string): Line[] {
  const lines = text.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  return lines
    .map((line, i) => ({ number: i + 1, text: line.trimEnd() }))
    .filter((line) => line.text !== '' && !line.text.trimStart().startsWith('#'));
}

/** The key of a rule file below the root of a site. */
export function ruleFileKey(prefix: string, name: SiteFileName): string {
  return prefix + name;
}
