// What do several serving threads bring? The Node platform with 1 and with 2 threads, beside nginx
// with 2 workers: reads by wrk, signed uploads over plain sockets, rounds interleaved, medians.
// Servers and clients may use all CPUs: where there are two, read the CPU of a request, and what
// both threads bring only where there are more. Options: --rounds 5, --seconds 2 of a round,
// --threads 1,2, --megabytes 24 (of uploaded bodies, a round), --only '10 KiB,304', --port 19700
// and those behind it.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BUCKET, publish, writeFixtures } from '../delivery/fixtures.ts';
import { cpuSecondsOf } from '../lib/process-cpu.ts';
import { missingPrograms } from '../lib/programs.ts';
import { prepareUpload, sendUpload } from '../lib/put-requests.ts';
import { type Server, startNginxWorkers, startQuayside } from '../lib/servers.ts';
import { median, printTable } from '../lib/table.ts';
import { load } from '../lib/wrk.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
const CONNECTIONS = 64;
/** Keys that are written again and again, so that a long run needs little disk. */
const UPLOADED_KEYS = 32;
/** Uploads at once: enough that threads have work, few enough that bodies fit in memory. */
const UPLOADS_AT_ONCE = 16;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '2' },
    threads: { type: 'string', default: '1,2' },
    megabytes: { type: 'string', default: '24' },
    only: { type: 'string' },
    port: { type: 'string', default: '19700' },
  },
});
const rounds = Number(values.rounds);
const seconds = Number(values.seconds);
const allCpus = `0-${cpus().length - 1}`;
const missing = missingPrograms(['wrk', 'taskset', 'nginx']);
const hasNginx = !missing.includes('nginx');
if (missing.some((name) => name !== 'nginx')) {
  process.stdout.write(`skipped: this machine has no ${missing.join(', ')}\n`);
  process.exit(0);
}

type Subject = { readonly name: string; readonly server: Server; readonly isOurs: boolean };
/** What a request costs, and how many there were. */
type Measured = { readonly perSecond: number; readonly cpuMicros: number };
type Workload = {
  readonly name: string;
  /** Prepares it for a server, and gives what runs one round; null: not for that one. */
  prepare(subject: Subject): Promise<(() => Promise<Measured>) | null>;
};

function readOf(
  name: string,
  file: string,
  bodyBytes: number,
  more: { rangesWithinBytes?: number; isRefused?: boolean; isConditional?: boolean } = {},
): Workload {
  const { isConditional = false, ...options } = more;
  return {
    name,
    async prepare({ server, isOurs }) {
      const url = `${server.url}/${isOurs ? `${BUCKET}/` : ''}${file}`;
      const etag = (await fetch(url, { method: 'HEAD' })).headers.get('etag') ?? '';
      const headers = isConditional ? [`If-None-Match: ${etag}`] : [];
      const all = { ...options, url, headers, bodyBytes, seconds, cpus: allCpus };
      return async () => {
        const result = await load({ ...all, connections: CONNECTIONS }, server.pids);
        return {
          perSecond: result.requestsPerSecond,
          cpuMicros: result.cpuMicrosPerRequest,
        };
      };
    },
  };
}

function uploadOf(name: string, sizeBytes: number): Workload {
  const body = randomBytes(sizeBytes);
  const count = Math.min(2000, Math.ceil((Number(values.megabytes) * MiB) / sizeBytes));
  return {
    name,
    async prepare({ server, isOurs }) {
      if (!isOurs) return null;
      const uploads = await Promise.all(
        Array.from({ length: UPLOADED_KEYS }, (_, key) =>
          prepareUpload(`${server.url}/${BUCKET}/upload-${key}`, body, {
            checksum: 'none',
            isEncrypted: false,
          }),
        ),
      );
      return async () => {
        const { hostname, port } = new URL(server.url);
        const sockets = Array.from({ length: UPLOADS_AT_ONCE }, () =>
          connect(Number(port), hostname),
        );
        const cpuBefore = cpuOf(server);
        const startedMs = performance.now();
        await sendAll(sockets, uploads, count);
        const passedSeconds = (performance.now() - startedMs) / 1000;
        for (const socket of sockets) socket.destroy();
        const cpuMicros = ((cpuOf(server) - cpuBefore) * 1e6) / count;
        return { perSecond: count / passedSeconds, cpuMicros };
      };
    },
  };
}

const cpuOf = ({ pids }: Server) => pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0);

/** Sends so many uploads, over each socket one after the other. */
async function sendAll(
  sockets: readonly Socket[],
  uploads: readonly Awaited<ReturnType<typeof prepareUpload>>[],
  count: number,
): Promise<void> {
  let next = 0;
  await Promise.all(
    sockets.map(async (socket) => {
      for (let index = next++; index < count; index = next++) {
        const upload = uploads[index % uploads.length];
        if (upload !== undefined) await sendUpload(socket, upload);
      }
    }),
  );
}

const WORKLOADS: readonly Workload[] = [
  readOf('GET 10 KiB', '10k', 10 * KiB),
  readOf('304', '10k', 0, { isConditional: true }),
  readOf('absent', 'no-such-file', 0, { isRefused: true }),
  readOf('range of 64 KiB', '1m', 64 * KiB, { rangesWithinBytes: MiB }),
  readOf('GET 1 MiB', '1m', MiB),
  uploadOf('PUT 10 KiB', 10 * KiB),
  uploadOf('PUT 1 MiB', MiB),
];
const only = values.only?.split(',').map((name) => name.trim());
const workloads = WORKLOADS.filter(({ name }) => only?.includes(name) ?? true);

const subjects: Subject[] = [];
const root = await mkdtemp(join(tmpdir(), 'quayside-files-'));
try {
  await writeFixtures(root, ['10k', '1m']);
  const firstPort = Number(values.port);
  for (const [at, threads] of values.threads.split(',').entries()) {
    const settings = { QUAYSIDE_THREADS: threads };
    const server = await startQuayside(firstPort + at, settings, undefined, allCpus);
    subjects.push({ name: `${threads} threads`, server, isOurs: true });
    await publish(server, root, ['10k', '1m']);
  }
  if (hasNginx) {
    const shape = { workers: 2, cpus: allCpus };
    const server = await startNginxWorkers(firstPort + subjects.length, root, shape);
    subjects.push({ name: 'nginx, 2 workers', server, isOurs: false });
  }

  const table: (string | number)[][] = [['request', 'server', 'requests/s', 'CPU µs']];
  for (const workload of workloads) {
    const runs = [];
    for (const subject of subjects) {
      const run = await workload.prepare(subject);
      if (run !== null) runs.push({ subject, run, results: [] as Measured[] });
    }
    // The first round warms up.
    for (let round = 0; round <= rounds; round++)
      for (const { run, results } of runs) {
        const measured = await run();
        if (round > 0) results.push(measured);
      }
    for (const { subject, results } of runs)
      table.push([
        workload.name,
        subject.name,
        median(results.map(({ perSecond }) => perSecond)).toFixed(0),
        median(results.map(({ cpuMicros }) => cpuMicros)).toFixed(1),
      ]);
  }
  printTable(table);
  process.stdout.write(`load of the machine at the end: ${loadavg()[0]?.toFixed(1)}\n`);
} finally {
  for (const { server } of subjects) await server.stop();
  await rm(root, { recursive: true, force: true });
}
