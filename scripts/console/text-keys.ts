// Keys of the console's texts, in what is built. In the sources every language has its texts beside
// their keys, so that the compiler compares them. Built, keys have short names where nothing else
// says them (text-names.ts), and those of all views but a folder stand in one file, once for all
// languages: each language has its texts alone, in the order of these keys. Texts of a folder keep
// their keys, since its first rows would wait for one more file.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type ESTree, type Plugin, parseSync } from 'vite';
import { type Groups, shorten, shortNames } from './text-names.ts';

/** A module with the keys of the areas that are loaded together; no such file is there. */
const KEYS = /^(\0?)text-keys\/([a-z]+-texts)$/;
/** An area of texts in a language. */
const AREA = /\/i18n\/[a-z]+\/([a-z-]+)\.ts$/;
const SOURCE = /\/src\/console\/.*\.tsx?$/;
/** What separates keys and marks groups, as fill-texts.ts reads them. */
const RESERVED = /[|{}]/;

/** Where something stands in its file. */
type Span = { readonly start: number; readonly end: number };
type Texts = Span & {
  /** Texts, and where their groups begin and end, in order. */
  readonly entries: readonly Entry[];
};
type Entry = {
  readonly kind: 'text' | 'begin' | 'end';
  readonly key: string;
  readonly keySpan: Span;
  /** Keys from the outermost on. */
  readonly place: string;
  readonly span: Span;
};

/** The one object of a file of texts. */
function textsOf(path: string, code: string): Texts {
  const { program } = parseSync(path, code);
  const objects = program.body
    .flatMap((node) => (node.type === 'ExportNamedDeclaration' ? [node.declaration] : []))
    .flatMap((node) => (node?.type === 'VariableDeclaration' ? node.declarations : []))
    .flatMap(({ init }) => (init?.type === 'ObjectExpression' ? [init] : []));
  const [object] = objects;
  if (object === undefined || objects.length > 1) throw new Error(`${path} is no file of texts`);
  return { start: object.start, end: object.end, entries: entriesOf(path, object, '') };
}

function entriesOf(path: string, object: ESTree.ObjectExpression, outer: string): readonly Entry[] {
  return object.properties.flatMap((one) => {
    if (one.type !== 'Property' || one.computed || one.shorthand) {
      throw new Error(`${path}: ${outer} has something else than a key with its text`);
    }
    const { key: keySpan, value: span } = one;
    const key = keySpan.type === 'Identifier' ? keySpan.name : String(literalOf(keySpan));
    if (RESERVED.test(key)) throw new Error(`${path}: no key can be ${key}`);
    const entry = { key, keySpan, place: `${outer}.${key}`, span };
    if (span.type !== 'ObjectExpression') return [{ ...entry, kind: 'text' as const }];
    const inner = entriesOf(path, span, entry.place);
    return [{ ...entry, kind: 'begin' as const }, ...inner, { ...entry, kind: 'end' as const }];
  });
}

/** The keys of each group, by its name; areas of texts are no groups. */
function groupsOf(entries: readonly Entry[]): Groups {
  const groups = new Map<string, Set<string>>();
  for (const { key, place } of entries) {
    const group = place.split('.').at(-2) ?? '';
    groups.set(group, (groups.get(group) ?? new Set()).add(key));
  }
  groups.delete('');
  return groups;
}

const literalOf = (node: ESTree.Node): unknown => ('value' in node ? node.value : undefined);

/** Makes keys short, and takes them out of all texts but those that a folder needs at once. */
export function textKeys(root: string): Plugin {
  const folder = join(root, 'i18n', 'en');
  const read = (area: string) => readFileSync(join(folder, `${area}.ts`), 'utf8');
  const first = read('texts');
  const areas = readdirSync(folder)
    .map((name) => name.replace(/\.ts$/, ''))
    .filter((area) => !area.endsWith('texts'));
  const isFirst = (area: string) => first.includes(`'./${area}.ts'`);
  const parts = ['object-texts', 'account-texts'];
  const partOf = (area: string) => parts.find((part) => read(part).includes(`'./${area}.ts'`));
  const english = new Map(
    areas.map((area) => [area, textsOf(join(folder, `${area}.ts`), read(area)).entries]),
  );
  const keys = new Set([...english.values()].flat().map(({ key }) => key));
  // Areas have names beside those of their keys.
  for (const area of areas)
    keys.delete(area.replace(/-./, ([, letter = '']) => letter.toUpperCase()));
  const names = shortNames(keys, groupsOf([...english.values()].flat()), [
    root,
    join(dirname(root), 'client'),
  ]);
  const nameOf = (key: string) => names.get(key) ?? key;
  const listed = (entries: readonly Entry[]) =>
    entries
      .map(({ kind, key }) => (kind === 'end' ? '}' : nameOf(key) + (kind === 'begin' ? '{' : '')))
      .join('|');

  /** An area whose keys are in the file of keys. */
  function withoutKeys(area: string, id: string, code: string): string {
    const { start, end, entries } = textsOf(id, code);
    // Where English has a table of any names, another language may have a group.
    const spans = new Map(entries.map(({ place, span }) => [place, span]));
    const values = (english.get(area) ?? []).flatMap(({ kind, place }) => {
      if (kind !== 'text') return [];
      const own = spans.get(place);
      if (own === undefined) throw new Error(`${id} has no text ${place}`);
      return [code.slice(own.start, own.end)];
    });
    const filled = `fill(${JSON.stringify(area)}, [${values.join(',\n')}])`;
    const keys = `import { fill } from 'text-keys/${partOf(area)}';\n`;
    return keys + code.slice(0, start) + filled + code.slice(end);
  }

  function withShortKeys(id: string, code: string): string {
    const renamed = textsOf(id, code).entries.filter(({ kind }) => kind !== 'end');
    return renamed.reduceRight(
      (text, { key, keySpan: { start, end } }) =>
        names.has(key) ? text.slice(0, start) + nameOf(key) + text.slice(end) : text,
      code,
    );
  }

  return {
    name: 'text-keys',
    enforce: 'pre',
    resolveId: (id) => (KEYS.test(id) ? id.replace(KEYS, '\0text-keys/$2') : null),
    load(id) {
      const part = KEYS.exec(id)?.[2];
      if (part === undefined) return null;
      const lists = areas
        .filter((area) => partOf(area) === part)
        .map((area) => {
          const list = listed(english.get(area) ?? []);
          return `${JSON.stringify(area)}: ${JSON.stringify(list)}`;
        });
      return [
        `import { fillTexts } from ${JSON.stringify(join(root, 'i18n', 'fill-texts.ts'))};`,
        `const KEYS = { ${lists.join(', ')} };`,
        'export const fill = (area, values) => fillTexts(KEYS[area], values);',
      ].join('\n');
    },
    transform: {
      filter: { id: SOURCE },
      handler(code, id) {
        const area = AREA.exec(id)?.[1] ?? '';
        if (!english.has(area)) return shorten(code, names);
        return isFirst(area) ? withShortKeys(id, code) : withoutKeys(area, id, code);
      },
    },
  };
}
