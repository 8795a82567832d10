// Backup and restore of a data folder: nothing that was acknowledged before is lost, whoever
// writes, deletes and sweeps meanwhile, and wherever a backup is killed; the next one copies only
// what is new.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { backUp } from '../../../src/adapters/node/backup/back-up.ts';
import { restore } from '../../../src/adapters/node/backup/restore.ts';
import { checkFolder } from '../../../src/adapters/node/check/check-folder.ts';
import { readManifest } from '../../../src/adapters/node/disk/backup-manifest.ts';
import { openDataFolder } from '../../../src/adapters/node/disk/data-folder.ts';
import { openSqlite } from '../../../src/adapters/node/index/node-sqlite.ts';
import { parseConfig } from '../../../src/config.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import { sweep } from '../../../src/core/sweep/sweep.ts';
import { GRACE_SECONDS, key } from '../../core/memory-core.ts';
import { lostIn, openStoredCore, passGrace, putAll, type StoredCore } from '../kit/stored-core.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const COMMAND = fileURLToPath(new URL('../../../scripts/backup.ts', import.meta.url));
const COMPILED = fileURLToPath(new URL('../../../node_modules/.cache/quayside', import.meta.url));

/** Runs in which a step is waited for. */
const KILL_TRIES = 5;

const named = (start: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${start}${at}`);
/** Files of a folder; none where it is not, or goes while it is read. */
function filesBelow(folder: string) {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile());
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return [];
    throw error;
  }
}
const blobFiles = (folder: string) =>
  filesBelow(join(folder, 'blobs')).map(({ parentPath, name }) => join(parentPath, name));
const check = (folder: string) =>
  checkFolder(folder, { graceSeconds: GRACE_SECONDS, settings: parseConfig({}), makeProver: null });

async function removeObjects(
  { core, bucket }: StoredCore,
  names: readonly string[],
): Promise<void> {
  const targets = names.map((name) => ({ key: key(name), versionId: null, condition: null }));
  await deleteObjects(core, bucket, targets as never);
}

describe('a backup', () => {
  it('becomes a data folder again, with every body and key', async () => {
    const stored = await openStoredCore();
    const names = named('a', 20);
    await putAll(stored, names);
    const folder = join(temporaryFolder(), 'backup');
    const { counts } = await backUp(stored.dataDir, folder, 'share');
    expect(counts).toMatchObject({ blobs: 20, newBlobs: 20, linkedBlobs: 20, hurt: [] });

    const restored = join(temporaryFolder(), 'restored');
    const { damage, manifest } = await restore(folder, restored, 'copy');
    expect(damage.size).toBe(0);
    expect(manifest.keys.map(({ name }) => name)).toEqual(['master-key', 'root-key.json']);
    for (const name of ['master-key', 'root-key.json']) {
      expect(readFileSync(join(restored, name), 'utf8')).toBe(
        readFileSync(join(stored.dataDir, name), 'utf8'),
      );
      expect(statSync(join(restored, name)).mode & 0o777).toBe(0o600);
    }
    expect(await lostIn(restored, names)).toEqual([]);
    expect(await check(restored)).toMatchObject({ isSound: true, objects: 20, blobs: 20 });
  });

  it('shares its blobs with the folder unless --copy is given', async () => {
    const stored = await openStoredCore();
    await putAll(stored, ['a']);
    const [original = ''] = blobFiles(stored.dataDir);
    for (const mode of ['share', 'copy'] as const) {
      const folder = temporaryFolder();
      await backUp(stored.dataDir, folder, mode);
      const [copied = ''] = blobFiles(folder);
      expect(statSync(copied).ino === statSync(original).ino).toBe(mode === 'share');
      expect(readFileSync(copied).equals(readFileSync(original))).toBe(true);
      expect(statSync(copied).mode & 0o777).toBe(0o600);
    }
  });

  it('copies what is new and forgets what is gone', async () => {
    const stored = await openStoredCore();
    await putAll(stored, named('a', 10));
    const folder = temporaryFolder();
    await backUp(stored.dataDir, folder, 'copy');
    await putAll(stored, ['b']);
    await removeObjects(stored, ['a0', 'a1']);
    const second = await backUp(stored.dataDir, folder, 'copy');
    expect(second).toMatchObject({ counts: { blobs: 9, newBlobs: 1 }, removedBlobs: 2, rounds: 1 });
    expect(blobFiles(folder)).toHaveLength(9);
    expect(readdirSync(folder).filter((name) => name.startsWith('generation-'))).toEqual([
      second.manifest.generation,
    ]);
    expect(await backUp(stored.dataDir, folder, 'copy')).toMatchObject({
      counts: { newBlobs: 0 },
      removedBlobs: 0,
    });
  });

  it('copies cut blobs again, and keeps those that the folder has lost since', async () => {
    const stored = await openStoredCore();
    await putAll(stored, ['a', 'b']);
    const folder = temporaryFolder();
    await backUp(stored.dataDir, folder, 'copy');
    const [cut = ''] = blobFiles(folder);
    truncateSync(cut, 100);
    expect(await backUp(stored.dataDir, folder, 'copy')).toMatchObject({
      counts: { newBlobs: 1, hurt: [] },
    });
    for (const file of blobFiles(stored.dataDir)) rmSync(file);
    expect(await backUp(stored.dataDir, folder, 'copy')).toMatchObject({
      counts: { newBlobs: 0, hurt: [] },
    });
    expect(await check(folder)).toMatchObject({ isSound: true, blobs: 2 });
  });

  it('names the blobs that the folder had lost before, and has all others', async () => {
    const stored = await openStoredCore();
    await putAll(stored, ['a', 'b']);
    rmSync(blobFiles(stored.dataDir)[0] ?? '');
    const folder = temporaryFolder();
    const { counts, manifest } = await backUp(stored.dataDir, folder, 'copy');
    expect(counts.hurt).toHaveLength(1);
    expect(manifest.hurtBlobs).toEqual(counts.hurt);
    expect(await check(folder)).toMatchObject({ isSound: false, hurtCount: 1, blobs: 2 });
    expect((await restore(folder, join(temporaryFolder(), 'new'), 'copy')).damage.size).toBe(1);
  });

  it('is whole while others write, delete and sweep', async () => {
    const stored = await openStoredCore();
    const kept = named('kept', 20);
    await putAll(stored, kept);
    const folder = temporaryFolder();
    let isOver = false;
    let changes = 0;
    async function churn(): Promise<void> {
      for (; !isOver; changes++) {
        await putAll(stored, named('gone', 5), changes);
        await removeObjects(stored, named('gone', 5));
        passGrace(stored);
        await sweep(stored.core);
      }
    }
    const churning = churn();
    for (let round = 0; round < 3; round++) {
      await backUp(stored.dataDir, folder, 'share');
      expect(await check(folder)).toMatchObject({ isSound: true });
    }
    isOver = true;
    await churning;
    expect(changes).toBeGreaterThan(0);
    const restored = join(temporaryFolder(), 'restored');
    await restore(folder, restored, 'copy');
    expect(await lostIn(restored, kept)).toEqual([]);
  });

  it('copies the index again when the sweeper has deleted blobs of the first copy', async () => {
    const stored = await openStoredCore();
    await putAll(stored, ['a', 'b']);
    const folder = temporaryFolder();
    // It returns while a thread copies the index; the first look at a blob comes after that.
    const backing = backUp(stored.dataDir, folder, 'share');
    const [victim = ''] = blobFiles(stored.dataDir);
    rmSync(victim);
    const { counts, rounds } = await backing;
    expect([counts.hurt.length, rounds]).toEqual([1, 2]);
  });

  it('does not take a later upload of equal bytes for one that is there', async () => {
    const stored = await openStoredCore();
    await putAll(stored, ['a', 'b']);
    await removeObjects(stored, ['a']);
    const folder = temporaryFolder();
    const { manifest } = await backUp(stored.dataDir, folder, 'share');
    const index = openSqlite(join(folder, manifest.generation, 'index.sqlite'), { readOnly: true });
    const rows = index.all('SELECT refs, is_condemned FROM blobs ORDER BY refs');
    index.close();
    expect(rows).toEqual([
      { refs: 0, is_condemned: 1 },
      { refs: 1, is_condemned: 0 },
    ]);
  });
});

describe('the command', () => {
  it('gets to its end where the system has no sync for a whole file system', async () => {
    const stored = await openStoredCore();
    await putAll(stored, named('a', 5));
    const folder = temporaryFolder();
    for (const run of ['first', 'second']) {
      const child = spawn(process.execPath, [COMMAND, folder, '--data', stored.dataDir, '--copy'], {
        cwd: temporaryFolder(),
        env: { PATH: '', NODE_COMPILE_CACHE: COMPILED },
        stdio: 'ignore',
      });
      expect([run, (await once(child, 'exit'))[0]]).toEqual([run, 0]);
    }
    expect(await check(folder)).toMatchObject({ isSound: true, blobs: 5 });
  });
});

describe('a backup that is killed', () => {
  /**
   * Runs the command until `isDue`, then kills it. Whether it was killed before it was through. It
   * finds no `sync` and so makes its files durable one by one, as where the system has none for a
   * whole file system.
   */
  async function killWhen(dataDir: string, folder: string, isDue: () => boolean): Promise<boolean> {
    const child = spawn(process.execPath, [COMMAND, folder, '--data', dataDir, '--copy'], {
      cwd: temporaryFolder(),
      env: { PATH: '', NODE_COMPILE_CACHE: COMPILED },
      stdio: 'ignore',
    });
    const ended = once(child, 'exit');
    while (child.exitCode === null && child.signalCode === null && !isDue()) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    child.kill('SIGKILL');
    const [, signal] = await ended;
    return signal === 'SIGKILL';
  }

  it('leaves the former one as it was, at whatever step, and the next one goes on', async () => {
    const stored = await openStoredCore();
    const first = named('first', 30);
    await putAll(stored, first);
    let folder = temporaryFolder();
    const { manifest } = await backUp(stored.dataDir, folder, 'copy');
    const second = named('second', 80);
    await putAll(stored, second);
    await removeObjects(stored, ['first0']);

    const generation = (of: string) =>
      readdirSync(of).find((n) => n.startsWith('generation-') && n !== manifest.generation);
    const blobsBefore = blobFiles(folder).length;
    const steps: Record<string, (of: string) => boolean> = {
      'index begun': (of) => generation(of) !== undefined,
      'index there': (of) => existsSync(join(of, generation(of) ?? 'none', 'index.sqlite')),
      'blobs begun': (of) => filesBelow(join(of, 'tmp')).length > 0,
      'blobs named': (of) => blobFiles(of).length > blobsBefore,
    };
    const reached = new Set<string>();
    for (const [step, isDue] of Object.entries(steps)) {
      // A busy machine may see a step when all are over: then it is tried again.
      for (let tries = 0; tries < KILL_TRIES && !reached.has(step); tries++) {
        const copy = join(temporaryFolder(), 'copy');
        cpSync(folder, copy, { recursive: true });
        const wasKilled = await killWhen(stored.dataDir, copy, () => isDue(copy));
        const restored = join(temporaryFolder(), 'restored');
        const found = await restore(copy, restored, 'share');
        expect([step, found.damage.size]).toEqual([step, 0]);
        const isFormer = found.manifest.generation === manifest.generation;
        expect(await lostIn(restored, isFormer ? first : second)).toEqual([]);
        if (!wasKilled || !isFormer) continue;
        reached.add(step);
        folder = copy;
      }
    }
    expect(reached.size).toBeGreaterThanOrEqual(2);

    await backUp(stored.dataDir, folder, 'copy');
    const restored = join(temporaryFolder(), 'restored');
    await restore(folder, restored, 'share');
    expect(await lostIn(restored, [...first.slice(1), ...second])).toEqual([]);
    expect(blobFiles(folder)).toHaveLength(109);
  });

  it('has no backup to restore when it was the first', async () => {
    const stored = await openStoredCore();
    await putAll(stored, named('a', 50));
    const folder = temporaryFolder();
    await killWhen(stored.dataDir, folder, () => existsSync(join(folder, 'blobs')));
    if (readManifest(folder) === null) {
      await expect(restore(folder, join(temporaryFolder(), 'new'), 'share')).rejects.toThrow(
        /no complete backup/,
      );
    }
    expect(await backUp(stored.dataDir, folder, 'share')).toMatchObject({
      counts: { blobs: 50, hurt: [] },
    });
  });
});

describe('a backup refuses', () => {
  it('a folder that is something else, or in the way', async () => {
    const stored = await openStoredCore();
    await putAll(stored, ['a']);
    const other = await openStoredCore();
    await putAll(other, ['b']);
    await expect(backUp(stored.dataDir, other.dataDir, 'share')).rejects.toThrow(
      /neither empty nor a backup/,
    );
    await expect(backUp(stored.dataDir, join(stored.dataDir, 'backup'), 'share')).rejects.toThrow(
      /in one another/,
    );
    await expect(backUp(stored.dataDir, stored.dataDir, 'share')).rejects.toThrow(/in one another/);
    await expect(backUp(temporaryFolder(), temporaryFolder(), 'share')).rejects.toThrow(/no index/);
    expect(await lostIn(other.dataDir, ['b'])).toEqual([]);
  });

  it('to replace a good backup by other data, as when a disk was not mounted', async () => {
    const stored = await openStoredCore();
    await putAll(stored, ['a']);
    const folder = temporaryFolder();
    await backUp(stored.dataDir, folder, 'copy');
    const other = await openStoredCore();
    await expect(backUp(other.dataDir, folder, 'copy')).rejects.toThrow(/backup of other data/);
    const restored = join(temporaryFolder(), 'restored');
    await restore(folder, restored, 'copy');
    expect(await lostIn(restored, ['a'])).toEqual([]);
  });

  it('a folder that another backup writes to', async () => {
    const stored = await openStoredCore();
    const folder = temporaryFolder();
    await backUp(stored.dataDir, folder, 'copy');
    const lock = openDataFolder(folder);
    await expect(backUp(stored.dataDir, folder, 'copy')).rejects.toThrow(
      /another Quayside process/,
    );
    lock.unlock();
  });
});

describe('a restore refuses', () => {
  async function makeBackup(): Promise<string> {
    const stored = await openStoredCore();
    await putAll(stored, ['a']);
    const folder = temporaryFolder();
    await backUp(stored.dataDir, folder, 'copy');
    return folder;
  }

  it('a folder that is not empty, and a backup that is damaged', async () => {
    const folder = await makeBackup();
    const full = temporaryFolder();
    writeFileSync(join(full, 'something'), '');
    await expect(restore(folder, full, 'copy')).rejects.toThrow(/not empty/);
    const { generation = '' } = readManifest(folder) ?? {};
    for (const [name, change] of [
      ['master-key', (path: string) => writeFileSync(path, 'another')],
      ['index.sqlite', (path: string) => truncateSync(path, 4096)],
      ['index.sqlite', (path: string) => rmSync(path)],
    ] as const) {
      change(join(folder, generation, name));
      const target = join(temporaryFolder(), 'new');
      await expect(restore(folder, target, 'copy')).rejects.toThrow(/is damaged/);
      expect(existsSync(target)).toBe(false);
    }
  });

  it('what a newer program wrote', async () => {
    const folder = await makeBackup();
    const path = join(folder, 'manifest.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify({ ...manifest, format: 2 }));
    await expect(restore(folder, join(temporaryFolder(), 'new'), 'copy')).rejects.toThrow(
      /format 2/,
    );

    const stored = await openStoredCore();
    const index = openSqlite(join(stored.dataDir, 'index.sqlite'), { readOnly: false });
    index.all("UPDATE schema_versions SET version = version + 1 WHERE name = 'ledger'");
    index.close();
    const newer = temporaryFolder();
    await backUp(stored.dataDir, newer, 'copy');
    await expect(restore(newer, join(temporaryFolder(), 'new'), 'copy')).rejects.toThrow(
      /newer Quayside/,
    );
  });
});
