// What does a read cost that is refused, or that only says that nothing changed, beside nginx? The
// Node platform, 64 connections, CPU a request of the serving process, rounds interleaved. Options:
// --rounds 5, --seconds 1 of a round, --before FOLDER (another checkout, to compare with), --port
// 19660 and those behind it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BUCKET, publish, writeFixtures } from '../delivery/fixtures.ts';
import { missingPrograms } from '../lib/programs.ts';
import { type Server, startNginx, startQuayside } from '../lib/servers.ts';
import { median, printTable } from '../lib/table.ts';
import { type LoadResult, load } from '../lib/wrk.ts';

const FILE = '10k';
const FUTURE = 'Sun, 06 Nov 2094 08:49:37 GMT';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '1' },
    before: { type: 'string' },
    port: { type: 'string', default: '19660' },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const missing = missingPrograms(['wrk', 'taskset', 'nginx']);
if (missing.length > 0) {
  process.stdout.write(`skipped: this machine has no ${missing.join(', ')}\n`);
  process.exit(0);
}

type Question = {
  readonly name: string;
  /** Behind the name of the bucket's folder, or a path of its own. */
  readonly path: string;
  readonly headers: readonly string[];
  readonly isRefused: boolean;
};

/** A bucket that is not there says no to all, as a private one does. */
const QUESTIONS: readonly Question[] = [
  { name: '404', path: `${BUCKET}/none`, headers: [], isRefused: true },
  { name: '404, no such bucket', path: 'nowhere/none', headers: [], isRefused: true },
  { name: '416', path: `${BUCKET}/${FILE}`, headers: ['Range: bytes=99999-'], isRefused: true },
  { name: '412', path: `${BUCKET}/${FILE}`, headers: ['If-Match: "x"'], isRefused: true },
  {
    name: '304 by date',
    path: `${BUCKET}/${FILE}`,
    headers: [`If-Modified-Since: ${FUTURE}`],
    isRefused: false,
  },
];

type Row = { readonly name: string; readonly by: string; readonly results: LoadResult[] };

const folder = await mkdtemp(join(tmpdir(), 'quayside-refusals-'));
const running: Server[] = [];
try {
  await writeFixtures(folder, [FILE]);
  const port = Number(values.port);
  const servers: { by: string; server: Server }[] = [];
  for (const [i, checkout] of [undefined, values.before].entries()) {
    if (i > 0 && checkout === undefined) continue;
    const server = await startQuayside(port + i, {}, checkout);
    running.push(server);
    await publish(server, folder, [FILE]);
    servers.push({ by: i === 0 ? 'now' : 'before', server });
  }
  const nginx = await startNginx(port + 2, folder, FILE);
  running.push(nginx);
  servers.push({ by: 'nginx', server: nginx });

  const rows = new Map<string, Row>();
  for (let round = 0; round <= rounds; round++) {
    for (const { name, path, headers, isRefused } of QUESTIONS) {
      for (const { by, server } of servers) {
        // It closes the connection after some others.
        if (by === 'nginx' && name !== '404') continue;
        const own = by === 'nginx' ? path.replace(`${BUCKET}/`, '') : path;
        const url = `${server.url}/${own}`;
        const options = { url, connections: 64, seconds, bodyBytes: 0, headers, isRefused };
        const result = await load(options, server.pids);
        const row = rows.get(name + by) ?? { name, by, results: [] };
        if (round > 0) row.results.push(result);
        rows.set(name + by, row);
      }
    }
  }

  const table: (string | number)[][] = [['what', 'server', 'requests/s', 'CPU µs', '/ nginx']];
  for (const { name, by, results } of rows.values()) {
    const peer = rows.get(`${name}nginx`)?.results ?? [];
    const ratios = results.map(
      (own, i) => own.requestsPerSecond / (peer[i]?.requestsPerSecond ?? Number.NaN),
    );
    table.push([
      name,
      by,
      median(results.map((own) => own.requestsPerSecond)).toFixed(0),
      median(results.map((own) => own.cpuMicrosPerRequest)).toFixed(1),
      peer.length === 0 ? '' : median(ratios).toFixed(2),
    ]);
  }
  printTable(table);
} finally {
  for (const server of running) await server.stop();
  await rm(folder, { recursive: true, force: true });
}
