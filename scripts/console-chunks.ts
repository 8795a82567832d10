// Which modules of the console go into one file: what every visit needs, what a folder
// needs beside that, what an upload needs beside both. Left alone, the bundler makes some
// sixty files of these, most of one icon: each is a request, and none compresses well.
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

/** Chunks by name, each with the modules that load it; a module is in the first that needs it. */
export const CONSOLE_CHUNKS = {
  shell: ['index.html'],
  browse: ['views/browse/place.tsx'],
  upload: ['views/upload/dock.tsx', 'views/upload/bring-in.ts'],
} as const;

/** Follows static imports of a first bundle, after what is unused has been left out. */
export function chunkOfModules(output: Rolldown.RolldownOutput['output'], root: string): ChunkOf {
  const chunks = output.filter((one) => one.type === 'chunk');

  function modulesOf(entry: string): ReadonlySet<string> {
    const path = join(root, entry);
    const first = chunks.find((one) => one.moduleIds.includes(path) || one.facadeModuleId === path);
    if (first === undefined) throw new Error(`${entry} is in no chunk`);
    const files = new Set([first.fileName]);
    const modules = new Set<string>();
    for (const file of files) {
      const chunk = chunks.find(({ fileName }) => fileName === file);
      for (const id of chunk?.moduleIds ?? []) modules.add(id);
      for (const imported of chunk?.imports ?? []) files.add(imported);
    }
    return modules;
  }

  const elsewhere = new Set(OTHER_PLACES.flatMap((entry) => [...modulesOf(entry)]));
  const chunkOf = new Map<string, string>();
  for (const [name, entries] of Object.entries(CONSOLE_CHUNKS)) {
    for (const id of entries.flatMap((entry) => [...modulesOf(entry)])) {
      if (!chunkOf.has(id)) chunkOf.set(id, elsewhere.has(id) ? 'shell' : name);
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
