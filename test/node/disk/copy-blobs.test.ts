// What a backup reads of the index and copies of the blobs, where a test of a whole backup would
// need thousands of objects or a sweeper at the right moment.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { referencedBlobs } from '../../../src/adapters/node/backup/back-up.ts';
import { copyBlobs } from '../../../src/adapters/node/backup/copy-blobs.ts';
import { blobPath } from '../../../src/adapters/node/blobs/blob-path.ts';
import type { BlobId } from '../../../src/domain/nouns.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import type { ReferencedBlob } from '../../../src/index/maintenance/inventory.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import {
  blobIn,
  bucketRecord,
  newReferenceOf,
  refOf,
  segmentsObjectOf,
  wholeOf,
} from '../../contract/index/samples.ts';
import { openMigrated } from '../../index/kit/open-migrated.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

/** Blobs that are read from the index at a time, as back-up.ts has it. */
const PAGE = 1000;
const BODY_BYTES = 10;

it.each([0, PAGE - 1, PAGE, PAGE + 1])(
  'an index of %i blobs is listed once, in order, to its end',
  (count) => {
    const sql = openMigrated(INDEX_SCHEMA);
    const index = createBucketIndex(sql);
    const record = index.createBucket({ bucket: bucketRecord() });
    const blobIds = Array.from({ length: count }, () => blobIn(record));
    for (const blobId of blobIds) {
      index.commitObject({
        bucket: refOf(record),
        object: segmentsObjectOf(blobId, [wholeOf(blobId)]),
        condition: null,
        newReferences: [newReferenceOf(blobId)],
      });
    }

    const listed: BlobId[] = [];
    for (const { blobId } of referencedBlobs(sql)) {
      listed.push(blobId);
      // A walk that begins again would never end.
      if (listed.length > count) break;
    }
    expect(listed).toEqual(blobIds.toSorted());
  },
);

describe('a blob that is copied', () => {
  const IDS = ['first', 'second'].map((name) => `photos~1/${name}01` as BlobId);
  const [first = '' as BlobId] = IDS;

  /** Copies both blobs; `meanwhile` happens once they are listed, before their bytes are read. */
  function copyBoth(meanwhile: (sourceFile: string) => void) {
    const source = temporaryFolder();
    const fileOf = (id: BlobId) => blobPath(join(source, 'blobs'), id);
    for (const id of IDS) {
      mkdirSync(fileOf(id).folder, { recursive: true });
      writeFileSync(fileOf(id).file, new Uint8Array(1000));
    }
    function* list(): Generator<ReferencedBlob> {
      for (const blobId of IDS) yield { blobId, sizeBytes: BODY_BYTES };
      meanwhile(fileOf(first).file);
    }
    const lengthChecks = { isDue: () => false, cursor: () => '' };
    return copyBlobs(source, temporaryFolder(), list(), { mode: 'copy', lengthChecks });
  }

  it('is named as hurt where the sweeper has deleted it meanwhile', async () => {
    expect(await copyBoth((file) => rmSync(file))).toMatchObject({ blobs: 2, hurt: [first] });
  });

  it('ends the backup where it cannot be read, rather than being left out', async () => {
    const replacedByFolder = copyBoth((file) => {
      rmSync(file);
      mkdirSync(file);
    });
    await expect(replacedByFolder).rejects.toThrow(/copyfile/i);
  });
});
