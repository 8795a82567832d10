// What a start looks at in the data folder before it opens or makes anything there: whether a
// restore is unfinished, and whether the index or a key is lost. node.ts imports it behind the
// compile cache, for it brings half of the index along.
import type { Config } from '../../../config.ts';
import { openMasterKeys } from '../process/master-key-record.ts';
import { refuseLostIndex } from './lost-index.ts';
import { refuseUnfinishedRestore } from './unfinished-restore.ts';

/** Gives the master keys. Rejects with DataFolderError, which says what to do. */
export async function inspectFolder(
  dataDir: string,
  settings: Pick<Config, 'masterKeys' | 'withoutMasterKeys'>,
): Promise<Config['masterKeys']> {
  refuseUnfinishedRestore(dataDir);
  await refuseLostIndex(dataDir);
  return openMasterKeys(dataDir, settings);
}
