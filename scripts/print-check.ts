// Checks a folder, and prints the result as text or JSON. check.ts and backup.ts call it.
import { createDirectDirectory } from '../src/adapters/memory/direct-metadata-index.ts';
import {
  type CheckResult,
  checkFolder,
  type MakeProver,
} from '../src/adapters/node/check/check-folder.ts';
import type { HurtObject } from '../src/adapters/node/check/check-rows.ts';
import type { MissingMasterKey } from '../src/adapters/node/check/missing-master-keys.ts';
import { createReadOnlyBlobs } from '../src/adapters/node/check/read-only-blobs.ts';
import { loadMasterKeyText } from '../src/adapters/node/process/master-key-file.ts';
import { createDecompressingBlobStore } from '../src/adapters/shared/decompressing-blob-store.ts';
import { systemClock } from '../src/adapters/shared/system-clock.ts';
import { type Config, withStoredMasterKeys } from '../src/config.ts';
import { proveBody } from '../src/core/objects/prove-body.ts';
import { createDirectoryIndex } from '../src/index/directory-index.ts';
import type { MasterKeyUse } from '../src/index/maintenance/inventory.ts';
import { HURT, print, SOUND, sizeText } from './command.ts';

/** Kinds of secrets that a master key protects, in words. */
const USES: Readonly<Record<MasterKeyUse, string>> = {
  objects: 'objects and older versions under SSE-S3',
  uploads: 'uploads in progress under SSE-S3',
  accessKeys: 'access keys',
  kmsKeys: 'KMS keys, with all that they encrypt',
  webhookSecrets: 'secrets of webhooks',
};

/** Checks the folder, prints the result, and returns the exit code. */
export async function checkAndPrint(
  folder: string,
  settings: Config,
  options: { readonly readsBodies: boolean; readonly json: boolean },
): Promise<number> {
  const startedAt = performance.now();
  const makeProver = options.readsBodies ? proverOf(settings) : null;
  const result = await checkFolder(folder, {
    graceSeconds: settings.graceSeconds,
    settings,
    makeProver,
  });
  const tookMs = Math.round(performance.now() - startedAt);
  if (options.json) print(JSON.stringify({ ...result, tookMs }, null, 2));
  else printResult(result, tookMs, options.readsBodies);
  return result.isSound ? SOUND : HURT;
}

/** Proves bodies as the server reads them, with keys of the settings and those beside the index. */
export function proverOf(settings: Config): MakeProver {
  return (index, { blobRoot, keyFolder }) => {
    const masterKeys = withStoredMasterKeys(
      settings.masterKeys,
      loadMasterKeyText(keyFolder, false),
    );
    const core = {
      ports: {
        blobStore: createDecompressingBlobStore(createReadOnlyBlobs(blobRoot)),
        directory: createDirectDirectory(createDirectoryIndex(index)),
        clock: systemClock,
      },
      settings: { masterKeys, seededKmsKeys: settings.seededKmsKeys },
    };
    return (body) => proveBody(core, body);
  };
}

function printResult(result: CheckResult, tookMs: number, readsBodies: boolean): void {
  const { orphans } = result;
  for (const problem of result.indexProblems) print(`index: ${problem}`);
  for (const { kind, detail } of result.damagedBlobs) print(`blob ${kind}: ${detail}`);
  for (const hurt of result.hurt) print(`hurt: ${nameOf(hurt)}: ${hurt.detail}`);
  if (result.hurtCount > result.hurt.length)
    print(`hurt: ${result.hurtCount - result.hurt.length} more`);

  const kind = result.kind === 'backup' ? 'Backup' : 'Data folder';
  print(`${kind} ${result.folder}, ${(tookMs / 1000).toFixed(1)} s:`);
  print(
    `  ${result.objects} objects, ${result.olderVersions} older versions, ` +
      `${result.parts} parts of uploads`,
  );
  print(
    `  ${result.blobs} blobs, ${sizeText(result.blobBytes)}; ` +
      `missing or damaged: ${countText(result)}`,
  );
  if (readsBodies) {
    print(
      `  bodies proved: ${result.provedBodies}; ` +
        `with keys of clients, not proved: ${result.unprovedBodies}`,
    );
  }
  for (const [id, uses] of Object.entries(result.masterKeyUses))
    print(`  master key ${id}: protects ${uses}`);
  for (const key of result.missingMasterKeys) print(`  ${missingText(key)}`);
  print(
    `  files that the index does not know: ${orphans.count}, ${sizeText(orphans.bytes)}; ` +
      `younger than the grace: ${orphans.young}`,
  );
  print(result.isSound ? 'Sound: everything that the index knows is there.' : notSoundText(result));
}

function countText({ damagedBlobs }: CheckResult): string {
  const suspected = damagedBlobs.filter(({ kind }) => kind === 'suspected').length;
  return suspected === 0
    ? `${damagedBlobs.length}`
    : `${damagedBlobs.length}, of them suspected: ${suspected}`;
}

function missingText({ id, protects }: MissingMasterKey): string {
  const uses = Object.entries(protects).map(
    ([use, count]) => `${USES[use as MasterKeyUse]}: ${count}`,
  );
  if (uses.length > 0)
    return `master key ${id} IS MISSING, and can't be read without it: ${uses.join(', ')}`;
  return (
    `master key ${id} is missing and protects nothing; ` +
    `the server wants QUAYSIDE_WITHOUT_MASTER_KEYS=${id}`
  );
}

function notSoundText({ hurtCount, missingMasterKeys, masterKeyUses }: CheckResult): string {
  const needed = missingMasterKeys.filter(({ id }) => id in masterKeyUses).length;
  return `NOT SOUND: ${hurtCount} hurt${needed === 0 ? '' : `, master keys missing: ${needed}`}.`;
}

function nameOf({ bucket, key, versionId, uploadId, partNumber }: HurtObject): string {
  const which =
    uploadId === undefined ? `version ${versionId}` : `upload ${uploadId}, part ${partNumber}`;
  // A name may hold anything: as JSON no control character of it gets to the terminal.
  return `${JSON.stringify(`${bucket}/${key}`)} (${which})`;
}
