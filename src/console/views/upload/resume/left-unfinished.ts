// Offers in the dock what earlier pages left unfinished: uploads, and downloads into
// folders of this computer.
import { readRecords } from '../../../app/records.ts';
import { folderDownloads, type KeptDownload, NO_COUNTS } from '../download/folder-downloads.ts';
import { type Interrupted, interrupted, type KeptBatch, type KeptFile, lockOf } from './keep.ts';

/**
 * Offers what pages that are gone left unfinished. A batch that another tab sends is
 * offered when that tab is gone; then it is this page's to go on with.
 */
export async function loadInterrupted(): Promise<void> {
  const batches = await readBatches().catch(() => new Map<string, Interrupted>());
  for (const id of batches.keys()) {
    const offer = async () => {
      // Another tab may have finished it since.
      const one = (await readBatches().catch(() => batches)).get(id);
      if (one === undefined || one.files.length === 0) return;
      interrupted.value = [...interrupted.value, one];
    };
    if (navigator.locks === undefined) void offer();
    else {
      const forever = new Promise<never>(() => {});
      void navigator.locks.request(lockOf(id), () => offer().then(() => forever)).catch(() => {});
    }
  }
}

async function readBatches(): Promise<Map<string, Interrupted>> {
  const records = await readRecords<KeptFile | KeptBatch>('quayside-uploads');
  const batches = new Map<string, { batch: KeptBatch; files: KeptFile[] }>();
  for (const [, record] of records) {
    if (record.kind === 'batch') batches.set(record.id, { batch: record, files: [] });
  }
  for (const [, record] of records) {
    if (record.kind === 'file') batches.get(record.batch)?.files.push(record);
  }
  return batches;
}

/** Offers what an earlier page left unfinished. */
export async function loadFolderDownloads(): Promise<void> {
  const records = await readRecords<KeptDownload>('quayside-downloads').catch(() => []);
  const known = new Set(folderDownloads.value.map(({ id }) => id));
  const left = records.filter(([id]) => !known.has(id));
  folderDownloads.value = [
    ...folderDownloads.value,
    ...left.map(([, kept]) => ({ ...kept, ...NO_COUNTS, state: 'interrupted' }) as const),
  ];
}
