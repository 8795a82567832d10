// What writers of random histories write to a bucket whose slices move (move-histories.test.ts):
// versions, markers, and uploads with parts of both formats. The model learns of each call at the
// very moment at which it is done.
import { hasCode } from '../../../src/domain/errors.ts';
import { compareUtf8 } from '../../../src/domain/keys/compare-utf8.ts';
import type { BucketRef, ObjectVersion, UploadId, VersionId } from '../../../src/domain/nouns.ts';
import { carryOut, refOfShard } from '../../../src/index/router/move-slices.ts';
import { nextStep } from '../../../src/index/router/next-step.ts';
import { ownerOf, readShardMap } from '../../../src/index/router/shard-map.ts';
import { hasKey } from '../../../src/index/shards/key-ranges.ts';
import type { Upload, UploadedPart } from '../../../src/ports/index-calls/upload-calls.ts';
import type { DeletedObject } from '../../../src/ports/metadata-index.ts';
import {
  blobIn,
  completionOf,
  deletionOf,
  newReferenceOf,
  objectOf,
  partBlobIn,
  partOf,
  segmentsObjectOf,
  uploadOf,
  versionDeletionOf,
  wholeOf,
} from '../../contract/index/samples.ts';
import { pickOf, type ShardWorld } from './shard-world.ts';

export const KEYS = ['a', 'b', 'b/1', 'b/2', 'c', 'd', 'e', 'ä', '\u{10000}', 'ﬀ'].toSorted(
  compareUtf8,
);

type Stored = {
  readonly versionId: VersionId;
  readonly isMarker: boolean;
  readonly sizeBytes: number;
};

/** An upload in progress, and the last part that came of each number. */
export type OpenUpload = { readonly upload: Upload; readonly parts: Map<number, UploadedPart> };

/** What was written: versions of each key with the newest first, and uploads in progress. */
export type Model = {
  readonly versions: Map<string, Stored[]>;
  readonly uploads: Map<UploadId, OpenUpload>;
};

export const partsInOrder = ({ parts }: OpenUpload): UploadedPart[] =>
  [...parts.values()].toSorted((a, b) => a.partNumber - b.partNumber);

/** A call on a key of whoever owns it, once by each state that was read. */
type KeyCall = (bucket: BucketRef) => {
  name: string;
  input: object;
  onDone: (result: unknown) => void;
};

/** Finds the owner as often as needed: what is frozen is waited for, and then thawed. */
async function callOwner(world: ShardWorld, key: string, make: KeyCall): Promise<void> {
  const ports = { index: world.exact, clock: world.clock, bucket: world.record.name };
  for (let tries = 0; ; tries++) {
    const map = await readShardMap(world.exact, world.record.name);
    if (map === null) throw new Error('The bucket has no shards.');
    const owner = ownerOf(map, key);
    if (owner === null) {
      const step = nextStep(map);
      if (step?.do === 'adopt') await carryOut(ports, step);
      continue;
    }
    const { frozen } = owner;
    if (frozen !== null && hasKey(frozen.range, key)) {
      if (tries > 5) await carryOut(ports, { do: 'thaw', source: owner, epoch: frozen.epoch });
      continue;
    }
    const { name, input, onDone } = make({ ...refOfShard(owner), versioning: 'enabled' });
    try {
      await world.run(name, input, onDone);
      return;
    } catch (error) {
      if (!hasCode(error, 'BucketChanged')) throw error;
    }
  }
}

/** Writes a version, a marker, or what makes an upload of one of the keys. */
export async function write(world: ShardWorld, model: Model, random: () => number): Promise<void> {
  const key = pickOf(random, KEYS);
  const list = (): Stored[] => model.versions.get(key) ?? [];
  const dice = random();
  const { record } = world;
  if (dice < 0.4) {
    const blobId = blobIn(record);
    const size = Math.floor(random() * 1000) + 1;
    const isBlob = random() < 0.5;
    const object = isBlob ? segmentsObjectOf(key, [wholeOf(blobId, size)]) : objectOf(key);
    const newReferences = isBlob ? [newReferenceOf(blobId, size)] : [];
    const { sizeBytes } = object;
    await callOwner(world, key, (bucket) => ({
      name: 'commitObject',
      input: { bucket, object, condition: null, newReferences },
      onDone: (result) => {
        const { versionId } = result as ObjectVersion;
        model.versions.set(key, [{ versionId, isMarker: false, sizeBytes }, ...list()]);
      },
    }));
  } else if (dice < 0.5) {
    await callOwner(world, key, (bucket) => ({
      name: 'deleteObjects',
      input: { bucket, ...deletionOf([key]) },
      onDone: (result) => {
        const [deleted] = result as readonly DeletedObject[];
        const versionId = deleted?.marker?.versionId as VersionId;
        model.versions.set(key, [{ versionId, isMarker: true, sizeBytes: 0 }, ...list()]);
      },
    }));
  } else if (dice < 0.65) {
    const { versionId } = pickOf(random, list()) ?? {};
    if (versionId === undefined) return;
    await callOwner(world, key, (bucket) => ({
      name: 'deleteObjects',
      input: { bucket, ...versionDeletionOf(key, versionId) },
      onDone: () =>
        model.versions.set(
          key,
          list().filter((one) => one.versionId !== versionId),
        ),
    }));
  } else await goOnUploading(world, model, key, random);
}

