// Master keys that a checked folder needs, and that neither the settings nor the
// file beside the index has. The server does not start without them, and what they
// encrypted can't be read.
import { type Config, withStoredMasterKeys } from '../../../config.ts';
import type { MasterKeyUse, MasterKeyUses } from '../../../index/maintenance/inventory.ts';
import type { Sql } from '../../../ports/sql.ts';
import { loadMasterKeyText } from '../process/master-key-file.ts';
import { recordedMasterKeys } from '../process/master-key-record.ts';

export type MasterKeySettings = Pick<Config, 'masterKeys' | 'withoutMasterKeys'>;
/** `protects` is empty for a key of the record that nothing needs any more. */
export type MissingMasterKey = {
  readonly id: string;
  readonly protects: { readonly [Use in MasterKeyUse]?: number };
};

/**
 * Compares the keys at hand with those of the index's record and of `uses`. A key
 * that the operator has named as lost is left out only where it protects nothing.
 * ConfigError for a damaged key file.
 */
export function findMissingMasterKeys(
  index: Sql,
  keyFolder: string,
  settings: MasterKeySettings,
  uses: MasterKeyUses,
): MissingMasterKey[] {
  const keys = withStoredMasterKeys(settings.masterKeys, loadMasterKeyText(keyFolder, false));
  const present = new Set(keys.map(({ id }) => id));
  const recorded = recordedMasterKeys(index).filter(
    (id) => !settings.withoutMasterKeys.includes(id),
  );
  return [...new Set([...uses.keys(), ...recorded])]
    .filter((id) => !present.has(id))
    .map((id) => ({ id, protects: uses.get(id) ?? {} }));
}
