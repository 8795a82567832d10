// The Durable Object of a bucket's name, or of one of its shards, where it lives: a
// hint counts for the call that makes the object, a jurisdiction is part of its id.
import {
  type BucketLocation,
  jurisdictionOf,
  type LocationHint,
} from '../../../domain/locations/bucket-locations.ts';
import type { BucketName } from '../../../domain/nouns.ts';
import type { BucketObject } from '../durable-objects/bucket-object.ts';

type Buckets = DurableObjectNamespace<BucketObject>;

export function connectBucket(
  buckets: Buckets,
  bucket: BucketName,
  location: BucketLocation | null,
): DurableObjectStub<BucketObject> {
  const jurisdiction = jurisdictionOf(location);
  if (jurisdiction !== null) {
    const within = buckets.jurisdiction(jurisdiction);
    return within.get(within.idFromName(bucket));
  }
  const id = buckets.idFromName(bucket);
  return location === null
    ? buckets.get(id)
    : buckets.get(id, { locationHint: location as LocationHint });
}
