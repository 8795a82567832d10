// A bad line to a server: passes bytes both ways, and breaks connections in the middle of an
// answer. resume.sh runs it. `node cutting-proxy.ts http://host:port bytes` prints the port it
// took, and then, a line each, the ranges that clients asked for; each connection carries that many
// bytes of answers and breaks, unless what it carries is shorter.
import { connect, createServer, type Socket } from 'node:net';

const [target = '', bytes = ''] = process.argv.slice(2);
const { hostname, port } = new URL(target);
const lastsBytes = Number(bytes);
if (!(lastsBytes > 0)) throw new Error('Usage: node cutting-proxy.ts http://host:port bytes');

const server = createServer((client: Socket) => {
  const upstream = connect(Number(port), hostname);
  let leftBytes = lastsBytes;
  const end = () => {
    client.destroy();
    upstream.destroy();
  };
  for (const side of [client, upstream]) side.on('error', end).on('close', end);
  client.on('data', (chunk) => {
    const text = chunk.toString('latin1');
    const [, range] = /\r\nrange: ([^\r]+)/i.exec(text) ?? [];
    const [, condition] = /\r\n(if-(?:range|match): [^\r]+)/i.exec(text) ?? [];
    if (range !== undefined) process.stdout.write(`${range} ${condition ?? ''}\n`);
    upstream.write(chunk);
  });
  upstream.on('data', (chunk: Buffer) => {
    leftBytes -= chunk.length;
    if (leftBytes > 0) {
      if (!client.write(chunk)) {
        upstream.pause();
        client.once('drain', () => upstream.resume());
      }
      return;
    }
    // The client gets what still was on the line; what comes behind it is lost.
    client.end(chunk.subarray(0, chunk.length + leftBytes));
    upstream.destroy();
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
