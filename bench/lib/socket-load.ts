// Load over plain sockets, for machines without wrk: each connection sends the same request again
// as soon as it has the whole response. It measures less than wrk does, since it takes more CPU
// itself; what it compares is comparable.
import { connect, type Socket } from 'node:net';
import { cpuSecondsOf } from './process-cpu.ts';
import type { LoadResult } from './wrk.ts';

export type SocketLoad = {
  readonly url: string;
  readonly connections: number;
  readonly seconds: number;
  readonly bodyBytes: number;
};

const HEAD_END = Buffer.from('\r\n\r\n');

/** Sends as many requests as the server answers, and checks the length of each response. */
export async function socketLoad(
  { url, connections, seconds, bodyBytes }: SocketLoad,
  pids: readonly number[],
): Promise<LoadResult> {
  const { hostname, port, host, pathname, search } = new URL(url);
  const request = `GET ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\nAccept: */*\r\n\r\n`;
  const latenciesMs: number[] = [];
  let isOver = false;

  const run = (socket: Socket) =>
    new Promise<void>((resolve, reject) => {
      let leftBytes = -1;
      let head: Buffer = Buffer.alloc(0);
      let sentAtMs = 0;
      const send = () => {
        leftBytes = -1;
        head = Buffer.alloc(0);
        sentAtMs = performance.now();
        socket.write(request);
      };
      socket.on('error', reject);
      socket.on('data', (chunk: Buffer) => {
        if (leftBytes === -1) {
          head = head.length === 0 ? chunk : Buffer.concat([head, chunk]);
          const endAt = head.indexOf(HEAD_END);
          if (endAt === -1) return;
          if (head.toString('latin1', 9, 12) !== '200') {
            reject(new Error(head.toString('latin1', 0, 200)));
            return;
          }
          leftBytes = bodyBytes - (head.length - endAt - HEAD_END.length);
        } else leftBytes -= chunk.length;
        if (leftBytes > 0) return;
        if (leftBytes < 0) reject(new Error('A response is longer than the object.'));
        latenciesMs.push(performance.now() - sentAtMs);
        if (isOver) {
          socket.destroy();
          resolve();
        } else send();
      });
      socket.once('connect', send);
    });

  const cpuSeconds = () => pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0);
  const cpuBefore = cpuSeconds();
  const startedMs = performance.now();
  const running = Array.from({ length: connections }, () =>
    run(connect(Number(port), hostname).setNoDelay(true)),
  );
  await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  isOver = true;
  await Promise.all(running);
  const tookMs = performance.now() - startedMs;
  const cpuMicros = 1e6 * (cpuSeconds() - cpuBefore);
  latenciesMs.sort((a, b) => a - b);
  const requests = latenciesMs.length;
  return {
    requestsPerSecond: (requests * 1000) / tookMs,
    cpuMicrosPerRequest: cpuMicros / requests,
    p99Ms: latenciesMs[Math.floor(requests * 0.99)] ?? Number.NaN,
    megabytesPerSecond: (requests * bodyBytes) / tookMs / 1000,
  };
}
