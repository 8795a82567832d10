// Connections of the fast path from their beginning to their end: clients that are slow, leave or
// say nothing, the numbers of the server, time-outs, limits, an orderly end, TLS.
import { once } from 'node:events';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { attachFastPath } from '../../../src/adapters/node/fast-path/attach-fast-path.ts';
import type { NodeBindings } from '../../../src/adapters/node/serve.ts';
import { readRequest } from '../../../src/adapters/node/server/http-request.ts';
import {
  createResponseCounts,
  type ResponseCounts,
} from '../../../src/adapters/node/server/response-counts.ts';
import { createApp } from '../../../src/app.ts';
import { parseConfig } from '../../../src/config.ts';
import type { BucketName } from '../../../src/domain/nouns.ts';
import type { FastPath } from '../../../src/http/delivery/fast-path/fast-path.ts';
import type { FastResponse } from '../../../src/http/delivery/fast-path/fast-response.ts';
import { renderMetrics } from '../../../src/http/system/metrics-text.ts';
import type { BlobStore } from '../../../src/ports/blob-store.ts';
import { withPorts } from '../../core/memory-core.ts';
import { FAST_RESPONSE } from '../../http/delivery/fast-path/fast-response-sample.ts';
import { parseMetricsPage } from '../../wire/kit/metrics-page.ts';
import { openRawClient } from '../kit/raw-socket.ts';
import { makeSelfSigned } from '../kit/self-signed.ts';
import { connectTo, openTestServer, PUBLIC_BUCKET, settle } from './both-paths.ts';
import { request, useWarmConnection } from './warm-connection.ts';

const { core, door, wait, answered, onFastPath, askFastPath, listen } = useWarmConnection();

/** A fast-path response whose range is to be read later, and is not at hand then. */
const NEVER_AT_HAND: FastResponse = {
  ...FAST_RESPONSE,
  status: 206,
  bucket: PUBLIC_BUCKET as BucketName,
  kind: 'later',
  body: () => null,
  range: null,
};

/** A server whose bucket gives nothing before `goOn`. `begun`: it was asked. */
function openSlow(options: { hasFastConnections: boolean; fastPath?: Partial<FastPath> }) {
  const { blobStore } = core().ports;
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const open: BlobStore['open'] = async (...input) => {
    asked.resolve();
    await held.promise;
    return blobStore.open(...input);
  };
  const there = openTestServer(withPorts(core(), { blobStore: { ...blobStore, open } }), options);
  return { there, begun: asked.promise, goOn: held.resolve };
}

