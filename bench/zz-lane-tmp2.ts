// How does a hot public GET on Node, with the hot lane and without it, stand beside nginx serving the same file? Rounds
// interleaved, ratios taken within a round, medians of them.
import { AwsClient } from 'aws4fetch';
import { missingPrograms } from './lib/programs.ts';
import { ACCESS_KEY, SECRET_KEY, type Server, startNginx, startQuayside } from './lib/servers.ts';
import { median, printTable } from './lib/table.ts';
import { type LoadResult, load } from './lib/wrk.ts';

const ROUNDS = 7;
const SECONDS = 2;
const WARM_UP_SECONDS = 5;
const CONNECTIONS = 64;
const BODY = Buffer.alloc(10 * 1024, 'quayside ');

async function publish(server: Server): Promise<void> {
  const client = new AwsClient({ accessKeyId: ACCESS_KEY, secretAccessKey: SECRET_KEY, service: 's3', region: 'auto' });
  const put = async (path: string, init: RequestInit) => {
    const response = await client.fetch(`${server.url}${path}`, { ...init, method: 'PUT' });
    if (!response.ok) throw new Error(`PUT ${path}: ${response.status} ${await response.text()}`);
  };
  await put('/hot', { headers: { 'x-amz-acl': 'public-read' } });
  await put('/hot/object', { body: BODY });
}

const missing = missingPrograms(['wrk', 'nginx', 'taskset']);
if (missing.length > 0) {
  process.stdout.write(`skipped: this machine has no ${missing.join(', ')}\n`);
  process.exit(0);
}

/** A server under load: ours with the lane, ours without, and the one that both are compared with. */
type Contender = { readonly name: string; readonly server: Server; readonly path: string };

const nginx = await startNginx(19521, { object: BODY });
const withLane = await startQuayside(19520);
const withoutLane = await startQuayside(19522, { QUAYSIDE_HOT_LANE: 'off' });
try {
  for (const server of [withLane, withoutLane]) await publish(server);
  const peer: Contender = { name: 'nginx', server: nginx, path: '/object' };
  const contenders: readonly Contender[] = [
    { name: 'quayside, lane on', server: withLane, path: '/hot/object' },
    { name: 'quayside, lane off', server: withoutLane, path: '/hot/object' },
    peer,
  ];
  const etags = new Map<Contender, string>();
  for (const contender of contenders) {
    const answer = await fetch(`${contender.server.url}${contender.path}`);
    etags.set(contender, answer.headers.get('etag') ?? '');
    await answer.arrayBuffer();
  }
  const rows: (string | number)[][] = [
    ['scenario', 'server', 'requests/s', 'CPU µs/request', 'p99 ms', 'rps / nginx', 'CPU / nginx'],
  ];
  for (const scenario of ['10 KiB', '304'] as const) {
    const results = new Map(contenders.map((contender) => [contender, [] as LoadResult[]]));
    for (let round = 0; round <= ROUNDS; round++) {
      for (const contender of contenders) {
        const { server, path } = contender;
        const headers = scenario === '304' ? [`If-None-Match: ${etags.get(contender)}`] : [];
        // Round 0 warms up the compiler and counts for nothing.
        const seconds = round === 0 ? WARM_UP_SECONDS : SECONDS;
        const url = `${server.url}${path}`;
        const result = await load({ connections: CONNECTIONS, seconds, url, headers }, server.pids);
        if (round > 0) results.get(contender)?.push(result);
      }
    }
    const peers = results.get(peer) ?? [];
    for (const [{ name }, ours] of results) {
      const ratio = (of: (r: LoadResult) => number) => median(ours.map((r, i) => of(r) / of(peers[i] ?? r))).toFixed(2);
      rows.push([
        scenario,
        name,
        Math.round(median(ours.map((r) => r.requestsPerSecond))),
        median(ours.map((r) => r.cpuMicrosPerRequest)).toFixed(1),
        median(ours.map((r) => r.p99Ms)).toFixed(1),
        ratio((r) => r.requestsPerSecond),
        ratio((r) => r.cpuMicrosPerRequest),
      ]);
    }
  }
  printTable(rows);
} finally {
  await withLane.stop();
  await withoutLane.stop();
  await nginx.stop();
}
