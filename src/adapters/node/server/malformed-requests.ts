// Refusal of connections whose bytes are no HTTP, or whose head does not come. The
// whole requests before get their responses, then comes the refusal, then the end.
// serve.ts hands over what node:http reports as `clientError`.
import type { Duplex } from 'node:stream';
import { type Pipelining, responseUnderWay } from './pipelining.ts';
import type { ResponseCounts } from './response-counts.ts';

const REFUSALS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Content Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
  CONNECT: '405 Method Not Allowed',
};

/** The error of a head that does not come, as node:http reports it. */
export const HEAD_TOO_SLOW: NodeJS.ErrnoException = Object.assign(new Error('Request timeout'), {
  code: 'ERR_HTTP_REQUEST_TIMEOUT',
});

/**
 * The error of a CONNECT: node:http alone would cut the connection, with responses
 * due on it.
 */
export const TUNNEL_REFUSED: NodeJS.ErrnoException = Object.assign(new Error('No tunnels'), {
  code: 'CONNECT',
});

/**
 * Refuses the connection of a server whose requests are handled by `pipelining`.
 */
export type RefuseMalformed = (error: NodeJS.ErrnoException, socket: Duplex) => void;

export function createMalformedRefusal(
  pipelining: Pipelining,
  counts: Pick<ResponseCounts, 'refused'>,
): RefuseMalformed {
  // The parser may report bytes behind broken ones once more.
  const refused = new WeakSet<Duplex>();

  return (error, socket) => {
    if (refused.has(socket)) return;
    refused.add(socket);
    // node:http no longer listens to errors of a connection that it hands over.
    socket.on('error', () => {});
    if (error.code === 'ECONNRESET') return void socket.destroy();
    pipelining.afterAnswers(socket, () => {
      if (refuseNow(REFUSALS[error.code ?? ''] ?? '400 Bad Request', socket)) counts.refused();
    });
  };
}

/**
 * Responds and hangs up. False: a response was under way or the client gone, so it
 * only hung up.
 */
function refuseNow(status: string, socket: Duplex): boolean {
  if (!socket.writable || responseUnderWay(socket)?.headersSent === true) {
    socket.destroy();
    return false;
  }
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () =>
    socket.destroy(),
  );
  return true;
}
