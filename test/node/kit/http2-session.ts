// Requests over one HTTP/2 connection of a server with a certificate of its own making, many at
// once.
import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { buffer } from 'node:stream/consumers';

export type Http2Response = {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Buffer;
};

export type Http2Client = {
  send(
    method: string,
    path: string,
    headers?: Readonly<Record<string, string>>,
    body?: Uint8Array,
  ): Promise<Http2Response>;
  close(): void;
};

/** Connects to the server at `https://127.0.0.1` with that port. */
export async function openHttp2Client(port: number): Promise<Http2Client> {
  const session = connect(`https://127.0.0.1:${port}`, { rejectUnauthorized: false });
  session.on('error', () => undefined);
  await once(session, 'connect');
  return {
    send: (method, path, headers = {}, body) => send(session, { method, path, headers, body }),
    close: () => session.destroy(),
  };
}

async function send(
  session: ClientHttp2Session,
  request: {
    readonly method: string;
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: Uint8Array | undefined;
  },
): Promise<Http2Response> {
  const { method, path, headers, body } = request;
  const length = method === 'GET' ? {} : { 'content-length': body?.length ?? 0 };
  const stream = session.request({ ...length, ...headers, ':method': method, ':path': path });
  stream.end(body);
  const [head] = await once(stream, 'response');
  return { status: Number(head[':status']), headers: head, body: await buffer(stream) };
}
