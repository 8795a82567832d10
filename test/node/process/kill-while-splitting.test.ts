// kill -9 while a bucket splits into shards of some rows and joins them again, under writers and
// readers of lists: no acknowledged write is lost, a list shows each key once, totals are right.
// QUAYSIDE_FUZZ_MORE=67 kills 201 times.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openSqlite } from '../../../src/adapters/node/index/node-sqlite.ts';
import { FUZZ_SEED, fuzzRuns } from '../../fuzz-seed.ts';
import { pickOf, randomOf } from '../../index/shards/shard-world.ts';
import { type NodeProcess, startNodeProcess } from '../kit/node-process.ts';
import { aws, expectOk, signIn, useNodeProcesses } from '../kit/platform-client.ts';
import { temporaryFolder } from '../kit/temporary-folder.ts';

useNodeProcesses();

const ROUNDS = fuzzRuns(3);
/** A start takes seconds on a busy machine. */
const LIMIT_MS = ROUNDS * 30_000;
/** Rows of a shard: few, for shards to split and join all the time. */
const SHARD_ROWS = 8;
const WRITERS = 6;
const KEYS = Array.from({ length: 120 }, (_, at) => `d${at % 5}/${String(at).padStart(3, '0')}`);
/** Requests that are acknowledged before a server is killed. */
const ACKNOWLEDGED = { min: 80, max: 240 };
const KILLED_WITHIN_MS = 20;

/** What a key may say after a crash: its body, null for none; two while a request is under way. */
type Model = Map<string, readonly (string | null)[]>;

/** A row of `shards`, as far as it says what a crash has cut short. */
type ShardRow = {
  readonly range: object | null;
  readonly frozen: object | null;
  readonly incoming: object | null;
  readonly revision: number;
};

const textsOf = (xml: string, element: string) =>
  [...xml.matchAll(new RegExp(`<${element}>([^<]*)</${element}>`, 'g'))].map(
    ([, text = '']) => text,
  );
const etagOf = (body: string) => createHash('md5').update(body).digest('hex');

/** All keys of the bucket by short pages, with their entity tags. Throws when one comes twice. */
async function listAll(url: string): Promise<Map<string, string>> {
  const listed = new Map<string, string>();
  let last = '';
  for (let token = ''; ; ) {
    const page = `list-type=2&max-keys=17&continuation-token=${encodeURIComponent(token)}`;
    const query = token === '' ? 'list-type=2&max-keys=17' : page;
    const xml = await (await expectOk(aws.fetch(`${url}/split?${query}`))).text();
    const etags = textsOf(xml, 'ETag');
    for (const [at, key] of textsOf(xml, 'Key').entries()) {
      if (listed.has(key)) throw new Error(`${key} comes twice`);
      if (last >= key) throw new Error(`${key} comes behind ${last}`);
      last = key;
      listed.set(key, (etags[at] ?? '').replaceAll('&quot;', ''));
    }
    [token = ''] = textsOf(xml, 'NextContinuationToken');
    if (token === '') return listed;
  }
}

/** The body of a key; null: there is none. */
async function read(url: string, key: string): Promise<string | null> {
  const response = await aws.fetch(`${url}/split/${key}`);
  const body = await response.text();
  if (response.status === 404) return null;
  expect(response.status, key).toBe(200);
  return body;
}

/** Reads every key, lists them and adds them up; the model has what is there from then on. */
async function check({ url }: NodeProcess, model: Model): Promise<void> {
  const listed = await listAll(url);
  const bodies = await Promise.all(KEYS.map((key) => read(url, key)));
  let bytes = 0;
  for (const [at, key] of KEYS.entries()) {
    const body = bodies[at] ?? null;
    expect(model.get(key), key).toContain(body);
    model.set(key, [body]);
    expect(listed.get(key), key).toBe(body === null ? undefined : etagOf(body));
    bytes += body?.length ?? 0;
  }
  const { call } = await signIn(url);
  const totals = await (await expectOk(call('GET', '/buckets/split/totals'))).json();
  const [row] = (totals as { items: readonly { current: unknown }[] }).items;
  const none = { objects: 0, bytes: '0' };
  const current = row?.current ?? none;
  expect(current).toMatchObject({ objects: listed.size, bytes: `${bytes}` });
}

