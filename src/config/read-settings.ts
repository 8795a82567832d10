// Settings of reads: memory of the tiers, how old a pointer may be, what is made of
// objects. settings.ts puts them together with the others.
import {
  COMPRESSION_DEFAULT_BYTES,
  DERIVED_DISK_DEFAULT_BYTES,
  DERIVED_MEMORY_DEFAULT_BYTES,
  HOUR_SECONDS,
  MEMORY_DEFAULTS,
  MiB,
  SUBREQUESTS_DEFAULT,
  SUBREQUESTS_LEAST,
  SUBREQUESTS_MOST,
  TIER_LIMIT_MS,
  ZIP_DEFAULT_OBJECTS,
  ZIP_IDLE_DEFAULT_SECONDS,
} from './defaults.ts';
import { parseHeaderText } from './parse-texts.ts';
import { onOff, type Platform, text, whole } from './setting.ts';

/** More memory than any machine has. */
const MEMORY_MAX_BYTES = 1024 * 1024 * MiB;
const DAY_SECONDS = 24 * HOUR_SECONDS;

type MemoryDefault = keyof (typeof MEMORY_DEFAULTS)[Platform];

/** One number of the memory defaults, for both platforms. */
function memoryDefault(name: MemoryDefault): Readonly<Record<Platform, number>> {
  return { node: MEMORY_DEFAULTS.node[name], cloudflare: MEMORY_DEFAULTS.cloudflare[name] };
}

/** Settings of how old reads may be, and how they are served. */
export const FRESHNESS_SETTINGS = {
  defaultCacheControl: text('QUAYSIDE_DEFAULT_CACHE_CONTROL', {
    meaning: 'Cache-Control of public objects that bring neither one nor Expires.',
    fallback: 'public, max-age=60',
    parse: (value) => parseHeaderText('QUAYSIDE_DEFAULT_CACHE_CONTROL', value),
  }),
  pointerFreshSeconds: whole('QUAYSIDE_POINTER_FRESH_SECONDS', {
    meaning:
      'Time for which a pointer is served without asking the index; on Node a pointer is ' +
      'exact. With the next setting it bounds the age of a public read, from whatever tier. ' +
      'The setting `metadata` of a bucket may say otherwise: strict 1 s, kv 60 s.',
    unit: 'seconds',
    fallback: 3,
    min: 0,
    max: DAY_SECONDS,
    only: 'cloudflare',
  }),
  staleWhileRevalidateSeconds: whole('QUAYSIDE_STALE_WHILE_REVALIDATE_SECONDS', {
    meaning: 'Time after that for which it is still served while it is validated behind.',
    unit: 'seconds',
    fallback: 2,
    min: 0,
    max: DAY_SECONDS,
    only: 'cloudflare',
  }),
  staleIfErrorSeconds: whole('QUAYSIDE_STALE_IF_ERROR_SECONDS', {
    meaning: 'Time for which a stale pointer is served, and says so, while the index fails.',
    unit: 'seconds',
    fallback: HOUR_SECONDS,
    min: 0,
    max: 7 * DAY_SECONDS,
    only: 'cloudflare',
  }),
  negativeFreshSeconds: whole('QUAYSIDE_NEGATIVE_FRESH_SECONDS', {
    meaning: 'TTL of the negative cache: that there is no such object. Exact on Node.',
    unit: 'seconds',
    fallback: 2,
    min: 0,
    max: HOUR_SECONDS,
    only: 'cloudflare',
  }),
  tierLimitMs: whole('QUAYSIDE_TIER_LIMIT_MS', {
    meaning:
      'A disk, an index or a cache that says nothing for so long has failed. ' +
      'A disk under load is late rather than gone, so Node waits longer.',
    unit: 'milliseconds',
    fallback: TIER_LIMIT_MS,
    min: 10,
    max: 600_000,
  }),
  isFastPathOn: onOff('QUAYSIDE_FAST_PATH', {
    meaning: 'The fast path: hot public reads are answered before node:http.',
    fallback: 'on',
    only: 'node',
  }),
  mapsFiles: onOff('QUAYSIDE_MAPPED_FILES', {
    meaning:
      'Whether files that are read often are mapped into memory, on Linux. ' +
      'They count as memory of the program (RSS).',
    fallback: 'on',
    only: 'node',
  }),
} as const;

