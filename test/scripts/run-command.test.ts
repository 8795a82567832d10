// What a script runs ends: by itself, or with all it started when its time is up.
import { expect, it } from 'vitest';
import { limitMinutes, runCommand } from '../../scripts/run-command.ts';

const node = (program: string, limitMs: number) =>
  runCommand(process.execPath, ['-e', program], {
    cwd: process.cwd(),
    output: 'captured',
    limitMs,
  });

const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

it('runCommand returns what a command printed and how it ended', async () => {
  const end = await node('console.log("out"); console.error("err"); process.exitCode = 3', 20_000);
  expect(end).toMatchObject({ code: 3, isLate: false });
  expect(end.text.split('\n').toSorted()).toEqual(['', 'err', 'out']);
  expect(await node('', 20_000)).toEqual({ code: 0, isLate: false, text: '' });
});

it('runCommand says why a command could not be run', async () => {
  const end = await runCommand('/no/such/command', [], {
    cwd: process.cwd(),
    output: 'captured',
    limitMs: 20_000,
  });
  expect(end).toMatchObject({ code: 1, isLate: false, text: expect.stringContaining('ENOENT') });
});

it('runCommand kills a command that hangs, and what it has started', async () => {
  const child =
    'require("node:child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"])';
  const program = `const child = ${child}; console.log(child.pid); setInterval(() => {}, 1000)`;
  const end = await node(program, 1500);
  expect(end).toMatchObject({ code: null, isLate: true });
  const pid = Number(end.text.trim());
  expect(pid).toBeGreaterThan(0);
  await expect.poll(() => isRunning(pid)).toBe(false);
});

it.each([
  [undefined, 20],
  ['', 20],
  ['x', 20],
  ['-1', 20],
  ['0.5', 0.5],
  ['45', 45],
])('a whole test run of %j minutes has %i', (setting, minutes) => {
  expect(limitMinutes(setting)).toBe(minutes);
});
