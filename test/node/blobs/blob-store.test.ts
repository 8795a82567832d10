import { createFsBlobStore } from '../../../src/adapters/node/blobs/fs-blob-store.ts';
import { blobStoreContract } from '../../contract/blob-store.contract.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

blobStoreContract({
  name: 'files',
  make: () => createFsBlobStore(temporaryFolder()),
});
