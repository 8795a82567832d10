// Does a real tree survive the round trip? Every file of this repo's node_modules goes up through
// the S3 API, is listed with and without a delimiter, comes down and is compared byte for byte, on
// both platforms. Fails on any difference.
import { createHash } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { Agent } from 'node:http';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CreateBucketCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { inParallel, removeBucket } from '../test/wire/kit/clients/bucket-work.ts';
import { createClient, freshBucketName, type WireClient } from '../test/wire/kit/clients/client.ts';
import { onEachPlatform } from './lib/platforms.ts';
import { printTable } from './lib/table.ts';

const ROOT = fileURLToPath(new URL('../node_modules', import.meta.url));
const BUCKET = freshBucketName();
const WIDTH = 16;
/** The issue asks for a tree of at least this many files. */
const MIN_FILES = 10_000;

type Entry = { readonly sizeBytes: number; readonly etag: string };

const isFile = (entry: Dirent) => entry.isFile();
const md5 = (bytes: Uint8Array) => `"${createHash('md5').update(bytes).digest('hex')}"`;

/**
 * Keys of all regular files below the root, without the caches that tools keep there: those change
 * meanwhile.
 */
async function keysOfTree(): Promise<string[]> {
  const entries = await readdir(ROOT, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter(isFile)
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));
  return paths.map((path) => path.split(sep).join('/')).filter((key) => !key.startsWith('.'));
}

async function timed<Result>(
  work: () => Promise<Result>,
): Promise<[result: Result, seconds: number]> {
  const startedAtMs = performance.now();
  const result = await work();
  return [result, (performance.now() - startedAtMs) / 1000];
}

async function upload(client: WireClient, keys: readonly string[]): Promise<Map<string, Entry>> {
  const agent = new Agent({ keepAlive: true, maxSockets: WIDTH });
  const sent = new Map<string, Entry>();
  await inParallel(keys, WIDTH, async (key) => {
    const body = await readFile(join(ROOT, key));
    const reply = await client.send({
      method: 'PUT',
      bucket: BUCKET,
      key,
      body,
      payloadHash: 'UNSIGNED-PAYLOAD',
      agent,
    });
    if (reply.status !== 200 || reply.headers.etag !== md5(body))
      throw new Error(`PUT ${key}: ${reply.status} ${reply.text}`);
    sent.set(key, { sizeBytes: body.length, etag: md5(body) });
  });
  agent.destroy();
  return sent;
}

/** Everything under a prefix, page by page; with a delimiter, folder by folder. */
async function list(
  client: WireClient,
  Prefix: string,
  Delimiter: string | undefined,
  found: Map<string, Entry>,
) {
  const folders: string[] = [];
  for (let ContinuationToken: string | undefined; ; ) {
    const page = await client.s3.send(
      new ListObjectsV2Command({ Bucket: BUCKET, Prefix, Delimiter, ContinuationToken }),
    );
    for (const { Key = '', Size = -1, ETag = '' } of page.Contents ?? [])
      found.set(Key, { sizeBytes: Size, etag: ETag });
    for (const { Prefix: folder = '' } of page.CommonPrefixes ?? []) folders.push(folder);
    ContinuationToken = page.NextContinuationToken;
    if (ContinuationToken === undefined) break;
  }
  for (const folder of folders) await list(client, folder, Delimiter, found);
  return found;
}

async function download(client: WireClient, keys: readonly string[]): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: WIDTH });
  let different = 0;
  await inParallel(keys, WIDTH, async (key) => {
    const reply = await client.send({ method: 'GET', bucket: BUCKET, key, agent });
    if (reply.status !== 200 || !reply.body.equals(await readFile(join(ROOT, key)))) different++;
  });
  agent.destroy();
  return different;
}

/** How many entries are missing, too many or other than expected. */
function differences(
  expected: ReadonlyMap<string, Entry>,
  found: ReadonlyMap<string, Entry>,
): number {
  let count = 0;
  for (const [key, { sizeBytes, etag }] of expected) {
    const entry = found.get(key);
    if (entry === undefined || entry.sizeBytes !== sizeBytes || entry.etag !== etag) count++;
  }
  return count + Math.max(0, found.size - expected.size);
}

const keys = await keysOfTree();
if (keys.length < MIN_FILES)
  throw new Error(`${ROOT} has ${keys.length} files, ${MIN_FILES} are needed`);
const rows: (string | number)[][] = [
  ['platform', 'files', 'MB', 'up s', 'flat list s', 'list by folder s', 'down s', 'different'],
];
let failures = 0;

await onEachPlatform(async ({ target }) => {
  const client = createClient(target);
  await client.s3.send(new CreateBucketCommand({ Bucket: BUCKET }));
  const [sent, upSeconds] = await timed(() => upload(client, keys));
  const [flat, flatSeconds] = await timed(() => list(client, '', undefined, new Map()));
  const [walked, walkSeconds] = await timed(() => list(client, '', '/', new Map()));
  const [different, downSeconds] = await timed(() => download(client, keys));
  const bytes = [...sent.values()].reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  if (!target.isTemporary) await removeBucket(client, BUCKET);
  const wrong = differences(sent, flat) + differences(sent, walked) + different;
  failures += wrong;
  const seconds = [upSeconds, flatSeconds, walkSeconds, downSeconds].map((value) =>
    value.toFixed(1),
  );
  rows.push([target.platform, keys.length, Math.round(bytes / 1e6), ...seconds, wrong]);
});

printTable(rows);
process.exitCode = failures === 0 ? 0 : 1;
