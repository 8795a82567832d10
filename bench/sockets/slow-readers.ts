// What does a slow reader of a large file cost a Worker in memory? The dev server, plain sockets
// that take the beginning of a response and no more; growth of workerd's resident memory at its
// highest, where local R2 and its caches count too. Options: --readers 96, --rounds 3.
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openToEveryone } from '../../test/wire/kit/clients/bucket-work.ts';
import { createClient } from '../../test/wire/kit/clients/client.ts';
import { startWorkers } from '../../test/wire/kit/server.ts';
import { median, printTable } from '../lib/table.ts';

const MiB = 2 ** 20;
/** For so long memory is watched, milliseconds: what is read ahead comes late. */
const WATCHED_MS = 3000;
const BUCKET = 'slow-readers';
/** The longest file that comes in slices, and one that streams. */
const KINDS = { 'in slices, 8 MiB': 8 * MiB, 'streamed, 24 MiB': 24 * MiB };
const FILES = 3;

const { values } = parseArgs({
  options: {
    readers: { type: 'string', default: '96' },
    rounds: { type: 'string', default: '3' },
  },
});
const readers = Number(values.readers);

/** Resident memory of all that a process has started, bytes. */
function residentBelow(pid: number): number {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
  if (children === '') return 0;
  return children
    .split(' ')
    .map(Number)
    .reduce((sum, child) => {
      const status = readFileSync(`/proc/${child}/status`, 'latin1');
      const kibibytes = Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0);
      return sum + kibibytes * 1024 + residentBelow(child);
    }, 0);
}

/** Asks for a file, takes the beginning of the response and no more. */
function readSlowly(port: number, key: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.once('error', reject);
    socket.once('data', () => {
      socket.pause();
      resolve(socket);
    });
    socket.write(`GET /${BUCKET}/${key} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
  });
}

/** Growth of memory by that many slow readers of files of that size, bytes. */
async function growthBy(sizeBytes: number): Promise<number> {
  const server = await startWorkers();
  const sockets: Socket[] = [];
  try {
    const client = createClient(server.target);
    await client.send({ method: 'PUT', bucket: BUCKET });
    await openToEveryone(client, BUCKET);
    const body = new Uint8Array(sizeBytes).fill(7);
    for (let at = 0; at < FILES; at++)
      await client.send({ method: 'PUT', bucket: BUCKET, key: `${at}`, body });
    const port = Number(new URL(server.target.url).port);
    const { pid = 0 } = server.process;
    // Code is compiled, and caches and pools of the runtime are made, by the first reader.
    sockets.push(await readSlowly(port, '0'));

    const before = residentBelow(pid);
    const all = Array.from({ length: readers }, (_, at) => readSlowly(port, `${at % FILES}`));
    sockets.push(...(await Promise.all(all)));
    let most = 0;
    for (const endMs = performance.now() + WATCHED_MS; performance.now() < endMs; ) {
      most = Math.max(most, residentBelow(pid));
      await wait(100);
    }
    return most - before;
  } finally {
    for (const socket of sockets) socket.destroy();
    await server.stop();
  }
}

const rows = [['files', 'slow readers', 'growth, MiB']];
for (const [kind, sizeBytes] of Object.entries(KINDS)) {
  const growths: number[] = [];
  for (let round = 0; round < Number(values.rounds); round++)
    growths.push(await growthBy(sizeBytes));
  rows.push([kind, `${readers}`, (median(growths) / MiB).toFixed(0)]);
}
printTable(rows);
