// Blobs as files: written under a temporary name, made durable, renamed into place,
// and read through descriptors that stay open (blob-reads.ts). node-ports.ts makes
// one for the data folder. Nobody else writes there: data-folder.ts holds the lock.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BlobId } from '../../../domain/nouns.ts';
import type { BlobStore } from '../../../ports/blob-store.ts';
import type { ByteSource } from '../../../ports/byte-source.ts';
import type { NoteDamage } from '../../shared/damage.ts';
import { joinRuns } from '../../shared/join-runs.ts';
import { createBlobFolders, type FolderRemovals } from './blob-folders.ts';
import type { BlobFooter } from './blob-footer.ts';
import { listBlobs } from './blob-list.ts';
import { blobPath, temporaryPath } from './blob-path.ts';
import { createBlobReads } from './blob-reads.ts';
import { type BlobRoom, writeBlobFile } from './blob-writer.ts';
import { createBorrowRange } from './borrowed-ranges.ts';
import { type ChunkBuffers, createChunkBuffers } from './chunk-buffers.ts';
import { syncNow, unlink } from './file-calls.ts';
import { errnoOf, translateError } from './fs-errors.ts';
import { createMappedFiles } from './mapped-files.ts';
import { createOpenFiles } from './open-files.ts';
import { createQuickReads } from './quick-reads.ts';
import { createRecentWrites } from './recent-writes.ts';

export type FsBlobStore = BlobStore & {
  /**
   * Reads what the blob's file says of its object, for rebuild and fsck.
   * InternalError when it is missing or damaged.
   */
  readFooter(id: BlobId): Promise<BlobFooter>;
  /** Open descriptors, for tests and metrics. */
  openFileCounts(): { cached: number; inUse: number };
  /** Buffers of bodies on their way out and in, for tests and metrics. */
  bufferCounts(): ReturnType<ChunkBuffers['counts']>;
  /** Closes the descriptors of blobs that another thread deletes. */
  forget(ids: readonly BlobId[]): void;
  /**
   * Closes the descriptors that no reader uses; the others close when their reader
   * is done.
   */
  close(): void;
};

/**
 * Open descriptors besides those in use. Node raises the soft limit to the hard
 * one, often 2^20.
 */
const OPEN_FILES_MAX = 1024;
/** Folder of unfinished blobs; other threads have theirs in it. */
export const TEMPORARY_NAME = 'tmp';

/** What stores of several threads have of their own, and share. One of them deletes. */
export type StoreOfThread = {
  /** The folder of unfinished blobs. */
  readonly temporaryName: string;
  readonly removals: FolderRemovals;
};

/** A disk without bounds of our own. */
const UNBOUNDED: BlobRoom = {
  requireRoom: () => undefined,
  take: () => undefined,
  settle: () => undefined,
};

/**
 * Opens the store in `{dataDir}/blobs` and `{dataDir}/tmp`, and empties `tmp` of
 * what an earlier process left. `mapsFiles`: whether files that are read often may
 * be mapped into memory. `room`: what may be written. `noteDamage` hears of each
 * read that met lost bytes. `ofThread`: null where no other thread has a store there.
 */
export function createFsBlobStore(
  dataDir: string,
  mapsFiles = true,
  room: BlobRoom = UNBOUNDED,
  noteDamage: NoteDamage = () => undefined,
  ofThread: StoreOfThread | null = null,
): FsBlobStore {
  const temporaryName = ofThread?.temporaryName ?? TEMPORARY_NAME;
  const { root, temporaryFolder } = prepareFolders(dataDir, temporaryName);
  const folders = createBlobFolders(root, ofThread?.removals);
  const buffers = createChunkBuffers();
  const quickReads = createQuickReads();
  const mapped = mapsFiles ? createMappedFiles(temporaryFolder) : null;
  const borrowRange = createBorrowRange(buffers, quickReads, mapped);
  const recentWrites = createRecentWrites();
  const files = createOpenFiles(
    OPEN_FILES_MAX,
    (id) => blobPath(root, id as BlobId).file,
    (id, file) => {
      if (recentWrites.has(id)) quickReads.notePresent(file, file.fileBytes, 0);
    },
    (file) => mapped?.forget(file),
  );
  const reads = createBlobReads({ files, buffers, quickReads, borrowRange, noteDamage });

  return {
    ...reads,
    openRuns: (runs) => joinRuns(runs, reads.open),

    async write(id, source, identity) {
      try {
        const path = blobPath(root, id);
        const temporary = temporaryPath(temporaryFolder, id);
        const blob = await writeBlobFile(temporary, source, identity, { room, buffers });
        await folders.moveInto(temporary, path);
        recentWrites.note(id, blob.sizeBytes);
        return blob;
      } catch (error) {
        throw translateError(error, 'A blob could not be written.');
      }
    },

    async put(id, bytes, identity) {
      const source: ByteSource = {
        lengthBytes: bytes.length,
        pump: async (onChunk) => onChunk(bytes),
      };
      try {
        const path = blobPath(root, id);
        const temporary = temporaryPath(temporaryFolder, id);
        await writeBlobFile(temporary, source, identity, { room, buffers });
        await folders.moveInto(temporary, path, { keepsTarget: true });
        recentWrites.note(id, bytes.length);
      } catch (error) {
        throw translateError(error, 'A blob could not be written.');
      }
    },

    async delete(ids) {
      try {
        const touchedFolders = new Set<string>();
        for (const id of ids) {
          const path = blobPath(root, id);
          files.forget(id);
          await removeIfThere(path.file);
          touchedFolders.add(path.folder);
        }
        for (const folder of touchedFolders) await folders.removeEmpty(folder);
      } catch (error) {
        throw translateError(error, 'A blob could not be deleted.');
      }
    },

    async list(page) {
      try {
        return await listBlobs(root, page);
      } catch (error) {
        throw translateError(error, 'Blobs could not be listed.');
      }
    },

    forget(ids) {
      for (const id of ids) files.forget(id);
    },
    openFileCounts: files.counts,
    bufferCounts: buffers.counts,
    close: files.close,
  };
}

/** Makes both folders, and removes unfinished files of an earlier process. */
function prepareFolders(
  dataDir: string,
  temporaryName: string,
): { root: string; temporaryFolder: string } {
  const root = join(dataDir, 'blobs');
  const temporaryFolder = join(dataDir, temporaryName);
  mkdirSync(root, { recursive: true, mode: 0o700 });
  mkdirSync(temporaryFolder, { recursive: true, mode: 0o700 });
  syncNow(dataDir);

  for (const name of readdirSync(temporaryFolder))
    rmSync(join(temporaryFolder, name), { recursive: true, force: true });
  return { root, temporaryFolder };
}

async function removeIfThere(path: string): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
  }
}
