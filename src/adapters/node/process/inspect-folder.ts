// What a start looks at in the data folder before it opens or makes anything there: whether a
// restore is unfinished, and whether the index or a key is lost. node.ts imports it behind the
// compile cache, for it brings half of the index along.
import type { Config } from '../../../config.ts';
import { refuseLostIndex } from '../disk/lost-index.ts';
import { refuseUnfinishedRestore } from '../disk/unfinished-restore.ts';
import { openMasterKeys } from './master-key-record.ts';

/** Gives the master keys. Rejects with DataFolderError, which says what to do. */
export async function inspectFolder(
  dataDir: string,
  settings: Pick<Config, 'masterKeys' | 'withoutMasterKeys'>,
): Promise<Config['masterKeys']> {
  refuseUnfinishedRestore(dataDir);
  await refuseLostIndex(dataDir);
  return openMasterKeys(dataDir, settings);
}
