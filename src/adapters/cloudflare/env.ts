// The bindings of wrangler.toml as the Worker and its Durable Objects see them.
// Settings are texts that config.ts reads; they are not named here.
import type { BucketObject } from './durable-objects/bucket-object.ts';
import type { DirectoryObject } from './durable-objects/directory-object.ts';
import type { LedgerObject } from './durable-objects/ledger-object.ts';

export type WorkerEnv = {
  /** Blobs, under `b/{blobId}`. */
  readonly BLOBS: R2Bucket;
  /** Published pointers and read policies, written only by BucketObject. */
  readonly HOT: KVNamespace;
  /** The index of each bucket, by the bucket's name. */
  readonly BUCKETS: DurableObjectNamespace<BucketObject>;
  /** The directory; its only object is named `directory`. */
  readonly DIRECTORY: DurableObjectNamespace<DirectoryObject>;
  /** The ledger of each account, by the account's id. */
  readonly LEDGER: DurableObjectNamespace<LedgerObject>;
  /** Cloudflare Images; a deployment without it makes no images. */
  readonly IMAGES?: ImagesBinding;
  /** The built files of the console; a deployment without them has no console. */
  readonly CONSOLE?: Fetcher;
};
