// Does anything acknowledged get lost when the process is killed? 50 rounds of `kill -9` in the
// middle of a storm of puts, overwrites, multipart uploads and deletions; after each restart every
// object must be one that was sent, whole, and none older than the last acknowledged one. Node
// only: Cloudflare's storage is not ours to kill.
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { inParallel } from '../test/wire/kit/clients/bucket-work.ts';
import { createClient, type WireClient } from '../test/wire/kit/clients/client.ts';
import { startNode } from '../test/wire/kit/server.ts';
import { median, printTable } from './lib/table.ts';

const ROUNDS = Number(process.env.QUAYSIDE_CRASH_ROUNDS ?? 50);
const BUCKET = 'crash';
const WRITERS = 24;
/** Few enough that overwrites meet, many enough that fresh keys go on coming. */
const KEYS_PER_ROUND = 400;
/** Below and above the inline threshold, and of several chunks. */
const SIZES_BYTES = [0, 200, 10_000, 40_000, 300_000];
/** A storm lasts between these, milliseconds. */
const STORM_MS = [150, 700] as const;
/** A restart may take this long until the first answer. Source: the issue. */
const READY_LIMIT_MS = 2000;

/**
 * What may stand at a key: the acknowledged state, or any that was sent since and not acknowledged.
 * null: nothing.
 */
type Expectation = { acknowledged: string | null; readonly pending: Set<string | null> };

/** Bytes that a version names, so that only the name has to be kept. */
function bodyOf(version: string): Buffer {
  const sizeBytes = Number(version.split('/')[0]);
  const unit = createHash('sha256').update(version).digest('hex');
  return Buffer.alloc(sizeBytes, unit);
}

type Storm = { acknowledged: number; readonly refused: string[] };

/**
 * Writes, overwrites and deletes until the connection breaks. Notes what was sent, acknowledged and
 * refused.
 */
async function storm(
  client: WireClient,
  round: number,
  expectations: Map<string, Expectation>,
): Promise<Storm> {
  const result: Storm = { acknowledged: 0, refused: [] };
  let sequence = 0;
  const busy = new Set<string>();
  const agent = new Agent({ keepAlive: true, maxSockets: WRITERS });

  async function writer(): Promise<void> {
    for (;;) {
      const key = `${round}/${Math.floor(Math.random() * KEYS_PER_ROUND)}`;
      // One writer per key: then the last acknowledgement says what must be there.
      if (busy.has(key)) continue;
      busy.add(key);
      const expectation = expectations.get(key) ?? { acknowledged: null, pending: new Set() };
      expectations.set(key, expectation);
      const isDeletion = Math.random() < 0.1;
      const sizeBytes = SIZES_BYTES[Math.floor(Math.random() * SIZES_BYTES.length)] ?? 0;
      const version = isDeletion ? null : `${sizeBytes}/${round}/${sequence++}`;
      expectation.pending.add(version);
      const status = await write(client, key, version, agent);
      busy.delete(key);
      if (status !== 200 && status !== 204) {
        result.refused.push(`${key}: refused with ${status}`);
        continue;
      }
      expectation.acknowledged = version;
      expectation.pending.clear();
      result.acknowledged++;
    }
  }
  await Promise.allSettled(Array.from({ length: WRITERS }, writer));
  agent.destroy();
  return result;
}

async function write(
  client: WireClient,
  key: string,
  version: string | null,
  agent: Agent,
): Promise<number> {
  const at = { bucket: BUCKET, key, agent };
  if (version === null) return (await client.send({ method: 'DELETE', ...at })).status;
  const body = bodyOf(version);
  if (!version.startsWith('40000/'))
    return (await client.send({ method: 'PUT', ...at, body })).status;
  const started = await client.send({ method: 'POST', ...at, query: { uploads: '' } });
  const uploadId = /<UploadId>([^<]+)/.exec(started.text)?.[1] ?? '';
  const part = await client.send({
    method: 'PUT',
    ...at,
    query: { partNumber: '1', uploadId },
    body,
  });
  const document =
    '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>' +
    `${part.headers.etag}</ETag></Part></CompleteMultipartUpload>`;
  return (await client.send({ method: 'POST', ...at, query: { uploadId }, body: document })).status;
}

/**
 * Compares what stands at each key with what may stand there; settles the expectation. Returns what
 * is wrong.
 */
async function verify(
  client: WireClient,
  expectations: Map<string, Expectation>,
  prefix: string,
): Promise<string[]> {
  const wrong: string[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: WRITERS });
  const keys = [...expectations.keys()].filter((key) => key.startsWith(prefix));
  const present = new Set<string>();
  await inParallel(keys, WRITERS, async (key) => {
    const expectation = expectations.get(key);
    if (expectation === undefined) return;
    const reply = await client.send({ method: 'GET', bucket: BUCKET, key, agent });
    const candidates = [expectation.acknowledged, ...expectation.pending];
    const found = candidates.find((version) =>
      version === null
        ? reply.status === 404
        : reply.status === 200 && reply.body.equals(bodyOf(version)),
    );
    if (found === undefined)
      wrong.push(
        `${key}: ${reply.status}, ${reply.body.length} bytes, none of ${candidates.join(' ')}`,
      );
    else {
      expectation.acknowledged = found;
      expectation.pending.clear();
      if (found !== null) present.add(key);
    }
  });
  agent.destroy();
  const listed = new Set<string>();
  for await (const page of paginateListObjectsV2(
    { client: client.s3 },
    { Bucket: BUCKET, Prefix: prefix },
  )) {
    for (const { Key = '' } of page.Contents ?? []) listed.add(Key);
  }
  for (const key of listed.symmetricDifference(present))
    wrong.push(`${key}: listed ${listed.has(key)}, readable ${present.has(key)}`);
  return wrong;
}

const folder = await mkdtemp(join(tmpdir(), 'quayside-crash-'));
const expectations = new Map<string, Expectation>();
const readyMs: number[] = [];
const wrong: string[] = [];
let acknowledged = 0;

try {
  for (let round = 0; round <= ROUNDS; round++) {
    const server = await startNode({ folder });
    try {
      readyMs.push(server.readyAfterMs);
      const client = createClient(server.target);
      if (round === 0) await client.send({ method: 'PUT', bucket: BUCKET });
      else wrong.push(...(await verify(client, expectations, `${round - 1}/`)));
      if (round === ROUNDS) wrong.push(...(await verify(client, expectations, '')));
      else {
        const [least, most] = STORM_MS;
        setTimeout(() => server.process.kill('SIGKILL'), least + Math.random() * (most - least));
        const result = await storm(client, round, expectations);
        acknowledged += result.acknowledged;
        wrong.push(...result.refused);
      }
    } finally {
      await server.stop();
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}

const slowest = Math.max(...readyMs.slice(1));
printTable([
  [
    'kills',
    'acknowledged writes',
    'keys',
    'lost, partial, wrong or refused',
    'ready after, median ms',
    'at most ms',
  ],
  [
    ROUNDS,
    acknowledged,
    expectations.size,
    wrong.length,
    Math.round(median(readyMs.slice(1))),
    Math.round(slowest),
  ],
]);
for (const line of wrong.slice(0, 20)) process.stdout.write(`${line}\n`);
process.exitCode = wrong.length === 0 && slowest < READY_LIMIT_MS ? 0 : 1;
