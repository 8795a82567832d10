// How long an unfinished file of a drop link takes its place: hours while it is announced alone,
// days once bytes of it have come.
import { expect, it } from 'vitest';
import {
  DROP_ANNOUNCED_LIFE_MS,
  DROP_FILE_LIFE_MS,
} from '../../../src/domain/links/link-limits.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import {
  blobIn,
  bucketRecord,
  newReferenceOf,
  partOf,
  refOf,
  START_MS,
  wholeOf,
} from '../../contract/index/samples.ts';
import { openMigrated } from '../kit/open-migrated.ts';
import { DROP_ENTRY, DROP_LINK, dropFileOf } from '../kit/use-drop-links.ts';

function open(link = DROP_LINK) {
  const index = createBucketIndex(openMigrated(INDEX_SCHEMA));
  const bucket = refOf(index.createBucket({ bucket: bucketRecord() }));
  const of = { bucket, linkId: link.id };
  index.addDropLink({ bucket, link, max: 10, entry: DROP_ENTRY });
  const fields = { name: '', mail: '', note: '' };
  index.addDropSender({ ...of, id: 'sender', fields, source: 'x', nowMs: START_MS });
  const expiresAtMs = START_MS + DROP_ANNOUNCED_LIFE_MS;
  for (const id of ['announced', 'begun'])
    index.addDropFile({ bucket, ...dropFileOf(id, { expiresAtMs }), nowMs: START_MS });
  const blobId = blobIn(bucket);
  const nowMs = START_MS + 1000;
  index.commitDropPiece({
    ...of,
    fileId: 'begun',
    part: partOf(1, [wholeOf(blobId, 10)]),
    newReferences: [newReferenceOf(blobId)],
    offsetBytes: 0,
    progress: { sha256State: null, head: '' },
    nowMs,
  });
  const find = (fileId: string) => index.getDropFile({ ...of, fileId });
  return { index, bucket, find, nowMs };
}

it('a file that is announced alone is given up, one that has begun stays', () => {
  const { index, bucket, find, nowMs } = open();
  expect(find('begun')?.expiresAtMs).toBe(nowMs + DROP_FILE_LIFE_MS);
  const lateMs = START_MS + DROP_ANNOUNCED_LIFE_MS + 1;
  index.addDropFile({ bucket, ...dropFileOf('next', { expiresAtMs: lateMs + 1 }), nowMs: lateMs });
  expect([find('announced'), find('begun')?.offsetBytes]).toEqual([null, 10]);
});

it('a file that has begun ends with its link', () => {
  const expiresAtMs = START_MS + 5000;
  expect(open({ ...DROP_LINK, expiresAtMs }).find('begun')?.expiresAtMs).toBe(expiresAtMs);
});
