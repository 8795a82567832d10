// HTTP content codings by node:zlib, which both platforms have. It is no adapter,
// because only the time that a compression may take differs. On Node it runs in the
// thread pool; in a Worker it takes the isolate's own time. Called by the adapters
// that make compressed variants.
import { brotliCompress, constants, gzip } from 'node:zlib';
import { zstdFrame } from './zstd-frames.ts';

export type Coding = 'br' | 'zstd' | 'gzip';

/** The compression levels for sources up to so many bytes. */
type Level = {
  readonly upToBytes: number;
  readonly br: number;
  readonly zstd: number;
  readonly gzip: number;
};

const KiB = 1024;
const MiB = 1024 * KiB;

/**
 * Levels by thoroughness, the smallest sources first. CPU and remaining size of
 * JavaScript text, measured 2026-11: br 11 takes 1.9 s/MB for 13.6 %, br 9 95 ms/MB
 * for 15.1 %, br 5 21 ms/MB for 15.9 %; zstd 19 430 ms/MB for 14.2 %, zstd 9 28
 * ms/MB for 15.9 %; gzip 9 58 ms/MB for 17.1 %.
 */
const LEVELS = {
  /** Once per object, on a thread of its own: up to 2 s. */
  thorough: [
    { upToBytes: MiB, br: 11, zstd: 19, gzip: 9 },
    { upToBytes: Number.POSITIVE_INFINITY, br: 9, zstd: 15, gzip: 9 },
  ],
  /**
   * Once per object and colo, while other requests of the isolate wait: up to 0.1
   * s.
   */
  brief: [
    { upToBytes: 64 * KiB, br: 11, zstd: 19, gzip: 9 },
    { upToBytes: MiB, br: 9, zstd: 9, gzip: 9 },
    { upToBytes: Number.POSITIVE_INFINITY, br: 5, zstd: 9, gzip: 6 },
  ],
} as const satisfies Record<string, readonly Level[]>;

export type Thoroughness = keyof typeof LEVELS;

/** Compresses bytes with a content coding. Never fails but for want of memory. */
export function compress(
  bytes: Uint8Array,
  coding: Coding,
  thoroughness: Thoroughness,
): Promise<Uint8Array> {
  const levels = LEVELS[thoroughness];
  const level =
    levels.find(({ upToBytes }) => bytes.length <= upToBytes) ?? levels[levels.length - 1];

  if (coding === 'zstd') return zstdFrame(bytes, { level: level?.zstd ?? 9, checksum: false });

  return new Promise((resolve, reject) => {
    const done = (error: Error | null, result: Uint8Array) =>
      error === null ? resolve(result) : reject(error);

    switch (coding) {
      case 'br': {
        const { BROTLI_PARAM_QUALITY: quality, BROTLI_PARAM_SIZE_HINT: sizeHint } = constants;
        return brotliCompress(
          bytes,
          { params: { [quality]: level?.br ?? 5, [sizeHint]: bytes.length } },
          done,
        );
      }
      case 'gzip':
        return gzip(bytes, { level: level?.gzip ?? 6 }, done);
    }
  });
}
