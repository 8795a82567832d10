// Installs the dependencies where node_modules is missing or older than the lock file, so that every command works
// on a fresh clone. The pre-scripts of package.json run it, on whatever Node the machine has: plain JavaScript,
// built-in modules only, nothing newer than Node 18. What runs after it is on the Node that the lock file pins.
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Modification time in milliseconds since 1970; 0 when there is no such file. */
function modifiedAtMs(path) {
  return statSync(`${root}${path}`, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

// npm writes this file last, so an interrupted installation leaves none and is done again.
if (modifiedAtMs('node_modules/.package-lock.json') < modifiedAtMs('package-lock.json')) {
  process.stdout.write('Installing the dependencies that package-lock.json names (npm ci) ...\n');
  // npm names its own script and its own Node: not the pinned Node, which the installation replaces.
  const { npm_execpath: npmScript, npm_node_execpath: npmNode } = process.env;
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const installed =
    npmScript && npmNode
      ? spawnSync(npmNode, [npmScript, ...args], { cwd: root, stdio: 'inherit' })
      : spawnSync('npm', args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (installed.error) process.stderr.write(`npm could not be started: ${installed.error.message}\n`);
  process.exitCode = installed.status ?? 1;
}