/** Writes to keys that no other writer has, until the server is dead. */
async function writeOn(
  url: string,
  model: Model,
  keys: readonly string[],
  random: () => number,
  { growth, onAcknowledged }: { readonly growth: number; readonly onAcknowledged: () => void },
): Promise<void> {
  for (let at = 0; ; at++) {
    const key = pickOf(random, keys);
    const before = model.get(key) ?? [null];
    const isPut = random() < growth;
    const body = isPut ? `${key} ${at} ${random()}`.padEnd(100 + Math.floor(random() * 50)) : null;
    model.set(key, [...before, body]);
    const request = isPut ? { method: 'PUT', body: body ?? '' } : { method: 'DELETE' };
    const response = await aws.fetch(`${url}/split/${key}`, request).catch(() => null);
    if (response === null) return;
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
    model.set(key, [body]);
    onAcknowledged();
    await response.arrayBuffer().catch(() => null);
  }
}

/** Lists until the server is dead. */
async function listOn(url: string, isDead: () => boolean): Promise<number> {
  for (let lists = 0; ; lists++) {
    try {
      await listAll(url);
    } catch (error) {
      if (!isDead()) throw error;
      return lists;
    }
  }
}

/** Loads a server and kills it behind so many acknowledged writes, and some milliseconds. */
async function loadAndKill(
  node: NodeProcess,
  model: Model,
  random: () => number,
  growth: number,
): Promise<number> {
  const { min, max } = ACKNOWLEDGED;
  let left = min + Math.floor(random() * (max - min));
  const delayMs = random() * KILLED_WITHIN_MS;
  const { promise: isDue, resolve } = Promise.withResolvers<void>();
  const onAcknowledged = () => {
    left -= 1;
    if (left === 0) resolve();
  };

  const writers = Array.from({ length: WRITERS }, (_, writer) => {
    const own = KEYS.filter((_key, at) => at % WRITERS === writer);
    return writeOn(node.url, model, own, random, { growth, onAcknowledged });
  });
  let isDead = false;
  const lists = listOn(node.url, () => isDead);
  // Whoever is refused ends the test.
  await Promise.race([isDue, Promise.all([...writers, lists])]);
  await new Promise((next) => setTimeout(next, delayMs));
  isDead = true;
  await node.end('SIGKILL');
  await Promise.all(writers);
  return lists;
}

/** What stands in the index of a server that is dead. */
function readShards(dataDir: string): readonly ShardRow[] {
  const sql = openSqlite(join(dataDir, 'index.sqlite'), { readOnly: false });
  try {
    const rows = sql.all<{ state: string; revision: number }>(
      'SELECT state, revision FROM shards JOIN buckets ON n = shards.bucket',
    );
    return rows.map(({ state, revision }) => ({ ...JSON.parse(state), revision }));
  } finally {
    sql.close();
  }
}

it('a server that is killed while its buckets split and join loses nothing', {
  timeout: LIMIT_MS,
}, async () => {
  const random = randomOf(FUZZ_SEED);
  const dataDir = temporaryFolder();
  const model: Model = new Map(KEYS.map((key) => [key, [null]]));
  const start = () =>
    startNodeProcess(dataDir, {
      QUAYSIDE_SHARD_ROWS: `${SHARD_ROWS}`,
      QUAYSIDE_API_REQUESTS_PER_MINUTE: '1000000',
    });
  const seen = { shards: 0, changes: 0, cutShort: 0, lists: 0 };
  let node = await start();
  await expectOk(aws.fetch(`${node.url}/split`, { method: 'PUT' }));
  for (let round = 0; round < ROUNDS; round++) {
    // Growing buckets split, shrinking ones are joined.
    const growth = round % 2 === 0 ? 0.95 : 0.05;
    seen.lists += await loadAndKill(node, model, random, growth);
    const shards = readShards(dataDir);
    seen.shards = Math.max(seen.shards, shards.filter(({ range }) => range !== null).length);
    seen.changes = shards.reduce((sum, { revision }) => sum + revision, 0);
    const isCut = shards.some(({ frozen, incoming }) => frozen !== null || incoming !== null);
    if (isCut) seen.cutShort += 1;
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
