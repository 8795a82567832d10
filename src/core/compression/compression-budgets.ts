// How much one sweep may compress: in a process of its own, and in a scheduled run
// of a Worker. Called by the sweeps.
import { WORKERS_FRAME_BYTES } from '../../crypto/zstd-frames.ts';
import { PUT_MAX_BYTES } from '../limits.ts';
import type { CompressionBudget } from './run-compression.ts';

type Budget = Omit<CompressionBudget, 'stopping'>;
const MIB = 2 ** 20;

/**
 * The budget of a sweep in a process with threads that compress: some six minutes
 * of CPU.
 */
export const LARGE_COMPRESSION_BUDGET: Budget = {
  bytes: 16 * 1024 * MIB,
  bodies: Number.POSITIVE_INFINITY,
  bodyMaxBytes: PUT_MAX_BYTES,
  frameBytes: 256 * 1024,
};

/**
 * The budget of a scheduled run of a Worker: under a half of its 30 s of CPU by
 * default, at some 30 ms for a MB. Source:
 * https://developers.cloudflare.com/workers/platform/limits/#cpu-time
 */
export const SMALL_COMPRESSION_BUDGET: Budget = {
  bytes: 192 * MIB,
  bodies: 100,
  bodyMaxBytes: 256 * MIB,
  frameBytes: WORKERS_FRAME_BYTES,
};
