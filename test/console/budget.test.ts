// What the console weighs, compressed by gzip as most proxies send it: the build that is there when
// it is newer than its sources, else one that is made here. Limits: src/console/README.md.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { CONSOLE_FOLDER } from '../../scripts/console-folder.ts';

/** An entry of the manifest. Source: https://vite.dev/guide/backend-integration */
type Chunk = {
  readonly file: string;
  readonly isEntry?: true;
  readonly isDynamicEntry?: true;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
  readonly assets?: readonly string[];
};

/** Bytes of a kilobyte, as what is sent is weighed. */
const KB = 1000;
const LIMITS = {
  html: 2 * KB,
  script: 60 * KB,
  style: 12 * KB,
  view: 15 * KB,
  viewer: 40 * KB,
  language: 12 * KB,
  all: 300 * KB,
  workers: 17 * KB,
  linkScript: 15 * KB,
  linkStyle: 8 * KB,
};
/** What is above its limit, and by how much it may be: it may shrink, not grow. */
const KNOWN_BYTES: Readonly<Record<string, number>> = {};
/** What is on the way of everybody each day: the frame, a folder, an upload. */
const DAILY = ['index.html', 'views/browse/place.tsx', 'views/dock.ts'];

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Builds where sources are newer, as `npm start` does. */
function readManifest(): ReadonlyMap<string, Chunk> {
  const build = spawnSync(process.execPath, [join(ROOT, 'scripts', 'ensure-install.js')], {
    encoding: 'utf8',
  });
  if (build.status !== 0) throw new Error(`${build.stdout}${build.stderr}`);
  const path = join(CONSOLE_FOLDER, '..', 'console-manifest.json');
  return new Map(Object.entries(JSON.parse(readFileSync(path, 'utf8'))));
}

const manifest = readManifest();
const bytesOf = (file: string) =>
  gzipSync(readFileSync(join(CONSOLE_FOLDER, file)), { level: 9 }).length;
const sum = (files: Iterable<string>) =>
  [...files].reduce((bytes, file) => bytes + bytesOf(file), 0);

/** The chunk of the page itself; undefined: another source is meant. */
const shellChunk = (source: string): Chunk | undefined =>
  source === 'index.html'
    ? [...manifest.values()].find(({ file }) => /^assets\/shell-[^/]+\.js$/.test(file))
    : undefined;

/** The files that come with a source: its own and all that it imports at once. */
function filesOf(source: string, files = new Set<string>()): Set<string> {
  // The page's own module stands in the shell, under whose name the manifest has it.
  const chunk = manifest.get(source) ?? shellChunk(source);
  if (chunk === undefined) throw new Error(`The manifest has no ${source}`);
  if (files.has(chunk.file)) return files;
  files.add(chunk.file);
  for (const style of chunk.css ?? []) files.add(style);
  for (const other of chunk.imports ?? []) filesOf(other, files);
  return files;
}

const daily = new Set(DAILY.flatMap((source) => [...filesOf(source)]));
const ofKind = (files: Iterable<string>, ending: string) =>
  [...files].filter((file) => file.endsWith(ending));

/** Pieces that are loaded when they are first shown, with what they weigh beyond the daily part. */
const pieces = [...manifest]
  .filter(([source, { isDynamicEntry }]) => isDynamicEntry && !DAILY.includes(source))
  .map(([source]) => {
    const own = [...filesOf(source)].filter((file) => !daily.has(file));
    return { source, bytes: sum(own) };
  });

function limitOf(source: string): number {
  if (source.startsWith('i18n/')) return LIMITS.language;
  return source.startsWith('views/viewers/') ? LIMITS.viewer : LIMITS.view;
}

type Weight = { readonly name: string; readonly bytes: number; readonly limit: number };

/** What is heavier than it may be. */
const tooHeavy = (weights: readonly Weight[]) =>
  weights.filter(({ name, bytes, limit }) => bytes > (KNOWN_BYTES[name] ?? limit));
/** Names of KNOWN_BYTES that keep to their limits by now, or name nothing. */
const needless = (weights: readonly Weight[]) =>
  Object.keys(KNOWN_BYTES).filter(
    (known) => !weights.some(({ name, bytes, limit }) => name === known && bytes > limit),
  );

const everything = new Set([...manifest.values()].flatMap(({ file, css = [] }) => [file, ...css]));
/** Workers, each begun by a chunk of its own; `all` is what pages themselves load. */
const workers = [...manifest.values()].flatMap(({ assets = [] }) => assets);
const WEIGHTS: readonly Weight[] = [
  { name: 'script', bytes: sum(ofKind(daily, '.js')), limit: LIMITS.script },
  { name: 'style', bytes: sum(ofKind(daily, '.css')), limit: LIMITS.style },
  { name: 'html', bytes: bytesOf('index.html'), limit: LIMITS.html },
  { name: 'all', bytes: sum(everything) + bytesOf('index.html'), limit: LIMITS.all },
  ...pieces.map(({ source, bytes }) => ({ name: source, bytes, limit: limitOf(source) })),
  { name: 'workers', bytes: sum(ofKind(workers, '.js')), limit: LIMITS.workers },
];

it('125: the frame, a folder, an upload, each view and all of it keep to their limits', () => {
  expect(WEIGHTS.length).toBeGreaterThan(20);
  expect([tooHeavy(WEIGHTS), needless(WEIGHTS)]).toEqual([[], []]);
});

it('125: a list of buckets loads neither the code of a folder nor that of uploads', () => {
  const isForeign = (file: string) => /\/(?:browse|upload)-[^/]+\.js$/.test(file);
  const places = [
    'home/home.tsx',
    'buckets/buckets.tsx',
    'jobs/jobs.tsx',
    'usage/usage.tsx',
    'keys.ts',
  ];
  const foreign = places.flatMap((place) => [...filesOf(`views/${place}`)].filter(isForeign));
  expect([[...daily].filter(isForeign).length, foreign]).toEqual([2, []]);
});

/** The build's files of the link pages: `style-….css`, one script a page. */
const linkFiles = (ending: string) =>
  readdirSync(join(CONSOLE_FOLDER, 'links'))
    .filter((name) => name.endsWith(ending))
    .map((name) => `links/${name}`);

it('pages of links keep to 15 KB of script each and 8 KB of style', () => {
  const scripts = linkFiles('.js').map((file) => [file, bytesOf(file)] as const);
  expect(scripts.length).toBeGreaterThan(0);
  expect(scripts.filter(([, bytes]) => bytes > LIMITS.linkScript)).toEqual([]);
  const styles = linkFiles('.css');
  expect(styles).toHaveLength(1);
  expect(sum(styles)).toBeLessThanOrEqual(LIMITS.linkStyle);
});

it('125: every file of the build is there', () => {
  const missing = [...everything].filter((file) => !existsSync(join(CONSOLE_FOLDER, file)));
  expect([everything.size > 20, missing]).toEqual([true, []]);
});
