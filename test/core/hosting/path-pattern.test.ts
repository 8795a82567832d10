// Patterns of paths in rule files.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Captures, parsePathPattern } from '../../../src/core/hosting/path-pattern.ts';
import { fuzzRuns } from '../../fuzz-seed.ts';

const match = (pattern: string, path: string): Captures | null => {
  const parsed = parsePathPattern(pattern);
  if (typeof parsed === 'string') throw new Error(parsed);
  return parsed.match(path);
};

describe('a pattern of paths', () => {
  const table: [pattern: string, path: string, captures: Captures | null][] = [
    ['/*', '/', { splat: '' }],
    ['/a/*', '/a', { splat: '' }],
    ['/a/*', '/a/', { splat: '' }],
    ['/a/*', '/a/b/', { splat: 'b/' }],
    ['/a/*', '/ab', null],
    ['/a/*/', '/a', null],
    ['/a/*/', '/a/b/', { splat: 'b/' }],
    ['/a*', '/a/b/', { splat: '/b/' }],
    ['/a*z', '/az', { splat: '' }],
    ['/a*z', '/az/', { splat: '' }],
    ['/a*za', '/aza', { splat: '' }],
    ['/ab*b', '/ab', null],
    ['/*/b', '/a/b/', { splat: 'a' }],
    ['/*/b', '/b', null],
    ['/*/b', '//b', { splat: '' }],
    ['/a*/b', '/a/b', { splat: '' }],
    ['/a*/b', '/b', null],
    ['/a*/:x/b', '/a/c/b', { splat: '', x: 'c' }],
    ['/a*z/b', '/az/b', { splat: '' }],
    ['/ab*b/c', '/ab/c', null],
    ['/*/:x/y', '/a/b/c/y', { splat: 'a/b', x: 'c' }],
    ['/*/:x', '/a//', null],
    ['/:x/*/:y', '/a/b/c/d', { x: 'a', splat: 'b/c', y: 'd' }],
    ['/:x/*/:y', '/a/b', null],
    ['/u/a:x.html', '/u/a7.html', { x: '7' }],
    ['/u/a:x.html', '/u/a.html', null],
    ['/u/:x', '/u/7/', { x: '7' }],
    ['/u/:x', '/u/7//', null],
    ['/u/:x', '/u//', null],
    ['/:x', '/a\n', { x: 'a\n' }],
    ['/:constructor/*', '/a', { constructor: 'a', splat: '' } as unknown as Captures],
  ];
  it.each([
    ['/', '/'],
    ['/a', '/a'],
    ['/a/', '/a'],
    ['/a*', null],
  ])('%s is the literal %j', (pattern, literal) => {
    expect(parsePathPattern(pattern)).toMatchObject({ literal });
  });

  it.each(table)('%s and %j', (pattern, path, captures) => {
    expect(match(pattern, path)).toEqual(captures);
  });

  it('takes what a regular expression of the same meaning takes', () => {
    const folder = fc.constantFrom('a', 'b', 'ab', '', ':x', 'a:x', ':x-b', 'a:x-b');
    const starred = fc.constantFrom('*', 'a*', '*b', 'a*b');
    const named = (folders: readonly string[], first: number) =>
      folders.map((one, i) => one.replace('x', `x${first + i}`));
    const pattern = fc
      .tuple(
        fc.array(folder, { maxLength: 3 }),
        fc.option(starred),
        fc.array(folder, { maxLength: 3 }),
      )
      .map(
        ([left, star, right]) =>
          `/${[...named(left, 0), ...(star === null ? [] : [star]), ...named(right, 3)].join('/')}`,
      )
      .filter((text) => /[*:]/.test(text));
    const path = fc
      .array(fc.constantFrom('a', 'b', '/', '-b'), { maxLength: 10 })
      .map((signs) => `/${signs.join('')}`);
    fc.assert(
      fc.property(pattern, path, (text, asked) => {
        const isFolder = text.endsWith('/*');
        const body = isFolder ? text.slice(0, -2) : text.replace(/(?<=.)\/$/, '');
        const source = body.replace(/\*|:(x\d)/g, (_, name) =>
          name === undefined ? '(?<splat>.*)' : `(?<${name}>[^/]+)`,
        );
        const expected =
          new RegExp(`^${source}${isFolder ? '(?:/(?<splat>.*))?' : '/?'}$`).exec(asked)?.groups ??
          null;
        const groups =
          expected === null
            ? null
            : Object.entries(expected).map(([name, taken]) => [name, taken ?? '']);
        expect([text, asked, match(text, asked)]).toEqual([
          text,
          asked,
          groups && Object.fromEntries(groups),
        ]);
      }),
      { numRuns: fuzzRuns(3000) },
    );
  });

  it('is invalid with a star and a placeholder in one folder, which would backtrack', () => {
    for (const text of ['/*a:b-c', '/a/:b*', '/:a-*/b']) {
      expect(parsePathPattern(text)).toBe(
        'a folder of a path can have a * or a placeholder, not both',
      );
    }
  });

  it('takes time in proportion to the path', () => {
    const patterns = Array.from({ length: 100 }, (_, i) => `/*/a:b-c/:d/${i}`);
    const before = process.cpuUsage().user;
    for (const pattern of patterns) {
      for (const path of [`/${'a'.repeat(1023)}`, '/a'.repeat(512), `/${'a-c'.repeat(341)}`]) {
        expect(match(pattern, path)).toBe(null);
      }
    }
    expect(process.cpuUsage().user - before).toBeLessThan(200_000);
  });
});
