// `npm run restore -- BACKUP FOLDER`: makes a data folder of a backup. docs/running.md tells
// operators.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { callOf, startOf } from '../src/adapters/node/call-of.ts';
import { HURT, print, runCommand, SOUND, sizeText, UsageError } from './command.ts';

const USAGE = `${callOf('restore')} BACKUP NEW_DATA_FOLDER [--copy]`;

await runCommand(USAGE, async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { copy: { type: 'boolean', default: false } },
  });
  const [backup, folder, ...others] = positionals;
  if (backup === undefined || folder === undefined || others.length > 0) {
    throw new UsageError('Name the backup and a new folder.');
  }

  const startedAt = performance.now();
  const { restore } = await import('../src/adapters/node/backup/restore.ts');
  const { manifest, counts, damage } = await restore(
    backup,
    folder,
    values.copy ? 'copy' : 'share',
  );

  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  const keyNames = manifest.keys.map(({ name }) => name);
  print(`Restored ${resolve(folder)} in ${seconds} s, as it was at ${manifest.takenAt}:`);
  print(
    `  ${counts.blobs} blobs, ${sizeText(counts.bytes)}; keys: ${keyNames.join(', ') || 'none'}`,
  );
  if (!keyNames.includes('master-key')) {
    print('  The backup has no master-key: the server needs the QUAYSIDE_MASTER_KEY that it had.');
  }
  for (const { detail } of damage.values()) print(`  hurt: ${detail}`);
  if (damage.size > 0)
    print(
      `  ${damage.size} blobs are missing or damaged: ${callOf('check')} ${folder} says whose.`,
    );
  print(`Start it: ${startOf(resolve(folder))}`);
  return damage.size > 0 ? HURT : SOUND;
});
