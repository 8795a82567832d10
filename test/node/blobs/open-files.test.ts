// Open descriptors of blobs: one for many callers, closed when its last user has released it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createOpenFiles } from '../../../src/adapters/node/blobs/open-files.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

describe('open files', () => {
  it('are closed only when their last user releases them', async () => {
    const folder = temporaryFolder();
    const paths = [1, 2, 3].map((name) => join(folder, `${name}`));
    for (const path of paths) writeFileSync(path, path);
    const [first = '', second = '', third = ''] = paths;
    const files = createOpenFiles(1, (path) => path);
    const [a, b] = await Promise.all([files.acquire(first), files.acquire(first)]);
    expect(a.fd).toBe(b.fd);
    files.release(await files.acquire(second));
    files.release(await files.acquire(third));
    expect(files.counts()).toEqual({ cached: 1, inUse: 1 });
    files.release(a);
    expect(readFileSync(b.fd, 'utf8')).toBe(first);
    files.release(b);
    await expect.poll(() => isOpen(b.fd, first)).toBe(false);
    files.close();
    expect(files.counts()).toEqual({ cached: 0, inUse: 0 });
  });

  it('opens a file once for many callers at once, and fails them all together', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'a');
    const files = createOpenFiles(8, (path) => path);
    const failed = await Promise.allSettled([files.acquire(path), files.acquire(path)]);
    expect(failed.map((outcome) => outcome.status)).toEqual(['rejected', 'rejected']);
    writeFileSync(path, 'x');
    const opened = await Promise.all(Array.from({ length: 10 }, () => files.acquire(path)));
    expect(new Set(opened.map((file) => file.fd)).size).toBe(1);
    for (const file of opened) files.release(file);
    files.forget(path);
    expect(files.counts()).toEqual({ cached: 0, inUse: 0 });
  });
});

/** Whether the descriptor still is that file; its number may be another file's by now. */
function isOpen(fd: number, path: string): boolean {
  try {
    return readFileSync(`/proc/self/fd/${fd}`, 'utf8') === path;
  } catch {
    return false;
  }
}