/** Begins an upload of the key, or goes on with one: each call may find another owner. */
async function goOnUploading(
  world: ShardWorld,
  model: Model,
  key: string,
  random: () => number,
): Promise<void> {
  const ofKey = [...model.uploads.values()].filter(({ upload }) => upload.key === key);
  const open = ofKey.length < 2 ? await begin(world, model, key, random) : pickOf(random, ofKey);
  try {
    const parts = Math.floor(random() * 4);
    for (let at = 0; at < parts; at++) await sendPart(world, open, random);
    const dice = random();
    if (dice < 0.5) await complete(world, model, open);
    else if (dice < 0.7) await abort(world, model, open);
  } catch (error) {
    // Another writer replaced a part, or ended the upload.
    if (!hasCode(error, 'InvalidPart') && !hasCode(error, 'NoSuchUpload')) throw error;
  }
}

async function begin(
  world: ShardWorld,
  { uploads }: Model,
  key: string,
  random: () => number,
): Promise<OpenUpload> {
  const rows = random() < 0.7 ? 'joined' : 'separate';
  const upload = uploadOf(key, {}, rows);
  const open = { upload, parts: new Map() };
  await callOwner(world, key, (bucket) => ({
    name: 'createUpload',
    input: { bucket, upload, isLate: rows === 'joined' },
    onDone: () => uploads.set(upload.uploadId, open),
  }));
  return open;
}

/** Sends a part, of which the rows of the first 32 numbers may be counted late. */
async function sendPart(
  world: ShardWorld,
  { upload, parts }: OpenUpload,
  random: () => number,
): Promise<void> {
  const { key, uploadId } = upload;
  const number = pickOf(random, [1, 2, 3, 32, 33, 9999]);
  const size = Math.floor(random() * 100) + 1;
  const blobId = random() < 0.8 ? partBlobIn(world.record, upload, number) : blobIn(world.record);
  const lastModifiedMs = world.clock.nowMs();
  const part = partOf(number, [wholeOf(blobId, size)], { lastModifiedMs });
  const newReferences = [newReferenceOf(blobId, size)];
  await callOwner(world, key, (bucket) => ({
    name: 'commitPart',
    input: { bucket, key, uploadId, part, newReferences },
    onDone: () => parts.set(number, part),
  }));
}

async function complete(world: ShardWorld, model: Model, open: OpenUpload): Promise<void> {
  const { upload } = open;
  const { key, uploadId } = upload;
  const listed = partsInOrder(open);
  if (listed.length === 0) return;
  const completion = completionOf(upload, listed, world.clock.nowMs());
  await callOwner(world, key, (bucket) => ({
    name: 'completeUpload',
    input: { bucket, ...completion },
    onDone: (result) => {
      const { versionId, sizeBytes } = result as ObjectVersion;
      // Who repeats a completion gets the version that is there.
      if (!model.uploads.delete(uploadId)) return;
      const before = model.versions.get(key) ?? [];
      model.versions.set(key, [{ versionId, isMarker: false, sizeBytes }, ...before]);
    },
  }));
}

async function abort(world: ShardWorld, model: Model, { upload }: OpenUpload): Promise<void> {
  const { key, uploadId } = upload;
  const nowMs = world.clock.nowMs();
  await callOwner(world, key, (bucket) => ({
    name: 'abortUpload',
    input: { bucket, key, uploadId, nowMs },
    onDone: () => model.uploads.delete(uploadId),
  }));
}
