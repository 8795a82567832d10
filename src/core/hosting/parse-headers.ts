// The parser of `_headers`, in the format that Netlify and Cloudflare Pages share:
// a path, and below it, indented, headers of responses for it. `Name: value` adds
// one, `! Name` removes one. All rules that match apply; values of one name are
// joined. Called by delivery and check-rule-files.ts.
import { fillTemplate, type PathPattern, parsePathPattern } from './path-pattern.ts';
import {
  createProblems,
  type Line,
  linesOf,
  RULE_LINE_MAX_LENGTH,
  type RuleProblem,
} from './rule-lines.ts';

/** Rules of one file. Source: limits of Cloudflare Pages. */
const RULES_MAX = 100;
/** Headers of one rule. Our own limit. */
const HEADERS_MAX = 30;
/**
 * All headers that rules add to one response, characters. Servers and proxies in
 * front accept at least 8 KiB.
 */
const ADDED_MAX_LENGTH = 4096;

/**
 * Headers of framing, content or the service, which rules can't set. In lower case.
 */
const RESERVED: ReadonlySet<string> = new Set([
  'accept-ranges',
  'age',
  'allow',
  'alt-svc',
  'cache-status',
  'connection',
  'content-encoding',
  'content-length',
  'content-range',
  'date',
  'etag',
  'keep-alive',
  'last-modified',
  'location',
  'proxy-authenticate',
  'server',
  'server-timing',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'vary',
  'via',
]);
/**
 * Header names of the service, which rules can't set either: their values must be
 * true.
 */
const OWN_NAMES = /^x-(?:amz|quayside)-/;
const NAME = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;
const VALUE = /^[\t\x20-\x7e]*$/;

type HeaderRule = {
  readonly path: PathPattern;
  readonly added: (readonly [name: string, value: string])[];
  readonly removed: string[];
};

/**
 * The changes to a response: first removals, then additions. Names in lower case.
 */
export type HeaderChanges = {
  readonly added: readonly (readonly [name: string, value: string])[];
  readonly removed: readonly string[];
};

/** A parsed file. */
export type HeaderRules = {
  readonly count: number;
  readonly problems: readonly RuleProblem[];
  /**
   * Finds the changes for a path, decoded and with its first slash. Equal changes
   * are mostly one object, from a cache.
   */
  changesFor(path: string): HeaderChanges;
};

export const NO_CHANGES: HeaderChanges = { added: [], removed: [] };
export const NO_HEADER_RULES: HeaderRules = {
  count: 0,
  problems: [],
  changesFor: () => NO_CHANGES,
};

/**
 * Entries of the cache of changes, one for each set of rules that match a path. Our
 * own limit.
 */
const CACHED_CHANGES_MAX = 256;

/** Parses a file. Never throws: what can't be read is a problem. */
export function parseHeaders(text: string): HeaderRules {
  const problems = createProblems();
  const rules: HeaderRule[] = [];
  /** The rule that headers are added to; null behind an invalid path. */
  let rule: HeaderRule | null = null;
  for (const line of linesOf(text)) {
    if (line.text.length > RULE_LINE_MAX_LENGTH) {
      problems.add(line.number, `the line is longer than ${RULE_LINE_MAX_LENGTH} characters`);
    } else if (/^\s/.test(line.text)) {
      const problem = rule === null ? 'there is no path above it' : addHeader(rule, line);
      if (problem !== null) problems.add(line.number, problem);
    } else {
      const path = /^https?:/i.test(line.text)
        ? 'a path is wanted here, not a URL'
        : parsePathPattern(line.text);
      rule = null;
      if (typeof path === 'string') {
        problems.add(line.number, path);
      } else if (rules.length === RULES_MAX) {
        problems.add(line.number, `there are more than ${RULES_MAX} paths`);
      } else {
        rule = { path, added: [], removed: [] };
        rules.push(rule);
      }
    }
  }
  return { count: rules.length, problems: problems.list, changesFor: createChanges(rules) };
}

/** Adds the header of a line to a rule; returns why it is none, or null. */
function addHeader(rule: HeaderRule, { text }: Line): string | null {
  if (rule.added.length + rule.removed.length === HEADERS_MAX)
    return `a path can have ${HEADERS_MAX} headers only`;
  const removal = /^!\s*(\S+)$/.exec(text.trim())?.[1];
  const colonAt = text.indexOf(':');
  if (removal === undefined && colonAt === -1) return 'it is no "Name: value"';
  const name = (removal ?? text.slice(0, colonAt).trim()).toLowerCase();
  if (!NAME.test(name)) return `"${name.slice(0, 40)}" is no name of a header`;
  if (RESERVED.has(name) || OWN_NAMES.test(name)) return `${name} can't be set here`;
  if (removal !== undefined) {
    rule.removed.push(name);
    return null;
  }
  const value = text.slice(colonAt + 1).trim();
  if (value === '' || !VALUE.test(value)) return 'a value must be ASCII, and not empty';
  rule.added.push([name, value]);
  return null;
}

/** Creates the look-up of changes, with its cache. */
function createChanges(rules: readonly HeaderRule[]): (path: string) => HeaderChanges {
  const cache = new Map<string, HeaderChanges>();
  return (path) => {
    const added = new Map<string, string>();
    const removed: string[] = [];
    let length = 0;
    for (const rule of rules) {
      const captures = rule.path.match(path);
      if (captures === null) continue;
      for (const name of rule.removed) {
        added.delete(name);
        removed.push(name);
      }
      for (const [name, template] of rule.added) {
        // Once it is full no more templates are filled, or a file of `:splat` would
        // take 0.1 s.
        if (length > ADDED_MAX_LENGTH) break;
        const value = fillTemplate(template, captures, encodeURIComponent);
        const before = added.get(name);
        const whole = before === undefined ? value : `${before}, ${value}`;
        length += name.length + value.length;
        if (length <= ADDED_MAX_LENGTH) added.set(name, whole);
      }
    }
    if (added.size === 0 && removed.length === 0) return NO_CHANGES;

    const changes: HeaderChanges = { added: [...added], removed };
    const identity = JSON.stringify(changes);
    const cached = cache.get(identity);
    if (cached !== undefined) return cached;
    if (cache.size === CACHED_CHANGES_MAX) cache.clear();
    cache.set(identity, changes);
    return changes;
  };
}
