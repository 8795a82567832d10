// Memory of the Cloudflare platform while many clients read large files slowly: bodies go out as
// fast as they are read, and next to nothing of them waits in memory. Measured from outside, on the
// process of workerd, where local R2 and its caches count too.
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { openToEveryone } from '../../wire/kit/clients/bucket-work.ts';
import { createClient } from '../../wire/kit/clients/client.ts';
import { startWorkers } from '../../wire/kit/server.ts';

const MiB = 2 ** 20;
const READERS = 96;
/** A MiB for each reader: no reader may hold a whole slice. */
const GROWTH_MAX_BYTES = READERS * MiB;
/** For so long memory is watched, milliseconds: what is read ahead comes late. */
const WATCHED_MS = 3000;
const BUCKET = 'slow-readers';
/** The longest file that comes in slices, and one that streams. */
const SIZES = { sliced: 8 * MiB, streamed: 24 * MiB };
const FILES_OF_SIZE = 3;

/** Processes that a process has started. */
function childrenOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1').trim();
  return children === '' ? [] : children.split(' ').map(Number);
}

/** Resident memory of all that a process has started, bytes. */
function residentBelow(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => {
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

it.runIf(process.platform === 'linux')(
  `${READERS} slow readers of large files take less than a slice each`,
  { timeout: 240_000 },
  async () => {
    const server = await startWorkers();
    const sockets: Socket[] = [];
    try {
      const client = createClient(server.target);
      await client.send({ method: 'PUT', bucket: BUCKET });
      await openToEveryone(client, BUCKET);
      for (const [name, size] of Object.entries(SIZES)) {
        const body = new Uint8Array(size).fill(7);
        for (let at = 0; at < FILES_OF_SIZE; at++)
          expect(
            await client.send({ method: 'PUT', bucket: BUCKET, key: `${name}-${at}`, body }),
          ).toMatchObject({ status: 200 });
      }
      const port = Number(new URL(server.target.url).port);
      const { pid = 0 } = server.process;
      // Code is compiled, and caches and pools of the runtime are made, by the first readers.
      const keyOf = (name: string, at: number) => `${name}-${at % FILES_OF_SIZE}`;
      for (const name of Object.keys(SIZES)) sockets.push(await readSlowly(port, keyOf(name, 0)));

      const before = residentBelow(pid);
      expect(before).toBeGreaterThan(10 * MiB);
      const names = Object.keys(SIZES);
      const readers = Array.from({ length: READERS }, (_, at) =>
        readSlowly(port, keyOf(names[at % names.length] ?? '', at)),
      );
      sockets.push(...(await Promise.all(readers)));
      let most = 0;
      for (const endMs = performance.now() + WATCHED_MS; performance.now() < endMs; ) {
        most = Math.max(most, residentBelow(pid));
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      expect(most - before).toBeLessThan(GROWTH_MAX_BYTES);
    } finally {
      for (const socket of sockets) socket.destroy();
      await server.stop();
    }
  },
);
