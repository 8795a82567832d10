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
  /**
   * And for each page of neighbours: to read 64 keys from its SQLite, and to send a page. ADR 49
   * has what was measured: eight pages take 4 to 8 ms, and 1 to 5.
   */
  pageRead: 0.5,
  pageSend: 0.15,
  /** And for each further key of a relay's call. */
  keyOfRelay: 0.05,
} as const;

/** A million bytes from the bucket or a cache into a Worker's memory. */
export const MEGABYTE_MS = 10;

const INDEX_NEAREST_MS = 10;
const INDEX_FARTHEST_MS = 180;

/** Parts of the world with a relay each, and the way there and back from a place within one. */
const REGIONS = 9;
const RELAY_NEAREST_MS = 10;
const RELAY_FARTHEST_MS = 50;

/** The part of the world that a place is in. */
export const regionOf = (place: number): number => Math.floor(hashToUnit(place, 11) * REGIONS);

/** There and back between a place and the relay of its region. */
export function relayRoundTripMs(place: number): number {
  return RELAY_NEAREST_MS + (RELAY_FARTHEST_MS - RELAY_NEAREST_MS) * hashToUnit(place, 13);
}

/** Where the relay of a region stands, as a place of the others' ways. */
export const placeOfRelay = (region: number): number => -1 - region;

/** There and back between a place and the Durable Object, which lives in one place of the world. */
export function indexRoundTripMs(place: number): number {
  return INDEX_NEAREST_MS + (INDEX_FARTHEST_MS - INDEX_NEAREST_MS) * hashToUnit(place, 7);
}
