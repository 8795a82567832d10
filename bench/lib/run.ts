// `npm run bench -- [names] [options]`: runs the named benches one after the other, all when none
// is named. Each bench is a file of bench/, bench/sockets/ or bench/shards/ that prints one table;
// results with machine and date are kept in bench/README.md. What begins with the first `--…` is
// for the benches.
import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describeMachine } from './machine.ts';

const folder = fileURLToPath(new URL('..', import.meta.url));
/** Folders of benches, below that one. */
const FOLDERS = ['', 'sockets/', 'shards/'] as const;

async function runBench({ name, parts }: Named): Promise<number> {
  process.stdout.write(`\n## ${name}\n`);
  const file = files.get(name) ?? '';
  const child = spawn(process.execPath, [file, ...parts, ...options], {
    stdio: 'inherit',
  });
  return new Promise((resolve) => child.on('exit', (code) => resolve(code ?? 1)));
}

/** Paths of the benches, by name. */
const files = new Map<string, string>();
for (const below of FOLDERS) {
  for (const file of await readdir(folder + below))
    if (file.endsWith('.ts')) files.set(file.slice(0, -'.ts'.length), folder + below + file);
}
const known = [...files.keys()].sort();
const given = process.argv.slice(2);
const optionsAt = given.findIndex((argument) => argument.startsWith('--'));
const wanted = optionsAt === -1 ? given : given.slice(0, optionsAt);
const options = given.slice(wanted.length);

/** Benches with parts that can be named behind them: `simulate lone flat`. */
const WITH_PARTS: ReadonlySet<string> = new Set(['simulate']);

type Named = { readonly name: string; readonly parts: string[] };

const benches: Named[] = [];
const unknown: string[] = [];
for (const name of wanted.length > 0 ? wanted : known) {
  const last = benches.at(-1);
  if (known.includes(name)) benches.push({ name, parts: [] });
  else if (last !== undefined && WITH_PARTS.has(last.name)) last.parts.push(name);
  else unknown.push(name);
}
if (unknown.length > 0) {
  process.stderr.write(`No such bench: ${unknown.join(', ')}. There are: ${known.join(', ')}\n`);
  process.exit(2);
}
process.stdout.write(`${describeMachine()}\n`);
let failed = 0;
for (const bench of benches) failed += (await runBench(bench)) === 0 ? 0 : 1;
process.exitCode = failed === 0 ? 0 : 1;
