// What a browser has to load: the console is bundled as it is served, and its files are weighed as
// they go over the line, gzip.
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Rolldown } from 'vite';
import { beforeAll, expect, it } from 'vitest';
import { bundleConsole } from '../../../scripts/console-bundle.ts';

let output: Rolldown.RolldownOutput['output'];
beforeAll(async () => {
  ({ output } = await bundleConsole(null));
}, 60_000);

type Chunk = Rolldown.OutputChunk & { viteMetadata?: { importedCss: Set<string> } };
const chunks = () => output.filter((one): one is Chunk => one.type === 'chunk');
const weigh = (text: string | Uint8Array) => gzipSync(text, { level: 9 }).length;

/** The chunk of an entry with all that it imports before it runs. */
function closureOf(entry: RegExp): Set<Chunk> {
  const first = chunks().find(({ facadeModuleId, moduleIds }) =>
    [facadeModuleId ?? '', ...moduleIds].some((id) => entry.test(id)),
  );
  if (first === undefined) throw new Error(`No chunk is ${entry}`);
  const found = new Set([first]);
  for (const { imports } of found) {
    for (const one of chunks()) if (imports.includes(one.fileName)) found.add(one);
  }
  return found;
}

const scriptOf = (found: Iterable<Chunk>) =>
  [...found].reduce((sum, { code }) => sum + weigh(code), 0);

function styleOf(found: Iterable<Chunk>): number {
  const names = new Set([...found].flatMap((one) => [...(one.viteMetadata?.importedCss ?? [])]));
  const styles = output.filter(({ fileName }) => names.has(fileName));
  return styles.reduce((sum, one) => sum + (one.type === 'asset' ? weigh(one.source) : 0), 0);
}

const FOLDER = [/\/console\/main\.tsx$/, /browse\/place\.tsx$/];
const folder = () => new Set(FOLDER.flatMap((entry) => [...closureOf(entry)]));

it('a page shows a folder and takes a drop with at most 47 KB of script and 10 KB of style', () => {
  const script = scriptOf(folder());
  const style = styleOf(folder());
  expect(script).toBeGreaterThan(20_000);
  expect(script).toBeLessThanOrEqual(47_000);
  expect(style).toBeGreaterThan(2000);
  expect(style).toBeLessThanOrEqual(10_000);
});

it('a page asks for few files before the first row', () => {
  expect(folder().size).toBeLessThanOrEqual(4);
});

it('a page sends with at most 14 KB more', () => {
  const known = folder();
  const upload = [...closureOf(/upload\/bring-in\.ts$/), ...closureOf(/upload\/dock\.tsx$/)];
  const script = scriptOf(new Set(upload.filter((chunk) => !known.has(chunk))));
  expect(script).toBeGreaterThan(5000);
  expect(script).toBeLessThanOrEqual(14_000);
});

it('a page has texts of a folder within 6 KB, of all else in two parts within 12 KB', () => {
  for (const language of ['en', 'zh']) {
    const first = scriptOf(closureOf(new RegExp(`i18n/${language}/texts\\.ts$`)));
    expect(first).toBeLessThanOrEqual(6000);
    const known = folder();
    for (const part of ['object', 'account']) {
      const chunks = [...closureOf(new RegExp(`i18n/${language}/${part}-texts\\.ts$`))];
      const texts = scriptOf(new Set(chunks.filter((chunk) => !known.has(chunk))));
      expect(texts).toBeGreaterThan(9000);
      expect(texts).toBeLessThanOrEqual(12_000);
    }
  }
});

/** What a folder leads to without waiting for other texts: `isOfFolder` of app/lazy.tsx. */
const OF_FOLDER = [
  'app/global-commands.tsx',
  'views/browse/folder-commands.tsx',
  'views/browse/filter-bar.tsx',
  'views/browse/list/empty-folder.tsx',
  'views/browse/list/no-match.tsx',
  'views/browse/list/lasso.tsx',
  'views/browse/look-menu.ts',
  'views/browse/path/path-editor.tsx',
  'views/upload/dock.tsx',
  'views/upload/dock-uploads.tsx',
  'views/upload/download/download-lines.tsx',
  'views/upload/resume/interrupted.tsx',
  'views/upload/plan/upload-dialog.tsx',
];

/** A module with all that it imports at once; what stands beside it in a file is another's. */
function modulesOf(id: string, found = new Set<string>()): Set<string> {
  if (found.has(id) || !/\/src\/console\/.+\.tsx?$/.test(id)) return found;
  found.add(id);
  for (const [, path = ''] of readFileSync(id, 'utf8').matchAll(/ from '(\.[^']+)';/g)) {
    modulesOf(join(dirname(id), path), found);
  }
  return found;
}

/** Areas of texts that are there before a folder is shown. Source: i18n/en/texts.ts. */
const FIRST_AREAS = /export const texts = \{([^}]+)\}/;

it('a page reads in what a folder needs no text that comes later', () => {
  const source = readFileSync(
    new URL('../../../src/console/i18n/en/texts.ts', import.meta.url),
    'utf8',
  );
  const first = new Set(
    FIRST_AREAS.exec(source)?.[1]
      ?.split(',')
      .map((area) => area.trim()),
  );
  const root = fileURLToPath(new URL('../../../src/console', import.meta.url));
  const inFolder = [...folder()].flatMap(({ moduleIds }) => moduleIds);
  const led = OF_FOLDER.flatMap((path) => [...modulesOf(join(root, path))]);
  const used: string[] = [];
  for (const id of new Set([...inFolder, ...led])) {
    if (!/\/src\/console\/.+\.tsx?$/.test(id)) continue;
    const code = readFileSync(id, 'utf8');
    for (const [, area = ''] of code.matchAll(/\bt\(\)\.(\w+)/g)) {
      if (area !== '' && !first.has(area)) used.push(`${id}: ${area}`);
    }
    expect(code).not.toMatch(/= t\(\);/);
  }
  expect(used).toEqual([]);
  expect(first.has('browse')).toBe(true);
});
