// Some calls of the C library that no module of Node has, by node:ffi: a file is mapped into
// memory, and goes to a socket from there, copied once where reading and writing copy it twice.
// node:ffi is experimental: where it is missing, or does not do what is expected of it (the
// self-test of mapped-files.ts), files are read as ever. No address ever comes to JavaScript's own
// memory: only the system reads what lies there, and refuses an address that is not right. Sources:
// https://nodejs.org/docs/latest-v26.x/api/ffi.html; mmap(2), madvise(2), munmap(2), writev(2).
import { Buffer } from 'node:buffer';

export type Libc = {
  /** What stands at its beginning goes out in front of the bytes of `writeBehindHead`. */
  readonly head: Buffer;
  /**
   * Maps the first `lengthBytes` of a file, to be read in any order: the address, or null where the
   * system refuses. A page that is not in the page cache is read alone, and not with the megabytes
   * around it.
   */
  map(fd: number, lengthBytes: number): number | null;
  /**
   * Whole or in parts that begin at a page, each once, when nothing will be written from there any
   * more. Cost: 37 ms for 1 GiB of pages that were used (measured 2026-11).
   */
  unmap(address: number, lengthBytes: number): void;
  /**
   * Writes `headBytes` of the head and `lengthBytes` from an address on, as one, to a socket that
   * does not wait: how many bytes it took, 0 also for any error. Cost: the system's, and 0.7 µs.
   */
  writeBehindHead(fd: number, headBytes: number, address: number, lengthBytes: number): number;
};

/** Longer heads are rare: user metadata may have 2 KiB. */
const HEAD_MAX_BYTES = 8 * 1024;

/** The ABI that is spoken here: addresses and sizes of 64 bits, the low byte first. */
const ARCHITECTURES: readonly string[] = ['x64', 'arm64'];
/** Linux, sys/mman.h. */
const PROT_READ = 1;
const MAP_SHARED = 1;
const MADV_RANDOM = 1;
const TWO_TO_32 = 2 ** 32;

/** Null where this Node or this system can't. */
export function openLibc(): Libc | null {
  if (process.platform !== 'linux' || !ARCHITECTURES.includes(process.arch)) return null;
  try {
    const ffi = loadQuietly();
    return ffi === undefined ? null : libcOf(ffi);
  } catch {
    // Without a right to it, or changed: it is experimental.
    return null;
  }
}

/**
 * Node warns whoever loads it that it may change. Here that only costs time, so nobody need read it
 * at each start.
 */
function loadQuietly(): typeof import('node:ffi') | undefined {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule('node:ffi');
  } finally {
    process.emitWarning = emitWarning;
  }
}

function libcOf({ DynamicLibrary, getRawPointer }: typeof import('node:ffi')): Libc {
  const { mmap, madvise, munmap, writev } = new DynamicLibrary(null).getFunctions({
    mmap: { arguments: ['u64', 'u64', 'i32', 'i32', 'i32', 'i64'], return: 'i64' },
    madvise: { arguments: ['u64', 'u64', 'i32'], return: 'i32' },
    munmap: { arguments: ['u64', 'u64'], return: 'i32' },
    writev: { arguments: ['i32', 'u64', 'i32'], return: 'i64' },
  });
  // Memory of their own, which stays where it is: small typed arrays may live on V8's heap, and
  // move.
  const headMemory = new ArrayBuffer(HEAD_MAX_BYTES);
  // Two iovec: an address and a length each, which are written as two halves, for a number has no
  // 64 bits.
  const piecesMemory = new ArrayBuffer(4 * BigUint64Array.BYTES_PER_ELEMENT);
  const pieces = new Uint32Array(piecesMemory);
  const piecesAt = getRawPointer(piecesMemory);
  new BigUint64Array(piecesMemory)[0] = getRawPointer(headMemory);
  return {
    head: Buffer.from(headMemory),
    map(fd, lengthBytes) {
      const address = Number(mmap(0n, BigInt(lengthBytes), PROT_READ, MAP_SHARED, fd, 0n));
      if (address <= 0 || !Number.isSafeInteger(address)) return null;
      madvise(BigInt(address), BigInt(lengthBytes), MADV_RANDOM);
      return address;
    },
    unmap(address, lengthBytes) {
      munmap(BigInt(address), BigInt(lengthBytes));
    },
    writeBehindHead(fd, headBytes, address, lengthBytes) {
      pieces[2] = headBytes;
      // A store into 32 bits keeps the low ones.
      pieces[4] = address;
      pieces[5] = address / TWO_TO_32;
      pieces[6] = lengthBytes;
      return Math.max(0, Number(writev(fd, piecesAt, 2)));
    },
  };
}