describe('a client', () => {
  it('that closes its half behind a request gets its answer, and then the end', async () => {
    const client = await openRawClient(await listen(door()));
    client.socket.end(request('big'));
    const all = await client.closed();
    expect(all.length - all.indexOf('\r\n\r\n') - 4).toBe(50_000);
  });

  it.each([
    ['in the lane', true, 'HTTP/1.1', ''],
    ['with Connection: close', true, 'HTTP/1.1', 'Connection: close\r\n'],
    ['with HTTP/1.0', true, 'HTTP/1.0', ''],
    ['without the lane', false, 'HTTP/1.1', ''],
    ['without the lane, with Connection: close', false, 'HTTP/1.1', 'Connection: close\r\n'],
  ])(
    'that closes its half gets what takes long to find too, and then the end: %s',
    async (_name, hasFastConnections, version, header) => {
      const { there, begun, goOn } = openSlow({ hasFastConnections });
      const line = connectTo(there);
      line.client.end(`GET /${PUBLIC_BUCKET}/past-tiers ${version}\r\nHost: h\r\n${header}\r\n`);
      await begun;
      await settle([line]);
      expect(line.isClosed()).toBe(false);
      goOn();
      await expect.poll(() => line.isClosed()).toBe(true);
      const all = line.received();
      expect(all.length - all.indexOf('\r\n\r\n') - 4).toBe(300_000);
    },
  );

  it('that closes its half gets its response, also where memory has it no more', async () => {
    let server: Duplex | null = null;
    const answer = () => {
      // The end comes with the bytes of the request: before the end of the turn, when the
      // response is due.
      server?.push(null);
      return NEVER_AT_HAND;
    };
    const { there, begun, goOn } = openSlow({ hasFastConnections: true, fastPath: { answer } });
    there.server.on('connection', (socket) => {
      server = socket;
    });
    const client = await openRawClient(await listen(there));
    client.send(request('past-tiers'));
    await begun;
    goOn();
    const all = await client.closed();
    expect(all.length - all.indexOf('\r\n\r\n') - 4).toBe(300_000);
    there.server.close();
  });

  it.each([
    ['in the lane', true],
    ['without it', false],
  ])(
    'that closes its half and has no answer due is let go: %s',
    async (_name, hasFastConnections) => {
      const there = openTestServer(core(), { hasFastConnections });
      const silent = connectTo(there);
      silent.client.end();
      const answered = connectTo(there);
      answered.client.write(request('inline'));
      await settle([answered]);
      answered.client.end();
      await expect.poll(() => [silent.isClosed(), answered.isClosed()]).toEqual([true, true]);
      expect(answered.received().toString()).toMatch(/content-length: 10\r\n/);
    },
  );

  it('that goes away leaves nothing behind', async () => {
    const client = await openRawClient(await listen(door()));
    client.send(request('inline'));
    await client.until(/content-length: 10/);
    expect(onFastPath()).toBe(1);
    client.socket.resetAndDestroy();
    await expect.poll(onFastPath).toBe(0);
  });

  it('that does not read is not read from, and gets everything once it does', async () => {
    const line = connectTo(door());
    line.client.pause();
    const before = answered();
    for (let i = 0; i < 200; i++) line.client.write(request('big'));
    await settle([line]);
    expect(answered() - before).toBeLessThan(5);
    expect(line.server.writableLength).toBeLessThan(200_000);
    line.client.resume();
    await settle([line]);
    const received = line.received().toString('latin1');
    expect(received.match(/content-length: 50000/g)).toHaveLength(200);
    expect(received.length).toBeGreaterThan(200 * 50_000);
  });

  it('that reads slowly over TCP gets every byte of many answers, in order', async () => {
    const client = await openRawClient(await listen(door()));
    client.socket.pause();
    const names = ['big', 'a/b.txt', 'inline'];
    const wanted = [50_000, 3000, 10];
    const rounds = 40;
    client.socket.setNoDelay(true);
    for (let round = 0; round < rounds; round++) {
      for (const name of names) client.send(request(name));
    }
    client.socket.resume();
    await expect
      .poll(() => client.received().match(/content-length: \d+/g)?.length)
      .toBe(rounds * 3);
    const lengths = client.received().match(/content-length: \d+/g) ?? [];
    expect(lengths).toEqual(
      Array.from({ length: rounds * 3 }, (_, i) => `content-length: ${wanted[i % 3]}`),
    );
    client.socket.destroy();
  });
});

describe('the numbers of the server', () => {
  const numbers = (counts: ResponseCounts) => {
    const { value } = parseMetricsPage(renderMetrics(counts.families()));
    return [value('quayside_responses_open'), value('quayside_responses_cut_short_total')];
  };

  it.each([
    ['a long body', 'past-tiers', 1],
    ['hot ones', 'big', 3],
  ])(
    'tell of the lane too what is under way and what was broken off: %s',
    async (_what, name, count) => {
      const counts = createResponseCounts();
      const counting = openTestServer(core(), { hasFastConnections: true, counts });
      const [patient, leaving] = [connectTo(counting), connectTo(counting)];
      for (const { client } of [patient, leaving]) {
        client.pause();
        for (let i = 0; i < count; i++) client.write(request(name));
      }
      await settle([patient, leaving]);
      expect(numbers(counts)).toEqual([2, 0]);
      leaving.client.destroy();
      leaving.server.destroy();
      await expect.poll(() => numbers(counts)).toEqual([1, 1]);
      patient.client.resume();
      await settle([patient]);
      expect(numbers(counts)).toEqual([0, 1]);
      // What goes on in node:http counts once, there.
      patient.client.write(
        'GET /private/inline HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\n\r\n',
      );
      await settle([patient]);
      expect(numbers(counts)).toEqual([0, 1]);
      patient.server.destroy();
    },
  );
});

