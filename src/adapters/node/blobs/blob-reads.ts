// The reading half of fs-blob-store.ts: ranges of blobs as streams, as bytes, or
// borrowed at once from what the page cache holds. It opens files through
// open-files.ts and writes nothing.
import type { StorageError } from '../../../domain/errors.ts';
import type { BlobId } from '../../../domain/nouns.ts';
import type { BlobStore } from '../../../ports/blob-store.ts';
import { ChunkStream } from '../../../ports/chunk-stream.ts';
import { damagedBlob, type NoteDamage } from '../../shared/damage.ts';
import { type BlobFooter, decodeFooter, TRAILER_BYTES } from './blob-footer.ts';
import type { BorrowRange } from './borrowed-ranges.ts';
import type { ChunkBuffers } from './chunk-buffers.ts';
import { readExactly } from './file-calls.ts';
import { fileChunks } from './file-chunks.ts';
import { errnoOf, translateError } from './fs-errors.ts';
import type { OpenBlob, OpenFiles } from './open-files.ts';
import type { QuickReads } from './quick-reads.ts';

/** What reading needs of the store. */
export type BlobReadParts = {
  readonly files: OpenFiles;
  readonly buffers: ChunkBuffers;
  readonly quickReads: QuickReads;
  readonly borrowRange: BorrowRange;
  readonly noteDamage: NoteDamage;
};

export type BlobReads = Pick<BlobStore, 'open' | 'read'> &
  Required<Pick<BlobStore, 'atHand'>> & { readFooter(id: BlobId): Promise<BlobFooter> };

/** Makes the reads of a store. */
export function createBlobReads(parts: BlobReadParts): BlobReads {
  const { files, buffers, quickReads, borrowRange, noteDamage } = parts;

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
    const kind = damageKindOf(error);
    if (kind === null) return translateError(error, 'A blob could not be read.');
    noteDamage(id, kind);
    return damagedBlob(id, kind, error ?? undefined);
  }

  return {
    async open(id, range) {
      let file: OpenBlob;
      try {
        file = await files.acquire(id);
      } catch (error) {
        throw readFailure(id, error);
      }
      const release = () => files.release(file);
      if (isWithin(range, file.fileBytes)) {
        const failureOf = (error: unknown) => readFailure(id, error);
        const options = { buffers, quickReads, release, failureOf };
        return new ChunkStream(fileChunks(file, range, options));
      }
      release();
      throw readFailure(id, null);
    },

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
      if (file === null || !isWithin(range, file.fileBytes) || !quickReads.isAtHand(file, range))
        return null;
      // Its descriptor may have been closed meanwhile, and be another file's by
      // now.
      return (maySend) => (files.isCached(file) ? borrowRange(file, range, maySend) : null);
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
  };
}

/**
 * What a failed read says of the blob; null: nothing. `error` null: its file is too
 * short.
 */
function damageKindOf(error: unknown): 'missing' | 'damaged' | null {
  if (error === null) return 'damaged';
  const errno = errnoOf(error);
  if (errno === 'ENOENT') return 'missing';
  return errno === 'EIO' ? 'damaged' : null;
}

/**
 * Whether a body's range can be inside a file of that length: its footer stands
 * behind the body.
 */
function isWithin(
  { offsetBytes, lengthBytes }: { offsetBytes: number; lengthBytes: number },
  fileBytes: number,
): boolean {
  return offsetBytes + lengthBytes + TRAILER_BYTES <= fileBytes;
}
