// A client that says exactly what a test wants, over a plain socket, and waits for what must come
// back.
import { connect, type Socket } from 'node:net';

export type RawClient = {
  readonly socket: Socket;
  send(data: string | Uint8Array): void;
  /** Everything that has come so far. */
  received(): string;
  /** Resolves when the text so far matches; rejects when the connection ends before. */
  until(pattern: RegExp): Promise<string>;
  /** Resolves with everything when the server has closed the connection. */
  closed(): Promise<string>;
};

/** Connects to a `http://host:port`. */
export async function openRawClient(url: string): Promise<RawClient> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let text = '';
  let isClosed = false;
  let wake: () => void = () => {};
  const changed = () => new Promise<void>((resolve) => (wake = resolve));
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
    wake();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
    wake();
  });
  await new Promise<void>((resolve, reject) =>
    socket.once('connect', resolve).once('error', reject),
  );
  return {
    socket,
    send: (data) => void socket.write(data),
    received: () => text,
    async until(pattern) {
      while (!pattern.test(text)) {
        if (isClosed) throw new Error(`The connection ended before ${pattern}:\n${text}`);
        await changed();
      }
      return text;
    },
    async closed() {
      while (!isClosed) await changed();
      return text;
    },
  };
}
