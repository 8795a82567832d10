// What faults a text can have, and which tests come to a file; running them is
// scripts/mutants.ts's.
import { describe, expect, it } from 'vitest';
import { applied, findMutations, lineOf, withoutAwaits } from '../../scripts/mutants/mutations.ts';
import { importsOf, projectOf, testsOf } from '../../scripts/mutants/related-tests.ts';

const mutants = (text: string) =>
  findMutations(text).map((mutation) => [mutation.operator, applied(text, mutation)]);

describe('faults', () => {
  it.each<[string, [string, string][]]>([
    [
      'await f();',
      [
        ['await', 'f();'],
        ['remove', '{}'],
      ],
    ],
    ['const x = await f();', []],
    ['f(a);', [['remove', '{}']]],
    ['ports.log.info("said", { at });', []],
    ['const ok = a < b;', [['compare', 'const ok = a <= b;']]],
    ['const ok = a === b;', [['compare', 'const ok = a !== b;']]],
    ['const ok = a && (b as string);', [['logical', 'const ok = a || (b as string);']]],
    ['const size = 1024; const one = 1;', [['constant', 'const size = 1024; const one = 2;']]],
    ['const x = a ? b : c;', [['negate', 'const x = !(a) ? b : c;']]],
    [
      'for (;;) { if (a) continue; }',
      [
        ['negate', 'for (;;) { if (!(a)) continue; }'],
        ['guard', 'for (;;) { {} }'],
      ],
    ],
    [
      'function f() { if (a) { throw b; } else c(); }',
      [
        ['negate', 'function f() { if (!(a)) { throw b; } else c(); }'],
        ['remove', 'function f() { if (a) { {} } else c(); }'],
        ['remove', 'function f() { if (a) { throw b; } else {} }'],
      ],
    ],
    ['async function f() { return await g(); }', []],
    ['try { async () => { return await g(); } } catch {}', [['remove', 'try { {} } catch {}']]],
    [
      'async function f() { try { return await g(); } catch {} }',
      [['await', 'async function f() { try { return g(); } catch {} }']],
    ],
    ['async function f() { try {} catch { return await g(); } }', []],
    [
      'async function f() { try {} catch { return await g(); } finally {} }',
      [['await', 'async function f() { try {} catch { return g(); } finally {} }']],
    ],
    ['type T = 1 | 2; interface I { a: 3 }', []],
    ['i++; const x = list[i] ?? 0;', [['remove', '{} const x = list[i] ?? 0;']]],
    ['const x = counts[name] ?? 0;', [['constant', 'const x = counts[name] ?? 1;']]],
    ['const x = counts.get(i) ?? 0;', [['constant', 'const x = counts.get(i) ?? 1;']]],
  ])('are put into %s', (text, expected) => {
    expect(mutants(text)).toEqual(expected);
  });

  it('leave all other awaits on their lines where many are dropped at once', () => {
    const text = 'await a();\nawait b(); await c();\nawait d();';
    const [first, , third] = findMutations(`async () => {${text}}`).filter(
      ({ operator }) => operator === 'await',
    );
    const dropped = [first, third].flatMap((mutation) => mutation ?? []);
    const bare = withoutAwaits(`async () => {${text}}`, dropped);
    expect(bare).toBe('async () => {      a();\nawait b();       c();\nawait d();}');
  });

  it('stand on the line where they begin', () => {
    const text = 'a;\n\nif (b < 2) c();';
    expect(findMutations(text).map(({ start }) => lineOf(text, start))).toContain(3);
  });
});

describe('related tests', () => {
  it('are those that import the file at run time, the nearest first', () => {
    const text = `import type { T } from './types.ts';
import { a } from '../a.ts';
export { b } from './b.ts';
import {
  c,
} from './c.ts';
const late = import('./late.ts');
const program = new URL('../../src/program.ts', import.meta.url);
import 'node:fs';`;
    const imported = ['src/a.ts', 'src/x/b.ts', 'src/x/c.ts', 'src/x/late.ts', 'src/program.ts'];
    expect(importsOf('src/x/y.ts', text)).toEqual(imported);
  });

  it('are found by every kind of import', () => {
    const graph = new Map([
      ['src/a.ts', []],
      ['src/b.ts', ['src/a.ts']],
      ['test/far.test.ts', ['test/kit.ts']],
      ['test/kit.ts', ['src/b.ts']],
      ['test/near.test.ts', ['src/a.ts']],
      ['test/other.test.ts', ['src/c.ts']],
    ]);
    expect(testsOf(graph, 'src/a.ts')).toEqual(['test/near.test.ts', 'test/far.test.ts']);
  });

  it('begin with the one of that name', () => {
    const graph = new Map([
      ['test/core/a/other.test.ts', ['src/core/a/zip.ts']],
      ['test/core/a/zip.test.ts', ['src/core/a/zip.ts']],
    ]);
    expect(testsOf(graph, 'src/core/a/zip.ts')[0]).toBe('test/core/a/zip.test.ts');
  });

  it('begin with those in the folder that mirrors its own', () => {
    const graph = new Map([
      ['test/app.test.ts', ['src/adapters/node/disk/a.ts']],
      ['test/node/b.test.ts', ['src/adapters/node/disk/a.ts']],
      ['test/node/disk/a.test.ts', ['test/kit.ts']],
      ['test/kit.ts', ['src/adapters/node/disk/a.ts']],
    ]);
    expect(testsOf(graph, 'src/adapters/node/disk/a.ts')).toEqual([
      'test/node/disk/a.test.ts',
      'test/node/b.test.ts',
      'test/app.test.ts',
    ]);
  });
});

describe('projects of tests', () => {
  it.each([
    ['test/core/caps/caps.test.ts', 'node'],
    ['test/console/unit/query-unit.test.ts', 'node'],
    ['test/console/buckets.test.ts', 'elsewhere'],
    ['test/console/objects/viewers.test.ts', 'elsewhere'],
    ['test/wire/s3/tagging.test.ts', 'wire-node'],
    ['test/workerd/start.test.ts', 'workerd'],
  ])('are those that vitest.config.ts runs them in: %s', (test, project) => {
    expect(projectOf(test)).toBe(project);
  });
});
