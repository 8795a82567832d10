// kill -9 while the shards of a bucket with versions, legal holds and uploads in parts split and
// join: of each request all or nothing is there, what was acknowledged is there once, what is held
// stays, and totals are right. QUAYSIDE_FUZZ_MORE=14 kills 42 times.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '../../../src/adapters/node/index/node-sqlite.ts';
import { FUZZ_SEED, fuzzRuns } from '../../fuzz-seed.ts';
import { randomOf } from '../../index/shards/shard-world.ts';
import { type NodeProcess, startNodeProcess } from '../kit/node-process.ts';
import { aws, expectOk, signIn, useNodeProcesses } from '../kit/platform-client.ts';
import { listVersions, type ReadKey, readBucket } from '../kit/read-versions.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';
import {
  type KeyRequest,
  type KeyState,
  nextRequest,
  sendRequest,
  stateAfter,
} from '../kit/version-writes.ts';

useNodeProcesses();

const ROUNDS = fuzzRuns(3);
/** A start takes seconds on a busy machine, and every version is read. */
const LIMIT_MS = ROUNDS * 60_000;
/** Versions of a shard: few, for shards to split and join all the time. */
const SHARD_ROWS = 8;
/** Each has one writer. */
const KEYS = Array.from({ length: 8 }, (_, at) => `d${at % 3}/${at}`);
/** Requests that are acknowledged before a server is killed. */
const ACKNOWLEDGED = { min: 60, max: 180 };
const KILLED_WITHIN_MS = 20;
const BUCKET = 'held';

/** What is at each key, and the request of each of which nobody knows what became of it. */
type Model = {
  readonly states: Map<string, KeyState>;
  readonly unanswered: Map<string, KeyRequest>;
};

const EMPTY: KeyState = { versions: [], uploads: [] };
const NOTHING: ReadKey = { versions: [], uploads: [] };
const etagOf = (body: string) => createHash('md5').update(body).digest('hex');

/** The state with the ids of what is there; null: that is something else. */
function matched(state: KeyState, read: ReadKey): KeyState | null {
  if (state.versions.length !== read.versions.length) return null;
  if (state.uploads.length !== read.uploads.length) return null;
  const areSame = state.versions.every(({ id, body, isHeld }, at) => {
    const one = read.versions[at];
    return (id ?? one?.id) === one?.id && body === one?.body && isHeld === one.isHeld;
  });
  if (!areSame) return null;
  const left = new Set(read.uploads);
  const uploads = state.uploads.flatMap(({ id, parts }) => {
    const etags = [...parts].map(([number, body]) => `${number} ${etagOf(body)}`).toSorted();
    for (const one of left) {
      const read = [...one.etags].map(([number, etag]) => `${number} ${etag}`).toSorted();
      if ((id ?? one.id) !== one.id || `${read}` !== `${etags}`) continue;
      left.delete(one);
      return { id: one.id, parts };
    }
    return [];
  });
  if (uploads.length !== state.uploads.length) return null;
  const versions = state.versions.map((version, at) => ({
    ...version,
    id: read.versions[at]?.id ?? null,
  }));
  return { versions, uploads };
}

/** Reads all that is there and adds it up; the model has it from then on. */
async function check({ url }: NodeProcess, { states, unanswered }: Model): Promise<void> {
  const bucketUrl = `${url}/${BUCKET}`;
  const keys = await readBucket(bucketUrl);
  for (const key of KEYS) {
    const read = keys.get(key) ?? NOTHING;
    const before = states.get(key) ?? EMPTY;
    const request = unanswered.get(key);
    const after = request === undefined ? null : stateAfter(before, request);
    const state = matched(before, read) ?? (after === null ? null : matched(after, read));
    expect(state, `${key}: ${JSON.stringify({ read, before, request })}`).not.toBeNull();
    states.set(key, state ?? EMPTY);
    if (request?.do === 'complete' && before.uploads.length > read.uploads.length) {
      // Who repeats a completion makes no second version.
      const again = await sendRequest(`${bucketUrl}/${key}`, request);
      expect(again?.id, key).toBe(read.versions[0]?.id);
    }
  }
  expect(await countsOf(url)).toEqual(sumsOf(states));
  unanswered.clear();
}

async function countsOf(url: string) {
  const { call } = await signIn(url);
  const totals = await (await expectOk(call('GET', `/buckets/${BUCKET}/totals`))).json();
  const [row] = (totals as { items: readonly Record<string, unknown>[] }).items;
  const none = { objects: 0, bytes: '0' };
  const { current = none, noncurrent = none, uploads = none } = row ?? {};
  return { current, noncurrent, uploads };
}

