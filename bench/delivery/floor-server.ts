// The least that a server on Node's own modules can do for the workloads of the delivery bench: the floors beside our
// numbers. Prebuilt answers, nothing looked at but the Range header; no policy, no metering, no limits.
// Arguments: `http` or `net`, the port, the folder of the files, and the head of one of our own answers in base64.
import { openSync, readFileSync, readSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer as createNetServer } from 'node:net';
import { join } from 'node:path';

const [kind, port = '', folder = '', head = ''] = process.argv.slice(2);
const small = readFileSync(join(folder, '10k'));
const large = openSync(join(folder, '1g'), 'r');
const RANGE = /range: ?bytes=(\d+)-(\d+)/i;
/** Room for a head and a range of 64 KiB. */
const RANGE_BYTES = 64 * 1024;

/** Headers of ours, without those that node:http adds itself. */
const headers = Object.fromEntries(
  Buffer.from(head, 'base64')
    .toString('latin1')
    .split('\r\n')
    .slice(1)
    .map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])
    .filter(([name]) => name !== '' && !/^(date|connection|keep-alive|content-length)$/i.test(name)),
);

function serveHttp(): void {
  const whole = { ...headers, 'content-length': `${small.length}` };
  createHttpServer((incoming, outgoing) => {
    if (incoming.headers['if-none-match'] === undefined) outgoing.writeHead(200, whole).end(small);
    else outgoing.writeHead(304, headers).end();
  }).listen(Number(port), '127.0.0.1');
}

function serveNet(): void {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const headOf = (status: string, lengthBytes: number | null) => {
    const length = lengthBytes === null ? '' : `content-length: ${lengthBytes}\r\n`;
    return Buffer.from(`HTTP/1.1 ${status}\r\n${lines.join('')}${length}Date: ${new Date().toUTCString()}\r\n\r\n`);
  };
  const whole = Buffer.concat([headOf('200 OK', small.length), small]);
  const notModified = headOf('304 Not Modified', null);
  const partHead = headOf('206 Partial Content', RANGE_BYTES);
  const makePart = () => Buffer.concat([partHead, Buffer.alloc(RANGE_BYTES)]);
  let part = makePart();
  createNetServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      const text = chunk.toString('latin1');
      const start = RANGE.exec(text)?.[1];
      if (start === undefined) {
        socket.write(text.includes('If-None-Match') ? notModified : whole);
      } else {
        readSync(large, part, partHead.length, RANGE_BYTES, Number(start));
        socket.write(part);
        // What the system did not take at once it takes from this buffer later.
        if (socket.writableLength > 0) part = makePart();
      }
    });
  }).listen(Number(port), '127.0.0.1');
}

if (kind === 'net') serveNet();
else serveHttp();
