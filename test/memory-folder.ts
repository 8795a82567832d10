// Where the suites `node` and `workerd` keep temporary files in a whole test run: in memory, where
// the machine has room. The programs under test sync each commit all the same; there that takes no
// time. scripts/test.ts calls it.
import { accessSync, constants, statfsSync } from 'node:fs';

/** Linux's file system in memory. */
const MEMORY_FOLDER = '/dev/shm';
/** Room that it must have, bytes: a run has 0.3 GiB of files at most (measured 2026-11). */
const NEEDED_BYTES = 1024 ** 3;
/** Memory that must be free, bytes: two servers, a browser and the tests need 4 GiB besides. */
const FREE_MEMORY_BYTES = 6 * 1024 ** 3;

/**
 * A folder in memory for temporary files; null where there is none with enough room, or where
 * TMPDIR says where they belong.
 */
export function findMemoryFolder(
  env: NodeJS.ProcessEnv = process.env,
  folder = MEMORY_FOLDER,
  freeMemoryBytes = process.availableMemory(),
): string | null {
  if (env.TMPDIR !== undefined || freeMemoryBytes < FREE_MEMORY_BYTES) return null;
  try {
    accessSync(folder, constants.W_OK);
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize < NEEDED_BYTES ? null : folder;
  } catch {
    return null;
  }
}
