// Texts as the build leaves them: keys apart from the texts of a language, and short where nothing
// else has their name.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { shorten, shortNames } from '../../../scripts/console/text-names.ts';
import { fillTexts } from '../../../src/console/i18n/fill-texts.ts';
import { temporaryFolder } from '../../node/kit/temporary-folder.ts';

it('121: texts come back under their keys, in groups', () => {
  const say = (name: string) => `Hello ${name}`;
  const filled = fillTexts('title|states{|on|off|deep{|say|}|}|end', ['T', 'On', 'Off', say, 'E']);
  expect(filled).toEqual({
    title: 'T',
    states: { on: 'On', off: 'Off', deep: { say } },
    end: 'E',
  });
});

it('121: a language with a text too few or too many is refused', () => {
  expect(() => fillTexts('a|b', ['A'])).toThrow('1 texts for 2 keys');
  expect(() => fillTexts('a', ['A', 'B'])).toThrow('2 texts for 1 keys');
});

/** Names for keys, by sources in a folder; `states` is a group of texts with the key `on`. */
function namesBy(keys: readonly string[], code: string): ReadonlyMap<string, string> {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'i18n', 'en'), { recursive: true });
  writeFileSync(join(folder, 'view.tsx'), code);
  writeFileSync(join(folder, 'i18n', 'en', 'area.ts'), 'export const area = { title: "of old" };');
  return shortNames(new Set(keys), new Map([['states', new Set(['on'])]]), [folder]);
}

it('125: a key is renamed where texts alone have its name', () => {
  const names = namesBy(
    ['title', 'hint', 'unused'],
    'const texts = t().area; texts.title; texts.title; t().area.hint;',
  );
  expect([...names]).toEqual([
    ['title', 'a'],
    ['hint', 'b'],
  ]);
  expect(shorten('<b>{texts.title}</b>; t().area.hint(1); page.title', names)).toBe(
    '<b>{texts.a}</b>; t().area.b(1); page.title',
  );
});

it.each([
  'texts.title; document.title = 1;',
  "texts.title; texts['title'];",
  'texts.title; const { title } = t().area;',
  'texts.title; use({ title: 1 });',
])('125: a key that is named otherwise too keeps its name: %s', (code) => {
  expect(namesBy(['title'], code).size).toBe(0);
});

it.each([
  'texts.states[state]; t().area.on;',
  'const words: Readonly<Record<string, string>> = t().area.states; texts.on;',
  'const [words = texts.states] = []; texts.on;',
])('125: a key that may be computed keeps its name: %s', (code) => {
  expect(namesBy(['on'], code).size).toBe(0);
});

it('125: a key of a group that is called texts is renamed', () => {
  expect(namesBy(['on'], 'const texts = t().area.states; texts.on;').size).toBe(1);
});

it('125: a short name is never that of another key', () => {
  const names = namesBy(
    ['title', 'a', 'b'],
    '// title of a page\ntexts.title; texts.b; const a = 1;',
  );
  expect([names.get('title'), names.get('b')]).toEqual(['d', 'c']);
});