/** Settings of memory, and of what is derived from objects. */
export const MEMORY_SETTINGS = {
  pointerMemoryMaxEntries: whole('QUAYSIDE_POINTER_MEMORY_ENTRIES', {
    meaning: 'Most pointers and bucket read policies in memory.',
    unit: 'entries',
    fallback: memoryDefault('entries'),
    min: 1,
    max: 10_000_000,
  }),
  pointerMemoryMaxBytes: whole('QUAYSIDE_POINTER_MEMORY_BYTES', {
    meaning: 'Memory that they may take together.',
    unit: 'bytes',
    fallback: memoryDefault('pointerBytes'),
    min: MiB,
    max: MEMORY_MAX_BYTES,
  }),
  bodyMemoryMaxBytes: whole('QUAYSIDE_BODY_MEMORY_BYTES', {
    meaning: 'Memory that cached bodies may take together.',
    unit: 'bytes',
    fallback: memoryDefault('bodyBytes'),
    min: 0,
    max: MEMORY_MAX_BYTES,
  }),
  bodyMemoryMaxBodyBytes: whole('QUAYSIDE_BODY_MEMORY_MAX_BODY_BYTES', {
    meaning: 'Largest body that memory caches.',
    unit: 'bytes',
    fallback: memoryDefault('maxBodyBytes'),
    min: 0,
    max: 64 * MiB,
  }),
  compressionMaxBytes: whole('QUAYSIDE_COMPRESSION_MAX_BYTES', {
    meaning: 'Largest public object that goes out compressed. 0: none.',
    unit: 'bytes',
    fallback: COMPRESSION_DEFAULT_BYTES,
    min: 0,
    max: 64 * MiB,
  }),
  derivedMemoryMaxBytes: whole('QUAYSIDE_DERIVED_MEMORY_BYTES', {
    meaning: 'Memory for what is made of objects: compressed bodies and resized images.',
    unit: 'bytes',
    fallback: DERIVED_MEMORY_DEFAULT_BYTES,
    min: 0,
    max: MEMORY_MAX_BYTES,
  }),
  derivedDiskMaxBytes: whole('QUAYSIDE_DERIVED_DISK_BYTES', {
    meaning: 'Room on the disk for the same.',
    unit: 'bytes',
    fallback: DERIVED_DISK_DEFAULT_BYTES,
    min: 0,
    max: 1024 ** 4,
    only: 'node',
  }),
  zipMaxObjects: whole('QUAYSIDE_ZIP_MAX_OBJECTS', {
    meaning: 'Most objects in one ZIP ([downloads](downloads.md)).',
    unit: 'objects',
    fallback: ZIP_DEFAULT_OBJECTS,
    min: 1,
    max: 10_000_000,
  }),
  zipIdleSeconds: whole('QUAYSIDE_ZIP_IDLE_SECONDS', {
    meaning:
      'Time after which a ZIP whose reader takes nothing gives its permit back. ' +
      'A Worker does not see that its client has left.',
    unit: 'seconds',
    fallback: ZIP_IDLE_DEFAULT_SECONDS,
    min: 1,
    max: DAY_SECONDS,
  }),
  subrequestsMax: whole('QUAYSIDE_SUBREQUESTS_MAX', {
    meaning:
      'Calls that one request of a Worker may make; what needs more is refused at once. ' +
      'Say the same number as `limits.subrequests` of wrangler.toml.',
    unit: 'calls',
    fallback: SUBREQUESTS_DEFAULT,
    min: SUBREQUESTS_LEAST,
    max: SUBREQUESTS_MOST,
    only: 'cloudflare',
  }),
} as const;
