// Checks the lines of `_redirects` and `_headers` while they are written. The server
// leaves out what it can't use, in silence for visitors; here it is said before.

export type RuleProblem =
  | { readonly line: number; readonly kind: 'no-target' }
  | { readonly line: number; readonly kind: 'path' }
  | { readonly line: number; readonly kind: 'status'; readonly text: string }
  | { readonly line: number; readonly kind: 'condition' }
  | { readonly line: number; readonly kind: 'no-path-above' }
  | { readonly line: number; readonly kind: 'no-colon' };

/** Statuses of a rule. Source: docs/hosting.md, "_redirects". */
const STATUSES = new Set(['200', '301', '302', '303', '307', '308', '404']);
/** Problems that are shown. */
const SHOWN_MAX = 5;
/** Longest text that is checked, characters. Source: docs/hosting.md, limits. */
const CHECKED_MAX = 128 * 1024;

/** Problems of a rule file; null: the name is none. */
export function checkRules(name: string, text: string): readonly RuleProblem[] | null {
  if (name !== '_redirects' && name !== '_headers') return null;
  const check = name === '_redirects' ? redirectProblem : createHeadersCheck();
  const problems: RuleProblem[] = [];
  for (const [at, line] of text.slice(0, CHECKED_MAX).split('\n').entries()) {
    if (line.trim() === '' || line.trimStart().startsWith('#')) continue;
    const problem = check(line, at + 1);
    if (problem !== null) problems.push(problem);
    if (problems.length === SHOWN_MAX) break;
  }
  return problems;
}

const isPath = (text: string): boolean => text.startsWith('/') || /^https?:\/\//.test(text);

function redirectProblem(text: string, line: number): RuleProblem | null {
  const words = text.trim().split(/\s+/);
  const comment = words.findIndex((word) => word.startsWith('#'));
  const [from = '', to, status = '301', ...rest] = comment < 0 ? words : words.slice(0, comment);
  if (to === undefined) return { line, kind: 'no-target' };
  if (!from.startsWith('/') || !isPath(to)) return { line, kind: 'path' };
  if (!STATUSES.has(status.replace(/!$/, ''))) return { line, kind: 'status', text: status };
  return rest.length > 0 ? { line, kind: 'condition' } : null;
}

function createHeadersCheck(): (text: string, line: number) => RuleProblem | null {
  let hasPath = false;
  return (text, line) => {
    if (!/^\s/.test(text)) {
      hasPath = isPath(text);
      return hasPath ? null : { line, kind: 'path' };
    }
    if (!hasPath) return { line, kind: 'no-path-above' };
    const isRemoval = text.trimStart().startsWith('!');
    return isRemoval || text.includes(':') ? null : { line, kind: 'no-colon' };
  };
}
