// `npm run dev`: the Cloudflare platform in wrangler dev answers signed and public requests, keeps
// what it was given, and ends on a signal. What it responds in detail is the wire suite's, which
// runs the same Worker without wrangler.
import { expect, it } from 'vitest';
import { createClient } from '../../wire/kit/clients/client.ts';
import { startWranglerDev } from '../../wire/kit/server.ts';

it('wrangler dev runs the Cloudflare platform', { timeout: 120_000 }, async () => {
  const server = await startWranglerDev();
  try {
    const { send, anonymous } = createClient(server.target);
    const body = 'x'.repeat(300_000);
    expect((await send({ method: 'PUT', bucket: 'made-in-dev' })).status).toBe(200);
    expect((await send({ method: 'PUT', bucket: 'made-in-dev', key: 'a', body })).status).toBe(200);
    expect(await send({ method: 'GET', bucket: 'made-in-dev', key: 'a' })).toMatchObject({
      status: 200,
      text: body,
    });
    expect((await anonymous({ method: 'GET', bucket: 'made-in-dev', key: 'a' })).status).toBe(403);
    const script = await anonymous({ method: 'GET', path: '/-/docs' });
    expect([script.status, script.headers['content-type']]).toEqual([
      200,
      expect.stringContaining('text/html'),
    ]);
  } finally {
    await server.stop();
  }
  expect(server.process.signalCode ?? server.process.exitCode).not.toBe('SIGKILL');
});
