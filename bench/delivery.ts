// How does delivery on Node, with the fast path and without it, stand beside what people put in
// front of a bucket today: nginx with files, nginx proxy_cache, Varnish? Rounds interleaved, ratios
// taken within a round, medians of them. And what bare servers on Node's own modules cost, below
// which ours can't go. Options: --rounds 7, --seconds 2 of a round, --only '10 KiB,304', --port
// 19600 and the six behind it.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BUCKET, publish, writeFixtures } from './delivery/fixtures.ts';
import {
  FLOORS,
  OURS,
  type ServerName,
  TARGETS,
  type Target,
  WORKLOADS,
  type Workload,
} from './delivery/workloads.ts';
import { missingPrograms } from './lib/programs.ts';
import {
  type Server,
  startFloor,
  startNginx,
  startNginxCache,
  startQuayside,
  startVarnish,
} from './lib/servers.ts';
import { median, printTable } from './lib/table.ts';
import { type LoadResult, load } from './lib/wrk.ts';

/** Seconds of the round that warms up caches and compilers and counts for nothing. */
const WARM_UP_SECONDS = 4;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '2' },
    only: { type: 'string' },
    port: { type: 'string', default: '19600' },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const names = values.only?.split(',').map((name) => name.trim());
const workloads = WORKLOADS.filter(({ name }) => names?.includes(name) ?? true);

const missing = missingPrograms(['wrk', 'nginx', 'taskset', 'varnishd']);
const hasVarnish = !missing.includes('varnishd');
if (!hasVarnish) process.stdout.write('without Varnish: this machine has no varnishd\n\n');
if (missing.some((name) => name !== 'varnishd') || workloads.length === 0) {
  const reason =
    workloads.length === 0 ? 'no such workload' : `this machine has no ${missing.join(', ')}`;
  process.stdout.write(`skipped: ${reason}\n`);
  process.exit(0);
}

type Servers = ReadonlyMap<ServerName, Server>;
type Results = ReadonlyMap<ServerName, readonly LoadResult[]>;

const files = [...new Set(workloads.map(({ file }) => file))];
const running: Server[] = [];

/** Starts them one after the other, so that what began is stopped when a later one fails. */
async function startServers(root: string): Promise<Servers> {
  const firstPort = Number(values.port);
  const servers = new Map<ServerName, Server>();
  const start = async (name: ServerName, starting: Promise<Server>): Promise<Server> => {
    const server = await starting;
    running.push(server);
    servers.set(name, server);
    return server;
  };
  for (const [i, name] of OURS.entries()) {
    const lane = i === 0 ? 'on' : 'off';
    const server = await start(name, startQuayside(firstPort + i, { QUAYSIDE_FAST_PATH: lane }));
    await publish(server, root, files);
  }
  const nginx = await start('nginx', startNginx(firstPort + 2, root, '1g'));
  await start('proxy_cache', startNginxCache(firstPort + 3, nginx));
  if (hasVarnish) await start('varnish', startVarnish(firstPort + 4, nginx));
  for (const [i, name] of FLOORS.entries()) {
    if (!workloads.some(({ peers }) => peers.includes(name))) continue;
    const ours = servers.get(OURS[0])?.url ?? '';
    const kind = name === 'bare node:http' ? 'http' : 'net';
    await start(
      name,
      startFloor(firstPort + 5 + i, kind, { root, example: `${ours}/${BUCKET}/${files[0]}` }),
    );
  }
  return servers;
}

async function run(workload: Workload, servers: Servers): Promise<Results> {
  const results = new Map<ServerName, LoadResult[]>();
  for (const name of [...OURS, ...workload.peers]) if (servers.has(name)) results.set(name, []);
  for (let round = 0; round <= rounds; round++) {
    for (const [name, soFar] of results) {
      const server = servers.get(name);
      if (server === undefined) continue;
      const isOurs = OURS.some((ours) => ours === name);
      const url = `${server.url}/${isOurs ? `${BUCKET}/` : ''}${workload.file}`;
      const headers =
        workload.isConditional === true ? [`If-None-Match: ${await entityTagOf(url)}`] : [];
      const options = {
        ...workload,
        url,
        headers,
        seconds: round === 0 ? WARM_UP_SECONDS : seconds,
      };
      const result = await load(options, server.pids);
      if (round > 0) soFar.push(result);
    }
  }
  return results;
}

