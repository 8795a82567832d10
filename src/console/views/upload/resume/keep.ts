// Remembers uploads that are not over, so that they go on after a reload, a crash or
// sleep: which file goes where, how far it came, and in Chromium the handles by which
// files are read again. Kept in IndexedDB; a lock tells which batches another tab sends.
// What an earlier page left is read by left-unfinished.ts.
import { signal } from '@preact/signals';
import type { QueueFile, UploadOptions } from 'quayside/client';
import { writeRecords } from '../../../app/records.ts';
import type { Handle } from '../choose/read-files.ts';

export type KeptFile = {
  readonly kind: 'file';
  readonly batch: string;
  readonly bucket: string;
  readonly key: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
  readonly uploadId: string | null;
  readonly options: UploadOptions;
};

export type KeptBatch = {
  readonly kind: 'batch';
  readonly id: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly createdAtMs: number;
  readonly roots: readonly Handle[];
};

/** What an earlier page left unfinished. */
export type Interrupted = { readonly batch: KeptBatch; readonly files: readonly KeptFile[] };

/** What is offered to go on with. */
export const interrupted = signal<readonly Interrupted[]>([]);

/** How long changes are gathered before they are written, milliseconds. */
const WRITE_AFTER_MS = 250;
/** Records in one transaction: a larger one holds up the page. */
const WRITE_MAX = 1000;

/** Whether the browser keeps them; the dock says so where it does not. */
export const isRemembering = signal(true);

const changes = new Map<string, KeptFile | KeptBatch | null>();
/** The record of each file that this page sends, by bucket and key. */
const live = new Map<string, { name: string; file: KeptFile }>();
const openFiles = new Map<string, number>();
let writing: ReturnType<typeof setTimeout> | undefined;

const nameOf = (bucket: string, key: string): string => `${bucket}/${key}`;
/** The lock of a batch, which the page has that sends it. */
export const lockOf = (batch: string): string => `quayside-upload ${batch}`;

function write(name: string, record: KeptFile | KeptBatch | null): void {
  changes.set(name, record);
  writing ??= setTimeout(flush, WRITE_AFTER_MS);
}

/** A browser without room, or a private window, costs the resuming, never an upload. */
async function flush(): Promise<void> {
  writing = undefined;
  const all = [...changes];
  changes.clear();
  try {
    for (let at = 0; at < all.length; at += WRITE_MAX) {
      await writeRecords('quayside-uploads', all.slice(at, at + WRITE_MAX));
    }
    isRemembering.value = true;
  } catch {
    isRemembering.value = false;
  }
}

/** Forgets records, and resolves when that is written. */
export async function forgetNow(names: Iterable<string>): Promise<void> {
  for (const name of names) changes.set(name, null);
  clearTimeout(writing);
  await flush();
}

type BatchTarget = { readonly bucket: string; readonly prefix: string };

/**
 * Remembers a batch; gives its files back with the hook that notes upload ids. Each
 * file must have its key.
 */
export function keepBatch(
  target: BatchTarget,
  files: readonly (QueueFile & { readonly bucket: string; readonly key: string })[],
  roots: readonly Handle[],
): QueueFile[] {
  const id = [...crypto.getRandomValues(new Uint32Array(2))].join('-');
  const createdAtMs = Date.now();
  write(`batch ${id}`, { kind: 'batch', id, createdAtMs, roots, ...target });
  openFiles.set(id, files.length);
  holdLock(id);
  return files.map((one, at) => {
    const { bucket, key, path, file, uploadId = null, options = {} } = one;
    const { size: sizeBytes, lastModified: modifiedAtMs } = file;
    const facts = { batch: id, bucket, key, path, sizeBytes, modifiedAtMs, uploadId, options };
    const entry = { name: `file ${id} ${at}`, file: { kind: 'file', ...facts } as KeptFile };
    live.set(nameOf(bucket, key), entry);
    write(entry.name, entry.file);
    const onUploadId = (begun: string) => {
      entry.file = { ...entry.file, uploadId: begun };
      write(entry.name, entry.file);
    };
    return { ...one, options: { ...options, onUploadId } };
  });
}

/** Forgets a file that is there, or will not be. */
export function forgetFile(bucket: string, key: string): void {
  const name = nameOf(bucket, key);
  const entry = live.get(name);
  if (entry === undefined) return;
  live.delete(name);
  write(entry.name, null);
  const { batch } = entry.file;
  const left = (openFiles.get(batch) ?? 1) - 1;
  openFiles.set(batch, left);
  if (left === 0) write(`batch ${batch}`, null);
}

/** The lock lives as long as the page: no event is needed to give it back. */
function holdLock(batch: string): void {
  const forever = new Promise<never>(() => {});
  void navigator.locks?.request(lockOf(batch), () => forever).catch(() => {});
}
