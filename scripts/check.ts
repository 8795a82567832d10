// `npm run check -- [FOLDER]`: proves that index and blobs of a data folder or a backup agree.
// docs/running.md tells operators.
import { setPriority } from 'node:os';
import { parseArgs } from 'node:util';
import { callOf } from '../src/adapters/node/call-of.ts';
import { readSettings, runCommand, UsageError } from './command.ts';

const USAGE = `${callOf('check')} [FOLDER] [--bodies] [--json]`;
/** The priority, as `nice` counts it: requests of the server come first. */
const NICENESS = 10;

await runCommand(USAGE, async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      bodies: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  });
  if (positionals.length > 1) throw new UsageError('Name one folder.');
  const settings = await readSettings();
  setPriority(NICENESS);
  const { checkAndPrint } = await import('./print-check.ts');
  const folder = positionals[0] ?? settings.dataDir;
  return checkAndPrint(folder, settings, { readsBodies: values.bodies, json: values.json });
});
