// The trace that every design gets: who asks where, when and for what. Popularity is a Zipf law
// over all objects; a share of the requests of each place follows a hot set of its own. Overwrites
// hit objects as often as readers want them, which is the hardest case for freshness.
import { createRandom, createZipf, drawGapMs, drawSize, type SizeOptions } from './random.ts';

export type TraceOptions = {
  readonly objects: number;
  /**
   * Exponent of the Zipf law; web traffic has 0.6 to 1. Source: Breslau et al., INFOCOM 1999,
   * https://doi.org/10.1109/INFCOM.1999.749260
   */
  readonly exponent: number;
  readonly requests: number;
  /** Requests a second of all places together. */
  readonly requestsPerSecond: number;
  /** Seconds in which the rate rises from 0 to that. */
  readonly rampSeconds: number;
  /** Buckets that the objects are spread over, all of one account. */
  readonly buckets: number;
  /** Data centres; the first gets most of the traffic, by a Zipf law of its own. */
  readonly places: number;
  readonly sizes: SizeOptions;
  /** Overwrites for each read. */
  readonly overwriteShare: number;
  /** Share of reads that follow the hot set of their place instead of everybody's. */
  readonly regionalSkew: number;
  /** Share of reads of keys that do not exist. */
  readonly missingShare: number;
  readonly seed: number;
};

/** `object` is a number of the catalogue, for a key that does not exist a negative one. */
export type TraceEvent = {
  readonly kind: 'read' | 'write';
  readonly atMs: number;
  readonly place: number;
  readonly object: number;
};

/** Names without an object; a stranger who makes them up hardly meets one again. */
const MISSING_NAMES = 2 ** 40;

/** Exponent of the traffic of places: the busiest of 12 gets about a fifth of all. */
const PLACE_EXPONENT = 0.7;

/** The share of the traffic of each place. */
export function placeShares(places: number): readonly number[] {
  const weights = Array.from({ length: places }, (_, place) => (place + 1) ** -PLACE_EXPONENT);
  const sum = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => weight / sum);
}

/** The size of each object, bytes. */
export function makeCatalogue(options: TraceOptions): readonly number[] {
  const random = createRandom(options.seed);
  return Array.from({ length: options.objects }, () => drawSize(options.sizes, random));
}

/** `requests` reads in order of time, with the writes between them. */
export function* makeTrace(options: TraceOptions): Generator<TraceEvent, void, undefined> {
  const random = createRandom(options.seed + 1);
  const drawRank = createZipf(options.objects, options.exponent, random);
  const drawPlace = createZipf(options.places, PLACE_EXPONENT, random);
  const shift = Math.floor(options.objects / (options.places + 1));
  let atMs = 0;
  for (let read = 0; read < options.requests; read++) {
    // The rate grows with time, so at the n-th request it grows with its root.
    const rampedRequests = (options.requestsPerSecond * options.rampSeconds) / 2;
    const share = read >= rampedRequests ? 1 : Math.sqrt((read + 1) / rampedRequests);
    atMs += drawGapMs(options.requestsPerSecond * share, random);
    if (random() < options.overwriteShare)
      yield { kind: 'write', atMs, place: drawPlace(), object: drawRank() };
    const place = drawPlace();
    const rank = drawRank();
    const isRegional = random() < options.regionalSkew;
    const object = isRegional ? (rank + (place + 1) * shift) % options.objects : rank;
    const isMissing = random() < options.missingShare;
    yield {
      kind: 'read',
      atMs,
      place,
      object: isMissing ? -1 - Math.floor(random() * MISSING_NAMES) : object,
    };
  }
}
