// How many durable PUTs a second does the Node platform take? 10 KiB, 64 at a time, each answered
// after its fsync.
import { createHash, createHmac } from 'node:crypto';
import { Agent, request } from 'node:http';
import { cpuSecondsOf } from './lib/process-cpu.ts';
import { ACCESS_KEY, SECRET_KEY, startQuayside } from './lib/servers.ts';
import { median, printTable } from './lib/table.ts';

const ROUNDS = 5;
const SECONDS = 3;
const CONCURRENCY = 64;
const EMPTY_SHA256 = createHash('sha256').update('').digest('hex');

/** A minimal signer, so that the client costs less CPU than the server. */
function sign(
  method: string,
  path: string,
  host: string,
  sha256: string,
  headers: Record<string, string>,
) {
  const amzDate = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
  const date = amzDate.slice(0, 8);
  const all: Record<string, string> = {
    host,
    'x-amz-content-sha256': sha256,
    'x-amz-date': amzDate,
    ...headers,
  };
  const names = Object.keys(all).sort();
  const canonical = [
    method,
    path,
    '',
    ...names.map((name) => `${name}:${all[name]}`),
    '',
    names.join(';'),
    sha256,
  ].join('\n');
  const scope = `${date}/auto/s3/aws4_request`;
  const text = [
    'AWS4-HMAC-SHA256',
    amzDate,
    scope,
    createHash('sha256').update(canonical).digest('hex'),
  ].join('\n');
  const key = ['auto', 's3', 'aws4_request'].reduce(
    (hmac, step) => createHmac('sha256', hmac).update(step).digest(),
    createHmac('sha256', `AWS4${SECRET_KEY}`).update(date).digest(),
  );
  const signature = createHmac('sha256', key).update(text).digest('hex');
  const authorization =
    `AWS4-HMAC-SHA256 Credential=${ACCESS_KEY}/${scope}, ` +
    `SignedHeaders=${names.join(';')}, ` +
    `Signature=${signature}`;
  return { ...all, authorization };
}

function put(
  agent: Agent,
  port: number,
  path: string,
  body: Buffer | null,
  sha256: string,
  extra: Record<string, string> = {},
): Promise<void> {
  const host = `127.0.0.1:${port}`;
  const headers = {
    ...sign('PUT', path, host, sha256, extra),
    'content-length': `${body?.length ?? 0}`,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { agent, host: '127.0.0.1', port, path, method: 'PUT', headers },
      (incoming) => {
        let text = '';
        incoming.on('data', (chunk) => {
          text += chunk;
        });
        incoming.on('end', () =>
          incoming.statusCode === 200
            ? resolve()
            : reject(new Error(`${incoming.statusCode} ${text}`)),
        );
        incoming.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const rows: (string | number)[][] = [['body', 'store', 'PUT/s', 'server CPU µs/PUT']];
for (const { sizeBytes, store, settings } of [
  { sizeBytes: 10 * 1024, store: 'inline row', settings: {} },
  { sizeBytes: 10 * 1024, store: 'file', settings: { QUAYSIDE_INLINE_MAX_BYTES: '0' } },
  { sizeBytes: 1024 * 1024, store: 'file', settings: {} },
]) {
  const port = 19602;
  const server = await startQuayside(port, settings);
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
  try {
    await put(agent, port, '/bench', null, EMPTY_SHA256);
    const rates: number[] = [];
    const cpu: number[] = [];
    let sequence = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const cpuBefore = cpuSecondsOf(server.pids[0] ?? 0);
      const startedAt = performance.now();
      const endAt = startedAt + SECONDS * 1000;
      let done = 0;
      const worker = async () => {
        while (performance.now() < endAt) {
          const body = Buffer.alloc(sizeBytes, `${sequence}`);
          await put(agent, port, `/bench/key-${sequence++}`, body, 'UNSIGNED-PAYLOAD');
          done++;
        }
      };
      await Promise.all(Array.from({ length: CONCURRENCY }, worker));
      rates.push((done / (performance.now() - startedAt)) * 1000);
      cpu.push(((cpuSecondsOf(server.pids[0] ?? 0) - cpuBefore) / done) * 1e6);
    }
    rows.push([
      `${sizeBytes / 1024} KiB`,
      store,
      Math.round(median(rates)),
      median(cpu).toFixed(0),
    ]);
  } finally {
    agent.destroy();
    await server.stop();
  }
}
printTable(rows);
