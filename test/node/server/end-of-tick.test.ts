// Hot answers are decided when a request is read and sent at the end of the tick, by both parts of
// the fast path: what lies between.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setImmediate as nextTick } from 'node:timers/promises';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { attachFastPath } from '../../../src/adapters/node/fast-path/attach-fast-path.ts';
import { type RunningServer, serve } from '../../../src/adapters/node/serve.ts';
import { createEndOfTick } from '../../../src/adapters/node/server/end-of-tick.ts';
import { createConsoleLog } from '../../../src/adapters/shared/console-log.ts';
import { systemClock } from '../../../src/adapters/shared/system-clock.ts';
import type { FastPath } from '../../../src/http/delivery/fast-path/fast-path.ts';
import type {
  FastResponse,
  ReadLater,
  WholeResponse,
} from '../../../src/http/delivery/fast-path/fast-response.ts';
import { FAST_RESPONSE } from '../../http/delivery/fast-path/fast-response-sample.ts';
import { openRawClient, type RawClient } from '../kit/raw-socket.ts';

describe('work that is due at the end of a tick', () => {
  it('is done then, in order and once', async () => {
    const done: number[] = [];
    const { add, flush } = createEndOfTick<number>((item) => done.push(item));
    for (const item of [1, 2, 3]) add(item);
    expect(done).toEqual([]);
    await nextTick();
    expect(done).toEqual([1, 2, 3]);
    add(4);
    flush();
    expect(done).toEqual([1, 2, 3, 4]);
    add(5);
    await nextTick();
    await nextTick();
    expect(done).toEqual([1, 2, 3, 4, 5]);
  });

  it('is done at once when there is much', () => {
    const done: number[] = [];
    const { add } = createEndOfTick<number>((item) => done.push(item));
    for (let item = 0; item < 150; item++) add(item);
    expect(done).toEqual(Array.from({ length: 128 }, (_, item) => item));
  });

  it('may add more, which is done in the same tick or the next', async () => {
    const done: number[] = [];
    const { add } = createEndOfTick<number>((item) => {
      done.push(item);
      if (item < 3) add(item + 1);
    });
    add(1);
    for (let ticks = 0; ticks < 4; ticks++) await nextTick();
    expect(done).toEqual([1, 2, 3]);
  });
});

const REPLY: WholeResponse = {
  ...FAST_RESPONSE,
  headers: { 'content-length': '3' },
  body: Buffer.from('hot'),
};
const PART: WholeResponse = {
  ...FAST_RESPONSE,
  status: 206,
  headers: { 'content-length': '', 'content-range': '' },
  kind: 'range',
  body: Buffer.from('hot'),
  range: { range: { startByte: 0, endByteInclusive: 2 }, sizeBytes: 9, serverTiming: '' },
};
/** A response that is read by `body` when it is sent. */
const partReadBy = (body: ReadLater): FastResponse => ({
  ...PART,
  kind: 'later',
  body,
  range: null,
});
/** A reply whose body is `text`, of two bytes. */
const numbered = (text: string): WholeResponse => ({
  ...FAST_RESPONSE,
  headers: { 'content-length': '2' },
  body: Buffer.from(text),
});
const REQUEST = 'GET /b/k HTTP/1.1\r\nHost: h\r\n\r\n';

const log = createConsoleLog(systemClock, 'off');
const ask = () => new Response('app', { headers: { 'content-length': '3' } });

function fastPathOf(answer: FastPath['answer']): FastPath {
  return {
    answer,
    answerSigned: () => null,
    answerFully: ({ respond }) =>
      respond?.({ status: 200, headers: { 'content-length': '3' }, body: 'app' }) ?? ask(),
    decidingHeaders: [],
    signingHeaders: [],
    requestId: () => 'ID',
    served: null,
  };
}

