// A circuit breaker for the index: remembers for which buckets and keys it failed a
// moment ago, and how, so that requests are answered from memory instead of waiting
// for the next failure. workers-hot-metadata.ts notes failures, read-pointer.ts ends
// them.
//
// An attack: somebody makes a bucket private; strangers flood its object, whose calls
// are refused or wait in its queue; isolates take that for an outage and show what is
// private for an hour. Guard: an object that refuses for overload, or does not answer
// in time, is busy. Who shows the past then shows what is seconds old, and nothing
// older. It is down once a call broke, or got no word for longer than any queue is.
import { StorageError } from '../../../domain/errors.ts';
import { createCircuitBreaker } from '../../../ports/circuit-breaker.ts';
import type { Clock } from '../../../ports/system.ts';
import type { Freshness, MetadataMode } from './freshness.ts';
import type { Lookup, MemoryEntry } from './memory-entry.ts';

/** How long only one request tries again what has just failed, milliseconds. */
export const COOLDOWN_MS = 5000;
/** How long a busy object is asked by one request for each key, milliseconds. */
const BUSY_COOLDOWN_MS = 1000;
/** Age up to which the past is shown while the object is busy, seconds. */
const BUSY_MAX_AGE_SECONDS = 10;
/** How long an object that gave no word counts as down, milliseconds. */
const HUNG_COOLDOWN_MS = 60_000;

type Failed = Pick<Lookup, 'bucket' | 'key'>;
type Aged = Pick<MemoryEntry, 'age' | 'stalenessSeconds' | 'readPolicy'>;

export type IndexFailures = {
  /** The index failed for this key, so presumably for its bucket. */
  note(lookup: Failed, error: unknown): void;
  /** A call got no word for longer than any call waits in a queue. */
  noteHang(lookup: Failed): void;
  /** The index answered for this key. */
  end(lookup: Failed): void;
  /** Another request tries again: the others go on for one more cooldown. */
  renew(lookup: Failed): void;
  /**
   * Whether the index is known to fail for this key, or for a record that was good
   * by then, and the record may be shown meanwhile.
   */
  isDown(lookup: Failed, entry: Aged): boolean;
  /** Whether another request has just found the object busy for this key. */
  isBusy(lookup: Failed): boolean;
  /** Whether the record may be shown although the index failed so. */
  mayShow(lookup: Failed, entry: Aged, error: unknown): boolean;
};

export type IndexFailuresOptions = {
  readonly clock: Clock;
  readonly settings: {
    readonly staleIfErrorSeconds: number;
    readonly staleWhileRevalidateSeconds: number;
  };
  readonly freshnessOf: (mode: MetadataMode | null) => Freshness;
};

export function createIndexFailures(options: IndexFailuresOptions): IndexFailures {
  const { clock, settings, freshnessOf } = options;
  const failing = createCircuitBreaker(clock, COOLDOWN_MS);
  const broken = createCircuitBreaker(clock, COOLDOWN_MS);
  const busy = createCircuitBreaker(clock, BUSY_COOLDOWN_MS);
  const hung = createCircuitBreaker(clock, HUNG_COOLDOWN_MS);
  const pointerName = (bucket: string, key: string) => `${bucket}/${key}`;

  function isShowable(entry: Aged, isOutage: boolean): boolean {
    if (entry.stalenessSeconds >= settings.staleIfErrorSeconds) return false;
    if (isOutage || entry.age.sinceValidated < BUSY_MAX_AGE_SECONDS) return true;
    // The owner's setting lets reads be so old anyway.
    const { revalidateSeconds } = freshnessOf(entry.readPolicy?.settings.metadata ?? null);
    return entry.stalenessSeconds < revalidateSeconds;
  }

  return {
    note({ bucket, key }, error) {
      for (const name of [bucket, pointerName(bucket, key)]) {
        failing.begin(name);
        if (isBreak(error)) broken.begin(name);
      }
      if (!isBreak(error)) busy.begin(pointerName(bucket, key));
    },
    noteHang: ({ bucket }) => hung.begin(bucket),
    end({ bucket, key }) {
      for (const name of [bucket, pointerName(bucket, key)])
        for (const breaker of [failing, broken, busy, hung]) breaker.end(name);
    },
    renew({ bucket, key }) {
      failing.renew(pointerName(bucket, key));
      broken.renew(pointerName(bucket, key));
    },
    isDown({ bucket, key }, entry) {
      const name = pointerName(bucket, key);
      const isHung = hung.isOn(bucket);
      if (failing.isOn(name)) return isShowable(entry, isHung || broken.isOn(name));

      const staleThen = entry.stalenessSeconds - failing.lastedMs(bucket) / 1000;
      const wasGood = staleThen < settings.staleWhileRevalidateSeconds;
      return failing.isOn(bucket) && wasGood && isShowable(entry, isHung || broken.isOn(bucket));
    },
    isBusy: ({ bucket, key }) => busy.isOn(pointerName(bucket, key)) && !hung.isOn(bucket),
    mayShow: ({ bucket }, entry, error) => isShowable(entry, isBreak(error) || hung.isOn(bucket)),
  };
}

/**
 * Whether the index failed, as opposed to having answered with an error of the
 * request. Source: RFC 5861 section 4.
 */
export function isFailure(error: unknown): boolean {
  return isBreak(error) || isOfBusy(error);
}

/** Whether the call broke. */
const isBreak = (error: unknown): boolean =>
  !(error instanceof StorageError) || error.code === 'InternalError';

/** Whether the object refused for overload, or gave no word in time. */
const isOfBusy = (error: unknown): boolean =>
  error instanceof StorageError &&
  (error.code === 'SlowDown' || error.code === 'ServiceUnavailable');
