// The files of the service's own pages, out of the installed packages. Read and compressed when somebody first asks, then
// kept: 1.3 MB.
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { OwnFileName, OwnFiles } from '../../ports/own-files.ts';

const MODULES = new URL('../../../node_modules/', import.meta.url);
const PLACES = {
  'scalar.js': '@scalar/api-reference/dist/browser/standalone.js',
} as const satisfies Record<OwnFileName, string>;

const compress = promisify(gzip);

export function createPackageFiles(): OwnFiles {
  const kept = new Map<OwnFileName, Promise<Uint8Array | null>>();
  return {
    async read(name) {
      const reading = kept.get(name) ?? load(name);
      kept.set(name, reading);
      const bytes = await reading;
      // What is not there may be installed yet.
      if (bytes === null) kept.delete(name);
      return bytes === null ? null : { bytes, isGzipped: true };
    },
  };
}

async function load(name: OwnFileName): Promise<Uint8Array | null> {
  try {
    return await compress(await readFile(new URL(PLACES[name], MODULES)));
  } catch {
    return null;
  }
}