describe.each([
  ['the fast path', true],
  ['the fast path behind node:http', false],
])('%s', (_, hasFastConnections) => {
  let server: RunningServer;
  afterEach(() => server.close(0));

  /** A server whose fast path gives what `answer` does, and whose app says `app`. */
  async function open(answer: FastPath['answer']) {
    server = await serve(ask, {
      log,
      fastPath: fastPathOf(answer),
      hasFastConnections,
      host: '127.0.0.1',
      port: 0,
    });
    return openRawClient(server.url);
  }

  it('reads what is still to be read when it sends', async () => {
    const client = await open(() => partReadBy(() => PART));
    client.send(REQUEST);
    expect(await client.until(/hot$/)).toMatch(
      /^HTTP\/1.1 206 .*\r\ncontent-length: 3\r\ncontent-range: bytes 0-2\/9\r\n/,
    );
  });

  it.each([
    ['is gone meanwhile', () => null],
    [
      'fails',
      () => {
        throw new Error('gone');
      },
    ],
  ])('lets the app answer where that %s, and keeps the connection', async (_case, finish) => {
    let asked = 0;
    const client = await open(() => (asked++ === 0 ? partReadBy(finish) : REPLY));
    client.send(REQUEST);
    expect(await client.until(/app$/)).toMatch(/^HTTP\/1.1 200 /);
    client.send(REQUEST);
    expect((await client.until(/hot$/)).match(/HTTP\/1.1 200/g)).toHaveLength(2);
  });

  it('sends what is due before it closes', async () => {
    let asked = 0;
    const client = await open(() => {
      if (asked++ === 1) process.nextTick(() => void server.close(1000));
      return REPLY;
    });
    client.send(REQUEST);
    await client.until(/hot$/);
    client.send(REQUEST);
    expect((await client.closed()).match(/hot/g)).toHaveLength(2);
  });
});

/** A lane whose door gives what `answer` does; `sockets`: its ends of the connections. */
async function openFastConnection(
  answer: FastPath['answer'],
): Promise<{ client: RawClient; sockets: readonly Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer((incoming, outgoing) => outgoing.end(`slow ${incoming.url}`));
  onTestFinished(() => void server.close());
  attachFastPath(server, fastPathOf(answer), { log });
  server.on('connection', (socket: Socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    client: await openRawClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
    sockets,
  };
}

/** Reads once more, as libuv does when a connection has more to say in the same tick. */
function readOnceMore(socket: Socket | undefined, text: string): void {
  const read = (name: string): unknown => {
    const symbol = Object.getOwnPropertySymbols(socket).find(
      ({ description }) => description === name,
    );
    return symbol === undefined ? undefined : Reflect.get(socket ?? {}, symbol);
  };
  const written = (read('kBuffer') as Buffer).write(text);
  (read('kBufferCb') as (lengthBytes: number) => boolean)(written);
}

describe('the fast path', () => {
  it('reads nothing for a connection that is gone', async () => {
    let reads = 0;
    const finish = () => {
      reads += 1;
      return PART;
    };
    const { client, sockets } = await openFastConnection(() => {
      process.nextTick(() => sockets[0]?.destroy());
      return partReadBy(finish);
    });
    client.send(REQUEST);
    expect([await client.closed(), reads]).toEqual(['', 0]);
  });

  it.each([
    ['a whole reply', null, /^a!b!c!$/],
    ['one that is still to be read', () => numbered('a!'), /^slow \/b\/k(?:slow \/b\/k){2}$/],
  ])('answers in order what was read twice in a tick: %s', async (_, finish, expected) => {
    let asked = 0;
    const { client, sockets } = await openFastConnection(() => {
      asked += 1;
      if (asked === 1) process.nextTick(() => readOnceMore(sockets[0], REQUEST));
      if (asked === 1 && finish !== null) return partReadBy(finish);
      return numbered(`${'abc'[asked - 1]}!`);
    });
    client.send(REQUEST);
    await client.until(/(?:HTTP.*){2}/s);
    client.send(REQUEST);
    expect(
      (await client.until(/(?:HTTP.*){3}/s))
        .match(/[abc]!$|[abc]!(?=HTTP)|slow \/b\/k/gm)
        ?.join(''),
    ).toMatch(expected);
  });

  it('hands over in order two reads of a tick, where the second is not plain', async () => {
    const { client, sockets } = await openFastConnection(() => {
      process.nextTick(() =>
        readOnceMore(sockets[0], 'POST /late HTTP/1.1\r\nHost: h\r\nContent-Length: 0\r\n\r\n'),
      );
      return numbered('a!');
    });
    client.send(REQUEST);
    expect(await client.until(/slow/)).toMatch(/a!.*slow/s);
  });
});
