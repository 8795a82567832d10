// A read-only store over the blobs of a folder that another process owns. It makes,
// removes and keeps open nothing, unlike the server's store, which empties `tmp`
// when it opens.
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { StorageError } from '../../../domain/errors.ts';
import type { BlobStore } from '../../../ports/blob-store.ts';
import { joinRuns } from '../../shared/join-runs.ts';
import { listBlobs } from '../blobs/blob-list.ts';
import { blobPath } from '../blobs/blob-path.ts';
import { closeFile, openFile, readExactly } from '../blobs/file-calls.ts';
import { translateError } from '../blobs/fs-errors.ts';

/** Bytes read at a time. */
const CHUNK_BYTES = 1024 * 1024;

/** Makes the store over `blobRoot`. Writes and deletes are refused. */
export function createReadOnlyBlobs(blobRoot: string): BlobStore {
  const open: BlobStore['open'] = async (id, { offsetBytes, lengthBytes }) => {
    const { file } = blobPath(blobRoot, id);
    const end = offsetBytes + lengthBytes - 1;
    const bytes = createReadStream(file, { start: offsetBytes, end, highWaterMark: CHUNK_BYTES });
    return Readable.toWeb(bytes) as ReadableStream<Uint8Array>;
  };

  return {
    open,
    openRuns: (runs) => joinRuns(runs, open),
    async read(id, { offsetBytes, lengthBytes }) {
      try {
        const fd = await openFile(blobPath(blobRoot, id).file, 'r');
        try {
          const bytes = await readExactly(fd, offsetBytes, lengthBytes);
          if (bytes.length === lengthBytes) return bytes;
        } finally {
          await closeFile(fd);
        }
      } catch (error) {
        throw translateError(error, 'A blob could not be read.');
      }
      throw new StorageError('InternalError', { detail: 'A blob file is too short.' });
    },
    list: (page) => listBlobs(blobRoot, page),
    write: refuse,
    put: refuse,
    delete: refuse,
  };
}

async function refuse(): Promise<never> {
  throw new StorageError('InternalError', { detail: 'These blobs are open for reading only.' });
}
