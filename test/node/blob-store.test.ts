import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFsBlobStore } from '../../src/adapters/node/fs-blob-store.ts';
import { blobStoreContract } from '../contract/blob-store.contract.ts';

blobStoreContract({
  name: 'files',
  make: () => createFsBlobStore(mkdtempSync(join(tmpdir(), 'quayside-blobs-'))),
});
