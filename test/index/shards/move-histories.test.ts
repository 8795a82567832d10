// Random histories of slices that move between shards while others write: on the code of the index
// and of its movers, in three databases. Movers die with a message or its answer, messages come
// again at any time, and whatever happens every key has one owner with all that was written.
import { afterEach, expect, test } from 'vitest';
import { hasCode } from '../../../src/domain/errors.ts';
import type { BlobId, BucketAddress, ObjectKey } from '../../../src/domain/nouns.ts';
import { finishMoves, moveSlice, refOfShard } from '../../../src/index/router/move-slices.ts';
import { hasKey } from '../../../src/index/shards/key-ranges.ts';
import type { ShardState } from '../../../src/ports/index-calls/shard-calls.ts';
import { versionDeletionOf } from '../../contract/index/samples.ts';
import { FUZZ_SEED, fuzzRuns } from '../../fuzz-seed.ts';
import { KEYS, type Model, type OpenUpload, partsInOrder, write } from './history-writers.ts';
import { Lost, openShards, pickOf, randomOf, type ShardWorld } from './shard-world.ts';

/** One history takes half a second. */
const HISTORIES = fuzzRuns(15);
const LIMIT_MS = fuzzRuns(120_000);
const GRACE_MS = 24 * 3_600_000;

/** Who has a key: exactly one range, or what was given up and waits. */
function ownersOf(states: readonly ShardState[], key: string) {
  const byRange = states.filter(({ range }) => range !== null && hasKey(range, key));
  if (byRange.length > 0) return byRange;
  return states.filter(({ incoming, bucket }) => {
    const source = states.find((one) => one.bucket.id === incoming?.shard.id);
    const isGiven = source?.gave?.epoch === incoming?.epoch && source?.gave?.shard.id === bucket.id;
    return incoming !== null && isGiven && hasKey(incoming.range, key);
  });
}

function check(world: ShardWorld, model: Model): void {
  const states = world.states();
  let isWhole = true;
  for (const key of KEYS) {
    const owners = ownersOf(states, key);
    expect(owners, `owners of ${key}`).toHaveLength(1);
    const [owner] = owners;
    if (owner?.range == null || !hasKey(owner.range, key)) {
      isWhole = false;
      continue;
    }
    const page = {
      prefix: key,
      delimiter: '',
      afterKey: '',
      afterVersionId: '',
      maxKeys: 1000,
    } as const;
    const { versions } = world
      .apiOf(owner.bucket.name)
      .listVersions({ bucket: refOfShard(owner), ...page });
    const stored = versions
      .filter((version) => version.key === key)
      .map(({ versionId, isMarker, sizeBytes }) => ({ versionId, isMarker, sizeBytes }));
    expect(stored, key).toEqual(model.versions.get(key) ?? []);
    for (const open of model.uploads.values())
      if (open.upload.key === key) checkParts(world, owner, open);
  }
  if (isWhole) expect(totalsOf(world, states)).toEqual(expectedTotals(model));
}

function checkParts(world: ShardWorld, owner: ShardState, open: OpenUpload): void {
  const { key, uploadId } = open.upload;
  const page = { key, uploadId, afterPartNumber: 0, maxParts: 1000 };
  const listed = world.apiOf(owner.bucket.name).listParts({ bucket: refOfShard(owner), ...page });
  expect(listed.parts, uploadId).toEqual(partsInOrder(open));
}

function totalsOf(world: ShardWorld, states: readonly ShardState[]) {
  const sum = { bytes: 0, count: 0, partBytes: 0 };
  for (const state of states) {
    const bucket = refOfShard(state);
    for (const row of world.apiOf(bucket.name).getStorageTotals({ bucket })) {
      sum.bytes += row.currentBytes + row.noncurrentBytes;
      sum.count += row.currentCount + row.noncurrentCount;
      sum.partBytes += row.partBytes;
    }
  }
  return sum;
}

function expectedTotals({ versions, uploads }: Model) {
  const parts = [...uploads.values()].flatMap(partsInOrder);
  const objects = [...versions.values()].flat().filter(({ isMarker }) => !isMarker);
  return {
    bytes: objects.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    count: objects.length,
    partBytes: parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  };
}

/** Moves slices to and fro by a line on which messages are lost; gives how many moved. */
async function moveAbout(world: ShardWorld, random: () => number, rounds: number): Promise<number> {
  const ports = { index: world.lossy, clock: world.clock, bucket: world.record.name };
  let moved = 0;
  for (let round = 0; round < rounds; round++) {
    try {
      const map = await finishMoves(ports);
      const source = map?.find(({ range }) => range !== null && random() < 0.5);
      if (map === null || source === undefined) continue;
      const target = pickOf(random, map).bucket;
      const end = pickOf(random, ['lower', 'upper'] as const);
      if (target.id === source.bucket.id) continue;
      const rows = 1 + Math.floor(random() * 8);
      if (await moveSlice(ports, map, { source, end, target, rows })) moved += 1;
    } catch (error) {
      const isExpected = error instanceof Lost || hasCode(error, 'BucketChanged');
      if (!isExpected && !hasCode(error, 'ServiceUnavailable')) throw error;
    }
  }
  return moved;
}

