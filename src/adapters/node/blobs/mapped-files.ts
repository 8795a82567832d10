// Files that are read often are mapped into memory, so that their ranges go to
// sockets straight from the page cache. That is one copy and one call; reading and
// writing take two of each (measured: bench/README.md, delivery; ADR 30). Which
// pages are cached is for known-pages.ts.
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Libc, openLibc } from './libc.ts';
import type { OpenBlob } from './open-files.ts';

/**
 * The mapping of one file: its address once it is mapped, and how often it was
 * requested.
 */
export type Mapping = { address: number | null; requests: number };

export function newMapping(): Mapping {
  return { address: null, requests: 0 };
}

export type MappedFiles = {
  /**
   * Buffer for the head of a response; `send` writes it in front of the file's
   * bytes.
   */
  readonly head: Uint8Array;
  /**
   * Whether the file is mapped, now. `lengthBytes`: of the range that is asked for;
   * long ones count as several.
   */
  isMapped(file: OpenBlob, lengthBytes: number): boolean;
  /**
   * Writes the head's first bytes and a range of a mapped file to a socket that has
   * nothing waiting. Returns how many it took at once, which may be none. Blocks on
   * the disk where the page cache lacks them.
   */
  send(
    socketFd: number,
    headBytes: number,
    file: OpenBlob,
    offsetBytes: number,
    lengthBytes: number,
  ): number;
  /**
   * Unmaps a file. To be called before it is closed; frees the space of a deleted
   * one, too.
   */
  forget(file: OpenBlob): void;
};

/**
 * A mapping costs about as much as a few reads, and its pages as much again at
 * their first send.
 */
export const REQUESTS_BEFORE_MAPPED = 16;
/** Bytes of a request that counts as one. */
const COUNTED_BYTES = 64 * 1024;
/**
 * Bytes of all mappings. The page tables for them take a 512th, 64 MiB, and are
 * never freed.
 */
const MAPPED_MAX_BYTES = 32 * 1024 ** 3;

/** Bytes unmapped in one tick of the event loop: 1 GiB takes 37 ms. */
const UNMAPPED_AT_ONCE_BYTES = 32 * 1024 ** 2;

/**
 * One for a process; null where files can't be mapped. `temporaryFolder`: for the
 * self-test, which takes 1 ms.
 */
export function createMappedFiles(
  temporaryFolder: string,
  libc: Libc | null = openLibc(),
): MappedFiles | null {
  if (libc === null || !doesAsExpected(libc, temporaryFolder)) return null;
  let mappedBytes = 0;
  return {
    head: libc.head,
    isMapped({ fd, fileBytes, mapping }, lengthBytes) {
      if (mapping.address !== null) return true;
      const before = mapping.requests;
      mapping.requests += Math.max(1, Math.floor(lengthBytes / COUNTED_BYTES));
      const isDue =
        Math.floor(mapping.requests / REQUESTS_BEFORE_MAPPED) >
        Math.floor(before / REQUESTS_BEFORE_MAPPED);
      if (!isDue || mappedBytes + fileBytes > MAPPED_MAX_BYTES) return false;
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
 * Unmaps the first slice at once and each further one in a later tick: no send
 * reads them now.
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
 * Self-test: whether bytes come out of a mapped file as they stand in it. If not,
 * none is mapped.
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

/** Removes a file of the temporary folder; what stays goes with the next start. */
function removeIfPossible(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {}
}
