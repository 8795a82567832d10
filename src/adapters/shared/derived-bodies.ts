// Derived bodies of both platforms: memory in front of a store of the home's own,
// and the making, bounded. Who made what and from what it need not know: a name
// stands for both.
import { LRUCache } from 'lru-cache';
import { crc32 } from '../../crypto/crc32.ts';
import { StorageError } from '../../domain/errors.ts';
import type {
  Derived,
  DerivedBodies,
  DerivedOrNone,
  DerivedRequester,
  Recipe,
} from '../../ports/derived.ts';
import type { Background, Clock } from '../../ports/system.ts';
import { withTimeout } from '../../ports/with-timeout.ts';
import type { CacheStats } from './cache-metrics.ts';
import { createFairSlots, type MakingLimits, type Slot } from './fair-slots.ts';

/** What a store keeps under a name. No bytes stand for "not worth making". */
export type StoredDerived = { readonly bytes: Uint8Array; readonly contentType: string | null };

/**
 * A tier below memory. Neither call ever rejects, and what was put may be gone. A
 * hanging `get` bounds itself, not a put.
 */
export type DerivedStore = {
  get(name: string): Promise<StoredDerived | null>;
  put(name: string, stored: StoredDerived): Promise<void>;
};

/** Null: not worth it. */
export type DeriveBytes = (source: Uint8Array, recipe: Recipe) => Promise<StoredDerived | null>;

export type DerivedBodiesOptions = {
  readonly tier: DerivedBodies['tier'];
  /** Whether `derive` makes images; true by default. */
  readonly makesImages?: boolean;
  readonly memoryMaxBytes: number;
  readonly store: DerivedStore;
  readonly derive: DeriveBytes;
  readonly clock: Clock;
  /** Where what was made goes on to the store: nobody waits for that. */
  readonly background: Background;
  readonly limits: Readonly<Record<Recipe['kind'], MakingLimits>>;
  /**
   * Whether requests may wait for each other's work; on Cloudflare they may not.
   */
  readonly sharesWork: boolean;
};

/**
 * What an entry costs besides its bytes: name, list links, headers made of it.
 * Estimate, bytes.
 */
const ENTRY_OVERHEAD_BYTES = 1024;
/** Most of the budget that one entry may take. */
const ENTRY_MAX_SHARE = 1 / 4;
/**
 * How long a coding that is being made, or failed, is not made again, milliseconds.
 */
const PENDING_MS = 60_000;
/**
 * How long a coding is not made again where too much waited already, milliseconds.
 */
const REFUSED_MS = 5_000;

/**
 * How long what is no image is not read again to be made into one, milliseconds, and
 * how many such are remembered. Ours: else whoever asks again and again has it read
 * and decoded each time.
 */
const NO_IMAGE_MS = 600_000;
const NO_IMAGES_MAX = 10_000;
/**
 * How long what took too long to be made is not begun again, milliseconds. Shorter: a
 * busy machine is no fault of the image.
 */
const TOO_SLOW_MS = 180_000;

/**
 * Puts under way at once, of one tenant never more than are still free, and how
 * long one may take. Beyond that nothing is put: it holds the bytes, and can be
 * made again. As many as an isolate makes at once. Estimate.
 */
const KEEPING: MakingLimits = { concurrency: 8, waitingMax: 0, slotMs: 10_000 };

type Entry = { readonly value: DerivedOrNone; readonly untilMs: number };

export type SharedDerivedBodies = DerivedBodies & { stats(): CacheStats };

/**
 * The memory tier of derived bodies; `none` remembers that a coding does not pay,
 * or is being made.
 */
function createDerivedMemory(memoryMaxBytes: number, clock: Clock) {
  let evictions = 0;
  const entries = new LRUCache<string, Entry>({
    maxSize: Math.max(1, memoryMaxBytes),
    maxEntrySize: Math.max(1, Math.floor(memoryMaxBytes * ENTRY_MAX_SHARE)),
    sizeCalculation: ({ value }) =>
      ENTRY_OVERHEAD_BYTES + (value === 'none' ? 0 : value.bytes.length),
    dispose(_entry, _name, reason) {
      if (reason === 'evict') evictions += 1;
    },
  });

  function keep(
    name: string,
    value: DerivedOrNone,
    untilMs = Number.POSITIVE_INFINITY,
  ): DerivedOrNone {
    entries.set(name, { value, untilMs });
    return value;
  }

  function peek(name: string): DerivedOrNone | null {
    const entry = entries.get(name);
    if (entry === undefined) return null;
    if (entry.untilMs === Number.POSITIVE_INFINITY || entry.untilMs > clock.nowMs())
      return entry.value;
    entries.delete(name);
    return null;
  }

  return {
    keep,
    peek,
    stats: (): CacheStats => ({
      cache: 'derived',
      entries: entries.size,
      bytes: entries.calculatedSize,
      maxBytes: memoryMaxBytes,
      evictions,
    }),
  };
}

