// Blobs as files: written under a temporary name, made durable, renamed into place; read through
// descriptors that stay open. node.ts makes one for the data folder; nobody else writes there
// (data-folder.ts holds the lock).
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { StorageError } from '../../../domain/errors.ts';
import type { BlobId } from '../../../domain/nouns.ts';
import type { BlobStore } from '../../../ports/blob-store.ts';
import { ChunkStream } from '../../../ports/chunk-stream.ts';
import { damagedBlob, type NoteDamage } from '../../shared/damage.ts';
import { joinRuns } from '../../shared/join-runs.ts';
import { createBlobFolders } from './blob-folders.ts';
import { type BlobFooter, decodeFooter, TRAILER_BYTES } from './blob-footer.ts';
import { listBlobs } from './blob-list.ts';
import { type BlobPath, blobPath, temporaryPath } from './blob-path.ts';
import { type BlobRoom, writeBlobFile } from './blob-writer.ts';
import { createLendRange } from './borrowed-ranges.ts';
import { type ChunkBuffers, createChunkBuffers } from './chunk-buffers.ts';
import { readExactly, removeQuietly, rename, syncNow, unlink } from './file-calls.ts';
import { fileChunks } from './file-chunks.ts';
import { errnoOf, translateError } from './fs-errors.ts';
import { createMappedFiles } from './mapped-files.ts';
import { createOpenFiles, type OpenBlob } from './open-files.ts';
import { createQuickReads } from './quick-reads.ts';
import { createWrittenLately } from './recent-writes.ts';

export type FsBlobStore = BlobStore & {
  /**
   * What the blob's file says of its object, for rebuild and fsck. InternalError when missing or
   * damaged.
   */
  readFooter(id: BlobId): Promise<BlobFooter>;
  /** Descriptors held, for tests and metrics. */
  openFileCounts(): { cached: number; inUse: number };
  /** Buffers of bodies on their way out, for tests and metrics. */
  bufferCounts(): ReturnType<ChunkBuffers['counts']>;
  /** Closes the descriptors that no reader uses; the others close when their reader is done. */
  close(): void;
};

/**
 * Descriptors kept open besides those in use. Node raises the soft limit to the hard one, often a
 * million.
 */
const OPEN_FILES_MAX = 256;
/** A delete may remove the folder between its making and the rename into it. */
const RENAME_ATTEMPTS = 3;

/** A disk without bounds of our own. */
const UNBOUNDED: BlobRoom = {
  requireRoom: () => undefined,
  take: () => undefined,
  settle: () => undefined,
};

/**
 * Opens the store in `{dataDir}/blobs` and `{dataDir}/tmp`; what an earlier process left in `tmp`
 * is removed. `mapsFiles`: whether those that are read often may be mapped into memory. `room`:
 * what may be written. `noteDamage` hears of each read that met lost bytes.
 */
