// The settings' defaults and bounds, where they are more than a number: each with
// its unit and its source. Used by the tables of settings beside this file.
import type { Platform } from './setting.ts';

/** Bytes of a KiB. */
export const KiB = 1024;
/** Bytes of a MiB. */
export const MiB = 1024 * KiB;
/** Seconds of an hour. */
export const HOUR_SECONDS = 3600;

/**
 * Memory of the tiers. Node needs these, 120 MB for two threads with the program,
 * 64 MB for the page caches of SQLite, and under load up to 150 MB for garbage and
 * gaps between buffers: measured 2026-11 with everything full and 10 uploads and 50
 * downloads at once. An isolate of Cloudflare has 128 MB in all
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
} as const satisfies Record<Platform, object>;

/**
 * Time between two flushes of usage, seconds. On Node they are a local write; on
 * Cloudflare each isolate's is a billed call, and rows written are billed.
 */
export const METER_FLUSH_DEFAULT_SECONDS = { node: 5, cloudflare: 60 } as const satisfies Record<
  Platform,
  number
>;

/** Timeout of a disk, an index or a cache, milliseconds. */
export const TIER_LIMIT_MS = { node: 30_000, cloudflare: 3000 } as const satisfies Record<
  Platform,
  number
>;

/**
 * Largest body that is compressed: it takes half a second of a thread, or a tenth
 * of a second of an isolate.
 */
export const COMPRESSION_DEFAULT_BYTES = {
  node: 8 * MiB,
  cloudflare: 2 * MiB,
} as const satisfies Record<Platform, number>;
/** Memory for derived bodies. */
export const DERIVED_MEMORY_DEFAULT_BYTES = {
  node: 16 * MiB,
  cloudflare: 8 * MiB,
} as const satisfies Record<Platform, number>;
/** Room on the disk for derived bodies. */
export const DERIVED_DISK_DEFAULT_BYTES = 1024 * MiB;

/**
 * Reserve on the disk. A checkpoint of the write-ahead log comes at 16 MiB, and one
 * commit may bring 32 MiB of bodies (adapters/node/index/node-sqlite.ts,
 * index-writer-client.ts): either half of the reserve has room for both.
 */
export const DISK_RESERVE_DEFAULT_BYTES = 128 * MiB;

/**
 * Largest inline body. Up to here a row beats a file: an inline commit shares its
 * fsync with others, a blob needs two of its own. Measured 2026-11, PUT at c=64:
 * see bench/.
 */
export const INLINE_DEFAULT_BYTES = 16 * KiB;
/**
 * Upper bound of inline bodies: rows are read whole and copied between threads, and
 * a row of a Durable Object may have 2 MB.
 */
export const INLINE_MAX_BYTES = 256 * KiB;

/** Most objects in one ZIP; their list takes 5 MB. */
export const ZIP_DEFAULT_OBJECTS = 10_000;
/**
 * Subrequests of one request of a Worker: the limit of a paid plan. A free one has
 * 1,000 to Cloudflare's own services, and a paid one can have up to 10 million.
 * Source: https://developers.cloudflare.com/workers/platform/limits/#subrequests
 */
export const SUBREQUESTS_DEFAULT = {
  node: Number.POSITIVE_INFINITY,
  cloudflare: 10_000,
} as const satisfies Record<Platform, number>;
export const SUBREQUESTS_LEAST = 1000;
export const SUBREQUESTS_MOST = 10_000_000;
/** Time after which an idle ZIP gives its permit back. */
export const ZIP_IDLE_DEFAULT_SECONDS = {
  node: HOUR_SECONDS,
  cloudflare: 15,
} as const satisfies Record<Platform, number>;