/** The sweep of each shard as core does it; gives the blobs that the store would lose. */
function sweep(world: ShardWorld): BlobId[] {
  const olderThanMs = world.clock.ms - GRACE_MS;
  const deleted: BlobId[] = [];
  const release = (owner: BucketAddress, referrer: BucketAddress, blobId: BlobId) =>
    world.apiOf(owner.name).releaseRemoteReferences({
      ...{ ownerBucket: owner, blobIds: [blobId], referrer, takenUpToMs: olderThanMs },
    });
  for (const { bucket } of world.states()) {
    const { blobs, oldRemoteReferences } = world
      .apiOf(bucket.name)
      .condemnBlobs({ bucket, olderThanMs, limit: 1000 });
    for (const { blobId, referrer } of oldRemoteReferences) {
      const used = world.apiOf(referrer.name).findReferencedBlobs({ referrer, blobIds: [blobId] });
      if (used.length === 0) release(bucket, referrer, blobId);
    }
    for (const { blobId, ownerBucket } of blobs) {
      if (ownerBucket === null) deleted.push(blobId);
      else release(ownerBucket, bucket, blobId);
    }
    world.apiOf(bucket.name).forgetBlobs({ bucket, blobIds: blobs.map(({ blobId }) => blobId) });
  }
  return deleted;
}

/** The blobs that versions of all shards refer to, and parts of uploads in progress. */
function blobsInUse(world: ShardWorld, { uploads }: Model): Set<BlobId> {
  const parts = [...uploads.values()].flatMap(partsInOrder);
  const used = new Set(parts.flatMap(({ segments }) => segments.map(({ blobId }) => blobId)));
  for (const state of world.states()) {
    const bucket = refOfShard(state);
    const api = world.apiOf(bucket.name);
    const page = {
      prefix: '',
      delimiter: '',
      afterKey: '',
      afterVersionId: '',
      maxKeys: 1000,
    } as const;
    for (const { key, versionId } of api.listVersions({ bucket, ...page }).versions) {
      const found = api.getVersion({ bucket, key, versionId });
      if (found?.kind !== 'object') continue;
      for (const { blobId } of found.object.segments) used.add(blobId);
    }
  }
  return used;
}

const open: ShardWorld[] = [];
afterEach(() => {
  for (const { databases } of open.splice(0)) for (const sql of databases.values()) sql.close();
});

/** Writers and movers at once, and then whatever was left undone. */
async function runHistory(seed: number) {
  const random = randomOf(seed);
  const world = openShards(2, random);
  open.push(world);
  const model: Model = { versions: new Map(), uploads: new Map() };
  for (let phase = 0; phase < 2; phase++) {
    const movers = [moveAbout(world, random, 12), moveAbout(world, random, 6)];
    const writers = [0, 1, 2].map(async () => {
      for (let at = 0; at < 15; at++) await write(world, model, random);
    });
    let turn = 0;
    await world.turns.run([...movers, ...writers], () => {
      if (random() < 0.1 && world.late.length > 0) pickOf(random, world.late)();
      turn += 1;
      if (turn % 7 === 0) check(world, model);
    });
    check(world, model);
    // No message is later than the grace.
    world.late.length = 0;
    world.clock.ms += 2 * GRACE_MS;
    const used = blobsInUse(world, model);
    const lost = sweep(world).filter((blobId) => used.has(blobId));
    expect(lost).toEqual([]);
  }
  const ports = { index: world.exact, clock: world.clock, bucket: world.record.name };
  await world.turns.run([finishMoves(ports)], () => {});
  check(world, model);
  return { world, model };
}

test('every key has one owner with all that was written, whatever is lost or comes again', {
  timeout: LIMIT_MS,
}, async () => {
  let moves = 0;
  for (let at = 0; at < HISTORIES; at++) {
    const seed = FUZZ_SEED + at;
    try {
      const { world } = await runHistory(seed);
      for (const { adopted } of world.states()) moves += Object.keys(adopted).length;
    } catch (error) {
      throw new Error(`history ${seed}`, { cause: error });
    }
  }
  expect(moves).toBeGreaterThan(HISTORIES);
});

test('once all is deleted the sweep leaves no blob, and deletes each once', {
  timeout: LIMIT_MS,
}, async () => {
  const { world, model } = await runHistory(FUZZ_SEED + 1000);
  for (const state of world.states()) {
    const bucket = refOfShard(state);
    const api = world.apiOf(bucket.name);
    const nowMs = world.clock.ms;
    for (const [key, versions] of model.versions)
      for (const { versionId } of versions)
        api.deleteObjects({ bucket, ...versionDeletionOf(key, versionId, nowMs) });
    const uploads = {
      prefix: '',
      delimiter: '',
      afterKey: '',
      afterUploadId: '',
      maxUploads: 1000,
    };
    for (const { key, uploadId } of api.listUploads({ bucket, ...uploads }).uploads)
      api.abortUpload({ bucket, key: key as ObjectKey, uploadId, nowMs });
  }
  const deleted: BlobId[] = [];
  for (let round = 0; round < 8; round++) {
    world.clock.ms += 2 * GRACE_MS;
    deleted.push(...sweep(world));
  }
  expect(new Set(deleted).size).toBe(deleted.length);
  for (const sql of world.databases.values()) {
    expect(sql.all('SELECT blob_id FROM blobs')).toEqual([]);
    expect(sql.all('SELECT blob_id FROM blob_holds')).toEqual([]);
    expect(sql.all('SELECT id FROM object_bodies WHERE id > 0')).toEqual([]);
  }
});
