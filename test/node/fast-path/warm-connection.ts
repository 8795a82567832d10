// A server whose fast path has answered a few requests already, anew for each test, and clients of
// it.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect } from 'vitest';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import { createUsageMeter, type UsageMeter } from '../../../src/adapters/shared/usage-meter.ts';
import { type MemoryCore, withPorts } from '../../core/memory-core.ts';
import {
  connectTo,
  createStockedCore,
  type Line,
  openTestServer,
  PUBLIC_BUCKET,
  settle,
  type TestServer,
} from './both-paths.ts';

/** A GET of an object of the public bucket. */
export const request = (name: string, ...headers: readonly string[]) =>
  `GET /${PUBLIC_BUCKET}/${name} HTTP/1.1\r\nHost: h\r\n` +
  `${headers.map((line) => `${line}\r\n`).join('')}\r\n`;

/** Makes it before each test of the file. Its clock stands still until `wait`. */
export function useWarmConnection() {
  let core: MemoryCore;
  let meter: UsageMeter;
  let nowMs: number;
  let door: TestServer;

  beforeEach(async () => {
    nowMs = Date.UTC(2026, 10, 21, 12);
    meter = createUsageMeter(systemClock);
    core = withPorts(await createStockedCore(), { meter });
    door = openTestServer(core, { hasFastConnections: true, nowMs: () => nowMs });
    const line = connectTo(door);
    for (const name of ['inline', 'big', 'a/b.txt', 'a/b.txt', 'big']) {
      line.client.write(request(name));
      await settle([line]);
    }
    line.client.destroy();
    line.server.destroy();
    await expect.poll(onFastPath).toBe(0);
  });
  afterEach(() => {
    door.server.closeAllConnections();
    door.server.close();
  });

  const answered = () => door.lane?.counts().answered ?? 0;
  const onFastPath = () => door.lane?.counts().connections ?? 0;

  /** Sends a chunk and gives what came back for it. */
  async function ask(line: Line, chunk: string): Promise<string> {
    const before = line.received().length;
    line.client.write(chunk);
    await settle([line]);
    return line.received().subarray(before).toString('latin1');
  }

  /** Sends a request, and makes sure that the fast path answered it. */
  async function askFastPath(line: Line, chunk: string): Promise<string> {
    const before = answered();
    const answer = await ask(line, chunk);
    expect(answered()).toBe(before + 1);
    return answer;
  }

  async function listen({ server }: TestServer): Promise<string> {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }
  const wait = (ms: number) => {
    nowMs += ms;
  };
  const state = { core: () => core, meter: () => meter, door: () => door };
  return { ...state, wait, answered, onFastPath, ask, askFastPath, listen };
}
