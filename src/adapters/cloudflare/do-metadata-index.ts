// The bucket index over RPC: each call goes to the Durable Object of the bucket's name. Bucket records are kept in the
// isolate, because every request begins with one: a record that went stale elsewhere is refused by the index with
// BucketChanged, and then it is forgotten here, so that the handle's next `getBucket` asks anew.
import { LRUCache } from 'lru-cache';
import type { BucketName, BucketRecord } from '../../ports/domain.ts';
import { StorageError } from '../../ports/errors.ts';
import { changedBy } from '../../ports/index-changes.ts';
import type { IndexApi, MetadataIndex } from '../../ports/metadata-index.ts';
import type { BucketObject } from './bucket-object.ts';
import { type CallableObject, callObject } from './object-call.ts';

/** Bucket records kept, in bytes together; most take a few hundred, one with a policy up to 40 KB. */
const RECORDS_MAX_BYTES = 2 * 1024 * 1024;
const RECORD_OVERHEAD_BYTES = 512;

/** Whether a call may happen twice: every query, and the commands that the port calls idempotent. */
const IS_REPEATABLE = {
  getBucket: true,
  getObject: true,
  resolve: true,
  listObjects: true,
  getUpload: true,
  listParts: true,
  listUploads: true,
  findUnknownBlobs: true,
  isBlobHeld: true,
  listBucketLives: true,
  createBucket: false,
  setBucketAccess: false,
  setBucketSettings: false,
  deleteBucket: false,
  commitObject: false,
  deleteObjects: false,
  createUpload: false,
  commitPart: false,
  completeUpload: true,
  abortUpload: false,
  holdBlobs: true,
  releaseHolds: true,
  condemnBlobs: false,
  forgetBlobs: true,
  setSweptUpTo: true,
  forgetBucketLife: true,
} as const satisfies Record<keyof IndexApi, boolean>;

/** Cost: one RPC to the bucket's object; none for a `getBucket` that the isolate remembers. */
export function createDoMetadataIndex(buckets: DurableObjectNamespace<BucketObject>): MetadataIndex {
  const records = new LRUCache<BucketName, BucketRecord>({
    maxSize: RECORDS_MAX_BYTES,
    sizeCalculation: ({ access }) => RECORD_OVERHEAD_BYTES + 4 * (access.policyJson?.length ?? 0),
  });

  return {
    async call(bucket, name, input) {
      if (name === 'getBucket') {
        const known = records.get(bucket);
        if (known !== undefined) return known as ReturnType<IndexApi[typeof name]>;
      }
      // The stub's own types would lose the generic call; the wire carries plain data all the same.
      const connect = () => buckets.get(buckets.idFromName(bucket)) as unknown as CallableObject;
      try {
        const value = await callObject<ReturnType<IndexApi[typeof name]>>({
          connect,
          name,
          input,
          isRepeatable: IS_REPEATABLE[name],
        });
        if (name === 'getBucket' && value !== null) records.set(bucket, value as BucketRecord);
        return value;
      } catch (error) {
        if (error instanceof StorageError && error.code === 'BucketChanged') records.delete(bucket);
        throw error;
      } finally {
        if (changedBy(name, input) === 'gate') records.delete(bucket);
      }
    },
  };
}
