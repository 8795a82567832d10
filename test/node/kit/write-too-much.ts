// Run by fs-blob-store.test.ts in a process that may write files of 1 MiB at most: one blob too
// large, one that fits.
import { createFsBlobStore } from '../../../src/adapters/node/blobs/fs-blob-store.ts';
import { StorageError } from '../../../src/domain/errors.ts';
import type { BucketId } from '../../../src/domain/nouns.ts';
import { identityOf, patternBytes, sourceOf } from '../../contract/bodies.ts';
import { ids } from './index-data.ts';

const store = createFsBlobStore(process.argv[2] ?? '');
const ownerBucket = 'photos~01' as BucketId;
const identity = identityOf();

const failure = await store
  .write(ids.blobId(ownerBucket), sourceOf(patternBytes(5_000_000)), identity)
  .then(
    () => 'no failure',
    (error) => (error instanceof StorageError ? error.code : String(error)),
  );
const { sizeBytes } = await store.write(
  ids.blobId(ownerBucket),
  sourceOf(patternBytes(1000)),
  identity,
);
const { blobIds } = await store.list({ prefix: '', after: '', limit: 10 });
process.stdout.write(`${failure}, then ${blobIds.length === 1 ? sizeBytes : 'too many'} bytes\n`);
