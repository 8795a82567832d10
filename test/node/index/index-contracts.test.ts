import { join } from 'node:path';
import { afterAll } from 'vitest';
import { openSqliteMetadataIndex } from '../../../src/adapters/node/index/sqlite-metadata-index.ts';
import { directoryContract } from '../../contract/directory.contract.ts';
import { metadataIndexContract } from '../../contract/index/metadata-index.contract.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

// One writer thread for all: the contracts use names of their own.
const opening = openSqliteMetadataIndex({
  path: join(temporaryFolder(), 'index.sqlite'),
  watcher: { block() {}, unblock() {} },
  onCrash(error) {
    throw error;
  },
});
afterAll(async () => (await opening).close());

metadataIndexContract({ name: 'writer thread', make: async () => (await opening).metadataIndex });
directoryContract({ name: 'writer thread', make: async () => (await opening).directory });
