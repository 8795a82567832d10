// What the documents name is there: sources and settings. links.test.ts follows their links.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const filesOf = (folder: string, ending: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith(ending));

const DOCUMENTS = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'test/README.md',
  'bench/README.md',
  ...filesOf('docs', '.md'),
];
const SOURCES = ['src', 'test', 'bench', 'scripts'].flatMap((folder) => filesOf(folder, '.ts'));
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const SETTINGS = new Set(
  SOURCES.flatMap((path) => textOf(path).match(/QUAYSIDE_[A-Z0-9_]*[A-Z0-9]/g) ?? []),
);

/** All that stands in the first brackets of the pattern. */
const named = (document: string, pattern: RegExp) => [
  ...new Set([...textOf(document).matchAll(pattern)].map(([, name]) => name ?? '')),
];

describe.each(DOCUMENTS)('%s', (document) => {
  it('mentions sources that are there', () => {
    const mentioned = named(document, /`([\w./-]+\.ts)`/g);
    expect(
      mentioned.filter((name) => !SOURCES.some((path) => `/${path}`.endsWith(`/${name}`))),
    ).toEqual([]);
  });

  it('names settings that there are', () => {
    expect(
      named(document, /(QUAYSIDE_[A-Z0-9_]*[A-Z0-9])/g).filter((name) => !SETTINGS.has(name)),
    ).toEqual([]);
  });
});

describe('comments of sources, tests and benches', () => {
  const COMMENT = /^\s*(?:\/\/|\*|\/\*)/;
  const FILE_NAME = /(?<![\w./-])(?:[\w-]+\/)*[\w-]+(?:\.test|\.contract)?\.ts\b/g;
  const mentionsOf = (text: string) =>
    text
      .split('\n')
      .filter((line) => COMMENT.test(line))
      .flatMap((line) => line.match(FILE_NAME) ?? []);
  const isThere = (name: string) => SOURCES.some((path) => `/${path}`.endsWith(`/${name}`));

  it('name files that are there', () => {
    const stale = SOURCES.flatMap((path) =>
      mentionsOf(textOf(path))
        .filter((name) => !isThere(name))
        .map((name) => `${path}: ${name}`),
    );
    expect(stale).toEqual([]);
  });

  it('are read by the line, and names by their end', () => {
    expect(mentionsOf('// As core/a.ts says.\nconst b = "c.ts";\n * d.test.ts')).toEqual([
      'core/a.ts',
      'd.test.ts',
    ]);
    expect([isThere('core/limits.ts'), isThere('core/no-such-file.ts')]).toEqual([true, false]);
  });
});
