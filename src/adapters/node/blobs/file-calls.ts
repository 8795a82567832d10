// The callback calls of node:fs as promises. On files of a few kilobytes they cost
// about half of fs/promises and its FileHandles, and their descriptor is a plain
// number that can be shared.
import * as fs from 'node:fs';
import { promisify } from 'node:util';

export const openFile = promisify(fs.open);
export const closeFile = promisify(fs.close);
export const statFile = promisify(fs.fstat);
export const syncData = promisify(fs.fdatasync);
export const syncAll = promisify(fs.fsync);
export const rename = promisify(fs.rename);
export const unlink = promisify(fs.unlink);
export const makeFolder = promisify(fs.mkdir);
export const removeFolder = promisify(fs.rmdir);
export const readFolder: (path: string) => Promise<string[]> = promisify(fs.readdir);

/**
 * Makes a file durable, or the new names in a folder. Blocks: for the start and for
 * commands.
 */
export function syncNow(path: string): void {
  const fd = fs.openSync(path, 'r');
  try {
    fs.fsyncSync(fd);
  } finally {
    fs.closeSync(fd);
  }
}

/**
 * Removes a file after a failure, which matters more than whether this succeeds.
 */
export async function removeQuietly(path: string): Promise<void> {
  await unlink(path).catch(() => {});
}

/** Appends all bytes, however often the system writes only some of them. */
export async function writeAll(fd: number, chunks: readonly Uint8Array[]): Promise<void> {
  let left: readonly Uint8Array[] = chunks;
  let leftBytes = sum(left);
  while (leftBytes > 0) {
    const writtenBytes = await writeSome(fd, left);
    leftBytes -= writtenBytes;
    if (leftBytes > 0) left = [Buffer.concat(left).subarray(writtenBytes)];
  }
}

function writeSome(fd: number, chunks: readonly Uint8Array[]): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.writev(fd, chunks, null, (error, writtenBytes) =>
      error === null ? resolve(writtenBytes) : reject(error),
    );
  });
}

function sum(chunks: readonly Uint8Array[]): number {
  let bytes = 0;
  for (const chunk of chunks) bytes += chunk.length;
  return bytes;
}

/** Reads exactly `lengthBytes`, or fewer where the file ends. */
export async function readExactly(
  fd: number,
  offsetBytes: number,
  lengthBytes: number,
): Promise<Buffer> {
  const buffer = Buffer.allocUnsafeSlow(lengthBytes);
  let filled = 0;
  while (filled < lengthBytes) {
    const readBytes = await readSome(fd, buffer, filled, offsetBytes + filled);
    if (readBytes === 0) break;
    filled += readBytes;
  }
  return buffer.subarray(0, filled);
}

function readSome(fd: number, buffer: Buffer, at: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    fs.read(fd, buffer, at, buffer.length - at, position, (error, readBytes) =>
      error === null ? resolve(readBytes) : reject(error),
    );
  });
}
