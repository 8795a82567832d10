// What does a bucket cost that is split, from one shard to forty? Names come in random order
// through the router, and the splitter moves their rows: CPU of this thread for a put, a look-up, a
// page of a list and a deletion, whenever there are twice as many shards, and for the moves.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createDirectMetadataIndex } from '../../src/adapters/memory/direct-metadata-index.ts';
import { openSqlite } from '../../src/adapters/node/index/node-sqlite.ts';
import { PRIVATE_ACCESS } from '../../src/domain/bucket-access.ts';
import { NO_SETTINGS } from '../../src/domain/bucket-settings.ts';
import type {
  AccountId,
  BucketId,
  BucketName,
  BucketRecord,
  ObjectKey,
  ObjectVersion,
  VersionId,
} from '../../src/domain/nouns.ts';
import { NO_FACTS } from '../../src/domain/object-facts.ts';
import { createBucketIndex } from '../../src/index/bucket-index.ts';
import { readShardMap, shardsWithKeys } from '../../src/index/router/shard-map.ts';
import { createShardRouter } from '../../src/index/router/shard-router.ts';
import { createShardSplitter } from '../../src/index/router/split-shards.ts';
import { INDEX_SCHEMA } from '../../src/index/tables/index-schema.ts';
import { migrate } from '../../src/index/tables/schema.ts';
import type { MetadataIndex } from '../../src/ports/metadata-index.ts';
import { randomOrder } from '../lib/random-order.ts';
import { printTable } from '../lib/table.ts';

const { values } = parseArgs({
  options: {
    names: { type: 'string', default: '1000000' },
    /** Rows from which a shard is split. */
    rows: { type: 'string', default: '25000' },
  },
});
const NAMES = Number(values.names);
const ROWS = Number(values.rows);
/** Calls by key, and pages of lists, of one measurement: the clock of CPU has ticks of 4 ms. */
const CALLS = 5000;
const PAGES = 300;
const PAGE_KEYS = 1000;
/** Shards at which the first measurement with as many is made. */
const STEPS = [1, 2, 5, 10, 20, 40] as const;

const name = 'bench' as BucketName;
const RECORD: BucketRecord = {
  id: 'bench' as BucketId,
  name,
  ownerId: 'bench' as AccountId,
  createdAtMs: 0,
  revision: 1,
  access: PRIVATE_ACCESS,
  settings: NO_SETTINGS,
};

const numberAt = randomOrder(NAMES);
const keyOf = (at: number) => `photos/${String(numberAt(at)).padStart(9, '0')}.jpg` as ObjectKey;

const folder = await mkdtemp(join(tmpdir(), 'quayside-bench-'));
const sql = openSqlite(join(folder, 'index.sqlite'), { readOnly: false });
migrate(sql, INDEX_SCHEMA);
const direct = createDirectMetadataIndex(createBucketIndex(sql));
const clock = { nowMs: () => 1_700_000_000_000 };
const router: MetadataIndex = createShardRouter(direct, clock);
const splitter = createShardSplitter({
  index: router,
  clock,
  rows: ROWS,
  background: { run: () => undefined },
});

function objectOf(at: number): ObjectVersion {
  return {
    key: keyOf(at),
    ...NO_FACTS,
    versionId: `version-${at}` as VersionId,
    isNull: true,
    sizeBytes: 100,
    etag: '900150983cd24fb0d6963f7d28e17f72',
    lastModifiedMs: clock.nowMs(),
    storageClass: 'STANDARD',
    headers: { contentType: 'image/jpeg' },
    userMetadata: {},
    checksum: null,
    parts: null,
    segments: [],
    inlineBytes: new Uint8Array(100),
  };
}

/** CPU of this thread, milliseconds. */
async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

/** The record as it is now: its revision changes when the bucket is split for the first time. */
async function openRecord(): Promise<BucketRecord> {
  return (await router.call(name, 'getBucket', { name })) ?? RECORD;
}

async function put(bucket: BucketRecord, at: number): Promise<void> {
  const object = objectOf(at);
  await router.call(name, 'commitObject', { bucket, object, condition: null, newReferences: [] });
}

const countShards = async () => {
  const map = await readShardMap(direct, name);
  return map === null ? 1 : shardsWithKeys(map).length;
};

/** Microseconds of a call of each kind, among so many names. */
async function measure(written: number): Promise<string[]> {
  const bucket = await openRecord();
  /** Calls with as many of the names, far from each other. */
  const us = async (calls: number, work: (at: number) => Promise<unknown>): Promise<string> => {
    const ms = await cpuMs(async () => {
      for (let call = 0; call < calls; call++) await work(Math.floor((call * written) / calls));
    });
    return ((ms * 1000) / calls).toFixed(0);
  };
  const get = (at: number) =>
    router.call(name, 'getVersion', { bucket, key: keyOf(at), versionId: null });
  const list = (at: number) =>
    router.call(name, 'listObjects', {
      ...{ bucket, prefix: '', delimiter: '', after: keyOf(at), maxKeys: PAGE_KEYS },
    });
  const remove = (at: number) => {
    const key = keyOf(at);
    const targets = [{ key, versionId: null, condition: null, markerId: 'marker' as VersionId }];
    const rest = { bypassGovernance: false, ownerId: null, nowMs: clock.nowMs() };
    return router.call(name, 'deleteObjects', { bucket, targets, ...rest });
  };
  const read = [await us(CALLS, get), await us(PAGES, list)];
  const deleted = await us(CALLS, remove);
  // Deleted names are put again, so each measurement finds all.
  const stored = await us(CALLS, (at) => put(bucket, at));
  return [stored, ...read, deleted];
}

try {
  await router.call(name, 'createBucket', { bucket: RECORD });
  const table: (string | number)[][] = [];
  let moveMs = 0;
  const batch = Math.max(1, Math.floor(ROWS / 10));
  for (let written = 0; written < NAMES; ) {
    const bucket = await openRecord();
    const end = Math.min(NAMES, written + batch);
    for (; written < end; written++) await put(bucket, written);
    moveMs += await cpuMs(() => splitter.balance(name));
    const shards = await countShards();
    const step = STEPS[table.length];
    const isFilled = written >= ROWS / 2;
    if (step === undefined || !isFilled || (shards < step && written < NAMES)) continue;
    const perName = ((moveMs * 1000) / written).toFixed(0);
    table.push([shards, written, ...(await measure(written)), perName]);
    process.stderr.write(`${table.at(-1)?.join(' ')}\n`);
  }
  printTable([
    ['shards', 'names', 'put µs', 'get µs', `list ${PAGE_KEYS} µs`, 'delete µs', 'moves µs/name'],
    ...table,
  ]);
} finally {
  sql.close();
  await rm(folder, { recursive: true, force: true });
}
