// The npm package as a project has it: built, made into an archive by npm, and installed beside
// links to the repository's own dependencies. Needs no network; the tests of this folder call it.
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { NEEDED_MAJOR } from '../../src/bin/find-node.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MODULES = join(ROOT, 'node_modules');
const IS_WINDOWS = process.platform === 'win32';

/** Why the package can't be made here; null: it can. */
export function missingTool(): string | null {
  for (const tool of ['npm', 'tar']) {
    const { status } = spawnSync(tool, ['--version'], { shell: IS_WINDOWS });
    if (status !== 0) return `there is no ${tool} in PATH`;
  }
  return null;
}

/** Installs the package into a project in an empty folder. */
export function installPackage(project: string): void {
  execFileSync(process.execPath, [join(ROOT, 'scripts', 'build.ts')], { stdio: 'pipe' });
  const args = ['pack', ROOT, '--ignore-scripts', '--json', '--offline'];
  const options = { cwd: project, stdio: 'pipe', shell: IS_WINDOWS } as const;
  const [archive] = JSON.parse(execFileSync('npm', args, options).toString());
  execFileSync('tar', ['-xzf', archive.filename], options);

  const modules = join(project, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(MODULES)) {
    if (!name.startsWith('.')) symlinkSync(join(MODULES, name), join(modules, name), 'junction');
  }
  renameSync(join(project, 'package'), join(modules, 'quayside'));
}

/** A Node of this machine that is too old for the server; null where there is none. */
export function oldNode(): string | null {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, IS_WINDOWS ? 'node.exe' : 'node');
    const { status, stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' });
    const major = Number.parseInt(`${stdout}`.slice(1), 10);
    if (status === 0 && major >= 18 && major < NEEDED_MAJOR) return path;
  }
  return null;
}
