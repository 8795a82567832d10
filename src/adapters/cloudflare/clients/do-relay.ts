// Relays over RPC: Durable Objects of the buckets' namespace whose names no bucket can
// have, one for each bucket and part of the world. They keep nothing on disk, so the
// hint counts anew whenever one begins.
import {
  type BucketLocation,
  jurisdictionOf,
  type LocationHint,
} from '../../../domain/locations/bucket-locations.ts';
import type { BucketName } from '../../../domain/nouns.ts';
import { unwrapOutcome } from '../../../index/call-outcome.ts';
import type { BucketObject } from '../durable-objects/bucket-object.ts';
import type { PageLookup, RelayedPage } from '../pointers/relay-pages.ts';
import { PROTOCOL } from '../protocol.ts';
import type { BucketNames } from './bucket-names.ts';

/**
 * Makes the call of the relay in this isolate's region: one RPC. The call gives null
 * where the region is unknown, and for a bucket with a jurisdiction: outside of that
 * its pointers may stand in caches alone.
 */
export function createDoRelay(
  buckets: DurableObjectNamespace<BucketObject>,
  names: Pick<BucketNames, 'find'>,
  regionHere: () => LocationHint | null,
): (bucket: BucketName, lookup: PageLookup) => Promise<RelayedPage | null> {
  return async (bucket, lookup) => {
    const region = regionHere();
    const noted = region === null ? null : await names.find(bucket, true);
    if (region === null || noted === null || jurisdictionOf(noted.location) !== null) return null;
    const relay = buckets.get(buckets.idFromName(`relay/${region}/${bucket}`), {
      locationHint: region,
    });
    const reply = await relay.relay({ bucket, location: noted.location, wanted: lookup }, PROTOCOL);
    return unwrapOutcome<RelayedPage | null>(reply);
  };
}

/** What goes to a relay with each look-up. */
export type RelayInput = {
  readonly bucket: BucketName;
  readonly location: BucketLocation | null;
  /** Named so between releases, which call each other. */
  readonly wanted: PageLookup;
};
