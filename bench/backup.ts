// How fast is a backup against `cp -a` of the same folder, what does a second one cost after 1 % has changed, and how long do
// a check and a restore take? 100,000 objects of mixed sizes (lib/fill-folder.ts), commands as an operator runs them, in
// turns, each into a fresh folder; medians. Node only. The page cache has what was written just before: disks that
// must seek are slower in every line.
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

const NICE = ['nice', '-n', '10'];
const BASE = 'cp -a';

const script = (name: string) => [process.execPath, fileURLToPath(new URL(`../scripts/${name}.ts`, import.meta.url))];
const folder = await mkdtemp(join(ROOM, 'quayside-bench-'));
const at = (name: string) => join(folder, name);
const times = new Map<string, number[]>();

/** Runs a command and notes its seconds under a name. What was written before is on the disk by then. */
async function time(name: string, [command = '', ...args]: readonly string[]): Promise<void> {
  await run(['sync']);
  const startedAt = performance.now();
  await run([command, ...args]);
  const seconds = (performance.now() - startedAt) / 1000;
  times.set(name, [...(times.get(name) ?? []), seconds]);
}

async function run([command = '', ...args]: readonly string[]): Promise<void> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'], cwd: folder });
  const code = await new Promise((resolve) => child.once('exit', resolve));
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}`);
}

try {
  await mkdir(at('data'));
  await fillFolder(at('data'), 0, OBJECTS);
  const backup = [...script('backup'), '--data', at('data')];
  const remove = (name: string) => rm(at(name), { recursive: true, force: true });
  for (let round = 0; round < ROUNDS; round++) {
    // The commands run under nice, so what they are compared with does.
    await time(BASE, [...NICE, 'cp', '-a', at('data'), at('cp')]);
    await remove('cp');
    await time('cp -a; sync -f', [...NICE, 'sh', '-c', 'cp -a data cp && sync -f cp']);
    await remove('cp');
    await time('backup --copy', [...backup, at('copied'), '--copy']);
    await time('backup (hard links)', [...backup, at('linked')]);
    await time('restore --copy', [...NICE, ...script('restore'), at('copied'), at('restored'), '--copy']);
    await remove('restored');
    await time('check', [...script('check'), at('data')]);
    if (round === 0) await time('check --bodies', [...script('check'), at('data'), '--bodies']);
    await fillFolder(at('data'), OBJECTS, Math.floor(OBJECTS * 1.01));
    await time('second backup --copy, 1 % new', [...backup, at('copied'), '--copy']);
    await time('second backup (hard links), 1 % new', [...backup, at('linked')]);
    for (const name of ['copied', 'linked']) await remove(name);
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

const base = median(times.get(BASE) ?? []);
const rows = [...times].map(([name, seconds]) => {
  const middle = median(seconds);
  return [name, middle.toFixed(2), `${Math.round((middle / base) * 100)} %`];
});
printTable([['what', 'seconds', 'of the time of cp -a'], ...rows]);
