// Makes many files durable at once: by one syncfs where the system has it, because
// an fsync of each of 100,000 files takes minutes. That waits for other programs'
// bytes, too, so a few files or folders are made durable one by one.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { syncNow } from '../blobs/file-calls.ts';

const run = promisify(execFile);

/** Up to this many files, an fsync of each takes less than a syncfs. */
const FEW = 32;

/** Makes these files and folders durable; `folder` lies on the same file system. */
export async function syncFiles(folder: string, paths: readonly string[]): Promise<void> {
  if (paths.length > FEW && (await syncFileSystem(folder))) return;
  for (const path of paths) syncNow(path);
}

/** False where there is no `sync -f` (syncfs, coreutils on Linux). */
async function syncFileSystem(folder: string): Promise<boolean> {
  try {
    await run('sync', ['-f', folder]);
    return true;
  } catch {
    return false;
  }
}
