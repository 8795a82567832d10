// Writes objects into a folder of this computer, four at a time. A file appears there
// when it is whole and verified, so after a break whatever has its size is done. What
// is unfinished is kept (folder-downloads.ts) and goes on at one click.
import { createDownloadClient } from 'quayside/client';
import { client } from '../../../api/client.ts';
import { errorLine } from '../../../api/describe-error.ts';
import { writeRecords } from '../../../app/records.ts';
import { showToast } from '../../../ui/toast.tsx';
import { type Selection, targetsOf } from '../../browse/selection.ts';
import {
  type FailedFile,
  type FolderDownload,
  folderDownloads,
  type KeptDownload,
  type LocalChoice,
  NO_COUNTS,
} from './folder-downloads.ts';

/** Objects under way at once. */
const AT_ONCE = 4;
/** Prefixes whose sizes are asked for at once. Source: the API's bound. */
const SIZES_AT_ONCE = 100;
/** How often the dock is drawn anew, milliseconds. */
const SHOW_EVERY_MS = 500;
/** Failures that are listed; more are only counted by what is not there. */
const FAILED_MAX = 1000;

/** Without the notes of api/client.ts, which would fill the list of calls. */
const downloads = createDownloadClient({ endpoint: location.origin });
const stops = new Map<string, AbortController>();

/** Keeps it for later pages, or forgets it; a browser without room keeps nothing. */
const remember = (id: string, kept: KeptDownload | null): Promise<void> =>
  writeRecords('quayside-downloads', [[id, kept]]).catch(() => {});

function change(id: string, facts: Partial<FolderDownload>): void {
  folderDownloads.value = folderDownloads.value.map((one) =>
    one.id === id ? { ...one, ...facts } : one,
  );
}

export async function beginFolderDownload(
  selection: Selection,
  folder: FileSystemDirectoryHandle,
  choice: LocalChoice,
): Promise<void> {
  const id = [...crypto.getRandomValues(new Uint32Array(2))].join('-');
  const kept: KeptDownload = { id, selection, folder, choice };
  await remember(id, kept);
  folderDownloads.value = [...folderDownloads.value, { ...kept, ...NO_COUNTS, state: 'moving' }];
  await run(kept);
}

type Permitted = FileSystemDirectoryHandle & {
  requestPermission?: (options: { mode: 'readwrite' }) => Promise<PermissionState>;
};

/** Goes on: what is there with its size is not read again. */
export async function resumeFolderDownload(one: FolderDownload): Promise<void> {
  const folder = one.folder as Permitted;
  try {
    const answer = (await folder.requestPermission?.({ mode: 'readwrite' })) ?? 'granted';
    if (answer !== 'granted') throw new DOMException('', 'NotAllowedError');
  } catch (error) {
    return showToast({ text: errorLine(error) });
  }
  change(one.id, { ...NO_COUNTS, state: 'moving' });
  await run({ ...one, choice: 'skip' });
}

/** Ends it; files that are whole stay, others leave nothing. */
export async function endFolderDownload(id: string): Promise<void> {
  stops.get(id)?.abort();
  stops.delete(id);
  folderDownloads.value = folderDownloads.value.filter((one) => one.id !== id);
  await remember(id, null);
}

type Counts = {
  files: number;
  bytes: number;
  doneFiles: number;
  doneBytes: number;
  skipped: number;
  failed: FailedFile[];
};

