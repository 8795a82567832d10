// What a start looks at in the data folder before it opens the index or makes
// anything there: whether a restore is unfinished, and whether the index or a key
// is lost. node.ts imports it behind the compile cache, because it brings half of
// the index along.
import type { Config } from '../../../config.ts';
import { refuseLostIndex } from '../disk/lost-index.ts';
import { refuseUnfinishedRestore } from '../disk/unfinished-restore.ts';
import { openMasterKeys } from './master-key-record.ts';
import { loadRootKey, type RootKey } from './root-key.ts';

/**
 * The settings with the keys that the folder holds, and where the root key comes
 * from.
 */
export type InspectedFolder = { readonly config: Config; readonly rootKey: RootKey };

/**
 * Completes the settings with the folder's keys. Rejects with DataFolderError: what
 * to do.
 */
export async function inspectFolder(dataDir: string, settings: Config): Promise<InspectedFolder> {
  refuseUnfinishedRestore(dataDir);
  await refuseLostIndex(dataDir);
  const masterKeys = openMasterKeys(dataDir, settings);
  const rootKey = loadRootKey(settings, dataDir);

  const config = {
    ...settings,
    masterKeys,
    rootAccessKey: rootKey.accessKey,
    rootSecretKey: rootKey.secretKey,
  };
  return { config, rootKey };
}
