// A backup of a data folder, of a running server or not: the index first, then the
// blobs that it refers to, then the manifest (docs/adr/0034). Blobs of the copied
// index can't be overwritten, but the sweeper deletes one whose grace ends
// meanwhile. Guard: a blob that is gone begins another round with a newer index.
// scripts/backup.ts calls it.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import type { BlobId } from '../../../domain/nouns.ts';
import { partOfBlobId } from '../../../domain/uploads/upload-rows.ts';
import {
  listBucketIds,
  listReferencedBlobs,
  type ReferencedBlob,
} from '../../../index/maintenance/inventory.ts';
import type { Sql } from '../../../ports/sql.ts';
import { syncNow } from '../blobs/file-calls.ts';
import { callOf } from '../call-of.ts';
import {
  describeFile,
  KEY_NAMES,
  MANIFEST_FORMAT,
  type Manifest,
  readManifest,
  writeManifest,
} from '../disk/backup-manifest.ts';
import { DataFolderError, INDEX_NAME, openDataFolder } from '../disk/data-folder.ts';
import { openSqlite } from '../index/node-sqlite.ts';
import { type CopyCounts, type CopyMode, copyBlobs } from './copy-blobs.ts';
import { copyIndex } from './copy-index.ts';
import { ALL_LENGTHS, createLengthChecks } from './length-checks.ts';
import { pruneBlobs, pruneGenerations } from './prune.ts';

export type BackupResult = {
  readonly manifest: Manifest;
  readonly counts: CopyCounts;
  readonly removedBlobs: number;
  /**
   * Copies of the index that were taken; more than one where the sweeper deleted
   * blobs.
   */
  readonly rounds: number;
};

type Round = {
  readonly former: Manifest | null;
  readonly mode: CopyMode;
  /** Whether the run before this one was killed. */
  readonly wasKilled: boolean;
  readonly number: number;
};

/**
 * Marks a folder as a backup's from the first moment: no other folder is ever
 * written to.
 */
const MARK_NAME = 'quayside-backup.txt';
const BACKUP_TEXT = 'A backup of a Quayside data folder';
const MARK = `${BACKUP_TEXT}: ${callOf('restore')} THIS_FOLDER NEW_DATA_FOLDER\n`;
/**
 * Most rounds. Each is shorter than the one before, because it copies new blobs
 * alone.
 */
const ROUNDS_MAX = 5;
/**
 * Blobs read from the index at a time; larger pages outlive a garbage collection.
 */
const PAGE = 1000;

/**
 * Backs `dataDir` up into `folder`, which is empty or has the former backup of the
 * same data. DataFolderError for folders that can't be used so, and for an index
 * that is damaged.
 */
export async function backUp(
  dataDir: string,
  folder: string,
  mode: CopyMode,
): Promise<BackupResult> {
  const source = resolve(dataDir);
  requireApart(source, resolve(folder));
  if (!existsSync(join(source, INDEX_NAME)))
    throw new DataFolderError(`${source} has no index: it is no data folder.`);
  const target = openTarget(folder);
  try {
    return await backUpInto(source, target.path, mode);
  } finally {
    target.unlock();
  }
}

async function backUpInto(source: string, target: string, mode: CopyMode): Promise<BackupResult> {
  const wasKilled = pruneGenerations(target) > 0;
  const former = readManifest(target);
  let hurtBefore: readonly BlobId[] = [];
  for (let rounds = 1; ; rounds++) {
    const round = await runRound(source, target, { former, mode, wasKilled, number: rounds });
    // A blob that is gone in two rounds, the second with a newer index, is not the
    // sweeper's work.
    const { counts, manifest } = round;
    const isSettled = counts.hurt.every((blobId) => hurtBefore.includes(blobId));
    if (!isSettled && rounds < ROUNDS_MAX) {
      hurtBefore = counts.hurt;
      continue;
    }
    if (!isSettled) throw new DataFolderError('Blobs went on vanishing while they were backed up.');

    writeManifest(target, manifest);
    pruneGenerations(target);
    pruneBlobs(target, counts.others);
    return { manifest, counts, removedBlobs: counts.others.length, rounds };
  }
}

/**
 * Makes a generation in the target: index, keys and blobs, durable, but not in the
 * manifest yet.
 */
