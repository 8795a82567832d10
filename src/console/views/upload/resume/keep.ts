// Remembers uploads that are not over, so that they go on after a reload, a crash or
// sleep: which file goes where, how far it came, and in Chromium the handles by which
// files are read again. Kept in IndexedDB; a lock tells which batches another tab sends.
import { signal } from '@preact/signals';
import { createStore, delMany, entries, setMany } from 'idb-keyval';
import type { QueueFile, UploadOptions } from 'quayside/client';
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

/** How long changes are gathered before they are written, milliseconds. */
const WRITE_AFTER_MS = 250;
/** Records in one transaction: a larger one holds up the page. */
const WRITE_MAX = 1000;

/** Whether the browser keeps them; the dock says so where it does not. */
export const isRemembering = signal(true);

const store = createStore('quayside-uploads', 'records');
const changes = new Map<string, KeptFile | KeptBatch | null>();
/** The record of each file that this page sends, by bucket and key. */
const live = new Map<string, { name: string; file: KeptFile }>();
const openFiles = new Map<string, number>();
let writing: ReturnType<typeof setTimeout> | undefined;

const nameOf = (bucket: string, key: string): string => `${bucket}/${key}`;
const lockOf = (batch: string): string => `quayside-upload ${batch}`;

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
      const some = all.slice(at, at + WRITE_MAX);
      const gone = some.filter(([, record]) => record === null).map(([name]) => name);
      const kept = some.filter(([, record]) => record !== null);
      if (kept.length > 0) await setMany(kept, store);
      if (gone.length > 0) await delMany(gone, store);
    }
    isRemembering.value = true;
  } catch {
    isRemembering.value = false;
  }
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

/**
 * Finds what pages that are gone left unfinished. Of a batch that another tab sends,
 * `found` is called when that tab is gone; then it is this page's to go on with.
 */
export async function findInterrupted(found: (one: Interrupted) => void): Promise<void> {
  const batches = await readBatches().catch(() => new Map<string, Interrupted>());
  for (const id of batches.keys()) {
    const offer = async () => {
      // Another tab may have finished it since.
      const one = (await readBatches().catch(() => batches)).get(id);
      if (one !== undefined && one.files.length > 0) found(one);
    };
    if (navigator.locks === undefined) void offer();
    else {
      const forever = new Promise<never>(() => {});
      void navigator.locks.request(lockOf(id), () => offer().then(() => forever)).catch(() => {});
    }
  }
}

async function readBatches(): Promise<Map<string, Interrupted>> {
  const records = await entries<string, KeptFile | KeptBatch>(store);
  const batches = new Map<string, { batch: KeptBatch; files: KeptFile[] }>();
  for (const [, record] of records) {
    if (record.kind === 'batch') batches.set(record.id, { batch: record, files: [] });
  }
  for (const [, record] of records) {
    if (record.kind === 'file') batches.get(record.batch)?.files.push(record);
  }
  return batches;
}

/**
 * Forgets files of an earlier page: they go on in another batch, or are given up. Of
 * what is left the batch stays.
 */
export async function forgetFiles(one: Interrupted, gone: ReadonlySet<KeptFile>): Promise<void> {
  const keys = new Set([...gone].map(({ key }) => key));
  const records = await entries<string, KeptFile | KeptBatch>(store);
  for (const [name, record] of records) {
    const isOfBatch = record.kind === 'file' && record.batch === one.batch.id;
    if (isOfBatch && keys.has(record.key)) write(name, null);
  }
  if (keys.size === one.files.length) write(`batch ${one.batch.id}`, null);
  clearTimeout(writing);
  await flush();
}
