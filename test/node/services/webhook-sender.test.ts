// What leaves for webhooks on Node: to public addresses alone, without following anything, within
// bounds.
import { lookup } from 'node:dns';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { createWebhookSender } from '../../../src/adapters/node/services/webhook-sender.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function listen(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const post = (url: string, { mayBePrivate = true, timeoutMs = 5000 } = {}) =>
  createWebhookSender(mayBePrivate).post({
    url,
    headers: { 'x-a': 'b' },
    body: '{"ö":1}',
    timeoutMs,
  });

it('the sender posts, and returns status and Retry-After', async () => {
  const seen: unknown[] = [];
  const port = await listen((request, response) => {
    request.setEncoding('utf8').on('data', (text) => seen.push(text));
    request.on('end', () => {
      seen.push(request.method, request.headers['x-a'], request.headers['content-length']);
      response.writeHead(429, { 'retry-after': '7' }).end('later');
    });
  });
  expect(await post(`http://127.0.0.1:${port}/`)).toEqual({ status: 429, retryAfter: '7' });
  expect(seen).toEqual(['{"ö":1}', 'POST', 'b', '8']);
});

it('the sender follows no redirect', async () => {
  let count = 0;
  const port = await listen((_request, response) => {
    count += 1;
    response.writeHead(307, { location: '/again' }).end();
  });
  expect((await post(`http://127.0.0.1:${port}/`)).status).toBe(307);
  expect(count).toBe(1);
});

it('the sender gives up a response that has no end, and one that never comes', async () => {
  const chatty = await listen((_request, response) => {
    const more = () => {
      while (response.write('x'.repeat(65_536)));
    };
    response.writeHead(200);
    response.on('drain', more);
    more();
  });
  expect((await post(`http://127.0.0.1:${chatty}/`)).status).toBe(200);
  const silent = await listen(() => undefined);
  await expect(post(`http://127.0.0.1:${silent}/`, { timeoutMs: 50 })).rejects.toThrow(
    'It did not answer in time.',
  );
  const stuck = await listen((_request, response) => response.writeHead(200).write('x'));
  expect((await post(`http://127.0.0.1:${stuck}/`, { timeoutMs: 200 })).status).toBe(200);
});

it('the sender says in its own words what went wrong', async () => {
  const port = await listen((request) => request.socket.destroy());
  await expect(post(`http://127.0.0.1:${port}/`)).rejects.toThrow('The connection broke.');
  for (const close of closers.splice(0)) close();
  await expect(post(`http://127.0.0.1:${port}/`)).rejects.toThrow('The connection was refused.');
});

it.each([
  'https://127.0.0.1:1/',
  'https://[::1]:1/',
  'https://[::ffff:10.0.0.1]/',
  'https://169.254.169.254/',
  'https://2130706433/',
])('the sender does not send to the address %s', async (url) => {
  await expect(post(url, { mayBePrivate: false })).rejects.toThrow(
    'The address of the host is not public.',
  );
});

it('the sender does not send to a name whose address is not public, nor without TLS', async () => {
  const resolves = await new Promise((resolve) =>
    lookup('localhost', (error) => resolve(error === null)),
  );
  expect(resolves).toBe(true);
  await expect(post('https://localhost:1/', { mayBePrivate: false })).rejects.toThrow(
    'The address of the host is not public.',
  );
  await expect(post('http://example.com/', { mayBePrivate: false })).rejects.toThrow(
    'The URL is not https.',
  );
});
