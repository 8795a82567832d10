// `npm run build`: makes dist, which the npm package has in place of the sources. rolldown bundles
// the client and the server, with dependencies as imports; tsc writes the client's types; the
// console is built as for a clone and copied.
import { chmodSync, cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type RolldownOptions, rolldown } from 'rolldown';
import { runCommand } from './run-command.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DIST = join(ROOT, 'dist');
/** The oldest Node that starts the program. */
const OLDEST_NODE = 'node18';
/** Milliseconds that tsc may take; it needs one second. */
const TYPES_LIMIT_MS = 120_000;
/** Milliseconds that building the console may take; it needs two seconds. */
const CONSOLE_LIMIT_MS = 120_000;

/** What is imported by a name: packages and built-in modules. */
const isPackage = (id: string) => !/^[./]|^[A-Za-z]:[\\/]/.test(id);

/**
 * The entries of each folder of dist. Each folder is flat: modules find the writer's file and the
 * compile cache by the address of their own file.
 */
const FOLDERS: Readonly<Record<string, RolldownOptions>> = {
  client: {
    platform: 'neutral',
    input: {
      index: 'src/client/index.ts',
      'upload-element': 'src/client/upload-element.ts',
    },
  },
  server: {
    platform: 'node',
    input: {
      node: 'src/node.ts',
      'serving-thread': 'src/serving-thread.ts',
      'index-writer': 'src/adapters/node/index/index-writer.ts',
      backup: 'scripts/backup.ts',
      restore: 'scripts/restore.ts',
      check: 'scripts/check.ts',
    },
  },
  bin: {
    platform: 'node',
    input: { quayside: 'src/bin/quayside.ts' },
    transform: { target: OLDEST_NODE },
  },
};

async function bundle(folder: string, options: RolldownOptions): Promise<void> {
  const built = await rolldown({ ...options, cwd: ROOT, tsconfig: false, external: isPackage });
  await built.write({
    dir: join(DIST, folder),
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunk-[name].js',
    banner: folder === 'bin' ? '#!/usr/bin/env node' : '',
  });
  await built.close();
}

/** Writes the client's types, whose imports name JavaScript: a `.ts` file is not in the package. */
async function writeTypes(): Promise<void> {
  const tsc = join(ROOT, 'node_modules', '.bin', 'tsc');
  const args = ['-p', 'tsconfig.package.json', '--checkers', '1'];
  const { code, text } = await runCommand(tsc, args, {
    cwd: ROOT,
    output: 'captured',
    limitMs: TYPES_LIMIT_MS,
  });
  if (code !== 0) throw new Error(`tsc ended with ${code}:\n${text}`);

  const folder = join(DIST, 'client');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.d.ts')) continue;
    const path = join(folder, name);
    const types = readFileSync(path, 'utf8');
    writeFileSync(path, types.replace(/\b(from |import\()(['"])(\.[^'"]+)\.ts\2/g, '$1$2$3.js$2'));
  }
}

async function copyConsole(): Promise<void> {
  const script = join(ROOT, 'scripts', 'build-console.ts');
  const options = { cwd: ROOT, output: 'captured', limitMs: CONSOLE_LIMIT_MS } as const;
  const { code, text } = await runCommand(process.execPath, [script], options);
  if (code !== 0) throw new Error(`The console could not be built:\n${text}`);
  cpSync(join(ROOT, 'build', 'console'), join(DIST, 'console'), { recursive: true });
}

rmSync(DIST, { recursive: true, force: true });
for (const [folder, options] of Object.entries(FOLDERS)) await bundle(folder, options);
await writeTypes();
await copyConsole();
chmodSync(join(DIST, 'bin', 'quayside.js'), 0o755);
