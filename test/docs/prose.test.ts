// Prose of the documents is as wide as code, and says the field's words. Tables and what is quoted
// as code are left out: names on disk and of settings stay as they were released.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { MAX_COLUMNS, retiredWords } from '../house-rules.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DOCUMENTS = globSync(['*.md', '{docs,test,bench}/**/*.md'], { cwd: ROOT }).map((path) =>
  path.replaceAll('\\', '/'),
);

/** Documents that name retired words, and why. */
const NAMES_RETIRED_WORDS: ReadonlyMap<string, string> = new Map([
  ['CHANGELOG.md', 'says which word was replaced by which'],
]);

/** Address of a link, behind its text. */
const ADDRESS = /\]\([^()]*\)/g;
/** Tables, headings and comments: none of them can be broken. */
const UNBREAKABLE = /^\s*(?:\||<!--|#)/;

const emptyLines = (text: string): string => '\n'.repeat(text.split('\n').length - 1);

/** Text without fenced blocks, whose lines stay as empty ones. */
const withoutBlocks = (text: string): string =>
  text
    .split(/^```/m)
    .map((piece, index) => (index % 2 === 0 ? piece : emptyLines(piece)))
    .join('');

/** Lines of prose beyond the width, by number; addresses of links don't count. */
const wideLines = (text: string): readonly number[] =>
  withoutBlocks(text)
    .split('\n')
    .flatMap((line, index) => {
      const shown = line.replace(ADDRESS, ']');
      return shown.length > MAX_COLUMNS && !UNBREAKABLE.test(line) ? [index + 1] : [];
    });

/** Retired words, also across a line break and at the beginning of a sentence. */
const retiredIn = (path: string, text: string): readonly string[] => {
  const words = withoutBlocks(text)
    .replace(/`[^`]*`/g, '')
    .replace(ADDRESS, ']')
    .replace(/\s+/g, ' ');
  const breaches = [words, words.toLowerCase()].flatMap((version) => retiredWords(path, version));
  return [...new Set(breaches.map(({ what }) => what))].sort();
};

describe.each(DOCUMENTS)('%s', (document) => {
  const text = readFileSync(`${ROOT}${document}`, 'utf8');

  it(`has no line of prose beyond ${MAX_COLUMNS} columns`, () => {
    expect(wideLines(text)).toEqual([]);
  });

  it.skipIf(NAMES_RETIRED_WORDS.has(document))('says no retired word', () => {
    expect(retiredIn(document, text)).toEqual([]);
  });
});

it('the check of prose finds what it looks for', () => {
  const wide = 'word '.repeat(30);
  expect(wideLines(`short\n${wide}\n| ${wide} |\n\`\`\`\n${wide}\n\`\`\`\n${wide}`)).toEqual([
    2, 7,
  ]);
  expect(wideLines(`- [a](${'x'.repeat(120)})`)).toEqual([]);
  expect(retiredIn('', 'A `gate` is code. Packed is\nnot, nor is a named\nkey.')).toEqual([
    '"named key": say KMS key',
    '"packed": say compressed',
  ]);
});
