// One HTTP exchange with nothing added: the request target goes out as it stands, no retry, no
// redirect, a connection of its own unless an agent is given. client.ts builds on it; socket.ts is
// for tests that need the very bytes.
import type { Agent, IncomingMessage } from 'node:http';
import { requestOf } from './transport.ts';

export type Exchange = {
  readonly method: string;
  /** Request target: encoded path and query. */
  readonly target: string;
  /** `host` among them. Values go out as UTF-8. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
  readonly agent?: Agent;
  /**
   * Bytes that are announced in Content-Length; by default those of the body. null: chunked
   * transfer coding.
   */
  readonly announcedBytes?: number | null;
};

/** A whole answer. Header names are in lower case, values decoded as UTF-8. */
export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly text: string;
};

/** No answer takes longer; a hanging one fails its test. */
const LIMIT_MS = 30_000;

const wireText = (value: string) => Buffer.from(value, 'utf8').toString('latin1');
const readText = (value: string) => Buffer.from(value, 'latin1').toString('utf8');

/** Headers of an answer, repeated ones joined by a comma. */
export function headersOf(answer: IncomingMessage): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, values] of Object.entries(answer.headersDistinct)) {
    if (values !== undefined) headers[name] = values.map(readText).join(', ');
  }
  return headers;
}

/**
 * Sends a request and resolves with the whole answer; rejects when the connection breaks before its
 * end.
 */
export function exchange(baseUrl: string, message: Exchange): Promise<Reply> {
  const { hostname, port } = new URL(baseUrl);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers)) headers[name] = wireText(value);
  const bodyBytes = message.body?.length ?? 0;
  const needsLength = bodyBytes > 0 || message.method === 'PUT' || message.method === 'POST';
  if (message.announcedBytes === null) headers['transfer-encoding'] = 'chunked';
  else if (needsLength) headers['content-length'] ??= `${message.announcedBytes ?? bodyBytes}`;
  return new Promise((resolve, reject) => {
    const agent = message.agent ?? false;
    const call = requestOf(baseUrl)({
      hostname,
      port,
      method: message.method,
      path: message.target,
      headers,
      agent,
    });
    call.setTimeout(LIMIT_MS, () => call.destroy(new Error(`no answer within ${LIMIT_MS} ms`)));
    let isAnswered = false;
    call.on('response', (answer) => {
      isAnswered = true;
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const body = Buffer.concat(chunks);
        let text: string | undefined;
        resolve({
          status: answer.statusCode ?? 0,
          headers: headersOf(answer),
          body,
          // Most bodies are megabytes that nobody reads as text.
          get text() {
            text ??= body.toString('utf8');
            return text;
          },
        });
      });
    });
    // A server may answer and close before it read the whole body: then only the answer counts.
    call.on('error', (error) => isAnswered || reject(error));
    call.end(message.body);
  });
}
