// Folders for tests, removed after the last test of the file (remove-folders.ts).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/** A fresh, empty folder. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'quayside-test-'));
  made.push(path);
  return path;
}

/** Removes all that were made since the last time. */
export function removeFolders(): void {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
}
