// A request on a connection of the fast path that the app answers: where the app itself fails, the
// client is not left waiting.
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createFullPathResponses } from '../../../src/adapters/node/fast-path/full-path-responses.ts';
import { createPrebuiltHeads } from '../../../src/adapters/node/fast-path/prebuilt-heads.ts';
import { createRecogniser } from '../../../src/adapters/node/fast-path/recognise.ts';
import { createClientReader } from '../../../src/adapters/node/server/trusted-proxies.ts';
import { DECIDING_HEADERS, SIGNING_HEADERS } from '../../../src/http/delivery/deciding-headers.ts';

const recognise = createRecogniser({ deciding: DECIDING_HEADERS, signing: SIGNING_HEADERS });
const CHUNK = Buffer.from('GET /b/k HTTP/1.1\r\nHost: h\r\n\r\n');

it.each([
  ['rejects', () => Promise.reject(new Error('broken'))],
  ['gives what is no response', () => undefined as never],
])('an app that %s ends the connection, and the log says so', async (_, ask) => {
  const failures: string[] = [];
  const respond = createFullPathResponses({
    answerFully: ask,
    readClient: createClientReader([]),
    heads: createPrebuiltHeads(1000),
    nowMs: () => 0,
    log: { info: () => undefined, error: (event) => void failures.push(event) },
  });
  const socket = new PassThrough();
  const control = {
    socket,
    pause: () => undefined,
    resume: () => undefined,
    handOver: () => undefined,
  };
  const read = recognise(CHUNK);
  if (read === null) throw new Error('not recognised');
  expect(respond(control, read, CHUNK)).toBe(true);
  await expect.poll(() => socket.destroyed).toBe(true);
  expect(failures).toEqual(['request-failed']);
});
