// One file of a queue: what is known of it, and how it becomes known to others.
import type { QuaysideError } from '../errors.ts';
import type { UploadOptions, UploadResult } from '../upload/upload.ts';

export type ItemState =
  | 'waiting'
  | 'sending'
  | 'paused'
  | 'done'
  | 'failed'
  | 'cancelled'
  /** Known from before a reload: it goes on when the same file is added again. */
  | 'needs-file';

/** A file as users see it. Never changed: another state is another object. */
export type QueueItem = {
  readonly id: string;
  readonly bucket: string;
  readonly key: string;
  /** Below what was added: `holiday/beach.jpg`. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly sentBytes: number;
  readonly bytesPerSecond: number;
  /** Null: nobody knows yet. */
  readonly secondsLeft: number | null;
  readonly state: ItemState;
  readonly error: QuaysideError | null;
  /** What the server has now; null until it is there. */
  readonly result: UploadResult | null;
};

/** A file to be added, with its path below what was chosen or dropped. */
export type QueueFile = {
  readonly file: File;
  readonly path: string;
  /** Where it goes instead of the queue's bucket, and instead of prefix and path. */
  readonly bucket?: string | undefined;
  readonly key?: string | undefined;
  /** The multipart upload to go on with, where its user kept the id. */
  readonly uploadId?: string | null | undefined;
  /** Options of this file alone; they come before those of the queue. */
  readonly options?: UploadOptions | undefined;
};

/** What is kept of an unfinished file, to go on with it after a reload. */
export type StoredItem = {
  readonly bucket: string;
  readonly key: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
  readonly uploadId: string | null;
};

/** Whether that file is the one that was begun with: by key, size and time. */
export const isSameFile = (stored: StoredItem, key: string, file: File): boolean =>
  stored.key === key && stored.sizeBytes === file.size && stored.modifiedAtMs === file.lastModified;

/** Files of an `<input type=file>`, or of anything else that lists them. */
export const toQueueFiles = (files: Iterable<File | QueueFile>): QueueFile[] =>
  [...files].map((one) => ('file' in one ? one : { file: one, path: pathOf(one) }));

/** Browsers alone know the folder that was chosen. */
const pathOf = (file: File & { readonly webkitRelativePath?: string }): string =>
  file.webkitRelativePath || file.name;
