// Patterns with wildcards against texts: results compared with a slow matcher, and the effort.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type GlobPart, matchesGlob } from '../../../../src/core/auth/policy/match-glob.ts';

const ANY = { kind: 'any' } as const;
const ONE = { kind: 'one' } as const;

/** What a wildcard means, tried every way; for short texts only. */
function matchesSlowly(parts: readonly GlobPart[], characters: readonly string[]): boolean {
  const [part, ...rest] = parts;
  if (part === undefined) return characters.length === 0;
  if (typeof part === 'string') {
    const own = Array.from(part);
    const isThere = own.every((character, i) => character === characters[i]);
    return isThere && matchesSlowly(rest, characters.slice(own.length));
  }
  if (part.kind === 'one') return characters.length > 0 && matchesSlowly(rest, characters.slice(1));
  return (
    characters.some((_, i) => matchesSlowly(rest, characters.slice(i))) || matchesSlowly(rest, [])
  );
}

describe('a pattern with wildcards', () => {
  const letters = fc.constantFrom('a', 'b', '/', '😀');
  const part = fc.oneof(
    fc.constant<GlobPart>(ANY),
    fc.constant<GlobPart>(ONE),
    fc.array(letters, { maxLength: 3 }).map((all): GlobPart => all.join('')),
  );

  it('matches what a slow matcher that tries every way matches', () => {
    fc.assert(
      fc.property(
        fc.array(part, { maxLength: 7 }),
        fc.array(letters, { maxLength: 8 }),
        (parts, characters) => {
          expect(matchesGlob(parts, characters.join(''))).toBe(matchesSlowly(parts, characters));
          // With a long text in front nothing is small any more.
          const long = ['c'.repeat(40), ANY, 'd'.repeat(1400), ...parts];
          const text = `${'c'.repeat(40)}${'e'.repeat(60)}${'d'.repeat(1400)}`;
          expect(matchesGlob(long, text + characters.join(''))).toBe(
            matchesSlowly(parts, characters),
          );
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('may be longer than a word of bits', () => {
    const parts = [ANY, 'a'.repeat(70), ONE, 'b'.repeat(40), ANY, 'c', ANY];
    expect(matchesGlob(parts, `xx${'a'.repeat(75)}?${'b'.repeat(45)}-c-`)).toBe(true);
    expect(matchesGlob(parts, `xx${'a'.repeat(75)}?${'b'.repeat(39)}-c-`)).toBe(false);
  });
});
