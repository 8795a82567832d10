// How long things take in the simulated world, milliseconds. Orders of magnitude, not measurements:
// they decide which requests overlap, and they rank designs by waiting time; no other column hangs
// on them.
import { hashToUnit } from './random.ts';

export const LATENCY_MS = {
  /** The cache of the place itself. */
  edge: 4,
  /** The upper tier, from a place that missed. */
  upper: 40,
  /** KV, when the place has read the name a moment ago, and when it has not. */
  kvHot: 4,
  kvCold: 90,
  kvWrite: 150,
  /** The bucket, to the first byte. */
  bucket: 70,
  bucketWrite: 150,
  /** The Durable Object's own work for one call; it does one at a time. */
  indexService: 1,
} as const;

/** A million bytes from the bucket or a cache into a Worker's memory. */
export const MEGABYTE_MS = 10;

const INDEX_NEAREST_MS = 10;
const INDEX_FARTHEST_MS = 180;

/** There and back between a place and the Durable Object, which lives in one place of the world. */
export function indexRoundTripMs(place: number): number {
  return INDEX_NEAREST_MS + (INDEX_FARTHEST_MS - INDEX_NEAREST_MS) * hashToUnit(place, 7);
}
