// Requests below `/-/` go to the first thread, whichever thread has their connection:
// the JSON API, the console, links, health and metrics have state of which a process
// needs one. Each goes over a connection between the two threads as an HTTP request;
// body and response stream, and a half-closed or lost connection arrives as such.
import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { HandOver } from '../serve.ts';
import type { HandedPeer } from '../server/handed-connection.ts';
import { sendContinue, splitTarget } from '../server/http-request.ts';
import { assumeHost } from '../server/server-wide-requests.ts';
import { peerOf } from '../server/trusted-proxies.ts';

/** Where what the first thread is for begins. */
const SYSTEM_PREFIX = '/-/';
/**
 * Headers of one connection, which say nothing of another. Source: RFC 9110 section
 * 7.6.1
 */
const OF_CONNECTION: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'upgrade']);
const FRAMING = 'transfer-encoding';

/** `connect` opens a connection to the first thread's server. */
export function createHandOver(connect: (peer: HandedPeer) => Duplex): HandOver {
  return (incoming, outgoing) => {
    const { pathAndQuery } = splitTarget(incoming.url ?? '/');
    if (!pathAndQuery.startsWith(SYSTEM_PREFIX)) return false;
    assumeHost(incoming);
    passOn(incoming, outgoing, connect(peerOfRequest(incoming)));
    return true;
  };
}

function peerOfRequest({ socket }: IncomingMessage): HandedPeer {
  const { remoteAddress, localAddress } = socket;
  return { remoteAddress, localAddress, isEncrypted: peerOf(socket).isEncrypted };
}

function passOn(incoming: IncomingMessage, outgoing: ServerResponse, connection: Duplex): void {
  const sent = request({
    createConnection: () => connection,
    method: incoming.method,
    path: incoming.url,
    headers: requestHeaders(incoming),
  });
  sent.on('continue', () => sendContinue(incoming));
  sent.on('response', (response) => respond(response, incoming, outgoing));
  sent.on('error', () => {
    // Without a head the client learns of it by the end of its connection.
    if (!outgoing.headersSent) outgoing.destroy();
  });
  endTogether(incoming, outgoing, sent, connection);
  sent.flushHeaders();
  incoming.pipe(sent);
}

/** A client that has gone, or has ended its side, is one for the first thread too. */
function endTogether(
  { socket }: IncomingMessage,
  outgoing: ServerResponse,
  sent: ClientRequest,
  connection: Duplex,
): void {
  const endSide = () => {
    if (sent.writableFinished) connection.end();
    else sent.once('finish', () => connection.end());
  };
  socket.once('end', endSide);
  outgoing.once('close', () => {
    socket.off('end', endSide);
    connection.destroy();
  });
}

function requestHeaders({ method, headers, rawHeaders }: IncomingMessage): string[] {
  const lines = withoutNames(rawHeaders, OF_CONNECTION);
  const names = lines.filter((_, at) => at % 2 === 0).map((name) => name.toLowerCase());
  if (!names.includes('host') && headers.host !== undefined) lines.push('Host', headers.host);
  const isFramed = names.includes(FRAMING) || names.includes('content-length');
  // Said outright: node:http would send chunks for want of a length.
  if (!isFramed && method !== 'GET' && method !== 'HEAD') lines.push('Content-Length', '0');
  lines.push('Connection', 'close');
  return lines;
}

const OF_RESPONSE: ReadonlySet<string> = new Set([...OF_CONNECTION, FRAMING]);

function respond(
  response: IncomingMessage,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  // What is left of the body would be read as the next request.
  if (!incoming.complete) outgoing.shouldKeepAlive = false;
  const { statusCode = 502, statusMessage, rawHeaders } = response;
  outgoing.writeHead(statusCode, statusMessage, withoutNames(rawHeaders, OF_RESPONSE));
  outgoing.flushHeaders();
  response.pipe(outgoing);
  // The rest can't come: the client sees that the response is not whole.
  response.once('error', () => outgoing.destroy());
}

function withoutNames(rawHeaders: readonly string[], names: ReadonlySet<string>): string[] {
  const lines: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name = '', value = ''] = [rawHeaders[at], rawHeaders[at + 1]];
    if (!names.has(name.toLowerCase())) lines.push(name, value);
  }
  return lines;
}
