import { createFsBlobStore } from '../../src/adapters/node/fs-blob-store.ts';
import { blobStoreContract } from '../contract/blob-store.contract.ts';
import { temporaryFolder } from './temporary-folder.ts';

blobStoreContract({
  name: 'files',
  make: () => createFsBlobStore(temporaryFolder()),
});
