// `npm run backup -- FOLDER`: backs the data folder of a running server up. docs/running.md tells
// operators.
import { setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import type { BackupResult } from '../src/adapters/node/backup/back-up.ts';
import { callOf } from '../src/adapters/node/call-of.ts';
import type { Config } from '../src/config.ts';
import { HURT, print, readSettings, runCommand, SOUND, sizeText, UsageError } from './command.ts';

const USAGE = `${callOf('backup')} FOLDER [--copy] [--verify] [--data DATA_FOLDER]`;
/** The priority, as `nice` counts it: requests of the server come first. */
const NICENESS = 10;

await runCommand(USAGE, async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      copy: { type: 'boolean', default: false },
      verify: { type: 'boolean', default: false },
      data: { type: 'string' },
    },
  });
  const [folder, ...others] = positionals;
  if (folder === undefined || others.length > 0)
    throw new UsageError('Name one folder for the backup.');
  const settings = await readSettings();
  setPriority(NICENESS);

  const startedAt = performance.now();
  const { backUp } = await import('../src/adapters/node/backup/back-up.ts');
  const result = await backUp(
    values.data ?? settings.dataDir,
    folder,
    values.copy ? 'copy' : 'share',
  );
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  printResult(folder, seconds, result);

  const verdict = values.verify ? await verify(folder, settings) : SOUND;
  if (verdict !== SOUND) return verdict;
  return result.counts.hurt.length > 0 ? HURT : SOUND;
});

function printResult(
  folder: string,
  seconds: string,
  { manifest, counts, removedBlobs }: BackupResult,
): void {
  const keyNames = manifest.keys.map(({ name }) => name).join(', ') || 'none';
  print(`Backed up to ${folder} in ${seconds} s, as it was at ${manifest.takenAt}:`);
  print(`  index ${sizeText(manifest.index.sizeBytes)}, keys: ${keyNames}`);
  print(
    `  ${counts.blobs} blobs, ${sizeText(counts.bytes)}; ` +
      `new ${counts.newBlobs}, ${sizeText(counts.newBytes)}; removed ${removedBlobs}`,
  );
  if (counts.linkedBlobs > 0) {
    print(
      '  Blobs are hard links: this backup outlives mistakes, but not the disk. ' +
        '--copy makes bytes of its own.',
    );
  }
  if (manifest.keys.length > 0) print('  It holds keys: whoever can read it can read everything.');
  if (counts.hurt.length > 0) {
    print(
      `  ${counts.hurt.length} blobs are missing in the data folder: ` +
        `${callOf('check')} DATA_FOLDER says whose they are.`,
    );
  }
}

/** Proves the backup. Loaded on demand: the prover of bodies is most of the program. */
async function verify(folder: string, settings: Config): Promise<number> {
  const { checkAndPrint } = await import('./print-check.ts');
  return checkAndPrint(folder, settings, { readsBodies: true, json: false });
}
