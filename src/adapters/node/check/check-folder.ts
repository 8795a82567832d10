// Checks whether the index and the blobs of a data folder agree, both ways. It only
// reads, so the server may run: a finding that a commit could have made is checked
// again. scripts/check.ts calls it.

import type { BlobId } from '../../../domain/nouns.ts';
import { countMasterKeyUses, type MasterKeyUses } from '../../../index/maintenance/inventory.ts';
import type { Sql } from '../../../ports/sql.ts';
import { createIds } from '../../shared/ids.ts';
import { systemClock } from '../../shared/system-clock.ts';
import { proveFiles, readManifest } from '../disk/backup-manifest.ts';
import { openSqlite } from '../index/node-sqlite.ts';
import { type BlobDamage, blobFileName, checkBlobs } from './check-blobs.ts';
import {
  type CheckedRows,
  checkRows,
  type HurtObject,
  type ProveBody,
  type ReadDamage,
} from './check-rows.ts';
import { findOrphans, leastYoungIdOf, type Orphans } from './find-orphans.ts';
import {
  findMissingMasterKeys,
  type MasterKeySettings,
  type MissingMasterKey,
} from './missing-master-keys.ts';
import { findStoredFolder, requireKnownIndex, type StoredFolder } from './stored-folder.ts';

export type CheckResult = Omit<CheckedRows, 'masterKeyUses' | 'readDamage' | 'hurt'> & {
  readonly folder: string;
  readonly kind: StoredFolder['kind'];
  /**
   * Whether all blobs and master keys that rows refer to are there and whole.
   * Orphans hurt none.
   */
  readonly isSound: boolean;
  readonly indexProblems: readonly string[];
  readonly blobs: number;
  readonly blobBytes: number;
  readonly damagedBlobs: readonly DamagedBlob[];
  readonly hurt: readonly HurtObject[];
  readonly orphans: Orphans;
  /** How many rows each master key protects directly, by its id. */
  readonly masterKeyUses: Readonly<Record<string, number>>;
  readonly missingMasterKeys: readonly MissingMasterKey[];
};

/** `file`: its path below the folder. */
export type DamagedBlob = (BlobDamage | ReadDamage) & {
  readonly blobId: BlobId;
  readonly file: string;
};

/** Makes the prover of bodies, over the open index of the folder. */
export type MakeProver = (index: Sql, folder: StoredFolder) => ProveBody;

/** Lines of SQLite's own check in the result, at most. */
const INDEX_PROBLEMS_MAX = 20;

/**
 * Checks a data folder or a backup. `makeProver` null: bodies are not read.
 * DataFolderError for a folder that can't be checked, and for a backup whose index
 * or keys are not what was written.
 */
export async function checkFolder(
  path: string,
  options: {
    readonly graceSeconds: number;
    readonly settings: MasterKeySettings;
    readonly makeProver: MakeProver | null;
  },
): Promise<CheckResult> {
  const folder = findStoredFolder(path);
  const manifest = readManifest(folder.path);
  if (manifest !== null) proveFiles(folder.path, manifest);
  const index = openSqlite(folder.indexPath, { readOnly: true });
  try {
    requireKnownIndex(index, folder.indexPath, false);
    const indexProblems = index
      .all<{ quick_check: string }>(`PRAGMA quick_check(${INDEX_PROBLEMS_MAX})`)
      .map(({ quick_check }) => quick_check)
      .filter((line) => line !== 'ok');

    const blobs = checkBlobs(index, folder.blobRoot);
    const prover = options.makeProver?.(index, folder) ?? null;
    const checkedRows = await checkRows(index, blobs.damage, prover);
    const { masterKeyUses: versionUses, readDamage, ...rows } = checkedRows;

    const uses = mergeUses(versionUses, countMasterKeyUses(index));
    const missingMasterKeys = findMissingMasterKeys(
      index,
      folder.keyFolder,
      options.settings,
      uses,
    );
    const lacksKeys = missingMasterKeys.some(({ id }) => uses.has(id));
    const leastYoungId = leastYoungIdOf(
      createIds(systemClock),
      systemClock.nowMs(),
      options.graceSeconds,
    );

    return {
      folder: folder.path,
      kind: folder.kind,
      isSound:
        indexProblems.length === 0 && blobs.damage.size === 0 && rows.hurtCount === 0 && !lacksKeys,
      indexProblems,
      blobs: blobs.count,
      blobBytes: blobs.bytes,
      damagedBlobs: [...blobs.damage, ...readDamage].map(toDamagedBlob),
      ...rows,
      orphans: findOrphans(index, folder.blobRoot, leastYoungId),
      masterKeyUses: Object.fromEntries([...uses].map(([id, counts]) => [id, sumOf(counts)])),
      missingMasterKeys,
    };
  } finally {
    index.close();
  }
}

function toDamagedBlob([blobId, damage]: readonly [BlobId, BlobDamage | ReadDamage]): DamagedBlob {
  return { blobId, file: blobFileName(blobId), ...damage };
}

/** Merges both counts. Versions are counted apart, so no kind of use is in both. */
function mergeUses(versions: MasterKeyUses, others: MasterKeyUses): MasterKeyUses {
  const merged = new Map(versions);
  for (const [id, counts] of others) merged.set(id, { ...merged.get(id), ...counts });
  return merged;
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
