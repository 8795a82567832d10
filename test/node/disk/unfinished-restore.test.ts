// A restore that does not get to its end leaves a folder in which no server starts.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { backUp } from '../../../src/adapters/node/backup/back-up.ts';
import { restore } from '../../../src/adapters/node/backup/restore.ts';
import { inspectFolder } from '../../../src/adapters/node/process/inspect-folder.ts';
import { parseConfig } from '../../../src/config.ts';
import { lostIn, openStoredCore, putAll } from '../kit/stored-core.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const COMMAND = fileURLToPath(new URL('../../../scripts/restore.ts', import.meta.url));

/** More than a restore writes while a busy machine looks away once. */
const KEYS = Array.from({ length: 200 }, (_, at) => `key${at}`);
/** Restores that are killed until one was not through. */
const KILL_TRIES = 20;

async function makeBackup(): Promise<string> {
  const stored = await openStoredCore();
  await putAll(stored, KEYS);
  const folder = temporaryFolder();
  await backUp(stored.dataDir, folder, 'copy');
  return folder;
}

/** Runs the command, and kills it when the folder has something. Whether it was through. */
async function killRestore(folder: string, dataDir: string): Promise<boolean> {
  const child = spawn(process.execPath, [COMMAND, folder, dataDir, '--copy'], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  const isBegun = () => existsSync(dataDir) && readdirSync(dataDir).length > 0;
  while (child.exitCode === null && !isBegun())
    await new Promise((resolve) => setImmediate(resolve));
  child.kill('SIGKILL');
  await ended;
  return inspectFolder(dataDir, parseConfig({})).then(
    () => true,
    () => false,
  );
}

describe('a restore', () => {
  it('that is killed at its first step leaves a folder that is refused at start', async () => {
    const folder = await makeBackup();
    for (let tries = 0; ; tries++) {
      expect(tries).toBeLessThan(KILL_TRIES);
      const dataDir = join(temporaryFolder(), 'restored');
      if (await killRestore(folder, dataDir)) {
        expect(await lostIn(dataDir, KEYS)).toEqual([]);
        continue;
      }
      await expect(inspectFolder(dataDir, parseConfig({}))).rejects.toThrow(
        /is not finished.*npm run restore/,
      );
      await expect(restore(folder, dataDir, 'copy')).rejects.toThrow(/not empty/);
      return;
    }
  });

  it('that is through leaves a folder that is not', async () => {
    const dataDir = join(temporaryFolder(), 'restored');
    await restore(await makeBackup(), dataDir, 'copy');
    expect((await inspectFolder(dataDir, parseConfig({}))).config.masterKeys).toHaveLength(1);
  });
});
