// Blobs that vanish while a backup is taken: it begins anew with a newer index, but not for ever,
// and what it has not finished takes no place of what was there.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, it } from 'vitest';
import { backUp } from '../../../src/adapters/node/backup/back-up.ts';
import { restore } from '../../../src/adapters/node/backup/restore.ts';
import { readManifest } from '../../../src/adapters/node/disk/backup-manifest.ts';
import { lostIn, openStoredCore, putAll } from '../kit/stored-core.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

/** Most rounds of a backup, as back-up.ts has it. */
const ROUNDS_MAX = 5;

const generationsIn = (folder: string) =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.startsWith('generation-')) : [];
const blobFiles = (dataDir: string) =>
  readdirSync(join(dataDir, 'blobs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

/**
 * Backs up into a fresh folder, and removes another blob in each of the first `rounds` rounds, from
 * both folders: while a thread copies the index, before its blobs are looked at.
 */
async function backUpWhileVanishing(rounds: number) {
  const stored = await openStoredCore();
  await putAll(stored, ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  const folder = temporaryFolder();
  const victims = blobFiles(stored.dataDir);
  let removed = 0;
  let isOver = false;
  const backing = backUp(stored.dataDir, folder, 'share').finally(() => {
    isOver = true;
  });
  const outcome = backing.then(
    (result) => ({ result, failure: null }),
    (failure: Error) => ({ result: null, failure }),
  );
  while (!isOver) {
    for (; removed < Math.min(rounds, generationsIn(folder).length); removed++) {
      const victim = victims[removed] ?? '';
      rmSync(victim);
      rmSync(join(folder, relative(stored.dataDir, victim)), { force: true });
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { ...stored, folder, removed, ...(await outcome) };
}

it('a backup ends with the blobs that are there once no more vanish', async () => {
  const { folder, result } = await backUpWhileVanishing(3);
  expect(result).toMatchObject({ rounds: 4, counts: { blobs: 7 }, removedBlobs: 0 });
  expect(result?.counts.hurt).toHaveLength(3);
  expect(result?.manifest.hurtBlobs).toEqual(result?.counts.hurt);
  expect(generationsIn(folder)).toEqual([result?.manifest.generation]);
});

it('a backup gives up where others vanish in each round, and the next one goes on', async () => {
  const { dataDir, folder, removed, failure } = await backUpWhileVanishing(Number.MAX_VALUE);
  expect(failure?.message).toMatch(/went on vanishing/);
  expect([removed, generationsIn(folder).length]).toEqual([ROUNDS_MAX, ROUNDS_MAX]);
  expect(readManifest(folder)).toBeNull();
  await expect(restore(folder, join(temporaryFolder(), 'new'), 'copy')).rejects.toThrow(
    /no complete backup/,
  );

  // Blobs of the rounds before are there still: what they have is not hurt.
  const next = await backUp(dataDir, folder, 'share');
  expect(next.rounds).toBe(2);
  expect(generationsIn(folder)).toEqual([next.manifest.generation]);
  const restored = join(temporaryFolder(), 'restored');
  const { damage } = await restore(folder, restored, 'copy');
  expect(damage.size).toBe(next.counts.hurt.length);
  const lost = await lostIn(restored, ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
  expect(lost).toHaveLength(damage.size);
});
