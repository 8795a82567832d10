// Starts the Node platform as a process of its own, for tests of its life: start, stop, death.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';

/**
 * Compile cache of the program: set from outside, it makes a start a third shorter.
 */
const COMPILED = fileURLToPath(new URL('../../../node_modules/.cache/quayside', import.meta.url));
const PROGRAM = fileURLToPath(new URL('../../../src/node.ts', import.meta.url));
/**
 * Reserve on the disk of a server under test, bytes. Each start writes half of it, which by default
 * is 64 MiB of random bytes, and waits for the disk.
 */
export const RESERVE_BYTES = 2 * 1024 * 1024;

/** The SDK writes into what it is given: hand it a copy. */
export const ROOT_KEY = {
  accessKeyId: 'node-platform-tests',
  secretAccessKey: 'node-platform-tests-secret',
};

const running = new Set<ChildProcess>();

/**
 * Kills every server that still runs, also one that never became ready; resolves when they are
 * gone.
 */
export async function killNodeProcesses(): Promise<void> {
  const ended = [...running].map((child) => once(child, 'exit'));
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(ended);
}

export type NodeProcess = {
  readonly url: string;
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** Sends the signal and resolves with the exit code; null when the signal itself ended it. */
  end(signal: NodeJS.Signals): Promise<number | null>;
};

/** Runs the program until it ends by itself. */
export async function runNodeProcess(
  env: NodeJS.ProcessEnv,
): Promise<{ exitCode: number | null; output: string }> {
  const { child, output } = spawnNodeProcess(env);
  const [exitCode] = await once(child, 'exit');
  return { exitCode, output: output.stdout + output.stderr };
}

/** Resolves when the server is ready; rejects with what it printed when it ends before. */
export async function startNodeProcess(
  dataDir: string,
  env: NodeJS.ProcessEnv = {},
): Promise<NodeProcess> {
  const keys = {
    QUAYSIDE_ROOT_ACCESS_KEY: ROOT_KEY.accessKeyId,
    QUAYSIDE_ROOT_SECRET_KEY: ROOT_KEY.secretAccessKey,
  };
  const { child, output } = spawnNodeProcess({ QUAYSIDE_DATA_DIR: dataDir, ...keys, ...env });
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const ready = /ready: (https?:\S+)[\s\S]*access key/.exec(output.stdout);
      if (ready?.[1] !== undefined) resolve(ready[1]);
    });
    child.once('exit', (code) =>
      reject(new Error(`It ended with ${code}:\n${output.stdout}${output.stderr}`)),
    );
  });
  return {
    url,
    child,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    async end(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const ended = once(child, 'exit');
      child.kill(signal);
      const [code] = await ended;
      return code;
    },
  };
}

function spawnNodeProcess(env: NodeJS.ProcessEnv) {
  const child = spawn(process.execPath, [PROGRAM], {
    // Away from the repository: its .env is none of a test's business.
    cwd: tmpdir(),
    env: {
      PATH: process.env.PATH,
      QUAYSIDE_PORT: '0',
      QUAYSIDE_THREADS: process.env.QUAYSIDE_THREADS,
      NODE_COMPILE_CACHE: COMPILED,
      QUAYSIDE_DISK_RESERVE_BYTES: `${RESERVE_BYTES}`,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  return { child, output };
}
