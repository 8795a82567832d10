// Fonts of the Noto family for documents, from npm packages of Fontsource. A
// package has a font in slices, each a WOFF2 file with the letters that
// `unicode.json` names. HarfBuzz cuts letters out of a slice, in one weight.
// Everything is loaded when a document first needs it.
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type {
  DocumentFonts,
  FontParser,
  FontSubset,
  FontWeight,
} from '../../../ports/document-fonts.ts';

/** Weights of OpenType. */
const WEIGHTS: Readonly<Record<FontWeight, number>> = { regular: 400, bold: 700 };
/**
 * Kerning, ligatures and marks: dropped, so that each letter is one glyph at its
 * own width.
 */
const LAYOUT_TABLES = ['GDEF', 'GPOS', 'GSUB'] as const;
/**
 * Scripts that are written from left to right, a glyph for each letter. Others need
 * shaping: with letters in a row, Arabic and Devanagari would be wrong.
 */
const ALPHABETS = /[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}\p{sc=Common}]/u;
/** Hangul in whole syllables: those in parts need shaping. */
const EAST_ASIAN =
  /[\p{sc=Han}\p{sc=Bopomofo}\p{sc=Hiragana}\p{sc=Katakana}\u3131-\u318e\uac00-\ud7a3]/u;
/** Marks are placed on other letters, and controls are no letters. */
const UNPRINTABLE = /[\p{M}\p{C}\p{Zl}\p{Zp}]/u;
const KANA = /[\p{sc=Hiragana}\p{sc=Katakana}]/u;
const HANGUL = /\p{sc=Hangul}/u;

type Range = readonly [first: number, last: number];
type Slice = { readonly path: string; readonly ranges: readonly Range[] };
type Engine = {
  readonly parser: FontParser;
  readonly cut: (path: string, letters: string, weight: FontWeight) => Promise<FontSubset>;
};

/** Opens nothing yet. A package that is not installed has no letters. */
export function createNotoFonts(): DocumentFonts {
  const require = createRequire(import.meta.url);
  const slices = new Map<string, readonly Slice[]>();
  let engine: Engine | null = null;

  const slicesOf = async (name: string): Promise<readonly Slice[]> => {
    const known = slices.get(name) ?? (await readSlices(require, name));
    slices.set(name, known);
    return known;
  };

  return {
    async subset(letters, weight) {
      if (![...letters].every(isPrintable)) return null;
      engine ??= await loadEngine();
      const { parser, cut } = engine;
      const subsets: FontSubset[] = [];
      let missing: ReadonlySet<string> = letters;
      for (const name of packagesFor(letters)) {
        for (const { path, ranges } of await slicesOf(name)) {
          const claimed = [...missing].filter((letter) => isIn(ranges, letter));
          if (claimed.length === 0) continue;
          const subset = await cut(path, claimed.join(''), weight);
          if (subset.letters.size > 0) subsets.push(subset);
          missing = new Set([...missing].filter((letter) => !subset.letters.has(letter)));
        }
      }
      return missing.size === 0 ? { parser, subsets } : null;
    },
  };
}

const isPrintable = (letter: string): boolean =>
  (ALPHABETS.test(letter) || EAST_ASIAN.test(letter)) && !UNPRINTABLE.test(letter);

/**
 * Names of packages in the order that they are tried: Han letters differ by the
 * language.
 */
function packagesFor(letters: ReadonlySet<string>): readonly string[] {
  const text = [...letters].join('');
  const japanese = KANA.test(text) ? ['noto-sans-jp'] : [];
  const korean = HANGUL.test(text) ? ['noto-sans-kr'] : [];
  return [
    ...new Set([
      'noto-sans',
      ...japanese,
      ...korean,
      'noto-sans-sc',
      'noto-sans-jp',
      'noto-sans-kr',
    ]),
  ];
}

async function readSlices(require: NodeJS.Require, name: string): Promise<readonly Slice[]> {
  let path: string;
  try {
    path = require.resolve(`@fontsource-variable/${name}/unicode.json`);
  } catch {
    return [];
  }
  const ranges = JSON.parse(await readFile(path, 'utf8')) as Record<string, string>;
  return Object.entries(ranges).map(([slice, text]) => ({
    path: join(dirname(path), 'files', `${name}-${slice.replace(/[[\]]/g, '')}-wght-normal.woff2`),
    ranges: text.split(',').map(parseRange),
  }));
}

/** From `U+41-5a` or `U+41`. */
function parseRange(text: string): Range {
  const [first = '', last = first] = text.slice('U+'.length).split('-');
  return [parseInt(first, 16), parseInt(last, 16)];
}

function isIn(ranges: readonly Range[], letter: string): boolean {
  const codePoint = letter.codePointAt(0) ?? 0;
  return ranges.some(([first, last]) => first <= codePoint && codePoint <= last);
}

async function loadEngine(): Promise<Engine> {
  const [{ default: fontkit }, { default: subsetFont }] = await Promise.all([
    import('@pdf-lib/fontkit'),
    import('subset-font'),
  ]);
  return {
    parser: fontkit,
    async cut(path, letters, weight) {
      const font = await subsetFont(await readFile(path), letters, {
        targetFormat: 'truetype',
        variationAxes: { wght: WEIGHTS[weight] },
        dropTables: LAYOUT_TABLES,
        noHinting: true,
      });
      const bytes = Uint8Array.from(font);
      const known = lettersOf(fontkit.create(bytes));
      return {
        letters: new Set([...letters].filter((letter) => known.has(letter.codePointAt(0) ?? 0))),
        bytes,
      };
    },
  };
}

/** Code points of a font; fontkit throws for one without any. */
function lettersOf(font: { readonly characterSet: number[] }): ReadonlySet<number> {
  try {
    return new Set(font.characterSet);
  } catch {
    return new Set();
  }
}
