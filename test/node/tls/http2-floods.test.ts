// Clients of HTTP/2 that send much and ask for little are cut; those that work hard are not.
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import {
  CONTINUATION,
  EMPTY_HEADERS_NOT_ENDED,
  isEndedBy,
  openStream,
  PING,
  PREFACE,
  resetStream,
  SETTINGS,
  UNKNOWN,
} from './http2-frames.ts';
import { connectSession, connectTls, requestOn, startAsking } from './tls-kit.ts';

const MiB = 1024 * 1024;
const text = (body: string) => new Response(body, { headers: { 'content-type': 'text/plain' } });

describe('a flood', () => {
  const many = (one: Buffer, times: number) =>
    Buffer.concat(Array.from({ length: times }, () => one));

  it.each([
    ['of pings', () => many(PING, 1000)],
    ['of settings', () => many(SETTINGS, 1000)],
    ['of unknown frames', () => many(UNKNOWN, 500)],
    [
      'of resets',
      (round: number) =>
        Buffer.concat(
          Array.from({ length: 200 }, (_, i) => {
            const id = 2 * (200 * round + i) + 1;
            return Buffer.concat([openStream(id), resetStream(id)]);
          }),
        ),
    ],
    [
      'of continuations',
      (round: number) => (round === 0 ? EMPTY_HEADERS_NOT_ENDED : many(CONTINUATION, 100)),
    ],
  ])('%s ends its connection, and no other', { timeout: 20_000 }, async (_what, next) => {
    const { port } = await startAsking(() => text('fine'));
    const other = connectSession(port);
    expect((await requestOn(other, { ':path': '/' })).status).toBe(200);
    const socket = await connectTls(port, { ALPNProtocols: ['h2'] });
    socket.write(PREFACE);
    expect(await isEndedBy(socket, next)).toBe(true);
    expect((await requestOn(other, { ':path': '/' })).status).toBe(200);
  });

  it('is not what an upload, a long download or many requests are', async () => {
    const bytes = Buffer.alloc(8 * MiB);
    const { port } = await startAsking(async (request) => {
      await request.body().pump(() => undefined);
      return new Response(request.method === 'GET' ? bytes : 'stored');
    });
    const session = connectSession(port);
    for (let i = 0; i < 4; i++) {
      expect((await requestOn(session, { ':method': 'PUT', ':path': '/a' }, bytes)).status).toBe(
        200,
      );
      expect((await requestOn(session, { ':path': '/a' })).body.length).toBe(bytes.length);
    }
    const headers = { ':path': '/small', ':method': 'POST', 'x-amz-meta': 'y'.repeat(1000) };
    for (let i = 0; i < 30; i++)
      await Promise.all(
        Array.from({ length: 50 }, (_, at) =>
          requestOn(session, { ...headers, 'x-n': `${i} ${at} ${'z'.repeat(900)}` }),
        ),
      );
    // Longer than it takes to be looked at.
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect((await requestOn(session, { ':path': '/small', ':method': 'POST' })).status).toBe(200);
  });

  it('of streams is bounded: so many at once, as the settings say', async () => {
    let open = 0;
    let most = 0;
    const { port } = await startAsking(async () => {
      open += 1;
      most = Math.max(most, open);
      await new Promise((resolve) => setTimeout(resolve, 20));
      open -= 1;
      return text('fine');
    });
    const session = connectSession(port);
    const [settings] = (await once(session, 'remoteSettings')) as [Record<string, number>];
    expect(settings).toMatchObject({ maxConcurrentStreams: 100, maxHeaderListSize: 32_768 });
    await Promise.all(Array.from({ length: 300 }, () => requestOn(session, { ':path': '/' })));
    expect(most).toBeLessThanOrEqual(100);
  });
});
