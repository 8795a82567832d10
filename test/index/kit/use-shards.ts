// Every call of the index about shards, with rows of every kind: part of use-index.ts.
import type { BucketName } from '../../../src/domain/nouns.ts';
import type { ShardState } from '../../../src/ports/index-calls/shard-calls.ts';
import type { IndexApi } from '../../../src/ports/metadata-index.ts';
import {
  addressOf,
  blobIn,
  bucketRecord,
  deletionOf,
  newReferenceOf,
  objectOf,
  partOf,
  refOf,
  START_MS,
  segmentsObjectOf,
  uploadOf,
  wholeOf,
} from '../../contract/index/samples.ts';

/** Slices that are dropped, thawed, and that move over. */
export function useShards(index: IndexApi): void {
  const record = index.createBucket({ bucket: bucketRecord() });
  const { name } = record;
  const root = index.noteShards({ bucket: refOf(record), made: 1 });
  const other = bucketRecord({ name: `${name}~1` as BucketName });
  const shard = index.makeShard({ bucket: other, record: root.record });
  index.reportRecord({ bucket: shard.bucket, record: root.record + 1 });
  index.countShards({ name });
  index.locateBlobs({ bucket: shard.bucket, blobIds: [blobIn(record)] });
  fill(index, root);

  const bucket = shard.bucket;
  const source = root.bucket;
  for (const end of ['lower', 'upper'] as const)
    for (const rows of [1, 100])
      index.pickSlice({ bucket: refOf({ ...source, revision: root.revision }), end, rows });
  for (const what of ['dropped', 'adopted']) {
    const now = index.getShard({ name });
    if (now === null) throw new Error('There is no shard.');
    const range = { from: '', to: null };
    const from = refOf({ ...source, revision: now.revision });
    const { frozen } = index.freezeSlice({ bucket: from, range, target: bucket });
    const epoch = frozen?.epoch ?? 0;
    const slice = index.exportSlice({ bucket: source, epoch });
    const { rows, blobs: newReferences } = slice ?? { rows: [], blobs: [] };
    index.importSlice({ bucket, source, range, epoch, rows, newReferences, nowMs: START_MS });
    if (what === 'dropped') {
      index.dropSlice({ bucket, source, epoch, nowMs: START_MS });
      index.thawSlice({ bucket: source, epoch });
    } else {
      index.giveUpSlice({ bucket: source, epoch, nowMs: START_MS });
      index.adoptSlice({ bucket, source, epoch, nowMs: START_MS });
    }
  }
}

/** A version, a marker and an upload with a part, of a blob each. */
function fill(index: IndexApi, root: ShardState): void {
  const bucket = refOf({ ...root.bucket, revision: root.revision, versioning: 'enabled' });
  const [first, second] = [blobIn(bucket), blobIn(bucket)];
  for (const object of [segmentsObjectOf('a', [wholeOf(first)]), objectOf('a'), objectOf('b')]) {
    const newReferences = object.inlineBytes === null ? [newReferenceOf(first)] : [];
    index.commitObject({ bucket, object, condition: null, newReferences });
  }
  index.deleteObjects({ bucket, ...deletionOf(['b']) });
  const upload = uploadOf('c');
  index.createUpload({ bucket, upload });
  const { key, uploadId } = upload;
  const part = partOf(1, [wholeOf(second)]);
  index.commitPart({ bucket, key, uploadId, part, newReferences: [newReferenceOf(second)] });
  index.findReferencedBlobs({ referrer: addressOf(root.bucket), blobIds: [first] });
}
