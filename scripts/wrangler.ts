// Runs wrangler with everything off that would leave this machine unasked: metrics, the search for
// a newer version, the download of a sample `request.cf`. package.json's `dev` and `deploy` run it;
// the wire suite and the benches take the command from here. The one setting of Quayside that it
// adds says that the dev server is in front.
import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { makeConsoleFolder } from './console-folder.ts';

const CLI = fileURLToPath(
  new URL('../node_modules/wrangler/wrangler-dist/cli.js', import.meta.url),
);

/**
 * The banner is what asks the registry for a newer version. Source: wrangler 4.155.0,
 * printWranglerBanner.
 */
const QUIET = {
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_NO_SKILLS_UPDATE_PROMPTS: 'true',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
};

/**
 * The Worker must know what stands before it there:
 * src/adapters/cloudflare/requests/stored-coding.ts.
 */
const DEV_VARS = ['--var', 'QUAYSIDE_DEV_SERVER:on'];

/** Starts wrangler itself, not its launcher: the returned process is the one to signal. */
export function spawnWrangler(
  args: readonly string[],
  options: { cwd: string; stdio: 'inherit' | ['ignore', 'pipe', 'pipe']; env?: NodeJS.ProcessEnv },
): ChildProcess {
  makeConsoleFolder();
  const own = args[0] === 'dev' ? DEV_VARS : [];
  return spawn(process.execPath, ['--no-warnings', CLI, ...args, ...own], {
    cwd: options.cwd,
    stdio: options.stdio,
    env: { ...process.env, ...QUIET, ...options.env },
  });
}

/**
 * Options of package.json's `dev` that a command line may name again: `npm run dev -- --port 9999`.
 */
const OVERRIDABLE = ['--ip', '--port'];

const PARENT_CHECK_MS = 500;

/** wrangler takes no option twice; the last one shall win. */
function withoutOverridden(args: readonly string[]): string[] {
  const isOverridden = (name: string | undefined, index: number) =>
    name !== undefined && OVERRIDABLE.includes(name) && args.lastIndexOf(name) > index;
  return args.filter(
    (arg, index) => !isOverridden(arg, index) && !isOverridden(args[index - 1], index - 1),
  );
}

/**
 * What `deploy` uploads: the script and modules of worker-bundle.ts, as they are. Source:
 * https://developers.cloudflare.com/workers/wrangler/bundling/#disable-bundling
 */
async function prepareDeploy(): Promise<readonly string[]> {
  const { bundleWorker, WORKER_FOLDER } = await import('./deploy/worker-bundle.ts');
  await bundleWorker(WORKER_FOLDER);
  return [`${WORKER_FOLDER}/worker.js`, '--no-bundle'];
}

if (import.meta.main) {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const [command = '', ...others] = process.argv.slice(2);
  const prepared = command === 'deploy' ? await prepareDeploy() : [];
  const wrangler = spawnWrangler(withoutOverridden([command, ...prepared, ...others]), {
    cwd: root,
    stdio: 'inherit',
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => wrangler.kill('SIGTERM'));
  // npm sends SIGTERM to its shell, which dies of it and tells nobody.
  const parentPid = process.ppid;
  const watch = setInterval(
    () => process.ppid !== parentPid && wrangler.kill('SIGTERM'),
    PARENT_CHECK_MS,
  );
  watch.unref();
  wrangler.on('exit', (code) => process.exit(code ?? 0));
}
