// The settings' defaults and bounds, where they are more than a number: each with its unit and its
// source. Used by config.ts alone.

/** Where the program runs; it only chooses some of the defaults. */
export type Home = 'node' | 'cloudflare';

export const KiB = 1024;
export const MiB = 1024 * KiB;
export const HOUR_SECONDS = 3600;

/**
 * Node: two threads with the program 120 MB, the page caches of SQLite 64 MB, garbage and gaps
 * between buffers up to 150 MB under load, and these. Measured 2026-11 with everything full and 10
 * uploads and 50 downloads at once. An isolate of Cloudflare has 128 MB in all
 * (https://developers.cloudflare.com/workers/platform/limits/#memory).
 */
export const MEMORY_DEFAULTS = {
  node: { entries: 50_000, pointerBytes: 24 * MiB, bodyBytes: 40 * MiB, maxBodyBytes: MiB },
  cloudflare: {
    entries: 10_000,
    pointerBytes: 16 * MiB,
    bodyBytes: 24 * MiB,
    maxBodyBytes: 512 * KiB,
  },
} as const satisfies Record<Home, object>;

export const TIER_LIMIT_MS = { node: 30_000, cloudflare: 3000 } as const satisfies Record<
  Home,
  number
>;

/**
 * Compression of a body of that size takes half a second of a thread, or a tenth of one of an
 * isolate.
 */
export const COMPRESSION_DEFAULT_BYTES = {
  node: 8 * MiB,
  cloudflare: 2 * MiB,
} as const satisfies Record<Home, number>;
export const DERIVED_MEMORY_DEFAULT_BYTES = {
  node: 16 * MiB,
  cloudflare: 8 * MiB,
} as const satisfies Record<Home, number>;
export const DERIVED_DISK_DEFAULT_BYTES = 1024 * MiB;

/**
 * The write-ahead log is folded in at 16 MiB, and one commit may bring 32 MiB of bodies
 * (adapters/node/index/node-sqlite.ts, index-writer-client.ts): either half of the reserve holds
 * both.
 */
export const DISK_RESERVE_DEFAULT_BYTES = 128 * MiB;

/**
 * Up to here a row beats a file: an inline commit shares its fsync with others, a blob needs two of
 * its own. Measured 2026-11, PUT at c=64: see bench/.
 */
export const INLINE_DEFAULT_BYTES = 16 * KiB;
/** Rows are read whole and copied between threads; and a Durable Object row may have 2 MB. */
export const INLINE_MAX_BYTES = 256 * KiB;

/** A list of so many takes 5 MB. */
export const ZIP_DEFAULT_OBJECTS = 10_000;
/**
 * The limit of a paid plan; a free one has 1,000 to Cloudflare's own services, and a paid one can
 * have up to 10 million.
 * Source: https://developers.cloudflare.com/workers/platform/limits/#subrequests
 */
export const SUBREQUESTS_DEFAULT = {
  node: Number.POSITIVE_INFINITY,
  cloudflare: 10_000,
} as const satisfies Record<Home, number>;
export const SUBREQUESTS_LEAST = 1000;
export const SUBREQUESTS_MOST = 10_000_000;
export const ZIP_IDLE_DEFAULT_SECONDS = {
  node: HOUR_SECONDS,
  cloudflare: 15,
} as const satisfies Record<Home, number>;
