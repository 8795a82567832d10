// Takes objects out, for downloads.ts: one by the browser itself, more as one ZIP, or
// all of them straight into a folder of this computer.
import { client } from '../../../api/client.ts';
import { errorLine, isGivenUp } from '../../../api/describe-error.ts';
import { t } from '../../../i18n/i18n.ts';
import { showToast } from '../../../ui/toast.tsx';
import { type Selection, targetsOf } from '../../browse/selection.ts';
import type { LocalChoice } from './folder-downloads.ts';

/** Objects and prefixes that one ZIP may name. Source: docs/downloads.md. */
const ZIP_KEYS = 10_000;
const ZIP_PREFIXES = 100;

/**
 * Lets the browser save what is selected: an object under its own name, which the
 * browser resumes by itself; folders and several objects as one ZIP.
 */
export async function download(selection: Selection): Promise<void> {
  const { bucket, prefix, rows, isAll } = selection;
  const [row] = rows;
  if (!isAll && rows.length === 1 && row !== undefined && !row.isFolder) {
    save(contentUrl(bucket, row.key));
    return;
  }
  const { keys, prefixes } = targetsOf(selection);
  if (keys.length > ZIP_KEYS || prefixes.length > ZIP_PREFIXES) {
    showToast({ text: t().upload.tooManyForZip });
    return;
  }
  // A single folder gives the archive its name, and names in it begin behind it.
  const [only] = prefixes;
  const base = only !== undefined && keys.length === 0 && prefixes.length === 1 ? only : prefix;
  try {
    const body = { base, keys, prefixes };
    const { url } = await client.request('POST /buckets/{bucket}/zips', { path: { bucket }, body });
    save(url);
  } catch (error) {
    showToast({ text: errorLine(error) });
  }
}

type Picker = (options: object) => Promise<FileSystemDirectoryHandle>;

/**
 * Asks for a folder of this computer and writes the selection there with its tree.
 * What is there already is skipped where it has the same size, or replaced.
 */
export async function downloadToFolder(selection: Selection, choice: LocalChoice): Promise<void> {
  const pick = (globalThis as { showDirectoryPicker?: Picker }).showDirectoryPicker;
  if (pick === undefined) {
    showToast({ text: t().upload.noFolderAccess });
    return;
  }
  try {
    const folder = await pick({ id: 'download', mode: 'readwrite' });
    const { beginFolderDownload } = await import('./folder-download.ts');
    await beginFolderDownload(selection, folder, choice);
  } catch (error) {
    if (!isGivenUp(error)) showToast({ text: errorLine(error) });
  }
}

/** The address of an object as a file to save, for who is signed in. */
function contentUrl(bucket: string, key: string): string {
  const path = `/-/api/v1/buckets/${encodeURIComponent(bucket)}/content`;
  return `${path}?key=${encodeURIComponent(key)}&download=1`;
}

function save(url: string): void {
  const link = document.createElement('a');
  link.href = url;
  // The server names the file; the router must leave the link alone.
  link.download = '';
  document.body.append(link);
  link.click();
  link.remove();
}