async function entityTagOf(url: string): Promise<string> {
  const { headers } = await fetch(url, { method: 'HEAD' });
  return headers.get('etag') ?? '';
}

const OF: Readonly<Record<Target['measure'], (ours: LoadResult, peer: LoadResult) => number>> = {
  requests: (ours, peer) => ours.requestsPerSecond / peer.requestsPerSecond,
  cpu: (ours, peer) => peer.cpuMicrosPerRequest / ours.cpuMicrosPerRequest,
  p99: (ours, peer) => ours.p99Ms / peer.p99Ms,
};

/** Median over the rounds of the ratio within each; NaN when one of the two did not run. */
function ratio(
  results: Results,
  { ours, peer, measure }: Pick<Target, 'measure'> & { ours: ServerName; peer: ServerName },
): number {
  const peers = results.get(peer) ?? [];
  return median(
    (results.get(ours) ?? []).flatMap((own, i) =>
      peers[i] === undefined ? [] : [OF[measure](own, peers[i])],
    ),
  );
}

const round = (value: number, digits: number) => (Number.isNaN(value) ? '' : value.toFixed(digits));

function numbersOf(workload: Workload, results: Results): (string | number)[][] {
  return [...results].map(([name, of]) => [
    workload.name,
    name,
    round(median(of.map((r) => r.requestsPerSecond)), workload.bodyBytes > 1e6 ? 1 : 0),
    round(median(of.map((r) => r.megabytesPerSecond)), 0),
    round(median(of.map((r) => r.cpuMicrosPerRequest)), 1),
    round(median(of.map((r) => r.p99Ms)), 1),
    round(ratio(results, { ours: name, peer: 'nginx', measure: 'requests' }), 2),
    round(ratio(results, { ours: name, peer: 'nginx', measure: 'cpu' }), 2),
    round(ratio(results, { ours: name, peer: 'nginx', measure: 'p99' }), 2),
    round(ratio(results, { ours: name, peer: 'proxy_cache', measure: 'requests' }), 2),
    round(ratio(results, { ours: name, peer: 'varnish', measure: 'requests' }), 2),
  ]);
}

function verdictOf(target: Target, results: Results): (string | number)[] {
  const { workload, ours, peer, measure, bound } = target;
  const got = ratio(results, target);
  const holds = measure === 'p99' ? got <= bound : got >= bound;
  const sign = measure === 'p99' ? '≤' : '≥';
  return [
    workload,
    ours,
    peer,
    measure,
    `${sign} ${bound}`,
    round(got, 2),
    Number.isNaN(got) ? '-' : holds ? 'yes' : 'no',
  ];
}

const root = await mkdtemp(join(tmpdir(), 'quayside-files-'));
try {
  await writeFixtures(root, files);
  const servers = await startServers(root);
  const head = [
    'workload',
    'server',
    'requests/s',
    'MB/s',
    'CPU µs/request',
    'p99 ms',
    'rps / nginx',
    'nginx CPU / its',
    'p99 / nginx',
  ];
  const numbers: (string | number)[][] = [[...head, 'rps / proxy_cache', 'rps / varnish']];
  const verdicts: (string | number)[][] = [
    ['workload', 'ours', 'against', 'measure', 'wanted', 'got', 'holds'],
  ];
  for (const workload of workloads) {
    const results = await run(workload, servers);
    numbers.push(...numbersOf(workload, results));
    for (const target of TARGETS)
      if (target.workload === workload.name) verdicts.push(verdictOf(target, results));
  }
  printTable(numbers);
  process.stdout.write('\n');
  printTable(verdicts);
} finally {
  for (const server of running.reverse()) await server.stop();
  await rm(root, { recursive: true, force: true });
}
