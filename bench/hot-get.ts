// How does a hot public GET on Node stand beside nginx serving the same file? Interleaved rounds, ratios, medians.
import { AwsClient } from 'aws4fetch';
import { missingPrograms } from './lib/programs.ts';
import { ACCESS_KEY, SECRET_KEY, type Server, startNginx, startQuayside } from './lib/servers.ts';
import { median, printTable } from './lib/table.ts';
import { type LoadResult, load } from './lib/wrk.ts';

const ROUNDS = 7;
const SECONDS = 2;
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

const nginx = await startNginx(19601, { object: BODY });
const quayside = await startQuayside(19600);
try {
  await publish(quayside);
  const etag = (await fetch(`${quayside.url}/hot/object`)).headers.get('etag') ?? '';
  const nginxEtag = (await fetch(`${nginx.url}/object`)).headers.get('etag') ?? '';
  const scenarios = [
    { name: '10 KiB', headers: [[], []] },
    { name: '304', headers: [[`If-None-Match: ${etag}`], [`If-None-Match: ${nginxEtag}`]] },
  ];
  const rows: (string | number)[][] = [
    ['scenario', 'server', 'requests/s', 'CPU µs/request', 'p99 ms', 'rps ratio', 'CPU ratio'],
  ];
  for (const { name, headers } of scenarios) {
    const ours: LoadResult[] = [];
    const theirs: LoadResult[] = [];
    const common = { connections: CONNECTIONS, seconds: SECONDS };
    await load({ ...common, url: `${quayside.url}/hot/object`, headers: headers[0] ?? [] }, quayside.pids);
    for (let round = 0; round < ROUNDS; round++) {
      ours.push(await load({ ...common, url: `${quayside.url}/hot/object`, headers: headers[0] ?? [] }, quayside.pids));
      theirs.push(await load({ ...common, url: `${nginx.url}/object`, headers: headers[1] ?? [] }, nginx.pids));
    }
    const row = (server: string, results: readonly LoadResult[], ratios: readonly string[]) =>
      rows.push([
        name,
        server,
        Math.round(median(results.map((r) => r.requestsPerSecond))),
        median(results.map((r) => r.cpuMicrosPerRequest)).toFixed(1),
        median(results.map((r) => r.p99Ms)).toFixed(1),
        ...ratios,
      ]);
    const ratio = (of: (r: LoadResult) => number) => median(ours.map((r, i) => of(r) / of(theirs[i] ?? r))).toFixed(2);
    row('quayside', ours, [ratio((r) => r.requestsPerSecond), ratio((r) => r.cpuMicrosPerRequest)]);
    row('nginx', theirs, ['1', '1']);
  }
  printTable(rows);
} finally {
  await quayside.stop();
  await nginx.stop();
}
