// The parser of `_redirects`, in the format that Netlify and Cloudflare Pages
// share: one rule a line, `from to [status][!]`. What only one of them has
// (conditions, queries, whole URLs as a source, proxying) is reported as a problem.
// docs/hosting.md says whether rules or files have precedence. Called by delivery
// and check-rule-files.ts.
import {
  type Captures,
  type PathPattern,
  parsePathPattern,
  withoutLastSlash,
} from './path-pattern.ts';
import {
  createProblems,
  type Line,
  linesOf,
  RULE_LINE_MAX_LENGTH,
  type RuleProblem,
} from './rule-lines.ts';

/**
 * Rules of one file that are for one path each. Source: limits of Cloudflare Pages.
 */
const STATIC_RULES_MAX = 2000;
/** Rules of one file with `*` or `:name`. Source: limits of Cloudflare Pages. */
const DYNAMIC_RULES_MAX = 100;
/**
 * The status of rules without one. Source: Cloudflare Pages; on Netlify it is 301,
 * which browsers never forget.
 */
const DEFAULT_STATUS = 302;
const STATUSES: ReadonlySet<number> = new Set([200, 301, 302, 303, 307, 308, 404]);

/**
 * A host with a placeholder, which would be an open redirect: `https://:splat/`
 * leads to any host in the path.
 */
const HOST_WITH_CAPTURE = /^https?:\/\/[^/?#]*:[A-Za-z]/i;

/**
 * One rule. Status 200 and 404 show the file at `to`, the others redirect there.
 */
export type RedirectRule = {
  readonly line: number;
  readonly from: PathPattern;
  /** A path, or for redirects a URL. It may have `:name` behind its host. */
  readonly to: string;
  readonly status: number;
  readonly isForced: boolean;
};

/** A rule that matches a path, with what its placeholders matched. */
export type FoundRule = { readonly rule: RedirectRule; readonly captures: Captures };

/** A parsed file. */
export type RedirectRules = {
  readonly count: number;
  readonly problems: readonly RuleProblem[];
  /**
   * Finds the rule that has precedence over files: for exactly this path, or
   * forced.
   */
  findFirm(path: string): FoundRule | null;
  /** Finds the rule that applies where there is no file. */
  findWeak(path: string): FoundRule | null;
};

export const NO_REDIRECTS: RedirectRules = {
  count: 0,
  problems: [],
  findFirm: () => null,
  findWeak: () => null,
};

/** Parses a file. Never throws: what can't be read is a problem. */
export function parseRedirects(text: string): RedirectRules {
  const problems = createProblems();
  const statics = new Map<string, RedirectRule>();
  const dynamic: RedirectRule[] = [];

  /** Adds a rule; returns why it is ignored, or null. */
  function add(rule: RedirectRule): string | null {
    const { literal } = rule.from;
    if (literal === null) {
      if (dynamic.length === DYNAMIC_RULES_MAX)
        return `there are more than ${DYNAMIC_RULES_MAX} rules with * or placeholders`;
      dynamic.push(rule);
      return null;
    }
    if (statics.has(literal)) return 'a rule above is for the same path';
    if (statics.size === STATIC_RULES_MAX) return `there are more than ${STATIC_RULES_MAX} rules`;
    statics.set(literal, rule);
    return null;
  }

  for (const line of linesOf(text)) {
    const rule = parseRule(line);
    const problem = typeof rule === 'string' ? rule : add(rule);
    if (problem !== null) problems.add(line.number, problem);
  }

  const isFirm = (rule: RedirectRule) => rule.isForced || !rule.from.hasStar;
  const firm = dynamic.filter(isFirm);
  const weak = dynamic.filter((rule) => !isFirm(rule));
  return {
    count: statics.size + dynamic.length,
    problems: problems.list,
    findFirm(path) {
      const exact = statics.get(withoutLastSlash(path));
      return exact === undefined ? findFirst(firm, path) : { rule: exact, captures: {} };
    },
    findWeak: (path) => findFirst(weak, path),
  };
}

function findFirst(rules: readonly RedirectRule[], path: string): FoundRule | null {
  for (const rule of rules) {
    const captures = rule.from.match(path);
    if (captures !== null) return { rule, captures };
  }
  return null;
}

/** Parses the rule of a line; a text says why it is none. */
function parseRule({ number, text }: Line): RedirectRule | string {
  if (text.length > RULE_LINE_MAX_LENGTH)
    return `the line is longer than ${RULE_LINE_MAX_LENGTH} characters`;
  const words = text.trim().split(/\s+/);
  const commentAt = words.findIndex((word) => word.startsWith('#'));
  const [source = '', to, code = `${DEFAULT_STATUS}`, ...rest] =
    commentAt === -1 ? words : words.slice(0, commentAt);
  if (to === undefined) return 'there is no place to go to';
  if (/^[\w.-]+=/.test(to)) return 'query parameters in a source are not supported';
  if (rest.length > 0 || /=/.test(code)) return 'conditions are not supported';
  if (/^https?:/i.test(source)) return 'a source must be a path, not a URL';

  const from = parsePathPattern(source);
  if (typeof from === 'string') return from;
  const isForced = code.endsWith('!');
  const status = /^\d{3}!?$/.test(code) ? Number.parseInt(code, 10) : 0;
  if (!STATUSES.has(status)) return `"${code.slice(0, 20)}" is none of ${[...STATUSES].join(', ')}`;

  const isUrl = /^https?:\/\/[^/?#\s]/i.test(to);
  if (!isUrl && (!to.startsWith('/') || to.startsWith('//')))
    return 'the place to go to must be a path or a URL';
  if (HOST_WITH_CAPTURE.test(to))
    return 'a host must be written out: what a visitor asks for may not choose it';
  if (isUrl && (status === 200 || status === 404)) return `a ${status} can't show another site`;
  return { line: number, from, to, status, isForced };
}
