// Folders for tests, removed after the last test of the file.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

const made: string[] = [];
// Registered on import, so it runs after the hooks of the file, which close what still uses the folders.
afterAll(() => {
  for (const path of made.splice(0)) rmSync(path, { recursive: true, force: true, maxRetries: 3 });
});

/** A fresh, empty folder. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'quayside-test-'));
  made.push(path);
  return path;
}
