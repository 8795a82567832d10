// Reads `_redirects` in the format that Netlify and Cloudflare Pages share: one rule a line, `from
// to [status][!]`. What only one of them knows (conditions, queries, whole URLs as a source,
// proxying) is left out and told. docs/hosting.md says how rules and files give way to each other.
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
 * Rules of one file: those for one path each, and those with `*` or `:name`. Source: limits of
 * Cloudflare Pages.
 */
const STATIC_RULES_MAX = 2000;
const DYNAMIC_RULES_MAX = 100;
/** As on Cloudflare Pages; on Netlify 301. A wrong 302 is forgotten tomorrow. */
const DEFAULT_STATUS = 302;
const STATUSES: ReadonlySet<number> = new Set([200, 301, 302, 303, 307, 308, 404]);

/**
 * `https://:splat/` and `https://example.com:splat` would lead to whatever host stands in the path.
 */
const HOST_WITH_CAPTURE = /^https?:\/\/[^/?#]*:[A-Za-z]/i;

/** 200 and 404 show what is at `to`, the others send the visitor there. */
export type RedirectRule = {
  readonly line: number;
  readonly from: PathPattern;
  /** A path, or a URL with a scheme for those that send. It may hold `:name` behind its host. */
  readonly to: string;
  readonly status: number;
  readonly isForced: boolean;
};

export type FoundRule = { readonly rule: RedirectRule; readonly captures: Captures };

export type RedirectRules = {
  readonly count: number;
  readonly problems: readonly RuleProblem[];
  /** The rule that counts whatever files there are: for this very path, or forced. */
  findFirm(path: string): FoundRule | null;
  /** The rule that counts where there is no file. */
  findWeak(path: string): FoundRule | null;
};

export const NO_REDIRECTS: RedirectRules = {
  count: 0,
  problems: [],
  findFirm: () => null,
  findWeak: () => null,
};

/** Never throws: what can't be read is a problem. */
export function parseRedirects(text: string): RedirectRules {
  const problems = createProblems();
  const statics = new Map<string, RedirectRule>();
  const dynamic: RedirectRule[] = [];
  for (const line of linesOf(text)) {
    const rule = parseRule(line);
    if (typeof rule === 'string') problems.add(line.number, rule);
    else if (rule.from.literal === null) {
      if (dynamic.length < DYNAMIC_RULES_MAX) dynamic.push(rule);
      else
        problems.add(
          line.number,
          `there are more than ${DYNAMIC_RULES_MAX} rules with * or placeholders`,
        );
    } else if (statics.has(rule.from.literal))
      problems.add(line.number, 'a rule above is for the same path');
    else if (statics.size < STATIC_RULES_MAX) statics.set(rule.from.literal, rule);
    else problems.add(line.number, `there are more than ${STATIC_RULES_MAX} rules`);
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

/** The rule of a line, or why it is none. */
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
