// A file system of a given size for a test: a tmpfs, which only root can mount.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export type SmallDisk = { readonly path: string; unmount(): void };

/** The mounted file system, or why there can be none. */
export function mountSmallDisk(sizeMiB: number): SmallDisk | string {
  const path = mkdtempSync(join(tmpdir(), 'quayside-disk-'));
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMiB}m`, 'tmpfs', path], {
    encoding: 'utf8',
  });
  if (mount.status !== 0) {
    rmSync(path, { recursive: true });
    return `no file system can be mounted here: ${mount.error?.message ?? mount.stderr.trim()}`;
  }
  return {
    path,
    unmount() {
      spawnSync('umount', ['-l', path]);
      rmSync(path, { recursive: true, force: true });
    },
  };
}
