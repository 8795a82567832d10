// What does a signed GET cost above a public one, over sockets? The Node platform with the fast
// path and without it, 10 KiB, 64 connections, CPU a request of the serving process, rounds
// interleaved: a public GET, then the same object signed in the header and by presigned URLs, with
// one signature that comes again and again, and with another one each time. Options: --rounds 7,
// --seconds 1 of a round, --port 19650 and the one behind it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { AwsV4Signer } from 'aws4fetch';
import { BUCKET, publish, writeFixtures } from './delivery/fixtures.ts';
import { missingPrograms } from './lib/programs.ts';
import { ACCESS_KEY, SECRET_KEY, type Server, startQuayside } from './lib/servers.ts';
import { median, printTable } from './lib/table.ts';
import { type LoadResult, load } from './lib/wrk.ts';

/** More signatures than the server remembers. */
const SIGNATURES = 8192;
const FILE = '10k';
const BODY_BYTES = 10 * 1024;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1' },
    port: { type: 'string', default: '19650' },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const missing = missingPrograms(['wrk', 'taskset']);
if (missing.length > 0) {
  process.stdout.write(`skipped: this machine has no ${missing.join(', ')}\n`);
  process.exit(0);
}

/**
 * Lines of wrk.lua: requests for the object, signed so long ago that all are good for as long as
 * the bench runs.
 */
async function signedRequests(url: string, count: number, signQuery: boolean): Promise<string> {
  const lines: string[] = [];
  for (let i = 0; i < count; i++) {
    const signer = new AwsV4Signer({
      url: signQuery ? `${url}?X-Amz-Expires=${3600 + i}` : url,
      accessKeyId: ACCESS_KEY,
      secretAccessKey: SECRET_KEY,
      service: 's3',
      region: 'auto',
      signQuery,
      headers: signQuery ? {} : { 'x-amz-user-agent': `bench ${i}` },
    });
    const signed = await signer.sign();
    const headers = [...signed.headers]
      .filter(([name]) => name !== 'host')
      .map(([name, value]) => `${name}: ${value}`);
    lines.push([`${signed.url.pathname}${signed.url.search}`, ...headers].join('\t'));
  }
  return `${lines.join('\n')}\n`;
}

type Kind = { readonly name: string; readonly requestsFile?: string };

async function kindsOf(url: string, folder: string, prefix: string): Promise<Kind[]> {
  const file = async (name: string, count: number, signQuery: boolean) => {
    const path = join(folder, `${prefix}-${signQuery ? 'query' : 'header'}-${count}`);
    await writeFile(path, await signedRequests(url, count, signQuery));
    return { name, requestsFile: path };
  };
  return [
    { name: 'public' },
    await file('signed, one signature', 1, false),
    await file('signed, another each time', SIGNATURES, false),
    await file('presigned, one URL', 1, true),
    await file('presigned, another each time', SIGNATURES, true),
  ];
}

const folder = await mkdtemp(join(tmpdir(), 'quayside-signed-'));
const running: Server[] = [];
try {
  await writeFixtures(folder, [FILE]);
  const loads: { server: Server; lane: string; url: string; kind: Kind; results: LoadResult[] }[] =
    [];
  for (const [i, lane] of ['on', 'off'].entries()) {
    const server = await startQuayside(Number(values.port) + i, { QUAYSIDE_FAST_PATH: lane });
    running.push(server);
    await publish(server, folder, [FILE]);
    const url = `${server.url}/${BUCKET}/${FILE}`;
    for (const kind of await kindsOf(url, folder, lane))
      loads.push({ server, lane, url, kind, results: [] });
  }
  for (let round = 0; round <= rounds; round++) {
    for (const { server, url, kind, results } of loads) {
      const { requestsFile } = kind;
      const more = requestsFile === undefined ? {} : { requestsFile };
      const options = {
        url,
        connections: 64,
        seconds: round === 0 ? 2 : seconds,
        bodyBytes: BODY_BYTES,
        ...more,
      };
      const result = await load(options, server.pids);
      if (round > 0) results.push(result);
    }
  }
  const rows: (string | number)[][] = [
    ['lane', 'request', 'requests/s', 'CPU µs', 'above public, µs', 'p99 ms'],
  ];
  for (const { lane, kind, results } of loads) {
    const open =
      loads.find((other) => other.lane === lane && other.kind.name === 'public')?.results ?? [];
    const above = results.map(
      (own, i) => own.cpuMicrosPerRequest - (open[i]?.cpuMicrosPerRequest ?? Number.NaN),
    );
    rows.push([
      lane,
      kind.name,
      median(results.map((own) => own.requestsPerSecond)).toFixed(0),
      median(results.map((own) => own.cpuMicrosPerRequest)).toFixed(1),
      median(above).toFixed(1),
      median(results.map((own) => own.p99Ms)).toFixed(1),
    ]);
  }
  printTable(rows);
} finally {
  for (const server of running) await server.stop();
  await rm(folder, { recursive: true, force: true });
}
