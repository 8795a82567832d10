// How much of a range's CPU is ours, above the copies that move its bytes? One process, no sockets.
// Between two requests a server copies twice as many bytes as a range has, and with them goes most
// of what its code had in the processor's caches: a loop without copies says a third of what the
// code takes in a server. So here too each range is read from the page cache and copied on, lists
// of 64 are decided and then sent, and the same copies alone are taken in turns.
import { openSync, readdirSync, readSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import type { Context } from 'hono';
import { readFastPathRequest } from '../src/adapters/node/fast-path/fast-path-request.ts';
import { createPrebuiltHeads } from '../src/adapters/node/fast-path/prebuilt-heads.ts';
import { createRecogniser } from '../src/adapters/node/fast-path/recognise.ts';
import { fillHead, headLength } from '../src/adapters/node/fast-path/response-writer.ts';
import { openNodePorts } from '../src/adapters/node/node-ports.ts';
import { DUE_MAX } from '../src/adapters/node/server/end-of-tick.ts';
import { createClientReader } from '../src/adapters/node/server/trusted-proxies.ts';
import { createConsoleLog } from '../src/adapters/shared/console-log.ts';
import { systemClock } from '../src/adapters/shared/system-clock.ts';
import { createApp } from '../src/app.ts';
import { parseConfig } from '../src/config.ts';
import type { SignedRead } from '../src/http/delivery/fast-path/fast-path.ts';
import { type FastResponse, resolveBody } from '../src/http/delivery/fast-path/fast-response.ts';
import type { HttpRequest } from '../src/http/request.ts';
import { makePublicObject } from './lib/public-object.ts';
import { ACCESS_KEY, SECRET_KEY } from './lib/servers.ts';
import { median, printTable } from './lib/table.ts';

const FILE_BYTES = 1024 * 1024 * 1024;
const RANGE_BYTES = 64 * 1024;
const CHUNK = Buffer.alloc(1024 * 1024, 'quayside ');
/** Where the answers go, larger than any cache. */
const SINK = Buffer.alloc(64 * 1024 * 1024);
const KEEP_ALIVE_MS = 5000;
/**
 * Lists of which more were left say nothing: on a busy machine reads at once pause for a while
 * (quick-reads.ts).
 */
const LEFT_MAX = 8;
const LISTS = 200;
const ROUNDS = 15;

const folder = await mkdtemp(join(tmpdir(), 'quayside-bench-'));
const log = createConsoleLog(systemClock, 'off');
// With little memory, so that nearly all ranges come from the page cache.
const given = parseConfig({ QUAYSIDE_BODY_MEMORY_BYTES: `${8 * 1024 * 1024}` });
const config = { ...given, rootAccessKey: ACCESS_KEY, rootSecretKey: SECRET_KEY };
const { ports, close } = await openNodePorts(config, {
  dataDir: folder,
  log,
  onCrash: () => process.exit(1),
});

let sinkAt = 0;
function copyOn(bytes: Uint8Array): void {
  if (sinkAt + bytes.length > SINK.length) sinkAt = 0;
  SINK.set(bytes, sinkAt);
  sinkAt += bytes.length;
}

const newTimes = () => ({
  deciding: [] as number[],
  sending: [] as number[],
  copying: [] as number[],
});

type Due = { readonly read: SignedRead; readonly reply: FastResponse; readonly requestId: string };

try {
  await makePublicObject({ ports, settings: config }, 'hot', {
    lengthBytes: FILE_BYTES,
    pump: async (onChunk) => {
      for (let at = 0; at < FILE_BYTES; at += CHUNK.length) await onChunk(CHUNK);
    },
  });
  const { fastPath } = createApp(
    ports,
    config,
    (c: Context<{ Bindings: { request: HttpRequest } }>) => c.env.request,
  );
  const recognise = createRecogniser({
    deciding: fastPath.decidingHeaders,
    signing: fastPath.signingHeaders,
  });
  const heads = createPrebuiltHeads(KEEP_ALIVE_MS);
  const requests = Array.from({ length: 16_384 }, () => {
    const start = Math.floor(Math.random() * (FILE_BYTES - RANGE_BYTES));
    const range = `bytes=${start}-${start + RANGE_BYTES - 1}`;
    return Buffer.from(
      `GET /hot/object HTTP/1.1\r\nRange: ${range}\r\nHost: 127.0.0.1:9000\r\n\r\n`,
    );
  });
  let next = 0;
  let left = 0;

  async function askFully(chunk: Buffer): Promise<void> {
    const read = recognise(chunk);
    const readClient = createClientReader([]);
    const asked =
      read === null ? null : readFastPathRequest(read, chunk, { socket: new Socket(), readClient });
    if (asked === null) throw new Error('The recogniser refused a plain request.');
    const body = asked.answerOf(await fastPath.answerFully(asked.request))?.body;
    if (body instanceof ReadableStream) for await (const _chunk of body);
  }

  function decide(): Due[] {
    const due: Due[] = [];
    for (let i = 0; i < DUE_MAX; i++) {
      const read = recognise(requests[next++ % requests.length] ?? Buffer.alloc(0));
      const reply = read === null ? null : fastPath.answer(read);
      if (read === null || reply === null) left += 1;
      else due.push({ read, reply, requestId: fastPath.requestId() });
    }
    return due;
  }

  function send(due: readonly Due[]): void {
    for (const { reply, requestId } of due) {
      const whole = resolveBody(reply, false);
      if (whole?.kind !== 'borrowed') {
        left += 1;
        continue;
      }
      const { range: part, body: borrowed } = whole;
      const head = heads.of(whole, false, requestId.length, Date.now());
      const bytes = borrowed.buffer.subarray(
        borrowed.at - headLength(head, part),
        borrowed.at + borrowed.lengthBytes,
      );
      fillHead(bytes, head, requestId, part);
      copyOn(bytes);
      borrowed.release();
    }
  }

  const blob = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => join(folder, path))
    .find((path) => statSync(path).size >= FILE_BYTES);
  const file = openSync(blob ?? '', 'r');
  const buffer = Buffer.alloc(RANGE_BYTES);
  function onlyCopy(): void {
    for (let i = 0; i < DUE_MAX; i++) {
      const text = requests[next++ % requests.length]?.toString('latin1') ?? '';
      const start = Number(/bytes=(\d+)/.exec(text)?.[1]);
      readSync(file, buffer, 0, RANGE_BYTES, start);
      copyOn(buffer);
    }
  }

  for (const request of requests.slice(0, 500)) await askFully(request);
  const took = newTimes();
  for (let round = 0; round < ROUNDS; round++) {
    const spent = newTimes();
    for (let list = 0; list < LISTS; list++) {
      const leftBefore = left;
      const moments = [performance.now()];
      const due = decide();
      moments.push(performance.now());
      send(due);
      moments.push(performance.now());
      onlyCopy();
      moments.push(performance.now());
      const [start = 0, decided = 0, sent = 0, copied = 0] = moments;
      if (left - leftBefore > LEFT_MAX) continue;
      spent.deciding.push(decided - start);
      spent.sending.push(sent - decided);
      spent.copying.push(copied - sent);
    }
    // The first is V8's.
    if (round === 0 || spent.deciding.length === 0) continue;
    took.deciding.push(median(spent.deciding));
    took.sending.push(median(spent.sending));
    took.copying.push(median(spent.copying));
  }
  const perRange = (ms: readonly number[]) =>
    [Math.min(...ms), median(ms)].map((each) => (each * 1000) / DUE_MAX);
  const row = (name: string, times: readonly number[]) => [
    name,
    ...times.map((each) => each.toFixed(1)),
  ];
  printTable([
    ['of a range of 64 KiB', 'µs, best round', 'µs, median'],
    row('deciding', perRange(took.deciding)),
    row('reading, head, copying on', perRange(took.sending)),
    row('the copies alone, and a pattern that finds the range', perRange(took.copying)),
  ]);
  const asked = ROUNDS * LISTS * DUE_MAX;
  process.stdout.write(
    `\n${((left / asked) * 100).toFixed(1)} % were left to the full way or stood in memory.\n`,
  );
} finally {
  await close(1000);
  await rm(folder, { recursive: true });
}
