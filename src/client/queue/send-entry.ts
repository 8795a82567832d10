// Sends one file of a queue, and takes it back.
import type { Client } from '../client.ts';
import { QuaysideError } from '../errors.ts';
import { asFailure } from '../retry.ts';
import type { UploadOptions } from '../upload/upload.ts';
import { type Entry, isOver, type QueueList } from './queue-list.ts';

export type QueueClient = Pick<Client, 'upload' | 'resumeUpload' | 'uploads'>;

/**
 * Sends the file, or goes on with it; resolves when its state says how that ended.
 */
export async function sendEntry(
  list: QueueList,
  client: QueueClient,
  entry: Entry,
  own: UploadOptions,
): Promise<void> {
  const { file, stored } = entry;
  if (file === null) return;
  list.change(entry, { state: 'sending', error: null });
  const { bucket, key, uploadId } = stored;
  const options: UploadOptions = {
    ...own,
    onProgress(progress) {
      const { sentBytes, bytesPerSecond, secondsLeft } = progress;
      list.change(entry, { sentBytes, bytesPerSecond, secondsLeft });
      own.onProgress?.(progress);
    },
    onUploadId(id) {
      entry.stored = { ...entry.stored, uploadId: id };
      list.save();
      own.onUploadId?.(id);
    },
  };
  entry.task =
    uploadId === null
      ? client.upload(bucket, key, file, options)
      : client.resumeUpload({ bucket, key, uploadId }, file, options);
  try {
    const result = await entry.task;
    list.change(entry, { state: 'done', sentBytes: file.size, secondsLeft: 0, result });
    // What was sent is held no longer: the browser may forget the file.
    entry.file = null;
  } catch (cause) {
    fail(list, entry, cause);
  }
  entry.task = null;
  list.save();
}

function fail(list: QueueList, entry: Entry, cause: unknown): void {
  if (entry.item.state === 'cancelled') return;
  const error = cause instanceof QuaysideError ? cause : asFailure(cause);
  const wasSwept = error.code === 'NoSuchUpload' && entry.stored.uploadId !== null;
  if (wasSwept) {
    entry.stored = { ...entry.stored, uploadId: null };
    list.change(entry, { state: 'waiting', sentBytes: 0 });
  } else {
    list.change(entry, { state: 'failed', error, bytesPerSecond: 0, secondsLeft: null });
  }
}

/** Resolves when nothing of the file is left on the server. What is done stays. */
export async function cancelEntry(
  list: QueueList,
  client: QueueClient,
  entry: Entry,
): Promise<void> {
  if (isOver(entry.item)) return;
  list.change(entry, { state: 'cancelled', bytesPerSecond: 0, secondsLeft: null });
  const { bucket, key, uploadId } = entry.stored;
  if (entry.task !== null) return entry.task.cancel();
  if (uploadId === null) return;
  await client.uploads.abort(bucket, uploadId, { query: { key } }).catch((error: unknown) => {
    if (!(error instanceof QuaysideError) || error.code !== 'NoSuchUpload') throw error;
  });
}
