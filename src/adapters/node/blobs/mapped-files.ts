// Files that are read often stand mapped in memory, so that their ranges go to sockets from where
// the page cache has them: one copy and one call, where reading and writing is two of each, and
// little of ours is touched between (measured: bench/README.md, delivery; ADR 30). Which pages the
// page cache has is for quick-reads.ts to say.
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Libc, openLibc } from './libc.ts';
import type { OpenBlob } from './open-files.ts';

/** What of a file is mapped; of the file's own record. */
export type Mapping = { address: number | null; asked: number };

export function newMapping(): Mapping {
  return { address: null, asked: 0 };
}

export type MappedFiles = {
  /** Where the head of an answer is to stand, in front of what `send` sends. */
  readonly head: Uint8Array;
  /** Whether the file is mapped, now. */
  isMapped(file: OpenBlob): boolean;
  /**
   * Gives the head's first bytes and those of a mapped file to a socket that has nothing waiting:
   * how many it took at once, which may be none. Waits for the disk where the page cache lacks
   * them.
   */
  send(
    socketFd: number,
    headBytes: number,
    file: OpenBlob,
    offsetBytes: number,
    lengthBytes: number,
  ): number;
  /** To be called before the file is closed. Also lets go of the space of one that was deleted. */
  forget(file: OpenBlob): void;
};

/**
 * A mapping costs about as much as a few reads, and its pages as much again when they are first
 * sent.
 */
export const ASKED_BEFORE_MAPPED = 16;
/**
 * All mappings together: the system's tables for them take a 512th, 64 MiB, which it never takes
 * back. Bytes.
 */
const MAPPED_MAX_BYTES = 32 * 1024 ** 3;

/** To let go of more takes longer than a turn of the event loop should: 37 ms for 1 GiB. Bytes. */
const UNMAPPED_AT_ONCE_BYTES = 32 * 1024 ** 2;

/**
 * One for a process. `temporaryFolder`: for a test of itself. Null where files can't be mapped.
 * Takes 1 ms.
 */
export function createMappedFiles(
  temporaryFolder: string,
  libc: Libc | null = openLibc(),
): MappedFiles | null {
  if (libc === null || !doesAsExpected(libc, temporaryFolder)) return null;
  let mappedBytes = 0;
  return {
    head: libc.head,
    isMapped({ fd, fileBytes, mapping }) {
      if (mapping.address !== null) return true;
      mapping.asked += 1;
      if (mapping.asked % ASKED_BEFORE_MAPPED !== 0 || mappedBytes + fileBytes > MAPPED_MAX_BYTES)
        return false;
      mapping.address = libc.map(fd, fileBytes);
      if (mapping.address === null) return false;
      mappedBytes += fileBytes;
      return true;
    },
    send: (socketFd, headBytes, { mapping }, offsetBytes, lengthBytes) =>
      mapping.address === null
        ? 0
        : libc.writeBehindHead(socketFd, headBytes, mapping.address + offsetBytes, lengthBytes),
    forget({ fileBytes, mapping }) {
      if (mapping.address === null) return;
      unmapInSlices(libc, mapping.address, fileBytes);
      mapping.address = null;
      mappedBytes -= fileBytes;
    },
  };
}

/**
 * The first slice at once, each further one in another turn of the event loop: nothing is written
 * from there any more.
 */
function unmapInSlices(libc: Libc, address: number, lengthBytes: number): void {
  libc.unmap(address, Math.min(lengthBytes, UNMAPPED_AT_ONCE_BYTES));
  if (lengthBytes <= UNMAPPED_AT_ONCE_BYTES) return;
  setImmediate(
    unmapInSlices,
    libc,
    address + UNMAPPED_AT_ONCE_BYTES,
    lengthBytes - UNMAPPED_AT_ONCE_BYTES,
  );
}

/**
 * Whether bytes come out of a mapped file as they stand in it: on a system that is not as expected
 * nothing is mapped.
 */
function doesAsExpected(libc: Libc, folder: string): boolean {
  const from = join(folder, 'map-source');
  const to = join(folder, 'map-target');
  const text = Array.from({ length: 2000 }, (_, line) => `line ${line}\n`).join('');
  const descriptors: number[] = [];
  const open = (path: string, flags: string): number => {
    const fd = openSync(path, flags);
    descriptors.push(fd);
    return fd;
  };
  try {
    writeFileSync(from, text);
    const toFd = open(to, 'w');
    const address = libc.map(open(from, 'r'), text.length);
    if (address === null) return false;
    const headBytes = libc.head.write('head ');
    const taken = libc.writeBehindHead(toFd, headBytes, address + 5, 10_000);
    libc.unmap(address, text.length);
    const expected = `head ${text.slice(5, 10_005)}`;
    return taken === expected.length && readFileSync(to, 'latin1') === expected;
  } catch {
    return false;
  } finally {
    for (const fd of descriptors) closeSync(fd);
    for (const path of [from, to]) removeIfPossible(path);
  }
}

/** What stays in the temporary folder is removed with the next start. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}
