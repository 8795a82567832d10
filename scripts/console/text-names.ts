// Short names for keys of the console's texts, in what is built. A key is renamed only where no
// source says its name in another way than `texts.name` or `t().area.name`: whatever else has the
// name (a field of the API, a property of the browser) keeps it for all. So does each key of a
// group that is indexed, or has a name of its own: its keys may be computed from a response.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Matches a use of texts, with each name after a dot; or any other word. */
const CHAIN_OR_WORD = /(?:\btexts|\bt\(\))((?:\??\.[A-Za-z_$][\w$]*)+)|[A-Za-z_$][\w$]*/g;
const CHAIN = /(\btexts|\bt\(\))((?:\??\.[A-Za-z_$][\w$]*)+)/g;
const NAME = /[A-Za-z_$][\w$]*/g;
/** Matches comments of whole lines, whose words name nothing. */
const COMMENT_LINES = /^\s*(?:\/\/|\/?\*).*$/gm;
/** What stands before a group that has another name than `texts` from there on, and its length. */
const NAMED_OTHERWISE = /(?<!\btexts) = $/;
const NAMED_LENGTH = ' texts = '.length;
const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';

function* sourcesBelow(folder: string, leaves: RegExp): Generator<string> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && /\.tsx?$/.test(path) && !leaves.test(path)) {
      yield readFileSync(path, 'utf8').replace(COMMENT_LINES, '');
    }
  }
}

/** `a` to `Z`, `aa`, `ba` and so on. */
function shortName(index: number): string {
  const rest = Math.floor(index / LETTERS.length) - 1;
  const letter = LETTERS[index % LETTERS.length] ?? '';
  return rest < 0 ? letter : letter + shortName(rest);
}

/** The keys of each group, by its name. */
export type Groups = ReadonlyMap<string, ReadonlySet<string>>;

/** The short names of those keys that can have one, the commonest the shortest. */
export function shortNames(
  keys: ReadonlySet<string>,
  groups: Groups,
  folders: readonly string[],
): ReadonlyMap<string, string> {
  const uses = new Map<string, number>();
  const elsewhere = new Set<string>();
  for (const folder of folders) {
    for (const code of sourcesBelow(folder, /[\\/]i18n[\\/](?:en|zh)[\\/]/)) {
      for (const { 0: word, 1: chain, index } of code.matchAll(CHAIN_OR_WORD)) {
        if (chain === undefined) {
          elsewhere.add(word);
          continue;
        }
        const names = chain.match(NAME) ?? [];
        for (const name of names) uses.set(name, (uses.get(name) ?? 0) + 1);
        const before = code.slice(Math.max(0, index - NAMED_LENGTH), index);
        const isComputed = code[index + word.length] === '[' || NAMED_OTHERWISE.test(before);
        if (!isComputed) continue;
        for (const key of groups.get(names.at(-1) ?? '') ?? []) elsewhere.add(key);
      }
    }
  }

  const free = [...uses]
    .filter(([name]) => keys.has(name) && !elsewhere.has(name))
    .sort(([a, many], [b, few]) => few - many || (a < b ? -1 : 1));
  const names = new Map<string, string>();
  let index = 0;
  for (const [name] of free) {
    let short = shortName(index++);
    while (keys.has(short)) short = shortName(index++);
    names.set(name, short);
  }
  return names;
}

/** The code with short names wherever it speaks of texts. */
export const shorten = (code: string, names: ReadonlyMap<string, string>): string =>
  code.replace(CHAIN, (_, root: string, chain: string) => {
    return root + chain.replace(NAME, (name) => names.get(name) ?? name);
  });
