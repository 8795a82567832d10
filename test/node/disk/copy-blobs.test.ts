// What a backup reads of the index and copies of the blobs, where a test of a whole backup would
// need thousands of objects or a sweeper at the right moment.
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { referencedBlobs } from '../../../src/adapters/node/backup/back-up.ts';
import { copyBlobs } from '../../../src/adapters/node/backup/copy-blobs.ts';
import { TRAILER_BYTES } from '../../../src/adapters/node/blobs/blob-footer.ts';
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

describe('blobs that are copied in batches', () => {
  /** Copies of a batch, as copy-blobs.ts has it. */
  const BATCH_FILES = 2000;
  const LENGTHS_OF_NONE = { isDue: () => false, cursor: () => '' };

  it('have their names once their batch is full, and the rest of them at the end', async () => {
    const [source, target] = [temporaryFolder(), temporaryFolder()];
    const ids = Array.from(
      { length: BATCH_FILES + 2 },
      (_, at) => `photos~1/same${String(at).padStart(5, '0')}` as BlobId,
    );
    const named = () =>
      readdirSync(join(target, 'blobs'), { recursive: true, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      );
    const namedBefore: number[] = [];
    for (const [at, id] of ids.entries()) {
      const { folder, file } = blobPath(join(source, 'blobs'), id);
      mkdirSync(folder, { recursive: true });
      writeFileSync(file, Buffer.alloc(1000, at));
    }
    function* list(): Generator<ReferencedBlob> {
      for (const blobId of ids) {
        namedBefore.push(named().length);
        yield { blobId, sizeBytes: BODY_BYTES };
      }
    }
    const options = { mode: 'copy', lengthChecks: LENGTHS_OF_NONE } as const;
    const counts = await copyBlobs(source, target, list(), options);
    const all = { blobs: ids.length, bytes: ids.length * BODY_BYTES };
    expect(counts).toEqual({
      ...all,
      ...{ newBlobs: all.blobs, newBytes: all.bytes, linkedBlobs: 0, hurt: [], others: [] },
    });
    expect(namedBefore.slice(BATCH_FILES - 1)).toEqual([0, BATCH_FILES, BATCH_FILES]);
    expect(named()).toHaveLength(ids.length);
    for (const [at, id] of ids.entries()) {
      if (at % 500 > 1) continue;
      expect(readFileSync(blobPath(join(target, 'blobs'), id).file)[0]).toBe(at % 256);
    }
    expect(existsSync(join(target, 'tmp'))).toBe(false);
  });
});

describe('a blob that is shared', () => {
  const ID = 'photos~1/shared01' as BlobId;
  const CHECKED = { isDue: () => true, cursor: () => '' };
  const WHOLE = new Uint8Array(BODY_BYTES + TRAILER_BYTES);
  const CUT = WHOLE.subarray(1);

  /** Shares the blob, over what the target has of it. */
  async function share(inSource: Uint8Array | null, inTarget: Uint8Array | null) {
    const [source, target] = [temporaryFolder(), temporaryFolder()];
    const files = [source, target].map((root) => blobPath(join(root, 'blobs'), ID));
    for (const [at, bytes] of [inSource, inTarget].entries()) {
      const place = files[at];
      if (bytes === null || place === undefined) continue;
      mkdirSync(place.folder, { recursive: true });
      writeFileSync(place.file, bytes);
    }
    const options = { mode: 'share', lengthChecks: CHECKED } as const;
    const blobs = [{ blobId: ID, sizeBytes: BODY_BYTES }];
    const { newBlobs, newBytes, linkedBlobs, hurt } = await copyBlobs(
      source,
      target,
      blobs,
      options,
    );
    const [from = -1, to = -2] = files.map(
      ({ file }) => statSync(file, { throwIfNoEntry: false })?.ino,
    );
    return { newBlobs, newBytes, linkedBlobs, hurt, isOneFile: from === to };
  }

  const LINKED = { newBlobs: 1, newBytes: BODY_BYTES, linkedBlobs: 1, hurt: [], isOneFile: true };
  const KEPT = { newBlobs: 0, newBytes: 0, linkedBlobs: 0, hurt: [], isOneFile: false };

  it.each([
    ['comes as a link', WHOLE, null, LINKED],
    ['takes the place of one that was cut', WHOLE, CUT, LINKED],
    ['leaves one that is whole', WHOLE, WHOLE, KEPT],
    ['leaves one that the source has lost', null, WHOLE, KEPT],
    ['is hurt where neither has it', null, null, { ...KEPT, hurt: [ID] }],
    ['is hurt where both are cut', CUT, CUT, { ...KEPT, hurt: [ID] }],
  ])('%s', async (_, inSource, inTarget, expected) => {
    expect(await share(inSource, inTarget)).toEqual(expected);
  });
});