export function createFsBlobStore(
  dataDir: string,
  mapsFiles = true,
  room: BlobRoom = UNBOUNDED,
  noteDamage: NoteDamage = () => undefined,
): FsBlobStore {
  const root = join(dataDir, 'blobs');
  const temporaryFolder = join(dataDir, 'tmp');
  mkdirSync(root, { recursive: true, mode: 0o700 });
  mkdirSync(temporaryFolder, { recursive: true, mode: 0o700 });
  syncNow(dataDir);
  for (const name of readdirSync(temporaryFolder))
    rmSync(join(temporaryFolder, name), { recursive: true, force: true });
  const folders = createBlobFolders(root);
  const buffers = createChunkBuffers();
  const quickReads = createQuickReads();
  const mapped = mapsFiles ? createMappedFiles(temporaryFolder) : null;
  const lendRange = createLendRange(buffers, quickReads, mapped);
  const written = createWrittenLately();
  const files = createOpenFiles(
    OPEN_FILES_MAX,
    (id) => blobPath(root, id as BlobId).file,
    (id, file) => {
      if (written.has(id)) quickReads.notePresent(file, file.fileBytes, 0);
    },
    (file) => mapped?.forget(file),
  );

  /** Renames and makes the name durable; on failure neither name is left. */
  async function moveIntoPlace(temporary: string, path: BlobPath): Promise<void> {
    let created = temporary;
    try {
      for (let attempt = 1; created === temporary; attempt++) {
        try {
          await folders.ensure(path.folder);
          await rename(temporary, path.file);
          created = path.file;
        } catch (error) {
          if (errnoOf(error) !== 'ENOENT' || attempt === RENAME_ATTEMPTS) throw error;
          folders.forget(path.folder);
        }
      }
      await folders.sync(path.folder);
    } catch (error) {
      await removeQuietly(created);
      throw error;
    }
  }

  async function withFile<Result>(
    id: BlobId,
    use: (file: OpenBlob) => Promise<Result>,
  ): Promise<Result> {
    const file = await files.acquire(id);
    try {
      return await use(file);
    } finally {
      files.release(file);
    }
  }

  /** Why a read of a blob failed. `error` null: its file is too short. */
  function readFailure(id: BlobId, error: unknown): StorageError {
    const errno = errnoOf(error);
    const kind =
      errno === 'ENOENT' ? 'missing' : error === null || errno === 'EIO' ? 'damaged' : null;
    if (kind === null) return translateError(error, 'A blob could not be read.');
    noteDamage(id, kind);
    return damagedBlob(id, kind, error ?? undefined);
  }

  const open: BlobStore['open'] = async (id, range) => {
    let file: OpenBlob;
    try {
      file = await files.acquire(id);
    } catch (error) {
      throw readFailure(id, error);
    }
    const release = () => files.release(file);
    if (isWithin(range, file.fileBytes)) {
      const failureOf = (error: unknown) => readFailure(id, error);
      return new ChunkStream(fileChunks(file, range, { buffers, quickReads, release, failureOf }));
    }
    release();
    throw readFailure(id, null);
  };

  return {
    async write(id, source, identity) {
      try {
        const path = blobPath(root, id);
        const temporary = temporaryPath(temporaryFolder, id);
        const blob = await writeBlobFile(temporary, source, identity, room);
        await moveIntoPlace(temporary, path);
        written.note(id, blob.sizeBytes);
        return blob;
      } catch (error) {
        throw translateError(error, 'A blob could not be written.');
      }
    },

    open,
    openRuns: (runs) => joinRuns(runs, open),

    async read(id, range) {
      const { offsetBytes, lengthBytes } = range;
      const reading = withFile(id, async (file) => {
        if (!isWithin(range, file.fileBytes)) return null;
        const bytes = await readExactly(file.fd, offsetBytes, lengthBytes);
        if (bytes.length === lengthBytes) quickReads.notePresent(file, lengthBytes, offsetBytes);
        return bytes;
      });
      const bytes = await reading.catch((error: unknown) => Promise.reject(readFailure(id, error)));
      if (bytes?.length !== lengthBytes) throw readFailure(id, null);
      return bytes;
    },

    atHand(id, range) {
      const file = files.peek(id);
      if (file === null || !isWithin(range, file.fileBytes) || !quickReads.isKnown(file, range))
        return null;
      // Its descriptor may be closed since, and another file's by now.
      return (maySend) => (files.isCached(file) ? lendRange(file, range, maySend) : null);
    },

    async delete(ids) {
      const touched = new Set<string>();
      for (const id of ids) {
        const path = blobPath(root, id);
        files.forget(id);
        try {
          await unlink(path.file);
        } catch (error) {
          if (errnoOf(error) !== 'ENOENT')
            throw translateError(error, 'A blob could not be deleted.');
        }
        touched.add(path.folder);
      }
      try {
        for (const folder of touched) await folders.removeEmpty(folder);
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

    async readFooter(id) {
      try {
        return await withFile(id, ({ fd, fileBytes }) =>
          decodeFooter(fileBytes, (offsetBytes, lengthBytes) =>
            readExactly(fd, offsetBytes, lengthBytes),
          ),
        );
      } catch (error) {
        throw translateError(error, 'A blob could not be read.');
      }
    },

    openFileCounts: files.counts,
    bufferCounts: buffers.counts,
    close: files.close,
  };
}

/**
 * Whether a range of a body can be inside a file of that length: behind the body stand its footer's
 * bytes.
 */
function isWithin(
  { offsetBytes, lengthBytes }: { offsetBytes: number; lengthBytes: number },
  fileBytes: number,
): boolean {
  return offsetBytes + lengthBytes + TRAILER_BYTES <= fileBytes;
}
