// Which bucket names there are, and where their objects live: the directory's word,
// near the reader. A name that the directory does not know costs no Durable Object,
// neither a call nor its creation, which would fix for good where it lives. Names that
// exist are believed for a day, by the isolate and its colo: their objects exist, so a
// call of one does no harm, and a location stays for as long as its name does. That
// there is none is believed for seconds, and by strangers alone.
//
// Keeps plain values only, never a promise of a request: requests that want to know a
// name while another one asks for it look at memory until that one is answered.
import { LRUCache } from 'lru-cache';
import { hasCode } from '../../../domain/errors.ts';
import type { BucketName } from '../../../domain/nouns.ts';
import type { NotedBucketName } from '../../../ports/directory.ts';
import type { Background, Clock } from '../../../ports/system.ts';
import { type ColoTier, KNOWN_NAME_SECONDS, type KnownBucketName } from '../pointers/colo-tier.ts';
import { createStrangerLimit } from './stranger-limit.ts';

/** TTL of "there is none", milliseconds. */
const NONE_MS = 2000;
/** A name whose bucket was not found is asked for again after so long, milliseconds. */
const RENEW_MS = 10_000;
/** Names remembered, about 200 bytes each; those made up push no others out. */
const KNOWN_MAX = 10_000;
const NONE_MAX = 4000;
/** How often, and how long, a request looks for what another one asks, milliseconds. */
const LOOK_MS = 5;
const PATIENCE_MS = 1000;

export type BucketNames = {
  /**
   * What is noted of the name; null: nobody has it. `mayBeStale`: for a stranger.
   * Cost: a look-up; one call of the Cache API, and one RPC where the colo does not
   * know. SlowDown where strangers ask for too many names that nobody has.
   */
  find(
    bucket: BucketName,
    mayBeStale: boolean,
  ): NotedBucketName | null | Promise<NotedBucketName | null>;
  /** Reads it from the directory. Cost: one RPC. */
  read(bucket: BucketName): Promise<NotedBucketName | null>;
  /**
   * Reads it anew where what is known is seconds old: its object has no bucket.
   * Undefined: it was not read.
   */
  renew(bucket: BucketName, mayBeStale: boolean): Promise<NotedBucketName | null | undefined>;
};

export type BucketNamesOptions = {
  readonly clock: Clock;
  readonly background: Background;
  readonly colo: Pick<ColoTier, 'readName' | 'putName' | 'removeName'>;
  /** Calls the directory. */
  readonly ask: (bucket: BucketName) => Promise<NotedBucketName | null>;
};

/** What is noted where the directory runs the release before, which can't say. */
const NOT_NOTED: NotedBucketName = { location: null };

/** Makes an empty one. */
export function createBucketNames({
  clock,
  background,
  colo,
  ask,
}: BucketNamesOptions): BucketNames {
  const known = new LRUCache<BucketName, KnownBucketName>({ max: KNOWN_MAX });
  const none = new LRUCache<BucketName, { untilMs: number }>({ max: NONE_MAX });
  /** The request that asks for a name; one that died asks for ever. */
  const asking = new LRUCache<BucketName, object>({ max: NONE_MAX });
  const strangers = createStrangerLimit(clock);

  function peek(bucket: BucketName): KnownBucketName | null {
    const entry = known.get(bucket);
    return entry !== undefined && entry.askedAtMs + KNOWN_NAME_SECONDS * 1000 > clock.nowMs()
      ? entry
      : null;
  }

  const isNone = (bucket: BucketName) => (none.get(bucket)?.untilMs ?? 0) > clock.nowMs();

  async function read(bucket: BucketName): Promise<NotedBucketName | null> {
    // From before the call, so that an answer never counts as younger than it is.
    const askedAtMs = clock.nowMs();
    let noted: NotedBucketName | null;
    try {
      noted = await ask(bucket);
    } catch (error) {
      if (hasCode(error, 'ServiceUnavailable')) return NOT_NOTED;
      throw error;
    }
    if (noted === null) {
      const wasKnown = known.delete(bucket);
      none.set(bucket, { untilMs: askedAtMs + NONE_MS });
      if (wasKnown) background.run('forget-bucket-name', () => colo.removeName(bucket));
      return null;
    }
    none.delete(bucket);
    const entry = { noted, askedAtMs };
    known.set(bucket, entry);
    background.run('share-bucket-name', () => colo.putName(bucket, entry));
    return noted;
  }

  async function readNear(bucket: BucketName, mayBeStale: boolean) {
    const shared = await colo.readName(bucket);
    if (shared !== null && shared.askedAtMs + KNOWN_NAME_SECONDS * 1000 > clock.nowMs()) {
      known.set(bucket, shared);
      return shared.noted;
    }
    return mayBeStale ? strangers.run(() => read(bucket)) : read(bucket);
  }

  /**
   * Waits while another request asks. Whoever has waited long enough for one asks
   * himself, and the others wait for him.
   */
  async function findLate(bucket: BucketName, mayBeStale: boolean) {
    let awaited = asking.get(bucket);
    for (let looks = 0; awaited !== undefined && looks < PATIENCE_MS / LOOK_MS; looks++) {
      await scheduler.wait(LOOK_MS);
      const entry = peek(bucket);
      if (entry !== null) return entry.noted;
      if (mayBeStale && isNone(bucket)) return null;
      const other = asking.get(bucket);
      if (other !== awaited) looks = 0;
      awaited = other;
    }
    // Nothing is waited for between the last look and this.
    const request = {};
    asking.set(bucket, request);
    try {
      return await readNear(bucket, mayBeStale);
    } finally {
      if (asking.get(bucket) === request) asking.delete(bucket);
    }
  }

  return {
    read,
    find(bucket, mayBeStale) {
      const entry = peek(bucket);
      if (entry !== null) return entry.noted;
      return mayBeStale && isNone(bucket) ? null : findLate(bucket, mayBeStale);
    },
    async renew(bucket, mayBeStale) {
      const entry = peek(bucket);
      if (entry === null || clock.nowMs() - entry.askedAtMs < RENEW_MS) return undefined;
      return mayBeStale ? strangers.run(() => read(bucket)) : read(bucket);
    },
  };
}