describe('time-outs', () => {
  it('close a connection that has been idle for as long as node:http says', async () => {
    const line = connectTo(door());
    const answer = await askFastPath(line, request('inline'));
    expect(answer).toContain('Keep-Alive: timeout=75\r\n');
    wait(76_000);
    door().lane?.closeExpired();
    expect(onFastPath()).toBe(1);
    wait(1);
    door().lane?.closeExpired();
    await settle([line]);
    expect([onFastPath(), line.server.destroyed]).toEqual([0, true]);
  });

  it('refuse a connection that never asks, as node:http does', async () => {
    const line = connectTo(door());
    wait(30_001);
    door().lane?.closeExpired();
    await settle([line]);
    expect(line.received().toString()).toBe(
      'HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n',
    );
    expect([onFastPath(), line.server.destroyed]).toEqual([0, true]);
  });

  it('close a connection whose client takes nothing of its answer', async () => {
    const line = connectTo(door());
    line.client.pause();
    for (let i = 0; i < 20; i++) line.client.write(request('big'));
    await settle([line]);
    wait(300_000);
    door().lane?.closeExpired();
    expect(onFastPath()).toBe(1);
    wait(1);
    door().lane?.closeExpired();
    await settle([line]);
    expect(onFastPath()).toBe(0);
  });
});

describe('limits', () => {
  it('count the connections of the lane', async () => {
    door().server.maxConnections = 2;
    const url = await listen(door());
    const clients = [await openRawClient(url), await openRawClient(url)];
    for (const client of clients) {
      client.send(request('inline'));
      await client.until(/content-length: 10/);
    }
    expect(onFastPath()).toBe(2);
    const third = await openRawClient(url);
    expect(await third.closed()).toBe('');
    for (const client of clients) client.socket.destroy();
  });
});

describe('the end of the server', () => {
  it('closes idle connections at once, and the others when their response is sent', async () => {
    const url = await listen(door());
    const idle = await openRawClient(url);
    idle.send(request('inline'));
    await idle.until(/content-length: 10/);
    const busy = connectTo(door());
    busy.client.pause();
    busy.client.write(request('big'));
    busy.client.write(request('big'));
    await settle([busy]);
    expect(onFastPath()).toBe(2);

    const closed = once(door().server, 'close');
    door().server.close();
    await idle.closed();
    expect(busy.server.destroyed).toBe(false);
    busy.client.resume();
    await settle([busy]);
    expect(
      busy
        .received()
        .toString('latin1')
        .match(/content-length: 50000/g),
    ).toHaveLength(2);
    door().server.closeIdleConnections();
    await settle([busy]);
    expect(onFastPath()).toBe(0);
    await closed;
  });

  it('gives a connection that has not asked yet a moment', async () => {
    const line = connectTo(door());
    door().server.closeIdleConnections();
    expect(onFastPath()).toBe(1);
    wait(1001);
    door().server.closeIdleConnections();
    await settle([line]);
    expect(onFastPath()).toBe(0);
  });

  it('cuts answers under way when it must', async () => {
    const line = connectTo(door());
    line.client.pause();
    for (let i = 0; i < 20; i++) line.client.write(request('big'));
    await settle([line]);
    door().server.closeAllConnections();
    await settle([line]);
    expect(onFastPath()).toBe(0);
  });
});

describe('TLS', () => {
  it('has a lane too, and node:https behind it', async () => {
    const config = { ...parseConfig({}), ...core().settings };
    const app = createApp<NodeBindings>(core().ports, config, (c) => readRequest(c.env));
    const server = createTlsServer(makeSelfSigned(), (_incoming, outgoing) =>
      outgoing.end('from node:https'),
    );
    const lane = attachFastPath(server, app.fastPath, { log: core().ports.log });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connectTls({
      port: (server.address() as AddressInfo).port,
      rejectUnauthorized: false,
    });
    let received = '';
    client.setEncoding('latin1').on('data', (text: string) => {
      received += text;
    });
    await once(client, 'secureConnect');
    for (let i = 1; i <= 3; i++) {
      client.write(request('big'));
      await expect.poll(() => received.match(/content-length: 50000/g)?.length).toBe(i);
    }
    await expect.poll(() => received.length).toBeGreaterThan(150_000);
    expect(lane.counts().answered).toBe(3);
    client.write(request('missing?x'));
    await expect.poll(() => received).toMatch(/from node:https$/);
    expect(lane.counts()).toMatchObject({ answered: 3, handedOver: 1, connections: 0 });
    client.destroy();
    server.close();
    server.closeAllConnections();
  });
});
