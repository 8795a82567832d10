// Whether a regular expression can take more than linear time over some text. The kept linter
// (scslre) knows repetitions of one character (`\s*\s*$`); this knows those of several too
// (`\$\{[^}]*\}` over `${${${`), as ADR 32 tells.
//
// An expression becomes an automaton of positions (Glushkov): one for each character that it names.
// Its backtracking is more than linear when some word leads from a loop into itself, from there to
// a second loop, and around that too (Weber and Seidl, "On the degree of ambiguity of finite
// automata", 1991), and the expression may still fail behind it. A search that is not anchored
// begins anew at each character: that is a loop in front.
import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { toUnicodeSet } from 'regexp-ast-analysis';
import { analyse } from 'scslre';

/** Repetitions up to this are no loop: written out, they bound the time by a constant. */
const COUNTED_MAX = 64;

/**
 * Where an expression begins and ends. `last` says of a position whether the match is sure behind
 * it.
 */
type Part = {
  readonly first: ReadonlySet<number>;
  readonly last: ReadonlyMap<number, boolean>;
  readonly isNullable: boolean;
  /** Where it takes nothing: whether it always may. Assertions may fail. */
  readonly isSure: boolean;
};

type Range = { readonly min: number; readonly max: number };

const NOTHING: Part = { first: new Set(), last: new Map(), isNullable: true, isSure: true };
const ASSERTION: Part = { ...NOTHING, isSure: false };
const ANYTHING: readonly Range[] = [{ min: 0, max: 0x10ffff }];

/** Why an expression may be slow; empty for one that never is. */
export function slownessOf(pattern: string, flags: string): readonly string[] {
  const known = analyse({ source: pattern, flags }).reports.map(
    ({ type, character }) => `${type} on ${character.pick}`,
  );
  return [...known, ...loopsOf(pattern, flags)];
}

function loopsOf(pattern: string, flags: string): string[] {
  const isUnicode = flags.includes('u');
  const isSets = flags.includes('v');
  const parser = new RegExpParser();
  const parsed = parser.parsePattern(pattern, undefined, undefined, {
    unicode: isUnicode,
    unicodeSets: isSets,
  });
  const automaton = createAutomaton(parser.parseFlags(flags));
  automaton.finish(parsed, !flags.includes('y'));
  return automaton.findLoops();
}

