// A server of DNS on loopback that knows TXT records, by UDP. Source: RFC 1035 section 4.1
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** What it does with questions for a name: texts in pieces, or what goes wrong. */
export type DnsRecord = readonly (readonly string[])[] | 'silent' | 'failing' | 'empty';

export type DnsServer = {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** By name; others do not exist. */
  readonly records: Map<string, DnsRecord>;
  /** The names that were asked for, in order. */
  readonly asked: string[];
  close(): void;
};

const HEAD_BYTES = 12;
const SERVER_FAILURE = 2;
const NO_SUCH_NAME = 3;
const TXT = 16;

export async function startDnsServer(): Promise<DnsServer> {
  const records = new Map<string, DnsRecord>();
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (message, { address, port }) => {
    const name = nameOf(message);
    asked.push(name);
    const record = records.get(name);
    if (record !== 'silent') socket.send(answerTo(message, record), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    records,
    asked,
    close: () => socket.close(),
  };
}

function nameOf(message: Buffer): string {
  const labels: string[] = [];
  for (let at = HEAD_BYTES; (message[at] ?? 0) > 0; at += 1 + (message[at] ?? 0)) {
    labels.push(message.toString('latin1', at + 1, at + 1 + (message[at] ?? 0)));
  }
  return labels.join('.').toLowerCase();
}

function answerTo(message: Buffer, record: DnsRecord | undefined): Buffer {
  const texts = typeof record === 'object' ? record : [];
  const code = record === undefined ? NO_SUCH_NAME : record === 'failing' ? SERVER_FAILURE : 0;
  const questionEnd = message.indexOf(0, HEAD_BYTES) + 5;
  const head = Buffer.from(message.subarray(0, HEAD_BYTES));
  // An answer, recursion available; one question, so many answers, nothing else.
  head.writeUInt16BE(0x8180 | code, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(texts.length, 6);
  head.writeUInt32BE(0, 8);
  return Buffer.concat([head, message.subarray(HEAD_BYTES, questionEnd), ...texts.map(textRecord)]);
}

function textRecord(pieces: readonly string[]): Buffer {
  const data = Buffer.concat(
    pieces.map((piece) => Buffer.from(`${String.fromCharCode(piece.length)}${piece}`, 'latin1')),
  );
  const head = Buffer.alloc(HEAD_BYTES);
  // The name is that of the question.
  head.writeUInt16BE(0xc000 | HEAD_BYTES, 0);
  head.writeUInt16BE(TXT, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
