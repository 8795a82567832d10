// What does a hot read of 10 KiB cost over TLS, by HTTP/1.1 and by HTTP/2, beside nginx with the
// same certificate? wrk and h2load on CPU 1, servers on CPU 0, rounds in turns, medians of ratios
// within a round. Options: --rounds 5, --seconds 2 of a round, --port 19700 and the one behind it.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { makeSelfSigned } from '../../test/node/kit/self-signed.ts';
import { BUCKET, publish, writeFixtures } from '../delivery/fixtures.ts';
import { cpuSecondsOf } from '../lib/process-cpu.ts';
import { missingPrograms, runProgram } from '../lib/programs.ts';
import { type Server, startNginxTls, startQuayside } from '../lib/servers.ts';
import { median, printTable } from '../lib/table.ts';

const FILE = '10k';
const WARM_UP_SECONDS = 4;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    port: { type: 'string', default: '19700' },
  },
});
// The certificate is of our own making.
process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';

const missing = missingPrograms(['wrk', 'h2load', 'nginx', 'taskset']);
if (missing.length > 0) {
  process.stdout.write(`skipped: this machine has no ${missing.join(', ')}\n`);
  process.exit(0);
}

/** A client's name, its command for so many seconds, and the answers that its output counts. */
type Client = {
  readonly name: string;
  readonly command: (seconds: number) => readonly string[];
  readonly answers: RegExp;
};
const h2load = (connections: number, streams: number): Client => ({
  name: `HTTP/2, ${connections} connections, ${streams} streams`,
  command: (seconds) => ['h2load', `-c${connections}`, `-m${streams}`, `-D${seconds}`],
  answers: /(\d+) succeeded, 0 failed, 0 errored/,
});
const CLIENTS: readonly Client[] = [
  {
    name: 'HTTP/1.1, 32 connections',
    command: (seconds) => ['wrk', '-t1', '-c32', `-d${seconds}s`],
    answers: /(\d+) requests in/,
  },
  h2load(8, 10),
  h2load(32, 1),
];

type Measured = { readonly requestsPerSecond: number; readonly cpuMicros: number };

async function measure(client: Client, server: Server, url: string, seconds: number) {
  const cpuBefore = server.pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0);
  const out = await runProgram('taskset', ['-c', '1', ...client.command(seconds), url]);
  const cpuSeconds = server.pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0) - cpuBefore;
  const answers = Number(client.answers.exec(out)?.[1] ?? Number.NaN);
  if (!(answers > 0) || /Non-2xx|Socket errors/.test(out))
    throw new Error(`${client.name} saw errors:\n${out}`);
  return { requestsPerSecond: answers / seconds, cpuMicros: (cpuSeconds / answers) * 1e6 };
}

const root = await mkdtemp(join(tmpdir(), 'quayside-tls-'));
const running: Server[] = [];
try {
  const { key, cert } = makeSelfSigned();
  const files = { cert: join(root, 'cert.pem'), key: join(root, 'key.pem') };
  await writeFile(files.cert, cert);
  await writeFile(files.key, key, { mode: 0o600 });
  await writeFixtures(root, [FILE]);
  const port = Number(values.port);
  const settings = { QUAYSIDE_TLS_CERT: files.cert, QUAYSIDE_TLS_KEY: files.key };
  const ours = await startQuayside(port, settings);
  running.push(ours);
  await publish(ours, root, [FILE]);
  const nginx = await startNginxTls(port + 1, root, files);
  running.push(nginx);

  const rows: (string | number)[][] = [
    ['client', 'requests/s', 'nginx', 'requests / nginx', 'CPU µs', 'nginx', 'nginx CPU / its'],
  ];
  for (const client of CLIENTS) {
    const rounds: { readonly own: Measured; readonly peer: Measured }[] = [];
    for (let round = 0; round <= Number(values.rounds); round++) {
      const seconds = round === 0 ? WARM_UP_SECONDS : Number(values.seconds);
      const own = await measure(client, ours, `${ours.url}/${BUCKET}/${FILE}`, seconds);
      const peer = await measure(client, nginx, `${nginx.url}/${FILE}`, seconds);
      if (round > 0) rounds.push({ own, peer });
    }
    const of = (value: (round: (typeof rounds)[number]) => number, digits: number) =>
      median(rounds.map(value)).toFixed(digits);
    rows.push([
      client.name,
      of(({ own }) => own.requestsPerSecond, 0),
      of(({ peer }) => peer.requestsPerSecond, 0),
      of(({ own, peer }) => own.requestsPerSecond / peer.requestsPerSecond, 2),
      of(({ own }) => own.cpuMicros, 1),
      of(({ peer }) => peer.cpuMicros, 1),
      of(({ own, peer }) => peer.cpuMicros / own.cpuMicros, 2),
    ]);
  }
  printTable(rows);
} finally {
  for (const server of running) await server.stop();
  await rm(root, { recursive: true, force: true });
}
