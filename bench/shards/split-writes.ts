// Does a write wait while the shards of its bucket split? PUTs in random order of their keys to two
// servers in turns, one that splits buckets and one that does not: how long they took, and how many
// shards there were at the end. Options: --names 60000, --rows 5000 (of a shard), --clients 8.
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openSqlite } from '../../src/adapters/node/index/node-sqlite.ts';
import { cpuSecondsOf } from '../lib/process-cpu.ts';
import { prepareUpload, sendUpload, type Upload } from '../lib/put-requests.ts';
import { randomOrder } from '../lib/random-order.ts';
import { startQuayside } from '../lib/servers.ts';
import { printTable } from '../lib/table.ts';

const { values } = parseArgs({
  options: {
    names: { type: 'string', default: '60000' },
    rows: { type: 'string', default: '5000' },
    clients: { type: 'string', default: '8' },
  },
});
const NAMES = Number(values.names);
const CLIENTS = Number(values.clients);
/** PUTs to one server before it is the other's turn. */
const TURN = 2000;
const BODY = Buffer.alloc(1000, 'quayside ');

const numberAt = randomOrder(NAMES);

type Contestant = Awaited<ReturnType<typeof startContestant>>;

async function startContestant(name: string, port: number, rows: string) {
  const server = await startQuayside(port, { QUAYSIDE_SHARD_ROWS: rows });
  const sockets = Array.from({ length: CLIENTS }, () => connect(port, '127.0.0.1'));
  const [first] = sockets as [Socket];
  await sendUpload(first, await prepareUpload(`${server.url}/bench`, Buffer.of(), PLAIN));
  const tookMs: number[] = [];
  return { name, server, sockets, tookMs };
}

const PLAIN = { checksum: 'none', isEncrypted: false };

/** Stores names `from` to `to`, a PUT at a time on each connection. */
async function store({ server, sockets, tookMs }: Contestant, from: number, to: number) {
  const urlOf = (at: number) => `${server.url}/bench/photos/${numberAt(at)}.jpg`;
  const uploads: Upload[] = [];
  // Signed before the clock starts.
  for (let at = from; at < to; at++) uploads.push(await prepareUpload(urlOf(at), BODY, PLAIN));
  await Promise.all(
    sockets.map(async (socket) => {
      for (let next = uploads.pop(); next !== undefined; next = uploads.pop()) {
        const startedMs = performance.now();
        await sendUpload(socket, next);
        tookMs.push(performance.now() - startedMs);
      }
    }),
  );
}

function countShards({ server }: Contestant): number {
  const sql = openSqlite(join(server.folder, 'index.sqlite'), { readOnly: true });
  try {
    const rows = sql.all<{ n: number }>('SELECT count(*) AS n FROM shards');
    return Math.max(1, rows[0]?.n ?? 0);
  } finally {
    sql.close();
  }
}

function rowOf(contestant: Contestant): (string | number)[] {
  const sorted = contestant.tookMs.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)]?.toFixed(1) ?? '';
  const cpuUs = (cpuSecondsOf(contestant.server.pids[0] ?? 0) * 1e6) / sorted.length;
  const quantiles = [at(0.5), at(0.99), at(0.999), sorted.at(-1)?.toFixed(1) ?? ''];
  return [contestant.name, countShards(contestant), ...quantiles, cpuUs.toFixed(0)];
}

const contestants = [
  await startContestant('one index', 19_651, '0'),
  await startContestant(`split from ${values.rows} rows`, 19_652, values.rows),
];
try {
  for (let from = 0; from < NAMES; from += TURN) {
    for (const each of contestants) await store(each, from, Math.min(NAMES, from + TURN));
  }
  printTable([
    ['server', 'shards', 'p50 ms', 'p99 ms', 'p99.9 ms', 'longest ms', 'CPU µs/PUT'],
    ...contestants.map(rowOf),
  ]);
} finally {
  for (const { server, sockets } of contestants) {
    for (const socket of sockets) socket.destroy();
    await server.stop();
  }
}
