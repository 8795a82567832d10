// The least that a server on Node's own modules can do for the workloads of the delivery bench: the
// floors beside our numbers. Prebuilt answers, nothing looked at but If-None-Match and Range; no
// policy, no metering, no limits. It sends at the end of a turn, as we do, and on node:net it reads
// into one buffer, as the lane does. Arguments: `http` or `net`, the port, the folder of the files,
// and the headers of one of our answers as JSON.
import { existsSync, openSync, readFileSync, readSync } from 'node:fs';
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { createServer as createNetServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createSharedReads } from '../../src/adapters/node/fast-path/shared-read-buffer.ts';
import { createEndOfTick } from '../../src/adapters/node/server/end-of-tick.ts';

const [kind, port = '', folder = '', given = '[]'] = process.argv.slice(2);
const small = readOr(join(folder, '10k'), Buffer.from('up'));
const middle = readOr(join(folder, '1m'), small);
const largePath = join(folder, '1g');
const large = existsSync(largePath) ? openSync(largePath, 'r') : -1;
const RANGE = /range: ?bytes=(\d+)-(\d+)/i;
const RANGE_BYTES = 64 * 1024;

/** Headers of ours, without those that node:http adds itself. */
const headers = (JSON.parse(given) as [string, string][]).filter(
  ([name]) => !/^(date|connection|keep-alive|content-length)$/i.test(name),
);

function readOr(path: string, otherwise: Buffer): Buffer {
  return existsSync(path) ? readFileSync(path) : otherwise;
}

function serveHttp(): void {
  const own = Object.fromEntries(headers);
  const whole = { ...own, 'content-length': `${small.length}` };
  const sending = createEndOfTick(
    ({ isKnown, outgoing }: { isKnown: boolean; outgoing: ServerResponse }) => {
      if (isKnown) outgoing.writeHead(304, own).end();
      else outgoing.writeHead(200, whole).end(small);
    },
  );
  createHttpServer(({ headers }, outgoing) => {
    sending.add({ isKnown: headers['if-none-match'] !== undefined, outgoing });
  }).listen(Number(port), '127.0.0.1');
}

function headOf(status: string, lengthBytes: number | null): Buffer {
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const length = lengthBytes === null ? '' : `content-length: ${lengthBytes}\r\n`;
  return Buffer.from(
    `HTTP/1.1 ${status}\r\n${lines}${length}Date: ${new Date().toUTCString()}\r\n\r\n`,
  );
}

function serveNet(): void {
  const shareReads = createSharedReads();
  const whole = Buffer.concat([headOf('200 OK', small.length), small]);
  const wholeMiddle = Buffer.concat([headOf('200 OK', middle.length), middle]);
  const notModified = headOf('304 Not Modified', null);
  const partHead = headOf('206 Partial Content', RANGE_BYTES);
  const makePart = () => Buffer.concat([partHead, Buffer.alloc(RANGE_BYTES)]);
  let part = makePart();
  const sending = createEndOfTick(
    ({ socket, answer }: { socket: Socket; answer: Buffer | number }) => {
      if (typeof answer !== 'number') {
        socket.write(answer);
        return;
      }
      readSync(large, part, partHead.length, RANGE_BYTES, answer);
      socket.write(part);
      // What the system did not take at once it takes from this buffer later.
      if (socket.writableLength > 0) part = makePart();
    },
  );
  createNetServer((socket) => {
    const answer = (chunk: Buffer): boolean => {
      const text = chunk.toString('latin1');
      const start = RANGE.exec(text)?.[1];
      if (start !== undefined) sending.add({ socket, answer: Number(start) });
      else if (text.startsWith('GET /1m ')) sending.add({ socket, answer: wholeMiddle });
      else sending.add({ socket, answer: text.includes('If-None-Match') ? notModified : whole });
      return true;
    };
    socket.on('error', () => socket.destroy());
    if (shareReads(socket, answer)) socket.resume();
    else socket.on('data', answer);
  }).listen(Number(port), '127.0.0.1');
}

if (kind === 'net') serveNet();
else serveHttp();
