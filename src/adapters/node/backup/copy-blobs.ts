// Copies blobs from one data folder or backup into another, incrementally: blobs
// are immutable, so a name that is there stands for its bytes. A copy gets its name
// once its bytes are durable, so a killed run leaves no partial blob. Files that
// were cut since are found by length-checks.ts.
import { constants, linkSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobId } from '../../../domain/nouns.ts';
import type { ReferencedBlob } from '../../../index/maintenance/inventory.ts';
import { TRAILER_BYTES } from '../blobs/blob-footer.ts';
import { blobPath, temporaryPath } from '../blobs/blob-path.ts';
import { errnoOf } from '../blobs/fs-errors.ts';
import { syncFiles } from './durable.ts';
import type { LengthChecks } from './length-checks.ts';
import { createPresence } from './presence.ts';

/**
 * How bytes come over: `share` makes hard links where both folders are on one file
 * system.
 */
export type CopyMode = 'share' | 'copy';

export type CopyCounts = {
  /** Blobs of the list, and bytes of their bodies. */
  blobs: number;
  bytes: number;
  /** Blobs that were not there before, and blobs that came as links. */
  newBlobs: number;
  newBytes: number;
  linkedBlobs: number;
  /** Blobs that neither folder has whole. */
  readonly hurt: BlobId[];
  /** Blobs of the target that are not in the list. */
  readonly others: BlobId[];
};

/**
 * Copies under way at once: more gain little on one disk, and take it from
 * requests.
 */
const CONCURRENCY = 4;
/** Copies that are made durable, and named, together: files, or bytes. */
const BATCH_FILES = 2000;
const BATCH_BYTES = 512 * 1024 * 1024;
/**
 * Errors of a link that can't be made: across file systems, unsupported, or too
 * many of the file.
 */
const NO_LINK: ReadonlySet<string | null> = new Set([
  'EXDEV',
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
]);

type Copy = {
  readonly blobId: BlobId;
  readonly source: string;
  readonly temporary: string;
  readonly file: string;
};

/**
 * Copies `blobs`, which come in the order of their ids, from `{from}/blobs` to
 * `{to}/blobs`. All are durable when this resolves. Cost: one readdir for each
 * folder that is there, and a stat for each blob whose length is due for a check.
 */
export async function copyBlobs(
  from: string,
  to: string,
  blobs: Iterable<ReferencedBlob>,
  { mode, lengthChecks }: { mode: CopyMode; lengthChecks: LengthChecks },
): Promise<CopyCounts> {
  const counts: CopyCounts = {
    blobs: 0,
    bytes: 0,
    newBlobs: 0,
    newBytes: 0,
    linkedBlobs: 0,
    hurt: [],
    others: [],
  };
  const sourceRoot = join(from, 'blobs');
  const targetRoot = join(to, 'blobs');
  const temporaryFolder = join(to, 'tmp');
  const folders = createFolders(to);
  const batch = createBatch(to, mode, counts.hurt);
  const present = createPresence(targetRoot, counts.others);
  rmSync(temporaryFolder, { recursive: true, force: true });
  mkdirSync(temporaryFolder, { mode: 0o700 });
  folders.ensure(targetRoot);

  for (const { blobId, sizeBytes } of blobs) {
    counts.blobs += 1;
    counts.bytes += sizeBytes;
    const isPresent = present.has(blobId);
    if (isPresent && !lengthChecks.isDue(blobId)) continue;

    const leastBytes = sizeBytes + TRAILER_BYTES;
    const { folder, file } = blobPath(targetRoot, blobId);
    if (isPresent && lengthOf(file) >= leastBytes) continue;

    const source = blobPath(sourceRoot, blobId).file;
    if (lengthOf(source) < leastBytes) {
      counts.hurt.push(blobId);
      continue;
    }

    folders.ensure(folder);
    counts.newBlobs += 1;
    counts.newBytes += sizeBytes;
    const linkOutcome = mode === 'share' ? link(source, file) : 'impossible';
    if (linkOutcome === 'done') counts.linkedBlobs += 1;
    if (linkOutcome === 'gone') counts.hurt.push(blobId);
    if (linkOutcome !== 'impossible') continue;

    const temporary = temporaryPath(temporaryFolder, blobId);
    await batch.add({ blobId, source, temporary, file }, sizeBytes);
  }

  await batch.finish();
  present.finish();
  rmSync(temporaryFolder, { recursive: true, force: true });
  if (counts.newBlobs > 0) await syncFiles(to, folders.made());
  return counts;
}

/** Length of a file; -1 where there is none. */
function lengthOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? -1;
}

/** Makes a hard link. `gone`: the sweeper has deleted the source meanwhile. */
function link(source: string, file: string): 'done' | 'gone' | 'impossible' {
  try {
    linkSync(source, file);
    return 'done';
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'EEXIST') {
      rmSync(file);
      return link(source, file);
    }
    if (errno === 'ENOENT') return 'gone';
    if (NO_LINK.has(errno)) return 'impossible';
    throw error;
  }
}

/**
 * Makes folders and remembers them and their parents, whose entries are to be made
 * durable.
 */
function createFolders(root: string) {
  const known = new Set<string>([root]);
  return {
    ensure(folder: string): void {
      if (known.has(folder)) return;
      const first = mkdirSync(folder, { recursive: true, mode: 0o700 });
      if (first !== undefined) known.add(join(first, '..'));
      known.add(folder);
    },
    made: (): string[] => [...known],
  };
}

/**
 * Gathers copies; each batch of them runs a few at a time, is synced as one, and
 * then gets its names.
 */
function createBatch(to: string, mode: CopyMode, hurt: BlobId[]) {
  let copies: Copy[] = [];
  let bytes = 0;

  async function finish(): Promise<void> {
    const batch = copies;
    copies = [];
    bytes = 0;
    if (batch.length === 0) return;
    const copied = await copyAll(batch, mode, hurt);
    await syncFiles(
      to,
      copied.map(({ temporary }) => temporary),
    );
    for (const { temporary, file } of copied) renameSync(temporary, file);
  }

  return {
    async add(copy: Copy, sizeBytes: number): Promise<void> {
      copies.push(copy);
      bytes += sizeBytes;
      if (copies.length >= BATCH_FILES || bytes >= BATCH_BYTES) await finish();
    },
    finish,
  };
}

/**
 * Copies a batch, and returns the blobs that were copied; one whose source is gone
 * is hurt.
 */
async function copyAll(batch: readonly Copy[], mode: CopyMode, hurt: BlobId[]): Promise<Copy[]> {
  const copied: Copy[] = [];
  const waiting = batch.values();
  const flags = mode === 'share' ? constants.COPYFILE_FICLONE : 0;

  async function work(): Promise<void> {
    for (const copy of waiting) {
      try {
        await copyFile(copy.source, copy.temporary, flags);
        copied.push(copy);
      } catch (error) {
        if (errnoOf(error) !== 'ENOENT') throw error;
        hurt.push(copy.blobId);
      }
    }
  }

  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  return copied;
}
