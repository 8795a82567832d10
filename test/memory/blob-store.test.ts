import { createMemoryBlobStore } from '../../src/adapters/memory/memory-blob-store.ts';
import { blobStoreContract } from '../contract/blob-store.contract.ts';

blobStoreContract({ name: 'memory', make: createMemoryBlobStore });
