// A splitter that is told to stop: it ends behind the slice under way, and another one goes on.
import { expect, test } from 'vitest';
import { createDirectMetadataIndex } from '../../../src/adapters/memory/direct-metadata-index.ts';
import { createBucketIndex } from '../../../src/index/bucket-index.ts';
import { nextStep } from '../../../src/index/router/next-step.ts';
import { readShardMap, shardsWithKeys } from '../../../src/index/router/shard-map.ts';
import { createShardSplitter } from '../../../src/index/router/split-shards.ts';
import { INDEX_SCHEMA } from '../../../src/index/tables/index-schema.ts';
import type { MetadataIndex } from '../../../src/ports/metadata-index.ts';
import { makeBucket, objectOf, put, START_MS } from '../../contract/index/samples.ts';
import { openMigrated } from '../kit/open-migrated.ts';

const ROWS = 8;

test('splitting ends behind the slice under way, and goes on later', async () => {
  const direct = createDirectMetadataIndex(createBucketIndex(openMigrated(INDEX_SCHEMA)));
  const record = await makeBucket(direct);
  const { name } = record;
  for (let at = 0; at < 40; at++) await put(direct, record, objectOf(`k${at + 10}`));
  const stopping = new AbortController();
  const freezes = { count: 0 };
  const index: Pick<MetadataIndex, 'call'> = {
    call(bucket, call, input) {
      if (call === 'freezeSlice') {
        freezes.count += 1;
        if (freezes.count === 3) stopping.abort();
      }
      return direct.call(bucket, call, input);
    },
  };
  const background = { run: (_: string, work: () => Promise<unknown>) => void work() };
  const options = { index, clock: { nowMs: () => START_MS }, background, rows: ROWS };

  const stopped = createShardSplitter({ ...options, stopping: stopping.signal });
  await stopped.balance(name);
  expect(freezes.count).toBe(3);
  const left = await readShardMap(direct, name);
  expect(left === null ? null : nextStep(left)).toBeNull();
  for (let at = 0; at < 10; at++) stopped.onDone(name, 'commitObject', record);
  expect(freezes.count).toBe(3);

  await createShardSplitter(options).balance(name);
  const map = await readShardMap(direct, name);
  expect(map === null ? 0 : shardsWithKeys(map).length).toBeGreaterThan(4);
});
