// Which files does a request enter? Function coverage by V8 of the Node platform in this process:
// for each walk the files of which a function ran in every one of five requests, the first ones
// left out. Timers of the server drop out so. Options: --port 19670, --functions to see what ran.
import { mkdtemp, rm } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AwsClient } from 'aws4fetch';
import { publicPolicy } from '../../test/access-samples.ts';
import { printTable } from '../lib/table.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '19670' },
    functions: { type: 'boolean', default: false },
  },
});
const ROUNDS = 5;
const WARM_ROUNDS = 20;
/** Stored in a file, not in the row. */
const BODY = new Uint8Array(300_000).fill(120);
const ORIGIN = `http://127.0.0.1:${values.port}`;
const ACCESS_KEY = 'walks-key';
const SECRET_KEY = 'walks-secret-of-a-bench';
const BUCKET = 'walks';

type Walk = {
  readonly name: string;
  /** Sends request number `i`. */
  readonly send: (i: number) => Promise<Response>;
  /** What must have happened before that request. */
  readonly before?: (i: number) => Promise<unknown>;
};

/** What stands under a walk, in the order in which a file is put to one of them. */
const ROOMS: readonly (readonly [name: string, prefix: RegExp])[] = [
  ['adapters', /^adapters\//],
  ['leaves', /^(?:domain|ports|crypto|http\/semantics|http\/observe)\//],
  ['signature', /^http\/s3\/signature\//],
  ['features', /^http\/\w+\/features\//],
  ['main line', /^/],
];

const dataDir = await mkdtemp(join(tmpdir(), 'quayside-walks-'));
Object.assign(process.env, {
  QUAYSIDE_PORT: values.port,
  QUAYSIDE_HOST: '127.0.0.1',
  QUAYSIDE_DATA_DIR: dataDir,
  QUAYSIDE_ROOT_ACCESS_KEY: ACCESS_KEY,
  QUAYSIDE_ROOT_SECRET_KEY: SECRET_KEY,
});
// The options are ours, not the server's.
process.argv.length = 2;
const session = new Session();
session.connect();
await import('../../src/node.ts');
const client = new AwsClient({
  accessKeyId: ACCESS_KEY,
  secretAccessKey: SECRET_KEY,
  service: 's3',
  region: 'auto',
  retries: 0,
});
await untilReady();

const url = (key: string) => `${ORIGIN}/${BUCKET}/${key}`;
const put = (key: string) => client.fetch(url(key), { method: 'PUT', body: BODY });
await succeed(client.fetch(`${ORIGIN}/${BUCKET}`, { method: 'PUT' }));
await succeed(
  client.fetch(`${ORIGIN}/${BUCKET}?policy`, { method: 'PUT', body: publicPolicy(BUCKET) }),
);
await succeed(put('hot'));
const cookie = await signIn();

const WALKS: readonly Walk[] = [
  { name: 'hot public GET', send: () => fetch(url('hot')) },
  {
    name: 'cold public GET',
    before: (i) => put(`cold-${i}`),
    send: (i) => fetch(url(`cold-${i}`)),
  },
  { name: 'signed PUT', send: (i) => put(`put-${i}`) },
  { name: 'ListObjectsV2', send: () => client.fetch(`${ORIGIN}/${BUCKET}?list-type=2`) },
  {
    name: 'JSON call (GET /members)',
    send: () => fetch(`${ORIGIN}/-/api/v1/members`, { headers: { cookie } }),
  },
];

await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
const rows: (string | number)[][] = [['walk', ...ROOMS.map(([name]) => name).toReversed()]];
for (const walk of WALKS) {
  const files = await filesOf(walk);
  const byRoom = Map.groupBy(files.keys(), (path) => roomOf(path));
  rows.push([walk.name, ...ROOMS.map(([name]) => byRoom.get(name)?.length ?? 0).toReversed()]);
  process.stdout.write(`\n${walk.name}\n`);
  for (const [room] of ROOMS.toReversed())
    for (const path of (byRoom.get(room) ?? []).sort())
      process.stdout.write(
        `  ${room}: ${path}${values.functions ? ` (${files.get(path)})` : ''}\n`,
      );
}
process.stdout.write('\n');
printTable(rows);
await rm(dataDir, { recursive: true, force: true });
process.exit(0);

function roomOf(path: string): string {
  return ROOMS.find(([, prefix]) => prefix.test(path))?.[0] ?? '';
}

/** The files that every request of a walk enters, with the functions of the last one. */
async function filesOf({ before, send }: Walk): Promise<ReadonlyMap<string, string>> {
  for (let i = 0; i < WARM_ROUNDS; i++) {
    await before?.(i);
    await succeed(send(i));
  }
  let common: ReadonlyMap<string, string> | null = null;
  for (let i = WARM_ROUNDS; i < WARM_ROUNDS + ROUNDS; i++) {
    await before?.(i);
    // What runs behind the response of what was sent before.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await session.post('Profiler.takePreciseCoverage');
    await succeed(send(i));
    const entered = await coverage();
    const earlier: ReadonlyMap<string, string> = common ?? entered;
    common = new Map([...entered].filter(([path]) => earlier.has(path)));
  }
  return common ?? new Map();
}

async function coverage(): Promise<ReadonlyMap<string, string>> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const entered = new Map<string, string>();
  for (const { url: script, functions } of result) {
    const path = script.split('/src/')[1];
    // The one that begins at 0 is the module itself.
    const ran = functions.filter(
      ({ ranges: [range] }) => range !== undefined && range.count > 0 && range.startOffset > 0,
    );
    if (path !== undefined && ran.length > 0)
      entered.set(path, ran.map(({ functionName }) => functionName || '=>').join(', '));
  }
  return entered;
}

async function succeed(response: Promise<Response>): Promise<Response> {
  const received = await response;
  const body = await received.text();
  if (!received.ok) throw new Error(`${received.url}: ${received.status} ${body}`);
  return received;
}

async function signIn(): Promise<string> {
  const response = await succeed(
    fetch(`${ORIGIN}/-/api/v1/sessions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY }),
    }),
  );
  return response.headers.getSetCookie()[0]?.split(';')[0] ?? '';
}

async function untilReady(): Promise<void> {
  for (let attempt = 0; attempt < 120; attempt++) {
    const isUp = await fetch(`${ORIGIN}/-/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error('The server does not start.');
}
