// TXT records by DNS over HTTPS, of a server on loopback that answers as the services do. The
// Worker asks so.
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, it } from 'vitest';
import { createHttpsTxtRecords } from '../../../src/adapters/shared/https-txt-records.ts';

/** For what never comes, milliseconds. */
const SHORT_MS = 50;
const asked: unknown[] = [];
let answer: (response: ServerResponse) => void = () => undefined;
const server = createServer((request, response) => {
  asked.push([request.url, request.headers.accept]);
  answer(response);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
const { port } = server.address() as AddressInfo;
const url = `http://127.0.0.1:${port}/dns-query`;
const records = createHttpsTxtRecords(url);
const hasty = createHttpsTxtRecords(url, SHORT_MS);
const readWhere = (document: object | string) => {
  answer = (response) =>
    response.end(typeof document === 'string' ? document : JSON.stringify(document));
  return records.read('_quayside.a.example');
};
const txt = (data: unknown) => ({ name: '_quayside.a.example', type: 16, TTL: 60, data });

it('a look-up returns the texts, quoted or not, in pieces or not, without aliases', async () => {
  const alias = {
    name: '_quayside.a.example',
    type: 5,
    TTL: 60,
    data: 'quayside-account=0.example.',
  };
  const Answer = [
    alias,
    txt('"quayside-account=1"'),
    txt('quayside-account=2'),
    txt('"quayside-" "account=3"'),
    txt(4),
  ];
  expect(await readWhere({ Status: 0, Answer })).toEqual(
    ['1', '2', '3'].map((mark) => `quayside-account=${mark}`),
  );
  expect(asked).toEqual([['/dns-query?name=_quayside.a.example&type=TXT', 'application/dns-json']]);
});

it('a look-up returns none where there is no name or no record', async () => {
  expect(await readWhere({ Status: 3 })).toEqual([]);
  expect(await readWhere({ Status: 0 })).toEqual([]);
});

it.each([
  ['a failure of DNS', { Status: 2 }],
  ['no status', { Answer: [txt('"a"')] }],
  ['no JSON', '<html>'],
  ['no object', 'null'],
  ['too much', ' '.repeat(200_000)],
])('a look-up rejects %s', async (_, document) => {
  await expect(readWhere(document)).rejects.toMatchObject({ code: 'ServiceUnavailable' });
});

it('a look-up follows no redirect, takes no failure for a response, and times out', async () => {
  for (const status of [302, 429, 500]) {
    answer = (response) =>
      response.writeHead(status, { location: '/elsewhere' }).end('{"Status":0}');
    await expect(records.read('a.example')).rejects.toMatchObject({ code: 'ServiceUnavailable' });
  }
  expect(asked).not.toContainEqual(['/elsewhere', 'application/dns-json']);
  answer = () => undefined;
  await expect(hasty.read('a.example')).rejects.toMatchObject({ code: 'ServiceUnavailable' });
  // The head comes, the body hangs.
  answer = (response) => response.writeHead(200).write('{"Status":0');
  await expect(hasty.read('a.example')).rejects.toMatchObject({ code: 'ServiceUnavailable' });
});
