import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileGlob, GLOB_MAX_LENGTH } from '../../../src/core/hosting/glob.ts';
import { fuzzRuns } from '../../fuzz-seed.ts';

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
    '%s',
    (pattern, matching, other) => {
      const glob = compileGlob(pattern);
      expect(matching.filter((path) => glob?.(path) !== true)).toEqual([]);
      expect(other.filter((path) => glob?.(path) !== false)).toEqual([]);
    },
  );

  it.each(['', 'x'.repeat(GLOB_MAX_LENGTH + 1), '{a', 'a}', '{a,{b}}', '{1,2}'.repeat(7)])('is none: %s', (text) => {
    expect(compileGlob(text)).toBe(null);
  });

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
        expect([pattern, asked, compileGlob(pattern)?.(asked)]).toEqual([
          pattern,
          asked,
          new RegExp(`^${source}$`).test(asked),
        ]);
      }),
      { numRuns: fuzzRuns(2000) },
    );
  });

  it('takes no longer for a malicious pair than their lengths say', () => {
    const glob = compileGlob(`/${'**a'.repeat(80)}b`);
    const before = process.cpuUsage().user;
    expect(glob?.(`/${'a'.repeat(1023)}`)).toBe(false);
    expect(process.cpuUsage().user - before).toBeLessThan(500_000);
  });
});
