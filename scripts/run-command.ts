// Runs a command of a script to its end, or to the end of its time: then it and all that it started
// are killed.
import { spawn } from 'node:child_process';
import { setPriority } from 'node:os';

export type CommandEnd = {
  /** Its exit code; null: a signal ended it, or its time was up. */
  readonly code: number | null;
  readonly isLate: boolean;
  /** Its output, where that was captured. */
  readonly text: string;
};

export type CommandOptions = {
  readonly cwd: string;
  /** `live`: printed as it comes, and not captured. */
  readonly output: 'captured' | 'live';
  readonly limitMs: number;
  readonly env?: NodeJS.ProcessEnv;
  /** Takes only the time that other programs leave. */
  readonly isPatient?: boolean;
};

const IS_WINDOWS = process.platform === 'win32';
/** Signals that a person or a CI sends to end a run. */
export const END_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Minutes that a whole test run may take; it needs six on two cores. */
const TEST_MINUTES = 20;

/** Reads the limit from a setting, else the default. */
export function limitMinutes(setting: string | undefined): number {
  const minutes = Number(setting ?? '');
  return minutes > 0 ? minutes : TEST_MINUTES;
}

export async function runCommand(
  command: string,
  args: readonly string[],
  { cwd, output, limitMs, env = process.env, isPatient = false }: CommandOptions,
): Promise<CommandEnd> {
  const stream = output === 'live' ? 'inherit' : 'pipe';
  // A group of its own, so that the servers that a test run starts end with it.
  const child = spawn(command, args, {
    cwd,
    stdio: ['ignore', stream, stream],
    shell: IS_WINDOWS,
    detached: !IS_WINDOWS,
    env: { ...env, CI: env.CI ?? 'true' },
  });
  if (isPatient) yieldToOthers(child.pid);
  const kill = (signal: NodeJS.Signals) => {
    try {
      if (child.pid !== undefined) process.kill(IS_WINDOWS ? child.pid : -child.pid, signal);
    } catch {
      // It has ended meanwhile.
    }
  };
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    kill('SIGKILL');
  }, limitMs);
  const passOn = (signal: NodeJS.Signals) => kill(signal);
  for (const signal of END_SIGNALS) process.on(signal, passOn);
  let text = '';
  for (const source of [child.stdout, child.stderr]) {
    source?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  const code = await new Promise<number | null>((resolve) => {
    child.on('error', (error) => {
      text += `${error.message}\n`;
      resolve(1);
    });
    child.on('close', resolve);
  });
  clearTimeout(limit);
  for (const signal of END_SIGNALS) process.off(signal, passOn);
  return { code: isLate ? null : code, isLate, text };
}

/** The nice value of a program that can wait. */
const PATIENT = 10;

function yieldToOthers(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, PATIENT);
  } catch {
    // It has ended meanwhile, or this machine has no priorities: it only takes more time then.
  }
}
