// Patterns of names: each step alone, all together, and what strangers may send.
import { describe, expect, it } from 'vitest';
import { type NamePattern, renameKey } from '../../src/domain/keys/name-pattern.ts';

const NOTHING: NamePattern = {
  find: null,
  replace: '',
  case: null,
  prefix: '',
  suffix: '',
  counter: null,
};
const rename = (key: string, pattern: Partial<NamePattern>, position = 0) =>
  renameKey({ ...NOTHING, ...pattern }, key, position);
const COUNTER = { start: 1, step: 1, width: 1, at: 'end', separator: '-' } as const;

describe('a pattern of names', () => {
  it.each([
    ['a/b a.txt', { find: 'a', replace: 'o' }, 'a/b o.txt'],
    ['a/x.jpeg', { find: '.jpeg', replace: '.jpg' }, 'a/x.jpg'],
    ['a/x.txt', { find: 'y', replace: 'z' }, 'a/x.txt'],
    ['a/x$1.md', { find: 'x', replace: '$1$' }, 'a/$1$$1.md'],
    ['x'.repeat(9), { find: 'x', replace: 'y'.repeat(200) }, null],
    ['abc', { find: '*', replace: '$1'.repeat(400) }, null],
    ['IMG_12.JPG', { find: 'IMG_*.JPG', replace: 'sea-$1.jpg' }, 'sea-12.jpg'],
    ['a-b-c.txt', { find: '*-*.txt', replace: '$2_$1.txt' }, 'b-c_a.txt'],
    ['aXbXc', { find: '*X*', replace: '$2$2$9$' }, 'bXcbXc$9$'],
    ['abc', { find: 'ab*bc', replace: 'no' }, 'abc'],
    ['abc', { find: '*', replace: '[$1]' }, '[abc]'],
    ['x.tar.gz', { suffix: ' old', prefix: 'my ' }, 'my x.tar old.gz'],
    ['.hidden', { suffix: '!' }, '.hidden!'],
    ['a/', { prefix: 'x' }, 'a/'],
    ['ÉTÉ à NICE.Txt', { case: 'lower' }, 'été à nice.Txt'],
    ["l'eau DE la mer_2b.txt", { case: 'title' }, "L'eau De La Mer_2b.txt"],
    ['x.txt', { case: 'upper' }, 'X.txt'],
    ['x.txt', { counter: COUNTER }, 'x-4.txt'],
    [
      'x.txt',
      { counter: { ...COUNTER, start: 10, step: 5, width: 4, at: 'start', separator: '_' } },
      '0025_x.txt',
    ],
    [
      'old/a b.txt',
      { find: '*.txt', replace: 'B.md', case: 'lower', prefix: 'p', suffix: 's' },
      'old/pbs.md',
    ],
  ] as const)('makes of %s by %j the key %s', (key, pattern, renamed) => {
    expect(rename(key, pattern, 3)).toBe(renamed);
  });

  it('is quick with texts that repeat themselves', () => {
    const startMs = performance.now();
    const find = 'a*a*a*a*a*a*a*a*a*b';
    for (let times = 0; times < 1000; times++) rename('a'.repeat(1024), { find });
    expect(performance.now() - startMs).toBeLessThan(1000);
  });
});
