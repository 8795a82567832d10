import { spawn, spawnSync } from 'node:child_process';

/** Names of those programs that this machine does not have. */
export function missingPrograms(names: readonly string[]): string[] {
  return names.filter((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0);
}

/**
 * Runs a program to its end and gives its standard output. Throws with its standard error when it
 * fails.
 */
export async function runProgram(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  if (code !== 0)
    throw new Error(`${command} failed with ${code}: ${Buffer.concat(err).toString()}`);
  return Buffer.concat(out).toString();
}
