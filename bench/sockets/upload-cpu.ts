// What does a signed PUT cost, by size and by what is digested? The Node platform, plain sockets
// that send prepared requests, CPU a request of the serving process with all its threads, rounds
// interleaved. Options: --rounds 5, --megabytes 96 (of bodies, a round), --connections 4,
// --sizes 10240,1048576,8388608, --checksums none,CRC64NVME,CRC32C, --encrypted, --before FOLDER
// (another checkout, to compare with), --port 19680 and the one behind it.
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { parseArgs } from 'node:util';
import { AwsClient } from 'aws4fetch';
import { cpuSecondsOf, residentBytesOf } from '../lib/process-cpu.ts';
import { missingPrograms } from '../lib/programs.ts';
import { KEYS, prepareUpload, sendUpload, type Upload } from '../lib/put-requests.ts';
import { type Server, startQuayside } from '../lib/servers.ts';
import { median, printTable } from '../lib/table.ts';

/** Keys that are written again and again, so that a long run needs little disk. */
const OBJECTS = 32;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    megabytes: { type: 'string', default: '96' },
    connections: { type: 'string', default: '4' },
    sizes: { type: 'string', default: '10240,1048576,8388608' },
    checksums: { type: 'string', default: 'none,CRC64NVME,CRC32C' },
    encrypted: { type: 'boolean', default: false },
    before: { type: 'string' },
    port: { type: 'string', default: '19680' },
  },
});
const rounds = Number(values.rounds);
const connections = Number(values.connections);
if (missingPrograms(['taskset']).length > 0) {
  process.stdout.write('skipped: this machine has no taskset\n');
  process.exit(0);
}

type Subject = { readonly by: string; readonly server: Server; readonly sockets: Socket[] };
type Row = {
  readonly sizeBytes: number;
  readonly checksum: string;
  readonly subject: Subject;
  readonly uploads: readonly Upload[];
  readonly perSecond: number[];
  readonly cpuMs: number[];
};

async function measure({ sizeBytes, subject, uploads, perSecond, cpuMs }: Row, isCounted: boolean) {
  const pid = subject.server.pids[0] ?? 0;
  const count = Math.min(2000, Math.ceil((Number(values.megabytes) * 1024 * 1024) / sizeBytes));
  let next = 0;
  const cpuBefore = cpuSecondsOf(pid);
  const startedMs = performance.now();
  await Promise.all(
    subject.sockets.map(async (socket) => {
      for (let index = next++; index < count; index = next++) {
        const upload = uploads[index % uploads.length];
        if (upload !== undefined) await sendUpload(socket, upload);
      }
    }),
  );
  const seconds = (performance.now() - startedMs) / 1000;
  if (!isCounted) return;
  perSecond.push(count / seconds);
  cpuMs.push(((cpuSecondsOf(pid) - cpuBefore) * 1000) / count);
}

const subjects: Subject[] = [];
try {
  for (const [i, checkout] of [values.before, undefined].entries()) {
    if (i === 0 && checkout === undefined) continue;
    const server = await startQuayside(Number(values.port) + i, {}, checkout);
    const made = await new AwsClient(KEYS).fetch(`${server.url}/bench`, { method: 'PUT' });
    if (!made.ok) throw new Error(await made.text());
    const { hostname, port } = new URL(server.url);
    const sockets = Array.from({ length: connections }, () => connect(Number(port), hostname));
    subjects.push({ by: i === 0 ? 'before' : 'now', server, sockets });
  }

  const rows: Row[] = [];
  for (const sizeBytes of values.sizes.split(',').map(Number)) {
    const body = randomBytes(sizeBytes);
    for (const checksum of values.checksums.split(',')) {
      for (const subject of subjects) {
        const uploads: Upload[] = [];
        for (let key = 0; key < OBJECTS; key++)
          uploads.push(
            await prepareUpload(`${subject.server.url}/bench/${key}`, body, {
              checksum,
              isEncrypted: values.encrypted,
            }),
          );
        rows.push({ sizeBytes, checksum, subject, uploads, perSecond: [], cpuMs: [] });
      }
    }
  }
  for (let round = 0; round <= rounds; round++)
    for (const row of rows) await measure(row, round > 0);

  const table: (string | number)[][] = [['body', 'checksum', 'code', 'PUT/s', 'CPU ms']];
  for (const { sizeBytes, checksum, subject, perSecond, cpuMs } of rows) {
    table.push([
      `${sizeBytes / 1024} KiB`,
      checksum,
      subject.by,
      median(perSecond).toFixed(1),
      median(cpuMs).toFixed(2),
    ]);
  }
  printTable(table);
  for (const { by, server } of subjects) {
    const megabytes = residentBytesOf(server.pids[0] ?? 0) / 1e6;
    process.stdout.write(`resident at the end, ${by}: ${megabytes.toFixed(0)} MB\n`);
  }
} finally {
  for (const { server, sockets } of subjects) {
    for (const socket of sockets) socket.destroy();
    await server.stop();
  }
}