/** Remembers of what no image can be made, or not in time, by name (negative cache). */
function createFailureMemory(clock: Clock) {
  const failures = new LRUCache<string, { readonly error: StorageError; readonly untilMs: number }>(
    { max: NO_IMAGES_MAX },
  );
  return {
    /** Remembers an InvalidRequest: the source is what it is. Others may pass. */
    note(name: string, error: unknown): void {
      if (!(error instanceof StorageError) || error.code !== 'InvalidRequest') return;
      failures.set(name, { error, untilMs: clock.nowMs() + NO_IMAGE_MS });
    },
    noteTooSlow(name: string, error: unknown): void {
      if (!(error instanceof StorageError) || error.code !== 'ServiceUnavailable') return;
      failures.set(name, { error, untilMs: clock.nowMs() + TOO_SLOW_MS });
    },
    /** Throws what is remembered. */
    require(name: string): void {
      const failure = failures.get(name);
      if (failure === undefined) return;
      if (failure.untilMs > clock.nowMs()) throw failure.error;
      failures.delete(name);
    },
  };
}

/** Cost of a hit in memory: 0.1 µs, no I/O. */
export function createDerivedBodies(options: DerivedBodiesOptions): SharedDerivedBodies {
  const { store, clock, memoryMaxBytes, sharesWork } = options;
  const memory = createDerivedMemory(memoryMaxBytes, clock);
  const { keep, peek } = memory;
  const slots = {
    coding: createFairSlots(options.limits.coding, clock),
    image: createFairSlots(options.limits.image, clock),
  };
  const puts = createFairSlots(KEEPING, clock);
  const failures = createFailureMemory(clock);
  const underWay = new Map<string, Promise<DerivedOrNone | null>>();

  function keepBelow(name: string, stored: StoredDerived, requester: DerivedRequester): void {
    options.background.run('keep-derived', async () => {
      const slot = await puts.take(requester);
      try {
        await withTimeout(KEEPING.slotMs, 'the store of derived bodies', () =>
          store.put(name, stored),
        );
      } finally {
        slot.release();
      }
    });
  }

  /** One run of `work` for all who ask at the same time, where that is allowed. */
  function together<Result extends DerivedOrNone | null>(
    name: string,
    work: () => Promise<Result>,
  ): Promise<Result> {
    if (!sharesWork) return work();
    const shared = underWay.get(name) as Promise<Result> | undefined;
    if (shared !== undefined) return shared;
    const running = work().finally(() => underWay.delete(name));
    underWay.set(name, running);
    return running;
  }

  const makeNow: DerivedBodies['make'] = async (name, recipe, requester, load, tier) => {
    failures.require(name);
    const isCoding = recipe.kind === 'coding';
    if (isCoding) keep(name, 'none', clock.nowMs() + PENDING_MS);
    let slot: Slot;
    try {
      slot = await slots[recipe.kind].take(requester);
    } catch (error) {
      if (isCoding) keep(name, 'none', clock.nowMs() + REFUSED_MS);
      throw error;
    }
    // A store that is slow, or fails, says nothing of the image.
    let isDeriving = false;
    const work = async (): Promise<DerivedOrNone> => {
      const source = await load();
      isDeriving = true;
      const made = await options.derive(source, recipe).catch((error: unknown) => {
        isDeriving = false;
        failures.note(name, error);
        throw error;
      });
      isDeriving = false;
      if (tier !== 'memory')
        keepBelow(name, made ?? { bytes: new Uint8Array(), contentType: null }, requester);
      return keep(name, made === null ? 'none' : toDerived(made));
    };
    try {
      return await withTimeout(
        options.limits[recipe.kind].slotMs,
        `the making of ${recipe.kind}`,
        work,
      );
    } catch (error) {
      if (!isCoding && isDeriving) failures.noteTooSlow(name, error);
      throw error;
    } finally {
      slot.release();
    }
  };

  return {
    tier: options.tier,
    makesImages: options.makesImages ?? true,
    peek,
    find: (name) =>
      together(`find ${name}`, async () => {
        const stored = await store.get(name);
        if (stored === null) return null;
        return keep(name, stored.bytes.length === 0 ? 'none' : toDerived(stored));
      }),
    make: (name, recipe, requester, load, tier) =>
      together(`make ${name}`, () => makeNow(name, recipe, requester, load, tier)),
    stats: memory.stats,
  };
}

function toDerived({ bytes, contentType }: StoredDerived): Derived {
  return { bytes, contentType, tag: crc32(bytes).toString(16).padStart(8, '0') };
}
