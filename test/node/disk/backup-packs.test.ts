// A backup while small bodies wait for their pack: what is restored from it may go another way than
// the original went, and both may be backed up into one folder.
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { backUp } from '../../../src/adapters/node/backup/back-up.ts';
import { restore } from '../../../src/adapters/node/backup/restore.ts';
import { deleteObjects } from '../../../src/core/objects/delete-objects.ts';
import { getObject } from '../../../src/core/objects/read-object.ts';
import { key, putBytes, readWhole, sampleBytes } from '../../core/memory-core.ts';
import { openStoredCore, type StoredCore } from '../kit/stored-core.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

/** Ten of them fill a pack. */
const SIZE = 420_000;

async function openSmall(dataDir?: string): Promise<StoredCore> {
  const { core, ...rest } = await openStoredCore(dataDir);
  return {
    ...rest,
    core: { ...core, settings: { ...core.settings, inlineBodyMaxBytes: 2 ** 20 } },
  };
}

const put = ({ core, bucket }: StoredCore, name: string, seed: number) =>
  putBytes(core, bucket, name, sampleBytes(SIZE, seed));

it('a restored folder goes its own way, also where both are backed up', async () => {
  const original = await openSmall();
  for (let at = 0; at < 9; at++) await put(original, `k${at}`, at);
  const early = join(temporaryFolder(), 'early');
  await backUp(original.dataDir, early, 'copy');
  const restored = join(temporaryFolder(), 'restored');
  await restore(early, restored, 'copy');

  await deleteObjects(original.core, original.bucket, [{ key: key('k3') }]);
  await put(original, 'mistake', 77);
  await original.core.settle();
  const folder = join(temporaryFolder(), 'backup');
  const first = await backUp(original.dataDir, folder, 'copy');
  expect(first.counts.blobs).toBe(1);

  const copy = await openSmall(restored);
  for (let at = 9; at < 25; at++) await put(copy, `k${at}`, at);
  await copy.core.settle();
  const second = await backUp(copy.dataDir, folder, 'copy');
  expect(second.counts.newBlobs).toBe(1);

  const again = join(temporaryFolder(), 'again');
  expect((await restore(folder, again, 'copy')).damage.size).toBe(0);
  const { core, bucket } = await openSmall(again);
  for (let at = 0; at < 25; at++) {
    const found = await readWhole(core, await getObject(bucket, key(`k${at}`)));
    expect(Buffer.compare(found, sampleBytes(SIZE, at)), `k${at}`).toBe(0);
  }
});