async function runRound(
  source: string,
  target: string,
  { former, mode, wasKilled, number }: Round,
) {
  const takenAt = new Date().toISOString();
  const generation = `generation-${takenAt.replace(/[^0-9]/g, '')}-${number}`;
  const folder = join(target, generation);
  mkdirSync(folder, { mode: 0o700 });

  await copyIndex(source, folder);
  const index = openSqlite(join(folder, INDEX_NAME), { readOnly: true });
  // A run that was killed may have left blobs beside those of the former backup.
  const lengthChecks = former === null || wasKilled ? ALL_LENGTHS : createLengthChecks(former);
  let counts: CopyCounts;
  try {
    if (former !== null) requireSameData(index, join(target, former.generation, INDEX_NAME));
    counts = await copyBlobs(source, target, referencedBlobs(index), { mode, lengthChecks });
  } finally {
    index.close();
  }
  const keys = copyKeys(source, folder);
  syncNow(target);

  const manifest: Manifest = {
    format: MANIFEST_FORMAT,
    takenAt,
    generation,
    index: describeFile(folder, INDEX_NAME),
    keys: keys.map((name) => describeFile(folder, name)),
    blobs: { count: counts.blobs, bytes: counts.bytes },
    hurtBlobs: counts.hurt,
    lengthsCheckedTo: lengthChecks.cursor(),
  };
  return { manifest, counts };
}

/**
 * Lists all blobs that rows of the index refer to, in the order of their ids. Those of
 * parts stand by their upload in the index, so they are sorted here. Cost: two passes
 * over the rows, and some 200 bytes of memory for each blob of a part.
 */
export function* referencedBlobs(index: Sql): Generator<ReferencedBlob, undefined> {
  const isOfPart = ({ blobId }: ReferencedBlob) => partOfBlobId(blobId) !== null;
  const ofParts = [...inRowOrder(index).filter(isOfPart)].sort((a, b) =>
    a.blobId < b.blobId ? -1 : 1,
  );
  let at = 0;
  for (const blob of inRowOrder(index)) {
    if (isOfPart(blob)) continue;
    for (let next = ofParts[at]; next !== undefined && next.blobId < blob.blobId; ) {
      yield next;
      next = ofParts[++at];
    }
    yield blob;
  }
  yield* ofParts.slice(at);
}

function* inRowOrder(index: Sql): Generator<ReferencedBlob, undefined> {
  for (let after = ''; ; ) {
    const page = listReferencedBlobs(index, { after, limit: PAGE });
    yield* page;
    after = page.at(-1)?.blobId ?? after;
    if (page.length < PAGE) return;
  }
}

/**
 * Copies the files with keys, readable by their owner only, and returns their
 * names.
 */
export function copyKeys(from: string, to: string): string[] {
  const names = KEY_NAMES.filter((name) => existsSync(join(from, name)));
  for (const name of names) {
    copyFileSync(join(from, name), join(to, name));
    chmodSync(join(to, name), 0o600);
    syncNow(join(to, name));
  }
  syncNow(to);
  return names;
}

/**
 * Refuses an unmounted disk, or another server, in the place of the last good
 * backup's data.
 */
function requireSameData(index: Sql, formerIndex: string): void {
  if (!existsSync(formerIndex)) return;
  const former = openSqlite(formerIndex, { readOnly: true });
  try {
    const formerBuckets = listBucketIds(former);
    const buckets = new Set(listBucketIds(index));
    if (formerBuckets.length === 0 || formerBuckets.some((id) => buckets.has(id))) return;
  } finally {
    former.close();
  }
  throw new DataFolderError(
    'The folder holds the backup of other data: no bucket of it is in this data folder. ' +
      'Use an empty folder.',
  );
}

/** Locks the folder, and marks it if it is new. */
function openTarget(folder: string): { readonly path: string; unlock(): void } {
  const path = resolve(folder);
  const isBackup = existsSync(join(path, MARK_NAME));
  if (!isBackup && existsSync(path) && readdirSync(path).length > 0) {
    throw new DataFolderError(`${path} is neither empty nor a backup: nothing was written to it.`);
  }
  mkdirSync(path, { recursive: true, mode: 0o700 });
  // Before the lock's file: a folder with that alone would be refused by the next
  // run.
  if (!isBackup) writeFileSync(join(path, MARK_NAME), MARK, { mode: 0o600 });
  return openDataFolder(path);
}

function requireApart(source: string, target: string): void {
  const isInside = (path: string) =>
    path === '' || !(path.startsWith('..') || path.startsWith(sep));
  if (!isInside(relative(source, target)) && !isInside(relative(target, source))) return;
  throw new DataFolderError(`${target} and the data folder ${source} must not lie in one another.`);
}
