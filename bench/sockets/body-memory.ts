// What does a GET of 1 MiB cost, by how much of the hot set the memory tier of bodies can hold?
// The Node platform, 16 connections, objects asked for in random order, CPU a request of the
// serving process, rounds interleaved. Public reads and signed ones. Options: --rounds 5, --seconds
// 2 of a round, --sets 16,64,256 (objects), --memory 41943040 (bytes of the tier), --before FOLDER
// (another checkout, to compare with), --port 19670 and the one behind it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AwsClient, AwsV4Signer } from 'aws4fetch';
import { BUCKET, publish } from '../delivery/fixtures.ts';
import { missingPrograms } from '../lib/programs.ts';
import { ACCESS_KEY, SECRET_KEY, type Server, startQuayside } from '../lib/servers.ts';
import { median, printTable } from '../lib/table.ts';
import { type LoadResult, load } from '../lib/wrk.ts';
import { createRandom } from '../simulate/random.ts';

const BODY_BYTES = 1024 * 1024;
/** Requests of one file, sent again and again. */
const REQUESTS = 4096;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    sets: { type: 'string', default: '16,64,256' },
    memory: { type: 'string', default: `${40 * 1024 * 1024}` },
    before: { type: 'string' },
    port: { type: 'string', default: '19670' },
  },
});
const rounds = Number(values.rounds);
const sets = values.sets.split(',').map(Number);
const missing = missingPrograms(['wrk', 'taskset']);
if (missing.length > 0) {
  process.stdout.write(`skipped: this machine has no ${missing.join(', ')}\n`);
  process.exit(0);
}

async function putObjects({ url }: Server, count: number): Promise<void> {
  const client = new AwsClient({
    accessKeyId: ACCESS_KEY,
    secretAccessKey: SECRET_KEY,
    service: 's3',
    region: 'auto',
  });
  for (let i = 0; i < count; i++) {
    const body = Buffer.alloc(BODY_BYTES, `object ${i} `);
    const response = await client.fetch(`${url}/${BUCKET}/${i}`, { method: 'PUT', body });
    if (!response.ok) throw new Error(`PUT: ${response.status} ${await response.text()}`);
  }
}

/** Lines of wrk.lua: objects of the set in random order. */
async function requestsOf(url: string, objects: number, isSigned: boolean): Promise<string> {
  const random = createRandom(1);
  const lines: string[] = [];
  for (let i = 0; i < REQUESTS; i++) {
    const path = `/${BUCKET}/${Math.floor(random() * objects)}`;
    const headers: string[] = [];
    if (isSigned) {
      const signed = await new AwsV4Signer({
        url: url + path,
        accessKeyId: ACCESS_KEY,
        secretAccessKey: SECRET_KEY,
        service: 's3',
        region: 'auto',
      }).sign();
      for (const [name, value] of signed.headers)
        if (name !== 'host') headers.push(`${name}: ${value}`);
    }
    lines.push([path, ...headers].join('\t'));
  }
  return `${lines.join('\n')}\n`;
}

type Row = {
  readonly by: string;
  readonly objects: number;
  readonly kind: string;
  readonly server: Server;
  readonly requestsFile: string;
  readonly results: LoadResult[];
};

const folder = await mkdtemp(join(tmpdir(), 'quayside-body-memory-'));
const running: Server[] = [];
try {
  const rows: Row[] = [];
  for (const [i, checkout] of [undefined, values.before].entries()) {
    if (i > 0 && checkout === undefined) continue;
    const by = i === 0 ? 'now' : 'before';
    const settings = { QUAYSIDE_BODY_MEMORY_BYTES: values.memory };
    const server = await startQuayside(Number(values.port) + i, settings, checkout);
    running.push(server);
    await publish(server, folder, []);
    await putObjects(server, Math.max(...sets));
    for (const objects of sets) {
      for (const kind of ['public', 'signed']) {
        const requestsFile = join(folder, `${by}-${kind}-${objects}`);
        await writeFile(requestsFile, await requestsOf(server.url, objects, kind === 'signed'));
        rows.push({ by, objects, kind, server, requestsFile, results: [] });
      }
    }
  }

  for (const objects of sets) {
    const ofSet = rows.filter((row) => row.objects === objects);
    for (let round = 0; round <= rounds; round++) {
      for (const { server, requestsFile, results } of ofSet) {
        const url = server.url;
        const seconds = Number(values.seconds);
        const options = { url, connections: 16, seconds, bodyBytes: BODY_BYTES, requestsFile };
        const result = await load(options, server.pids);
        if (round > 0) results.push(result);
      }
    }
  }

  const table: (string | number)[][] = [['hot set', 'reads', 'code', 'GET/s', 'CPU ms', 'p99 ms']];
  for (const { by, objects, kind, results } of rows) {
    table.push([
      `${objects} MiB`,
      kind,
      by,
      median(results.map((own) => own.requestsPerSecond)).toFixed(0),
      (median(results.map((own) => own.cpuMicrosPerRequest)) / 1000).toFixed(3),
      median(results.map((own) => own.p99Ms)).toFixed(1),
    ]);
  }
  printTable(table);
} finally {
  for (const server of running) await server.stop();
  await rm(folder, { recursive: true, force: true });
}
