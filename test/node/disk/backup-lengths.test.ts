// What a backup looks at in a former one: names always, lengths a part in each run, all of them
// after a run that was killed.
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { backUp } from '../../../src/adapters/node/backup/back-up.ts';
import { copyBlobs } from '../../../src/adapters/node/backup/copy-blobs.ts';
import { createLengthChecks } from '../../../src/adapters/node/backup/length-checks.ts';
import { listBlobs, walkBlobs } from '../../../src/adapters/node/blobs/blob-list.ts';
import type { Manifest } from '../../../src/adapters/node/disk/backup-manifest.ts';
import type { BlobId } from '../../../src/domain/nouns.ts';
import { BLOB_BYTES, openStoredCore, putAll } from '../kit/stored-core.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

const NONE = { isDue: () => false, cursor: () => '' };

const blobFiles = (folder: string) =>
  readdirSync(join(folder, 'blobs'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));

async function makeBackup() {
  const stored = await openStoredCore();
  await putAll(stored, ['a', 'b', 'c']);
  const folder = temporaryFolder();
  await backUp(stored.dataDir, folder, 'copy');
  const run = async () => (await backUp(stored.dataDir, folder, 'copy')).counts.newBlobs;
  return { ...stored, folder, run };
}

function setCursor(folder: string, lengthsCheckedTo: string): void {
  const path = join(folder, 'manifest.json');
  writeFileSync(
    path,
    JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), lengthsCheckedTo }),
  );
}

describe('checks of lengths', () => {
  const named = (at: number) => `photos~1/${String(at).padStart(7, '0')}` as BlobId;
  const manifest = (count: number, lengthsCheckedTo: string, hurtBlobs: string[] = []) =>
    ({ blobs: { count, bytes: 0 }, hurtBlobs, lengthsCheckedTo }) as unknown as Manifest;

  it('reach every blob within eight runs, each in one of them', () => {
    const count = 100_000;
    const looks = new Uint8Array(count);
    let [cursor, runs] = ['', 0];
    do {
      const checks = createLengthChecks(manifest(count, cursor));
      for (let at = 0; at < count; at++)
        looks[at] = (looks[at] ?? 0) + (checks.isDue(named(at)) ? 1 : 0);
      cursor = checks.cursor();
      runs += 1;
    } while (cursor !== '' && runs < 20);
    expect(runs).toBeLessThanOrEqual(8);
    expect(looks.every((times) => times === 1)).toBe(true);
  });

  it('cover all of few blobs in each run, and always those that were hurt', () => {
    const few = createLengthChecks(manifest(1000, ''));
    expect(few.isDue(named(999))).toBe(true);
    expect(few.cursor()).toBe('');
    const rest = createLengthChecks(manifest(1000, named(500), [named(3)]));
    expect([3, 4, 500, 501].map((at) => rest.isDue(named(at)))).toEqual([true, false, false, true]);
  });

  it('go on behind those of the former run', async () => {
    const { folder, run } = await makeBackup();
    truncateSync(blobFiles(folder)[0] ?? '', 100);
    setCursor(folder, 'z');
    expect(await run()).toBe(0);
    expect(await run()).toBe(1);
  });

  it('cover all after a run that was killed', async () => {
    const { folder, run } = await makeBackup();
    truncateSync(blobFiles(folder)[0] ?? '', 100);
    setCursor(folder, 'z');
    mkdirSync(join(folder, 'generation-killed'));
    expect(await run()).toBe(1);
  });
});

describe('names in a backup', () => {
  it('are checked in each run: a missing or misplaced blob is copied again', async () => {
    const { dataDir, folder } = await makeBackup();
    const { blobIds } = await listBlobs(join(dataDir, 'blobs'), {
      prefix: '',
      after: '',
      limit: 10,
    });
    const wanted = blobIds.map((blobId) => ({ blobId, sizeBytes: BLOB_BYTES }));
    const options = { mode: 'copy', lengthChecks: NONE } as const;
    expect((await copyBlobs(dataDir, folder, wanted, options)).newBlobs).toBe(0);
    const [missing = '', moved = ''] = blobFiles(folder);
    rmSync(missing);
    const wrong = join(folder, 'blobs', (blobIds[0] ?? '').split('/')[0] ?? '', '0000', '00');
    mkdirSync(wrong, { recursive: true });
    renameSync(moved, join(wrong, moved.slice(moved.lastIndexOf('/') + 1)));
    const { newBlobs, others } = await copyBlobs(dataDir, folder, wanted, options);
    expect([newBlobs, others]).toEqual([2, []]);
    expect(blobFiles(folder)).toContain(moved);
  });

  it('are walked in the order of ids, over all buckets', async () => {
    const root = temporaryFolder();
    const ids = [
      'a~1/1m81t9x',
      'a-b~1/1m81t9x',
      'a~1/1m81taa',
      'a~1/1m82t9x',
      'a~1/1m81t9y',
      'a~1.2/1m81t9x',
    ];
    for (const id of ids) {
      const [bucket = '', name = ''] = id.split('/');
      const folder = join(root, bucket, name.slice(0, 4), name.slice(4, 6));
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, name), '');
    }
    writeFileSync(join(root, 'stray'), '');
    expect([...walkBlobs(root)].flat()).toEqual(ids.toSorted());
    expect([...walkBlobs(join(root, 'none'))]).toEqual([]);
  });
});
