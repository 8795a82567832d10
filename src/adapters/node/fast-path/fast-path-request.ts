// A request that the recogniser has taken, as the app sees it, and the response
// that the app gives to it, before it becomes a Response. Called by
// full-path-responses.ts for what the fast path leaves: it goes past node:http and
// @hono/node-server.
import type { Duplex } from 'node:stream';
import { newRequestNotes } from '../../../http/observe/request-notes.ts';
import type { HttpRequest, OutgoingAnswer, SentAnswer } from '../../../http/request.ts';
import type { ByteSource } from '../../../ports/byte-source.ts';
import { isFromLoopback, peerOf, type ReadClient, tlsOf } from '../server/trusted-proxies.ts';
import type { Recognised } from './recognise.ts';
import { trimBlanks } from './trim-blanks.ts';

export type FastPathRequest = {
  readonly request: HttpRequest;
  /**
   * What a Response of the app stands for; null for one that the app made in
   * another way.
   */
  answerOf(response: Response): OutgoingAnswer | null;
  /** Reports to the access log, if it wants to know. */
  sent(sent: Pick<SentAnswer, 'bodyBytes' | 'isWhole'>): void;
};

const NO_BODY: ByteSource = { lengthBytes: 0, pump: async () => undefined };

/**
 * Null when a header comes twice: what that means is for node:http to say. `chunk`
 * is kept. Cost: 2 to 3 µs.
 */
export function readFastPathRequest(
  read: Recognised,
  chunk: Buffer,
  { socket, readClient }: { readonly socket: Duplex; readonly readClient: ReadClient },
): FastPathRequest | null {
  const headers = readHeaders(chunk);
  if (headers === null) return null;
  const header = (name: string): string | null => headers.get(name) ?? null;
  let made: { response: Response; answer: OutgoingAnswer } | null = null;
  let report: ((sent: SentAnswer) => void) | null = null;
  const { isPeer, ...client } = readClient(peerOf(socket), header);
  return {
    request: {
      method: read.method,
      rawPath: read.rawPath,
      rawQuery: read.rawQuery,
      host: read.host,
      ...client,
      tls: () => tlsOf(socket, isPeer),
      isFromLoopback: () => isFromLoopback(socket, header),
      header,
      headerNames: () => headers.keys(),
      body: () => NO_BODY,
      notes: newRequestNotes(),
      onSent(given) {
        report = given;
      },
      respond(answer) {
        const response = new Response(null, { status: answer.status });
        made = { response, answer };
        return response;
      },
    },
    answerOf: (response) => (made?.response === response ? made.answer : null),
    sent: (sent) => report?.({ protocol: 'HTTP/1.1', ...sent }),
  };
}

/**
 * Values by lower-case name. The recogniser has seen to it that each line is
 * `name:value`, and that there are few.
 */
function readHeaders(chunk: Buffer): ReadonlyMap<string, string> | null {
  const headers = new Map<string, string>();
  const text = chunk.toString('latin1');
  let at = text.indexOf('\r\n') + 2;
  for (let end = text.indexOf('\r\n', at); end > at; end = text.indexOf('\r\n', at)) {
    const colonAt = text.indexOf(':', at);
    const name = text.slice(at, colonAt).toLowerCase();
    if (headers.has(name)) return null;
    headers.set(name, trimBlanks(text, colonAt + 1, end));
    at = end + 2;
  }
  return headers;
}
