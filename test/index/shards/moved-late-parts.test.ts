// Parts that the totals count later than they came (ADR 56), in uploads whose slice moves: each
// hour has the byte-milliseconds that it has where nothing moves.
import { expect, test } from 'vitest';
import { createDirectMetadataIndex } from '../../../src/adapters/memory/direct-metadata-index.ts';
import type { BucketAddress } from '../../../src/domain/nouns.ts';
import { HOUR_MS, startOfHour } from '../../../src/domain/time.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import type { ShardState } from '../../../src/ports/index-calls/shard-calls.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import {
  completionOf,
  newReferenceOf,
  partBlobIn,
  partOf,
  putPart,
  START_MS,
  startUpload,
  wholeOf,
} from '../../contract/index/samples.ts';
import { makeShards, move, refTo, stateOf } from '../../contract/index/shards/shard-samples.ts';
import { openMigrated } from '../kit/open-migrated.ts';

const OPEN_MS = startOfHour(START_MS);
const UPPER = { from: 'm', to: null };

/** Byte-milliseconds of all storage by hour since the first, of both shards together. */
async function hoursOf(index: MetadataIndex, shards: readonly BucketAddress[], nowMs: number) {
  const sums = new Map<number, bigint>();
  for (const { name } of shards) {
    const closed = await index.call(name, 'closeStorageHours', { name, nowMs, limit: 1000 });
    for (const { of, used, hourMs, hourCount } of closed) {
      if (of.kind !== 'storage') continue;
      for (let hour = 0; hour < hourCount; hour++) {
        const at = (hourMs - OPEN_MS) / HOUR_MS + hour;
        // A run of equal hours has the sum of each.
        sums.set(at, (sums.get(at) ?? 0n) + (used[0]?.quantity ?? 0n));
      }
    }
  }
  return [...sums].sort(([a], [b]) => a - b).filter(([, quantity]) => quantity > 0n);
}

/** Uploads over three hours, of which one moves at those times, over and back. */
async function runHours(moves: readonly number[]) {
  const index = createDirectMetadataIndex(createBucketIndex(openMigrated(INDEX_SCHEMA)));
  const { record, root, shard } = await makeShards(index);
  const addresses = [root.bucket, shard.bucket] as const;
  let owner: ShardState = root;
  let left = moves;
  const until = async (ms: number) => {
    for (; left[0] !== undefined && left[0] <= ms; left = left.slice(1)) {
      const to = owner.bucket.id === root.bucket.id ? shard.bucket : root.bucket;
      owner = (await move(index, owner.bucket, to, UPPER, OPEN_MS + left[0])).target;
    }
  };
  const send = async (upload: Awaited<ReturnType<typeof startUpload>>, at: number, ms: number) => {
    await until(ms);
    const blobId = partBlobIn(record, upload, at);
    const state = upload.key < 'm' ? await stateOf(index, root.bucket) : owner;
    const part = partOf(at, [wholeOf(blobId, 100 * at)], { lastModifiedMs: OPEN_MS + ms });
    return putPart(index, refTo(state), upload, part, [newReferenceOf(blobId, 100 * at)]);
  };
  const createdAtMs = OPEN_MS + 10;
  const moving = await startUpload(index, refTo(root), 'z', { createdAtMs }, 'joined');
  const staying = await startUpload(index, refTo(root), 'a', { createdAtMs }, 'joined');
  const sent = [await send(moving, 1, 1000)];
  await send(staying, 1, 2000);
  sent.push(await send(moving, 2, 3000));
  await send(staying, 2, HOUR_MS + 700);
  sent.push(await send(moving, 3, HOUR_MS + 900));
  sent[1] = await send(moving, 2, 2 * HOUR_MS + 100);
  await until(2 * HOUR_MS + 5000);
  const totals = [];
  for (const bucket of addresses) {
    const ref = refTo(await stateOf(index, bucket));
    totals.push(...(await index.call(ref.name, 'getStorageTotals', { bucket: ref })));
  }
  const partBytes = totals.reduce((sum, row) => sum + row.partBytes, 0);
  await index.call(owner.bucket.name, 'completeUpload', {
    bucket: refTo(owner),
    ...completionOf(moving, sent, OPEN_MS + 2 * HOUR_MS + 6000),
  });
  return { partBytes, hours: await hoursOf(index, addresses, OPEN_MS + 4 * HOUR_MS) };
}

test('hours have what was stored in them, wherever uploads were', async () => {
  const unmoved = await runHours([]);
  expect(unmoved.partBytes).toBe(900);
  const hour = BigInt(HOUR_MS);
  expect(unmoved.hours).toEqual([
    [0, 100n * (hour - 1000n) + 100n * (hour - 2000n) + 200n * (hour - 3000n)],
    [1, 400n * hour + 200n * (hour - 700n) + 300n * (hour - 900n)],
    [2, 900n * hour],
    [3, 900n * hour],
  ]);
  for (const moves of [
    [1500],
    [5000],
    [HOUR_MS + 800],
    [2500, 3500],
    [5000, HOUR_MS + 500],
    [1500, HOUR_MS + 800, 2 * HOUR_MS + 50],
    [2 * HOUR_MS + 4000],
    [HOUR_MS + 1000, 2 * HOUR_MS + 2000, 2 * HOUR_MS + 3000],
  ])
    expect(await runHours(moves), `${moves}`).toEqual(unmoved);
});
