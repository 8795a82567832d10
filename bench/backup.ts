// How fast is a backup against `cp -a` of the same folder, what does a second one cost after 1 %
// has changed, and how long do a check and a restore take? 100,000 objects of mixed sizes
// (lib/fill-folder.ts), commands as an operator runs them, in turns, each into a fresh folder;
// medians. Node only. The page cache has what was written just before: disks that must seek are
// slower in every line.
import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fillFolder } from './lib/fill-folder.ts';
import { median, printTable } from './lib/table.ts';

const OBJECTS = Number(process.env.QUAYSIDE_BENCH_OBJECTS ?? 100_000);
const ROUNDS = Number(process.env.QUAYSIDE_BENCH_ROUNDS ?? 3);
/** Where the folders are made; another file system for what hard links can't do. */
const ROOM = process.env.QUAYSIDE_BENCH_FOLDER ?? tmpdir();

/** Second backups, and the first ones that they are measured by. */
const FIRST = new Map([
  ['second backup --copy, 1 % new', 'backup --copy'],
  ['second backup (hard links), 1 % new', 'backup (hard links)'],
]);
const NICE = ['nice', '-n', '10'];
const BASE = 'cp -a';

const script = (name: string) => [
  process.execPath,
  fileURLToPath(new URL(`../scripts/${name}.ts`, import.meta.url)),
];
const folder = await mkdtemp(join(ROOM, 'quayside-bench-'));
const at = (name: string) => join(folder, name);
type Cost = { readonly wallSeconds: number; readonly cpuSeconds: number };
const costs = new Map<string, Cost[]>();

/**
 * Runs a command and notes its cost under a name. What was written before is on the disk by then.
 */
async function measure(name: string, command: readonly string[]): Promise<void> {
  await run(['sync']);
  const startedAt = performance.now();
  const output = await run(['sh', '-c', '"$@" > /dev/null && times', 'sh', ...command]);
  const wallSeconds = (performance.now() - startedAt) / 1000;
  costs.set(name, [...(costs.get(name) ?? []), { wallSeconds, cpuSeconds: readTimes(output) }]);
}

/**
 * User and system time of the children of a shell, the second line of its `times`: `0m1.25s
 * 1m2.50s`.
 */
function readTimes(output: string): number {
  const children = output.trim().split('\n')[1] ?? '';
  const parts = [...children.matchAll(/(\d+)m([\d.]+)s/g)];
  return parts.reduce(
    (sum, [, minutes, seconds]) => sum + Number(minutes) * 60 + Number(seconds),
    0,
  );
}

/** What it writes to stdout. */
async function run([command = '', ...args]: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], cwd: folder });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let output = '';
  for await (const chunk of child.stdout) output += String(chunk);
  const code = await ended;
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}`);
  return output;
}

try {
  await mkdir(at('data'));
  await fillFolder(at('data'), 0, OBJECTS);
  const backup = [...script('backup'), '--data', at('data')];
  const remove = (name: string) => rm(at(name), { recursive: true, force: true });
  for (let round = 0; round < ROUNDS; round++) {
    // The commands run under nice, so what they are compared with does.
    await measure(BASE, [...NICE, 'cp', '-a', at('data'), at('cp')]);
    await remove('cp');
    await measure('cp -a; sync -f', [...NICE, 'sh', '-c', 'cp -a data cp && sync -f cp']);
    await remove('cp');
    await measure('backup --copy', [...backup, at('copied'), '--copy']);
    await measure('backup (hard links)', [...backup, at('linked')]);
    await measure('restore --copy', [
      ...NICE,
      ...script('restore'),
      at('copied'),
      at('restored'),
      '--copy',
    ]);
    await remove('restored');
    await measure('check', [...script('check'), at('data')]);
    if (round === 0) await measure('check --bodies', [...script('check'), at('data'), '--bodies']);
    await fillFolder(at('data'), OBJECTS, Math.floor(OBJECTS * 1.01));
    await measure('second backup --copy, 1 % new', [...backup, at('copied'), '--copy']);
    await measure('second backup (hard links), 1 % new', [...backup, at('linked')]);
    for (const name of ['copied', 'linked']) await remove(name);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

const middleOf = (name: string, of: keyof Cost) =>
  median((costs.get(name) ?? []).map((cost) => cost[of]));
const share = (part: number, whole: number) => `${((part / whole) * 100).toFixed(1)} %`;
const rows = [...costs.keys()].map((name) => {
  const [wall, cpu] = [middleOf(name, 'wallSeconds'), middleOf(name, 'cpuSeconds')];
  const first = FIRST.get(name);
  const ofFirst = first === undefined ? '' : share(wall, middleOf(first, 'wallSeconds'));
  const cpuOfFirst = first === undefined ? '' : share(cpu, middleOf(first, 'cpuSeconds'));
  return [
    name,
    wall.toFixed(2),
    share(wall, middleOf(BASE, 'wallSeconds')),
    ofFirst,
    cpu.toFixed(2),
    cpuOfFirst,
  ];
});
printTable([
  ['what', 'seconds', 'of cp -a', 'of the first', 'CPU seconds', 'CPU of the first'],
  ...rows,
]);
