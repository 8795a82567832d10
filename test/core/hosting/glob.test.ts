// Glob patterns of hosting settings: what they match, and that matching takes linear time.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGlobs, GLOB_STATES_MAX } from '../../../src/core/hosting/compile-globs.ts';
import { GLOB_MAX_LENGTH, isGlob } from '../../../src/core/hosting/glob.ts';
import { fuzzRuns } from '../../fuzz-seed.ts';

const matches = (pattern: string, path: string) => compileGlobs([pattern]).firstMatch(path) === 0;

describe('a pattern', () => {
  const table: [pattern: string, matching: string[], other: string[]][] = [
    ['/a.txt', ['/a.txt'], ['/b/a.txt', '/a.txt/', '/axtxt']],
    ['a/b', ['/a/b'], ['/x/a/b', '/a/b/c']],
    ['*.js', ['/a.js', '/x/y/b.min.js', '/.js'], ['/a.jsx', '/js', '/a.js/b']],
    ['app.?s', ['/app.js', '/x/app.ts'], ['/app.s', '/app.jss', '/app./s']],
    ['/*', ['/a', '/'], ['/a/b']],
    ['/assets/*', ['/assets/a', '/assets/'], ['/assets', '/assets/a/b', '/x/assets/a']],
    ['/assets/**', ['/assets/a', '/assets/a/b/c.js', '/assets/'], ['/assets', '/assetsx/a']],
    ['**', ['/', '/a', '/a/b'], []],
    ['/**', ['/', '/a/b'], []],
    ['**/b.js', ['/b.js', '/a/b.js', '/a/c/b.js'], ['/ab.js', '/a/bb.js']],
    ['/a/**/b', ['/a/b', '/a/x/b', '/a/x/y/b'], ['/ab', '/a/xb', '/x/a/b']],
    ['/a/**.css', ['/a/x.css', '/a/b/c.css', '/a/.css'], ['/a.css']],
    ['/**/a/**/b/*', ['/a/b/c', '/x/a/y/z/b/c'], ['/a/b', '/a/b/c/d']],
    ['*.{png,jp{e,}g}', [], []],
    ['*.{png,jpg}', ['/a.png', '/x/a.jpg'], ['/a.gif', '/a.{png,jpg}']],
    ['/{a,b}/{1,2}', ['/a/1', '/b/2'], ['/a/3', '/c/1']],
    ['/x{,.html}', ['/x', '/x.html'], ['/x.']],
    ['/a+(b)[c].^$|', ['/a+(b)[c].^$|'], ['/aab']],
    ['/ü*', ['/ü', '/üb'], ['/u']],
  ];
  it.each(table.filter(([, matching, other]) => matching.length + other.length > 0))(
    'matches what it means: %s',
    (pattern, matching, other) => {
      expect(isGlob(pattern)).toBe(true);
      expect(matching.filter((path) => !matches(pattern, path))).toEqual([]);
      expect(other.filter((path) => matches(pattern, path))).toEqual([]);
    },
  );

  it.each(['', 'x'.repeat(GLOB_MAX_LENGTH + 1), '{a', 'a}', '{a,{b}}', '{1,2}'.repeat(7)])(
    'is none: %s',
    (text) => {
      expect([
        isGlob(text),
        compileGlobs([text, '/**']).leftOut,
        compileGlobs([text, '/**']).firstMatch('/'),
      ]).toEqual([false, 1, 1]);
    },
  );

  it('agrees with a regular expression of the same meaning', () => {
    const piece = fc.constantFrom('a', 'b', '/', '*', '?', '**', '**/', '.');
    const path = fc.array(fc.constantFrom('a', 'b', '/', '.'), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 6 }), path, (pieces, rest) => {
        const pattern = `/${pieces.join('')}`;
        const source = pattern.replace(/(?<=\/)\*\*\/|\*\*+|\*|\?|\./g, (sign) => {
          if (sign === '**/') return '(?:.*/)?';
          if (sign.startsWith('**')) return '.*';
          return sign === '*' ? '[^/]*' : sign === '?' ? '[^/]' : '\\.';
        });
        const asked = `/${rest.join('')}`;
        expect([pattern, asked, matches(pattern, asked)]).toEqual([
          pattern,
          asked,
          new RegExp(`^${source}$`).test(asked),
        ]);
      }),
      { numRuns: fuzzRuns(2000) },
    );
  });
});

describe('a list of patterns', () => {
  it('is as each of them alone, the first that matches', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '/',
      '*',
      '?',
      '**',
      '**/',
      '{a,/b,}',
      'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
    );
    const pattern = fc
      .array(piece, { minLength: 1, maxLength: 6 })
      .map((pieces) => pieces.join(''));
    const path = fc.array(fc.constantFrom('a', 'b', '/', 'a'.repeat(31)), { maxLength: 8 });
    fc.assert(
      fc.property(fc.array(pattern, { maxLength: 12 }), path, (patterns, rest) => {
        const asked = `/${rest.join('')}`;
        const alone = patterns.findIndex((one) => matches(one, asked));
        expect([patterns, asked, compileGlobs(patterns).firstMatch(asked)]).toEqual([
          patterns,
          asked,
          alone,
        ]);
      }),
      { numRuns: fuzzRuns(1000) },
    );
  });

  it('has room for so many places and no more', () => {
    const pattern = `/${'x'.repeat(GLOB_MAX_LENGTH - 1)}`;
    const room = Math.floor(GLOB_STATES_MAX / (GLOB_MAX_LENGTH + 1));
    const patterns = Array.from(
      { length: room + 2 },
      (_, i) => pattern.slice(0, -2) + String(i).padStart(2, '0'),
    );
    const globs = compileGlobs(patterns);
    expect([
      globs.leftOut,
      globs.firstMatch(patterns[room - 1] ?? ''),
      globs.firstMatch(patterns[room] ?? ''),
    ]).toEqual([2, room - 1, -1]);
  });

  it('takes milliseconds at worst, whatever the patterns and the path', () => {
    const worst = [
      `/${'**a'.repeat(80)}b`,
      `/${'**/?'.repeat(60)}b`,
      `/${'**a'.repeat(20)}{a,b}{a,b}{c,b}`,
    ];
    const globs = compileGlobs(Array.from({ length: 200 }, (_, i) => worst[i % 3] ?? ''));
    expect(globs.leftOut).toBeGreaterThan(100);
    const path = `/${'a'.repeat(1023)}`;
    globs.firstMatch(path);
    const before = process.cpuUsage().user;
    for (let i = 0; i < 5; i++) expect(globs.firstMatch(path)).toBe(-1);
    expect((process.cpuUsage().user - before) / 5).toBeLessThan(50_000);
  });
});
