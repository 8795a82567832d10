// What does a share link cost above a public object? The Node platform over sockets, 10 KiB, 64
// connections, requests and CPU a request of the serving process, rounds interleaved: the public
// object, an unlimited link to it, a link to a private one, and a link with a limit, which the
// index counts. Options: --rounds 7, --seconds 1 of a round, --port 19670.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AwsClient } from 'aws4fetch';
import { BUCKET, publish, writeFixtures } from '../delivery/fixtures.ts';
import { missingPrograms } from '../lib/programs.ts';
import { ACCESS_KEY, SECRET_KEY, type Server, startQuayside } from '../lib/servers.ts';
import { socketLoad } from '../lib/socket-load.ts';
import { median, printTable } from '../lib/table.ts';
import { type LoadResult, load } from '../lib/wrk.ts';

const FILE = '10k';
const BODY_BYTES = 10 * 1024;
const PRIVATE = 'links-private';
/** More downloads than a bench makes. */
const LIMIT = 1_000_000_000;
/** How far an unlimited link may stand behind a public object. */
const TARGET = 0.05;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1' },
    port: { type: 'string', default: '19670' },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
/** Without wrk a load of our own, whose numbers are lower and compare all the same. */
const loadOver = missingPrograms(['wrk', 'taskset']).length > 0 ? socketLoad : load;

/** Signs in and gives what sends JSON to the API. */
async function signIn(server: Server) {
  const call = async (path: string, body: object, headers: Record<string, string> = {}) => {
    const reply = await fetch(`${server.url}/-/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return { reply, json: (await reply.json()) as { readonly url: string } };
  };
  const login = { accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY };
  const { reply } = await call('/sessions', login);
  const cookie = (reply.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return async (bucket: string, limits: object): Promise<string> => {
    const target = { kind: 'object', key: FILE };
    const made = await call(`/buckets/${bucket}/share-links`, { target, limits }, { cookie });
    return made.json.url;
  };
}

/** A bucket that nobody may read, with the same object. */
async function putPrivately(server: Server): Promise<void> {
  const aws = new AwsClient({
    accessKeyId: ACCESS_KEY,
    secretAccessKey: SECRET_KEY,
    service: 's3',
    region: 'auto',
  });
  const put = async (path: string, body?: Uint8Array<ArrayBuffer>) => {
    const init = body === undefined ? { method: 'PUT' } : { method: 'PUT', body };
    const reply = await aws.fetch(`${server.url}/${path}`, init);
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
  };
  await put(PRIVATE);
  await put(`${PRIVATE}/${FILE}`, new Uint8Array(BODY_BYTES).fill(7));
}

const folder = await mkdtemp(join(tmpdir(), 'quayside-links-'));
let server: Server | null = null;
try {
  await writeFixtures(folder, [FILE]);
  server = await startQuayside(Number(values.port), {});
  const { pids, url } = server;
  await publish(server, folder, [FILE]);
  await putPrivately(server);
  const make = await signIn(server);
  const kinds: { name: string; url: string; results: LoadResult[] }[] = [
    { name: 'public object', url: `${url}/${BUCKET}/${FILE}`, results: [] },
    { name: 'unlimited link, public bucket', url: await make(BUCKET, {}), results: [] },
    { name: 'unlimited link, private bucket', url: await make(PRIVATE, {}), results: [] },
    { name: 'limited link', url: await make(PRIVATE, { downloads: LIMIT }), results: [] },
  ];
  for (let round = 0; round <= rounds; round++) {
    for (const kind of kinds) {
      const options = { url: kind.url, connections: 64, seconds, bodyBytes: BODY_BYTES };
      const result = await loadOver(options, pids);
      if (round > 0) kind.results.push(result);
    }
  }
  const open = kinds[0]?.results ?? [];
  const ratio = (own: readonly LoadResult[], of: (result: LoadResult) => number) =>
    median(own.map((result, i) => of(result) / of(open[i] ?? result)));
  const rows: (string | number)[][] = [
    ['request', 'requests/s', 'CPU µs', 'rps / public', 'CPU / public', 'p99 ms', 'within 5 %'],
  ];
  for (const { name, results } of kinds) {
    const requests = ratio(results, (own) => own.requestsPerSecond);
    const cpu = ratio(results, (own) => own.cpuMicrosPerRequest);
    const isTarget = name.startsWith('unlimited');
    const holds = requests >= 1 - TARGET && cpu <= 1 + TARGET;
    rows.push([
      name,
      median(results.map((own) => own.requestsPerSecond)).toFixed(0),
      median(results.map((own) => own.cpuMicrosPerRequest)).toFixed(1),
      requests.toFixed(2),
      cpu.toFixed(2),
      median(results.map((own) => own.p99Ms)).toFixed(1),
      isTarget ? (holds ? 'yes' : 'no') : '',
    ]);
  }
  printTable(rows);
} finally {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}
