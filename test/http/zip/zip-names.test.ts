import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { zipNames } from '../../../src/http/zip/zip-names.ts';

const decoder = new TextDecoder('utf-8', { fatal: true });
const namesOf = (keys: readonly string[], prefix = '', sizeBytes = 1) =>
  zipNames(
    keys.map((key) => ({ key, sizeBytes })),
    prefix,
  ).map((name) => (name === null ? null : decoder.decode(name)));

describe('names in an archive', () => {
  it('are relative to the prefix', () => {
    expect(namesOf(['a/b/c.txt', 'a/b/d/e'], 'a/b/')).toEqual(['c.txt', 'd/e']);
  });

  it.each([
    ['../../etc/passwd', '__/__/etc/passwd'],
    ['/abs', '_/abs'],
    ['a//b', 'a/_/b'],
    ['./a/.../b', '_/a/___/b'],
    ['C:\\windows\\x', 'C__windows_x'],
    ['C:/Windows/x', 'C_/Windows/x'],
    ['a.txt:stream', 'a.txt_stream'],
    ['"what?"*<a>|b', '_what____a__b'],
    ['.. /x', '___/x'],
    ['a./b /c. .', 'a_/b_/c___'],
    ['con/NUL.txt/Aux', '_con/_NUL.txt/_Aux'],
    ['nul .tar.gz', '_nul .tar.gz'],
    ['COM1/lpt\u00b9.x/com', '_COM1/_lpt\u00b9.x/com'],
    ['conin$/CONOUT$.log', '_conin$/_CONOUT$.log'],
    ['console/null/com10', 'console/null/com10'],
    ['a\nb\u0000c\u0085', 'a_b_c_'],
    ['\ud800', '\ufffd'],
    ['.hidden/..a', '.hidden/..a'],
    ['日本/ü', '日本/ü'],
    ['ends/', 'ends/_'],
  ])('are safe to unpack: %j', (key, name) => {
    expect(namesOf([key])).toEqual([name]);
  });

  it('leave out the folder itself and keep empty folders in it', () => {
    expect(namesOf(['a/', 'a/b/', 'a/b/c'], 'a/', 0)).toEqual([null, 'b/', 'b/c']);
    expect(namesOf(['a/', 'a/b/'], 'a/', 1)).toEqual(['_', 'b/_']);
  });

  it('are in nobody else’s way', () => {
    expect(namesOf(['a', 'a/b', 'a/b/c', 'x.tar.gz', 'x.tar.gz/y'])).toEqual([
      'a (2)',
      'a/b (2)',
      'a/b/c',
      'x.tar (2).gz',
      'x.tar.gz/y',
    ]);
    expect(namesOf(['a\nb', 'a\rb', 'a_b', 'a_b (2)', '.x/\n', '.x/\r'])).toEqual([
      'a_b',
      'a_b (2)',
      'a_b (3)',
      'a_b (2) (2)',
      '.x/_',
      '.x/_ (2)',
    ]);
  });

  it('cost little, however many keys would have one name or however deep they are', () => {
    // Four digits in 16 characters that all become `_`.
    const digits = (n: number) => n.toString(16).padStart(4, '0');
    const unlike = (n: number) =>
      digits(n).replace(/./g, (digit) => String.fromCharCode(0x80 + Number(`0x${digit}`)));
    const same = Array.from({ length: 8_000 }, (_, n) => `${unlike(n)}.txt`);
    const deep = Array.from({ length: 2_000 }, (_, n) => `${digits(n)}${'/a'.repeat(500)}`);
    const dotted = Array.from({ length: 2_000 }, (_, n) => `${digits(n)}${'.'.repeat(1000)}a.`);
    const start = process.cpuUsage();
    const names = namesOf([...same, ...deep, ...dotted]);
    const { user } = process.cpuUsage(start);
    expect([names[0], names[1], names[7_999]]).toEqual([
      '____.txt',
      '____ (2).txt',
      '____ (8000).txt',
    ]);
    expect(new Set(names).size).toBe(12_000);
    // Microseconds; quadratic work takes 6 s, this 0.1.
    expect(user).toBeLessThan(2_000_000);
  });

  it('are all different and stay below, whatever the keys are', () => {
    const key = fc.array(
      fc.constantFrom('a', 'b', '/', '.', ' ', ':', 'NUL', '\\', '\n', '_', ' (2)', '\ud800'),
      {
        minLength: 1,
      },
    );
    fc.assert(
      fc.property(
        fc.uniqueArray(
          key.map((parts) => parts.join('')),
          { maxLength: 12 },
        ),
        (keys) => {
          const names = namesOf(keys).filter((name) => name !== null);
          const files = names.filter((name) => !name.endsWith('/'));
          expect(new Set(files).size).toBe(files.length);
          for (const name of names) {
            const parts = name.replace(/\/$/, '').split('/');
            expect(
              parts.every(
                (part) => part !== '' && !/[\\:\p{Cc}]|[. ]$|^nul *(?:\.|$)/iu.test(part),
              ),
            ).toBe(true);
            for (let depth = 1; depth < parts.length; depth++)
              expect(files).not.toContain(parts.slice(0, depth).join('/'));
          }
        },
      ),
    );
  });
});
