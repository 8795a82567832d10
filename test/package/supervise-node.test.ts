// What the program of the package does between a person and a newer Node: signals go through once,
// and the end of the one is the end of the other.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../node/kit/temporary-folder.ts';

const SUPERVISOR = new URL('../../src/bin/supervise-node.ts', import.meta.url).href;

/** Runs a program under the supervisor; resolves when the program has said that it is ready. */
async function supervise(lines: readonly string[]) {
  const path = join(temporaryFolder(), 'program.mjs');
  writeFileSync(path, [...lines, "process.stdout.write('ready');"].join('\n'));
  const call = `superviseNode(process.execPath, [${JSON.stringify(path)}])`;
  const code = `import { superviseNode } from '${SUPERVISOR}'; ${call};`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code]);
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  return { child, ended };
}

/** Ends with the number of signals as exit code, some time after the first one. */
const counting = (signal: string, ms: number) => [
  'let count = 0;',
  'setInterval(() => undefined, 1000);',
  `process.on('${signal}', () => {`,
  `  if (++count === 1) setTimeout(() => process.exit(count), ${ms});`,
  '});',
];

it.each(['SIGINT', 'SIGTERM'] as const)(
  'the program takes two %s at a time for one',
  async (signal) => {
    const { child, ended } = await supervise(counting(signal, 250));
    child.kill(signal);
    await wait(50);
    child.kill(signal);
    expect(await ended).toEqual([1, null]);
  },
);

it('the program passes a second one on that a person sends', async () => {
  const { child, ended } = await supervise(counting('SIGINT', 900));
  child.kill('SIGINT');
  await wait(500);
  child.kill('SIGINT');
  expect(await ended).toEqual([2, null]);
});

it('the program passes every SIGHUP on, which opens log files anew', async () => {
  const { child, ended } = await supervise(counting('SIGHUP', 500));
  child.kill('SIGHUP');
  await wait(100);
  child.kill('SIGHUP');
  expect(await ended).toEqual([2, null]);
});

it('the program ends by the signal that ended the program', async () => {
  const { child, ended } = await supervise(['setInterval(() => undefined, 1000);']);
  child.kill('SIGUSR2');
  expect(await ended).toEqual([null, 'SIGUSR2']);
});
