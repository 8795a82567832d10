// Reads `_headers` in the format that Netlify and Cloudflare Pages share: a path, and below it,
// indented, the headers of answers for it: `Name: value` adds, `! Name` takes away. All rules that
// match count; values of one name are joined.
import { fillTemplate, type PathPattern, parsePathPattern } from './path-pattern.ts';
import {
  createProblems,
  type Line,
  linesOf,
  RULE_LINE_MAX_LENGTH,
  type RuleProblem,
} from './rule-lines.ts';

/** Rules of one file, and headers of one rule. Source of the first: limits of Cloudflare Pages. */
const RULES_MAX = 100;
const HEADERS_MAX = 30;
/**
 * Everything that rules add to one answer, characters. Servers and proxies in front take 8 KiB at
 * least.
 */
const ADDED_MAX_LENGTH = 4096;

/**
 * Headers that say how a message is sent or which bytes it has, or that are ours to say. In lower
 * case.
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
/** Ours too: what they say of an answer must be true. */
const OWN_NAMES = /^x-(?:amz|quayside)-/;
const NAME = /^[A-Za-z0-9!#$%&'*+\-.^_`|~]+$/;
const VALUE = /^[\t\x20-\x7e]*$/;

type HeaderRule = {
  readonly path: PathPattern;
  readonly added: (readonly [name: string, value: string])[];
  readonly removed: string[];
};

/** What rules do to an answer: first they take away, then they set. Names in lower case. */
export type HeaderChanges = {
  readonly added: readonly (readonly [name: string, value: string])[];
  readonly removed: readonly string[];
};

export type HeaderRules = {
  readonly count: number;
  readonly problems: readonly RuleProblem[];
  /**
   * For a path, decoded and with its first slash. The same object for the same changes, as long as
   * memory has it.
   */
  changesFor(path: string): HeaderChanges;
};

export const NO_CHANGES: HeaderChanges = { added: [], removed: [] };
export const NO_HEADER_RULES: HeaderRules = {
  count: 0,
  problems: [],
  changesFor: () => NO_CHANGES,
};

/** Changes remembered: one for each set of rules that meet. */
const CHANGES_KEPT = 256;

/** Never throws: what can't be read is a problem. */
export function parseHeaders(text: string): HeaderRules {
  const problems = createProblems();
  const rules: HeaderRule[] = [];
  /** Null behind a path that is none: its headers belong to nothing. */
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
      const isFull = rules.length === RULES_MAX;
      rule = typeof path === 'string' || isFull ? null : { path, added: [], removed: [] };
      if (rule !== null) rules.push(rule);
      else
        problems.add(
          line.number,
          typeof path === 'string' ? path : `there are more than ${RULES_MAX} paths`,
        );
    }
  }
  return { count: rules.length, problems: problems.list, changesFor: createChanges(rules) };
}

/** Adds what a line says; gives why it says nothing. */
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

function createChanges(rules: readonly HeaderRule[]): (path: string) => HeaderChanges {
  const known = new Map<string, HeaderChanges>();
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
        // Full: nothing more is even filled in, or a file of `:splat` would take a tenth of a
        // second.
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
    const same = known.get(identity);
    if (same !== undefined) return same;
    if (known.size === CHANGES_KEPT) known.clear();
    known.set(identity, changes);
    return changes;
  };
}
