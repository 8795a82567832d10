// Which modules of the console go into one file: what every visit needs, what a folder
// needs beside that, what an upload needs beside both, then what comes after the first
// rows. Left alone, the bundler makes some ninety files of these, most of one icon: each is
// a request, and none compresses well.
import { join } from 'node:path';
import type { Rolldown } from 'vite';

/** The chunk of a module; null: the bundler decides. */
export type ChunkOf = (moduleId: string) => string | null;

/**
 * Places that are neither the folder nor an upload. What one of them shares with those, the top bar
 * and the frame of dialogs, stands in the shell: else a list of buckets would load the folder's
 * whole chunk and that of uploads, 45 kB, for 4 kB of both.
 */
const OTHER_PLACES = [
  'views/home/home.tsx',
  'views/buckets/buckets.tsx',
  'views/buckets/bucket.tsx',
  'views/buckets/create-bucket.tsx',
  'views/jobs/jobs.tsx',
  'views/trash/trash.tsx',
  'views/usage/usage.tsx',
  'views/keys/keys.tsx',
  'views/settings/settings.tsx',
  'views/object/object.tsx',
  'views/palette/palette.tsx',
] as const;

/** What a list of buckets and the settings of one have in common. */
const BUCKETS =
  /\/views\/(?:buckets\/bucket-(?:actions|list)|access\/(?:make-private|public-prefixes))\./;
/** What the sections of a bucket's settings are made of. */
const SETTINGS = /\/src\/console\/views\/buckets\/(?:json-setting|setting-form|use-setting)\./;
/** Keys that the texts of all languages share: text-keys.ts. */
const OBJECT_KEYS = /text-keys\/object-texts$/;
const ACCOUNT_KEYS = /text-keys\/account-texts$/;
/** What forms and tables are made of, and what settings of many kinds share. */
const FORMS =
  /\/(?:ui\/(?:copy-field|field|row-step|segments|table)|views\/(?:buckets\/bucket-name|change\/use-act|settings\/(?:section|use-saving)))\.tsx?$/;
/** What no view has for itself: components, icons, queries. */
const COMMON =
  /\/(?:lucide\/|src\/console\/(?:api|app|ui(?!\/(?:copy-field|field|row-step|segments|table)\.))\/)/;

/**
 * Chunks by name, each with the modules that load it, or with a pattern of modules that
 * several others load; a module is in the first that needs it.
 */
export const CONSOLE_CHUNKS: Readonly<Record<string, readonly string[] | RegExp>> = {
  shell: ['index.html'],
  browse: ['views/browse/place.tsx'],
  upload: ['views/dock.ts'],
  'object-keys': OBJECT_KEYS,
  'account-keys': ACCOUNT_KEYS,
  common: COMMON,
  forms: FORMS,
  'bucket-acts': BUCKETS,
  setting: SETTINGS,
  frame: ['app/frame.ts'],
  folder: ['views/folder.ts'],
  viewer: [
    'views/viewers/viewer.tsx',
    'views/viewers/text/decode.ts',
    'views/viewers/media/play.ts',
  ],
  'text-viewers': ['views/viewers/text.ts'],
};

type Chunks = readonly Rolldown.OutputChunk[];

/** The modules of an entry and of all that it imports at once. */
function closureOf(chunks: Chunks, path: string): string[] {
  const first = chunks.find((one) => one.moduleIds.includes(path) || one.facadeModuleId === path);
  if (first === undefined) throw new Error(`${path} is in no chunk`);
  const files = new Set([first.fileName]);
  const modules: string[] = [];
  for (const file of files) {
    const chunk = chunks.find(({ fileName }) => fileName === file);
    modules.push(...(chunk?.moduleIds ?? []));
    for (const imported of chunk?.imports ?? []) files.add(imported);
  }
  return modules;
}

/** The modules of the pattern that several entries import. */
const sharedBy = (chunks: Chunks, pattern: RegExp): string[] =>
  chunks
    .filter(({ isEntry, isDynamicEntry }) => !isEntry && !isDynamicEntry)
    .flatMap(({ moduleIds }) => moduleIds)
    .filter((id) => pattern.test(id));

/** What the bundler adds, for modules that are imported as a whole. */
const RUNTIME = '\0rolldown/runtime.js';

/** Follows static imports of a first bundle, after what is unused has been left out. */
export function chunkOfModules(output: Rolldown.RolldownOutput['output'], root: string): ChunkOf {
  const chunks = output.filter((one) => one.type === 'chunk');
  const modulesOf = (entries: readonly string[]): string[] =>
    entries.flatMap((entry) => closureOf(chunks, join(root, entry)));

  const elsewhere = new Set(modulesOf(OTHER_PLACES));
  const chunkOf = new Map(
    [RUNTIME, join(root, 'i18n', 'fill-texts.ts')].map((id) => [id, 'shell']),
  );
  for (const [name, of] of Object.entries(CONSOLE_CHUNKS)) {
    const isOfFolder = name === 'browse' || name === 'upload';
    for (const id of of instanceof RegExp ? sharedBy(chunks, of) : modulesOf(of)) {
      if (chunkOf.has(id)) continue;
      chunkOf.set(id, isOfFolder && elsewhere.has(id) ? 'shell' : name);
    }
  }
  return (moduleId) => chunkOf.get(moduleId) ?? null;
}

/** The chunks as the bundler takes them: what is in an earlier one is in no later one. */
export const groupsOf = (chunkOf: ChunkOf) =>
  Object.keys(CONSOLE_CHUNKS).map((name, at, { length }) => ({
    name,
    priority: length - at,
    test: (moduleId: string) => chunkOf(moduleId) === name,
  }));