async function run(kept: KeptDownload): Promise<void> {
  const { id, selection } = kept;
  const stop = new AbortController();
  stops.set(id, stop);
  const counts: Counts = { ...NO_COUNTS, failed: [] };
  const moving = new Map<string, number>();
  const show = () => {
    let bytes = counts.doneBytes;
    for (const sent of moving.values()) bytes += sent;
    change(id, { ...counts, doneBytes: bytes, failed: [...counts.failed] });
  };
  const timer = setInterval(show, SHOW_EVERY_MS);
  const list = listed(selection, stop.signal);
  const work = async () => {
    for await (const entry of list) {
      try {
        const onBytes = (bytes: number) => void moving.set(entry.key, bytes);
        if (!(await saveOne(kept, entry, stop.signal, onBytes))) counts.skipped++;
      } catch (error) {
        if (stop.signal.aborted) return;
        if (counts.failed.length < FAILED_MAX) {
          counts.failed.push({ key: entry.key, why: errorLine(error) });
        }
      }
      moving.delete(entry.key);
      counts.doneFiles++;
      counts.doneBytes += entry.bytes;
    }
  };
  try {
    await countAll(selection, counts, stop.signal);
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } catch (error) {
    counts.failed.push({ key: selection.prefix, why: errorLine(error) });
  } finally {
    clearInterval(timer);
  }
  if (stop.signal.aborted) return;
  show();
  change(id, { state: 'done' });
  if (counts.failed.length === 0) await remember(id, null);
}

type Entry = { readonly key: string; readonly bytes: number };

/** What there is in all, before the first byte. */
async function countAll(selection: Selection, counts: Counts, signal: AbortSignal): Promise<void> {
  const { bucket, rows } = selection;
  for (const row of rows) {
    if (row.isFolder) continue;
    counts.files++;
    counts.bytes += row.bytes ?? 0;
  }
  const { prefixes } = targetsOf(selection);
  for (let at = 0; at < prefixes.length; at += SIZES_AT_ONCE) {
    const query = { prefix: prefixes.slice(at, at + SIZES_AT_ONCE) };
    const { items } = await client.objects.sizes(bucket, { query, signal });
    for (const { objects, bytes } of items ?? []) {
      counts.files += objects;
      counts.bytes += Number(bytes);
    }
  }
}

/** All objects of the selection; several may read from it at once. */
async function* listed(
  selection: Selection,
  signal: AbortSignal,
): AsyncGenerator<Entry, void, undefined> {
  const { bucket } = selection;
  const { keys, prefixes } = targetsOf(selection);
  for (const key of keys) {
    const { size } = await client.objects.get(bucket, { query: { key }, signal });
    yield { key, bytes: Number(size) };
  }
  for (const prefix of prefixes) {
    const query = { prefix, delimiter: '' };
    for await (const entry of client.objects.list(bucket, { query, signal })) {
      if (entry.kind === 'object') yield { key: entry.key, bytes: Number(entry.size) };
    }
  }
}

/** False: it is there already. */
async function saveOne(
  { selection, folder, choice }: KeptDownload,
  { key, bytes }: Entry,
  signal: AbortSignal,
  onBytes: (bytes: number) => void,
): Promise<boolean> {
  const segments = localPath(key.slice(selection.prefix.length));
  const name = segments.pop() ?? '';
  let parent = folder;
  for (const segment of segments) {
    parent = await parent.getDirectoryHandle(segment, { create: true });
  }
  if (name === '') return true;
  if (choice === 'skip') {
    const there = await parent.getFileHandle(name).then(
      (handle) => handle.getFile(),
      () => null,
    );
    if (there?.size === bytes) return false;
  }
  const object = await downloads.download(selection.bucket, key, {
    signal,
    onProgress: ({ sentBytes }) => onBytes(sentBytes),
  });
  const handle = await parent.getFileHandle(name, { create: true });
  await object.saveTo(handle);
  return true;
}

/**
 * The path of a key on a disk. What some disk does not take becomes `_`, as in a ZIP;
 * an empty last segment means a folder.
 */
export function localPath(key: string): string[] {
  const segments = key.split('/');
  return segments.map((segment, at) => {
    if (segment === '' && at === segments.length - 1) return '';
    // Control characters are what it is about.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not reach a disk
    const name = segment.replace(/[\u0000-\u001f\u007f\\:"<>|?*]/g, '_').replace(/[. ]$/, '_');
    const isDevice = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(name);
    return name === '' || isDevice ? `_${name}` : name;
  });
}
