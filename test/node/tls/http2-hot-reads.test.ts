// Hot reads over HTTP/2 whose client takes nothing: they end, as over HTTP/1.1.
import { once } from 'node:events';
import { expect, it } from 'vitest';
import { createStockedCore, PUBLIC_BUCKET } from '../fast-path/both-paths.ts';
import { endOf, serverStreams } from './http2-streams.ts';
import { connectSession, requestOn, startApp } from './tls-kit.ts';

it('a hot read is cut when its client has taken nothing for too long', async () => {
  let fast = 0;
  const { port } = await startApp(await createStockedCore(), { onFastAnswer: () => (fast += 1) });
  const session = connectSession(port);
  const target = `/${PUBLIC_BUCKET}/inline`;
  await expect.poll(async () => (await requestOn(session, { ':path': target })).status).toBe(200);
  // The tiers know the object now, and the client has no room for its body.
  session.settings({ initialWindowSize: 0 });
  await once(session, 'localSettings');
  const started = serverStreams();
  const before = fast;
  const stream = session.request({ ':path': target });
  const end = endOf(stream);
  await once(stream, 'response');
  expect([fast - before, started.length]).toEqual([1, 1]);
  for (const each of started) each.emit('timeout');
  expect(await end).toBe('cut: ERR_HTTP2_STREAM_ERROR');
});