function sumsOf(states: Model['states']) {
  const all = [...states.values()];
  const sum = (bodies: readonly (string | null | undefined)[]) => {
    const stored = bodies.filter((body) => typeof body === 'string');
    return {
      objects: stored.length,
      bytes: `${stored.reduce((sum, { length }) => sum + length, 0)}`,
    };
  };
  return {
    current: sum(all.map(({ versions }) => versions[0]?.body)),
    noncurrent: sum(all.flatMap(({ versions }) => versions.slice(1).map(({ body }) => body))),
    uploads: sum(all.flatMap(({ uploads }) => uploads.flatMap(({ parts }) => [...parts.values()]))),
  };
}

/** Changes one key until the server is dead. */
async function writeOn(
  bucketUrl: string,
  { states, unanswered }: Model,
  key: string,
  { random, growth, onAcknowledged }: Load & { readonly onAcknowledged: () => void },
): Promise<void> {
  for (;;) {
    const state = states.get(key) ?? EMPTY;
    const request = nextRequest(state, random, growth);
    unanswered.set(key, request);
    const acknowledged = await sendRequest(`${bucketUrl}/${key}`, request);
    if (acknowledged === null) return;
    states.set(key, stateAfter(state, request, acknowledged));
    unanswered.delete(key);
    onAcknowledged();
  }
}

type Load = { readonly random: () => number; readonly growth: number };

/** Loads a server and kills it behind so many acknowledged requests, and some milliseconds. */
async function loadAndKill(node: NodeProcess, model: Model, load: Load): Promise<void> {
  const { random } = load;
  const { min, max } = ACKNOWLEDGED;
  let left = min + Math.floor(random() * (max - min));
  const delayMs = random() * KILLED_WITHIN_MS;
  const { promise: isDue, resolve } = Promise.withResolvers<void>();
  const onAcknowledged = () => {
    left -= 1;
    if (left === 0) resolve();
  };
  const bucketUrl = `${node.url}/${BUCKET}`;
  const writers = KEYS.map((key) => writeOn(bucketUrl, model, key, { ...load, onAcknowledged }));
  let isDead = false;
  const listOn = async () => {
    while (!isDead)
      await listVersions(bucketUrl).catch((error: unknown) => {
        if (!isDead) throw error;
      });
  };
  const lists = listOn();
  // Whoever is refused ends the test.
  await Promise.race([isDue, Promise.all([...writers, lists])]);
  await new Promise((next) => setTimeout(next, delayMs));
  isDead = true;
  await node.end('SIGKILL');
  await Promise.all([...writers, lists]);
}

/** How many shards have keys, how often they changed, and whether a move was cut short. */
function readShards(dataDir: string) {
  const sql = openSqlite(join(dataDir, 'index.sqlite'), { readOnly: false });
  try {
    const [row] = sql.all<{ shards: number; changes: number; cut: number }>(
      `SELECT count(state ->> '$.range') AS shards, sum(revision) AS changes,
         max(state ->> '$.frozen' IS NOT NULL OR state ->> '$.incoming' IS NOT NULL) AS cut
       FROM shards JOIN buckets ON n = shards.bucket`,
    );
    return row ?? { shards: 0, changes: 0, cut: 0 };
  } finally {
    sql.close();
  }
}

it('a server that is killed while versions and uploads move loses and repeats nothing', {
  timeout: LIMIT_MS,
}, async () => {
  const random = randomOf(FUZZ_SEED);
  const dataDir = temporaryFolder();
  const model: Model = { states: new Map(), unanswered: new Map() };
  const start = () =>
    startNodeProcess(dataDir, {
      QUAYSIDE_SHARD_ROWS: `${SHARD_ROWS}`,
      QUAYSIDE_API_REQUESTS_PER_MINUTE: '1000000',
    });
  const seen = { shards: 0, changes: 0, cut: 0 };
  let node = await start();
  const headers = { 'x-amz-bucket-object-lock-enabled': 'true' };
  await expectOk(aws.fetch(`${node.url}/${BUCKET}`, { method: 'PUT', headers }));
  for (let round = 0; round < ROUNDS; round++) {
    // Growing buckets split, shrinking ones are joined.
    await loadAndKill(node, model, { random, growth: round % 2 === 0 ? 0.9 : 0.2 });
    const { shards, changes, cut } = readShards(dataDir);
    seen.shards = Math.max(seen.shards, shards);
    seen.changes = changes;
    seen.cut += cut;
    node = await start();
    await check(node, model).catch((error: unknown) => {
      throw new Error(`round ${round} of seed ${FUZZ_SEED}`, { cause: error });
    });
  }
  expect(seen.shards).toBeGreaterThan(1);
  // A move of a slice changes two states four times.
  expect(seen.changes).toBeGreaterThan(4 * ROUNDS);
  await node.end('SIGTERM');
});
