// Calls of the C library that no module of Node has, by node:ffi: a file is mapped
// into memory and goes to a socket from there, copied once where reading and
// writing copy it twice. Only the kernel reads at these addresses, and it refuses a
// wrong one; JavaScript never does.
//
// node:ffi is experimental: where it is missing, or fails the self-test of
// mapped-files.ts, files are read without it. Sources:
// https://nodejs.org/docs/latest-v26.x/api/ffi.html; mmap(2), madvise(2),
// munmap(2), writev(2).
import { Buffer } from 'node:buffer';

export type Libc = {
  /**
   * Buffer whose first bytes `writeBehindHead` writes in front of the mapped ones.
   */
  readonly head: Buffer;
  /**
   * Maps the first `lengthBytes` of a file for reads in any order. Returns the
   * address; null where the system refuses. A page that is not cached is read
   * alone, without the megabytes around it.
   */
  map(fd: number, lengthBytes: number): number | null;
  /**
   * Unmaps a mapping, whole or in parts that begin at a page, each once, after its
   * last use. Cost: 37 ms for 1 GiB of pages that were used (measured 2026-11).
   */
  unmap(address: number, lengthBytes: number): void;
  /**
   * Writes `headBytes` of the head and `lengthBytes` from an address on, in one
   * call, to a non-blocking socket. Returns how many bytes it took; 0 for any
   * error. Cost: the system's, and 0.7 µs.
   */
  writeBehindHead(fd: number, headBytes: number, address: number, lengthBytes: number): number;
};

/**
 * Bytes of the longest head. Longer ones are rare: user metadata may have 2 KiB.
 */
const HEAD_MAX_BYTES = 8 * 1024;

/**
 * Architectures of the ABI used here: addresses and sizes of 64 bits, little
 * endian.
 */
const ARCHITECTURES: readonly string[] = ['x64', 'arm64'];
/** Linux, sys/mman.h. */
const PROT_READ = 1;
const MAP_SHARED = 1;
const MADV_RANDOM = 1;
const TWO_TO_32 = 2 ** 32;

/** The calls; null where this Node or this system lacks them. */
export function openLibc(): Libc | null {
  if (process.platform !== 'linux' || !ARCHITECTURES.includes(process.arch)) return null;
  try {
    const ffi = loadQuietly();
    return ffi === undefined ? null : libcOf(ffi);
  } catch {
    // No permission for it, or another API: it is experimental.
    return null;
  }
}

/**
 * Loads node:ffi without Node's warning that it is experimental. A change of it
 * only costs speed here, so the operator need not read that at each start.
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
  // Buffers outside of V8's heap, where small typed arrays may live and be moved.
  const headMemory = new ArrayBuffer(HEAD_MAX_BYTES);
  // Two iovec of an address and a length each, written as two halves: a number
  // lacks 64 bits.
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
