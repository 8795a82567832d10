// A connection for tests that care about the very bytes: what is sent when, what comes back,
// and whether the connection can be used again. Reads whole HTTP/1.1 answers one after the other.
import type { Socket } from 'node:net';
import { openConnection } from './transport.ts';

export type SocketReply = {
  readonly status: number;
  /** By name in lower case; of a repeated one the last. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names of all header lines in lower case, repeated ones repeatedly. */
  readonly names: readonly string[];
  readonly body: Buffer;
};

export type WireSocket = {
  readonly socket: Socket;
  write(data: string | Uint8Array): void;
  /** The next answer; `hasBody` false after HEAD. Rejects when the connection ends first. */
  read(hasBody?: boolean): Promise<SocketReply>;
  /**
   * Resolves when an answer has begun to come, and takes in no more of it until `socket.resume()`.
   * Rejects when none comes.
   */
  pauseInAnswer(): Promise<void>;
  close(): void;
};

/** No single answer takes longer. */
const LIMIT_MS = 20_000;
const HEAD_END = '\r\n\r\n';

function parseHead(text: string): Omit<SocketReply, 'body'> {
  const [statusLine = '', ...lines] = text.split('\r\n');
  const headers: Record<string, string> = {};
  const names: string[] = [];
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    names.push(name);
    headers[name] = line.slice(colon + 1).trim();
  }
  return { status: Number(statusLine.split(' ')[1]), headers, names };
}

/** Bytes of a body in chunked transfer coding and where it ends; null while it is incomplete. */
function parseChunked(bytes: Buffer): { body: Buffer; length: number } | null {
  const pieces: Buffer[] = [];
  for (let offset = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', offset);
    if (lineEnd < 0) return null;
    const size = Number.parseInt(bytes.toString('latin1', offset, lineEnd), 16);
    const start = lineEnd + 2;
    if (bytes.length < start + size + 2) return null;
    if (size === 0) return { body: Buffer.concat(pieces), length: start + 2 };
    pieces.push(bytes.subarray(start, start + size));
    offset = start + size + 2;
  }
}

/** Opens a connection to the target. */
export async function openSocket(url: string): Promise<WireSocket> {
  const socket = await openConnection(url);
  let buffered = Buffer.alloc(0);
  let arrived: Buffer[] = [];
  /**
   * Bytes that the answer under way needs at least; before, joining what arrived would be in vain.
   */
  let neededBytes = 0;
  let isClosed = false;
  let wake = () => {};
  socket.on('data', (chunk: Buffer) => {
    arrived.push(chunk);
    wake();
  });
  const onClosed = () => {
    isClosed = true;
    wake();
  };
  socket.on('end', onClosed).on('close', onClosed).on('error', onClosed);

  const next = (limitMs: number) =>
    new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), limitMs);
      wake = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });

  /** Takes a whole answer out of the buffer, or null. */
  const take = (hasBody: boolean): SocketReply | null => {
    const heldBytes = arrived.reduce((sum, chunk) => sum + chunk.length, buffered.length);
    if (heldBytes < neededBytes) return null;
    buffered = Buffer.concat([buffered, ...arrived]);
    arrived = [];
    const headEnd = buffered.indexOf(HEAD_END);
    if (headEnd < 0) return null;
    const head = parseHead(buffered.toString('latin1', 0, headEnd));
    const rest = buffered.subarray(headEnd + HEAD_END.length);
    const isBodyless = !hasBody || head.status < 200 || head.status === 204 || head.status === 304;
    let body = Buffer.alloc(0);
    let length = 0;
    if (!isBodyless && head.headers['transfer-encoding'] === 'chunked') {
      const parsed = parseChunked(rest);
      if (parsed === null) return null;
      ({ body, length } = parsed as { body: typeof body; length: number });
    } else if (!isBodyless) {
      length = Number(head.headers['content-length'] ?? 0);
      neededBytes = headEnd + HEAD_END.length + length;
      if (rest.length < length) return null;
      body = Buffer.from(rest.subarray(0, length));
    }
    buffered = Buffer.from(rest.subarray(length));
    neededBytes = 0;
    return { ...head, body };
  };

  const received = () => Buffer.concat([buffered, ...arrived]).toString('latin1');

  return {
    socket,
    write: (data) => void (isClosed || socket.write(data)),
    async read(hasBody = true) {
      for (;;) {
        const reply = take(hasBody);
        if (reply !== null) return reply;
        if (isClosed) throw new Error(`the connection ended; received: ${received()}`);
        if (!(await next(LIMIT_MS))) throw new Error(`no answer; received: ${received()}`);
      }
    },
    async pauseInAnswer() {
      if (!(await next(LIMIT_MS)) || isClosed)
        throw new Error(`no answer; received: ${received()}`);
      socket.pause();
    },
    close: () => void socket.destroy(),
  };
}

/** The head of a request, from what `prepared` of the client made. */
export function requestHead(message: {
  method: string;
  target: string;
  headers: Record<string, string>;
}): string {
  const lines = Object.entries(message.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${message.method} ${message.target} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
