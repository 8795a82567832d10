// Starts a server program for a bench, pinned to CPUs and on loopback, and stops it by its pid.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

export type Server = {
  readonly url: string;
  /** Processes whose CPU time counts. */
  readonly pids: readonly number[];
  readonly folder: string;
  stop(): Promise<void>;
};

const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 10_000;
/** Characters of a program's last words that are kept. */
const SAID_MAX_LENGTH = 4000;

export type ServerProgram = {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Removed when the server has ended. */
  readonly folder: string;
  readonly port: number;
  /** A path that it answers once it is ready. */
  readonly readyPath?: string;
  readonly scheme?: 'http' | 'https';
  /** CPUs that it may use, as taskset names them. */
  readonly cpus?: string;
};

/** Runs the program until `stop`. Throws when it ends first, or isn't ready in time. */
export async function startServer({
  command,
  env,
  folder,
  port,
  readyPath = '/',
  scheme = 'http',
  cpus = '0',
}: ServerProgram): Promise<Server> {
  const child = spawn('taskset', ['-c', cpus, ...command], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env,
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-SAID_MAX_LENGTH);
  });
  const url = `${scheme}://127.0.0.1:${port}`;
  await waitUntilUp(`${url}${readyPath}`, child, () => said);
  // taskset becomes the program, so this is the server's own pid.
  const pid = child.pid ?? 0;
  return {
    url,
    pids: [pid, ...childrenOf(pid)],
    folder,
    async stop() {
      await stopChild(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function waitUntilUp(url: string, child: ChildProcess, said: () => string): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (Date.now() < deadline) {
    if (child.exitCode !== null)
      throw new Error(`The server at ${url} exited with ${child.exitCode}:\n${said()}`);
    const isUp = await fetch(url).then(
      (response) => response.body?.cancel().then(() => true) ?? true,
      () => false,
    );
    if (isUp) return;
    await delay(20);
  }
  child.kill('SIGKILL');
  throw new Error(`The server at ${url} did not start:\n${said()}`);
}

/** Workers of a program that forks, as Varnish does. Linux only. */
function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return text === '' ? [] : text.split(' ').map(Number);
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const isGone = await Promise.race([
    gone.then(() => true),
    delay(STOP_TIMEOUT_MS, false, { ref: false }),
  ]);
  if (!isGone) child.kill('SIGKILL');
  await gone;
}
