// Sends the same conversation to the server with the lane and to the one without, and tells where
// the answers differ.
import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { connectTo, type Line, settle, type TestServer, timeless } from './both-paths.ts';
import type { Conversation } from './fuzz-requests.ts';

export type Difference = {
  readonly sent: readonly string[];
  readonly withLane: string;
  readonly without: string;
};

export type TestServers = { readonly withLane: TestServer; readonly without: TestServer };

/** Stands behind what came when the server has closed the connection. */
const CLOSED = '\n(closed)';

/** Speaks to both doors; null when what came back is the same but for dates and ids. */
async function compareOne(
  conversation: Conversation,
  doors: TestServers,
): Promise<Difference | null> {
  const lines = [connectTo(doors.withLane), connectTo(doors.without)] as const;
  for (const chunk of conversation) {
    // A copy each: nobody may see what the other makes of its bytes.
    for (const { client } of lines) if (!client.destroyed) client.write(Buffer.from(chunk));
    await settle(lines);
  }
  const [withLane, without] = [outcome(lines[0]), outcome(lines[1])];
  for (const line of lines) hangUp(line);
  return withLane === without ? null : difference(conversation, withLane, without);
}

function outcome(line: Line): string {
  return `${timeless(line.received())}${line.isClosed() ? CLOSED : ''}`;
}

function hangUp({ client, server }: Line): void {
  client.destroy();
  server.destroy();
}

function difference(conversation: Conversation, withLane: string, without: string): Difference {
  return { sent: conversation.map((chunk) => chunk.toString('latin1')), withLane, without };
}

/** Over TCP: the longest wait for two answers to become the same, and the least, milliseconds. */
const TCP_ANSWER_MS = 2000;
const TCP_LEAST_MS = 3;

/** A client over TCP that sends each chunk on its own. */
async function connectOverTcp(port: number) {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const chunks: Buffer[] = [];
  let isClosed = false;
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  socket.on('end', () => {
    isClosed = true;
  });
  socket.on('error', () => {});
  await once(socket, 'connect');
  return { socket, outcome: () => `${timeless(Buffer.concat(chunks))}${isClosed ? CLOSED : ''}` };
}

/**
 * Does what compareOne does, over two sockets: node:http's parser reads those by itself, past
 * JavaScript.
 */
async function compareOverTcp(
  conversation: Conversation,
  ports: TcpPorts,
): Promise<Difference | null> {
  const [first, second] = await Promise.all([
    connectOverTcp(ports.withLane),
    connectOverTcp(ports.without),
  ]);
  for (const chunk of conversation) {
    for (const { socket } of [first, second]) if (socket.writable) socket.write(Buffer.from(chunk));
    const deadline = performance.now() + TCP_ANSWER_MS;
    do await delay(TCP_LEAST_MS);
    while (first.outcome() !== second.outcome() && performance.now() < deadline);
  }
  const [withLane, without] = [first.outcome(), second.outcome()];
  for (const { socket } of [first, second]) socket.destroy();
  return withLane === without ? null : difference(conversation, withLane, without);
}

/** Where two servers listen. */
export type TcpPorts = { readonly withLane: number; readonly without: number };

/** Lets both doors listen on free ports. */
export async function listen({ withLane, without }: TestServers): Promise<TcpPorts> {
  const portOf = async ({ server }: TestServer) => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  };
  return { withLane: await portOf(withLane), without: await portOf(without) };
}

/** Compares many, `together` at a time. Resolves with every difference. */
export async function compareServers(
  conversations: Iterable<Conversation>,
  doors: TestServers,
  options: { readonly together?: number; readonly ports?: TcpPorts } = {},
): Promise<Difference[]> {
  const { together = 32, ports } = options;
  const differences: Difference[] = [];
  const next = conversations[Symbol.iterator]();
  const worker = async () => {
    for (let item = next.next(); item.done !== true; item = next.next()) {
      const found = await (ports === undefined
        ? compareOne(item.value, doors)
        : compareOverTcp(item.value, ports));
      if (found !== null) differences.push(found);
    }
  };
  await Promise.all(Array.from({ length: together }, worker));
  return differences;
}