function createAutomaton(flags: AST.Flags) {
  const ranges: (readonly Range[])[] = [];
  const follow: Set<number>[] = [];
  let last: ReadonlyMap<number, boolean> = new Map();

  const position = (of: readonly Range[]): number => {
    follow.push(new Set());
    return ranges.push(of) - 1;
  };
  const single = (of: readonly Range[]): Part => {
    const at = position(of);
    return { first: new Set([at]), last: new Map([[at, true]]), isNullable: false, isSure: false };
  };
  const connect = (from: Part, to: Part): void => {
    for (const at of from.last.keys()) for (const next of to.first) follow[at]?.add(next);
  };

  function sequence(a: Part, b: Part): Part {
    connect(a, b);
    const behind = new Map(b.last);
    if (b.isNullable) for (const [at, isSure] of a.last) behind.set(at, isSure && b.isSure);
    return {
      first: a.isNullable ? new Set([...a.first, ...b.first]) : a.first,
      last: behind,
      isNullable: a.isNullable && b.isNullable,
      isSure: a.isSure && b.isSure,
    };
  }

  function choice(parts: readonly Part[]): Part {
    return {
      first: new Set(parts.flatMap(({ first }) => [...first])),
      last: new Map(parts.flatMap((part) => [...part.last])),
      isNullable: parts.some(({ isNullable }) => isNullable),
      isSure: parts.some(({ isNullable, isSure }) => isNullable && isSure),
    };
  }

  function repeated({ element, min, max }: AST.Quantifier): Part {
    const optional = (part: Part): Part => ({ ...part, isNullable: true, isSure: true });
    if (max > COUNTED_MAX) {
      const part = partOf(element);
      connect(part, part);
      return min === 0 ? optional(part) : part;
    }
    let whole = NOTHING;
    for (let i = 0; i < max; i++)
      whole = sequence(whole, i < min ? partOf(element) : optional(partOf(element)));
    return whole;
  }

  function partOf(element: AST.Element): Part {
    switch (element.type) {
      case 'Character':
      case 'CharacterSet':
      case 'CharacterClass':
      case 'ExpressionCharacterClass':
        return single(toUnicodeSet(element, flags).chars.ranges);
      case 'Group':
      case 'CapturingGroup':
        return choice(element.alternatives.map(alternativeOf));
      case 'Quantifier':
        return repeated(element);
      case 'Assertion':
        // The end of the text: nothing is behind it, and a match that is not there yet may fail.
        if (element.kind === 'end' && !flags.multiline) return single([]);
        // What is looked at ahead is gone through like anything else, but leads nowhere.
        if (element.kind === 'lookahead') {
          return { ...ASSERTION, first: choice(element.alternatives.map(alternativeOf)).first };
        }
        return ASSERTION;
      default:
        throw new Error(`no analysis of ${element.type}: ${element.raw}`);
    }
  }

  const alternativeOf = ({ elements }: AST.Alternative): Part =>
    elements.map(partOf).reduce(sequence, NOTHING);
  const isAnchored = ({ elements: [start] }: AST.Alternative) =>
    start?.type === 'Assertion' && start.kind === 'start' && !flags.multiline;

  /** Bits for the pieces into which all ranges together cut the characters, for each position. */
  function masks(): readonly bigint[] {
    const cuts = [...new Set(ranges.flat().flatMap(({ min, max }) => [min, max + 1]))].toSorted(
      (a, b) => a - b,
    );
    const indexOf = new Map(cuts.map((cut, i) => [cut, i]));
    return ranges.map((of) =>
      of.reduce((mask, { min, max }) => {
        const [from, to] = [indexOf.get(min) ?? 0, indexOf.get(max + 1) ?? 0];
        return mask | ((1n << BigInt(to)) - (1n << BigInt(from)));
      }, 0n),
    );
  }

  function reachableFrom(start: number): ReadonlySet<number> {
    const seen = new Set<number>();
    const open = [start];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      for (const next of follow[at] ?? []) {
        if (seen.has(next)) continue;
        seen.add(next);
        open.push(next);
      }
    }
    return seen;
  }

  return {
    finish({ alternatives }: AST.Pattern, isSearch: boolean): void {
      const parts = alternatives.map(alternativeOf);
      last = choice(parts).last;
      const start = position(ANYTHING);
      follow[start]?.add(start);
      parts.forEach((part, i) => {
        const alternative = alternatives[i];
        if (!isSearch || alternative === undefined || isAnchored(alternative)) return;
        for (const at of part.first) follow[start]?.add(at);
      });
    },

    findLoops(): string[] {
      const mask = masks();
      const reach = ranges.map((_, at) => reachableFrom(at));
      const isSame = (a: number, b: number) =>
        reach[a]?.has(b) === true && reach[b]?.has(a) === true;
      const loops = ranges.flatMap((_, at) => (reach[at]?.has(at) ? [at] : []));
      const mayFail = (loop: number) =>
        ![...last].some(([at, isSure]) => isSure && (at === loop || isSame(at, loop)));
      const slow = (p: number, q: number) =>
        p !== q && reach[p]?.has(q) === true && mayFail(q) && isPumped(p, q);

      /** Whether one word leads around p, from p to q, and around q. */
      function isPumped(p: number, q: number): boolean {
        const seen = new Set<string>();
        const open: (readonly [number, number, number])[] = [[p, p, q]];
        for (let state = open.pop(); state !== undefined; state = open.pop()) {
          for (const x of follow[state[0]] ?? []) {
            if (!isSame(x, p)) continue;
            for (const z of follow[state[2]] ?? []) {
              const both = (mask[x] ?? 0n) & (mask[z] ?? 0n);
              if (both === 0n || !isSame(z, q)) continue;
              for (const y of follow[state[1]] ?? []) {
                if ((both & (mask[y] ?? 0n)) === 0n) continue;
                if (x === p && y === q && z === q) return true;
                const key = `${x} ${y} ${z}`;
                if (seen.has(key) || !(y === q || reach[y]?.has(q))) continue;
                seen.add(key);
                open.push([x, y, z]);
              }
            }
          }
        }
        return false;
      }

      return loops.flatMap((p) =>
        loops.filter((q) => slow(p, q)).map((q) => `loops at ${p} and ${q}`),
      );
    },
  };
}
