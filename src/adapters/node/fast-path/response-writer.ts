// Puts head and body of a reply on a socket with as few copies and system calls as its size allows.
// Two buffers in one writev cost more here than a copy of 10 KiB; see bench/README.md, delivery.
import { Buffer } from 'node:buffer';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { HotPart, HotReply } from '../../../http/request.ts';
import type { BorrowedBuffer, RangeSender } from '../../../ports/blob-store.ts';
import type { Log } from '../../../ports/system.ts';
import type { AnswerCounts } from '../server/response-counts.ts';
import { createKeptViews } from './buffer-views.ts';
import type { Head } from './prebuilt-heads.ts';
import { partValueLength, writePartValue, writeText } from './range-head.ts';

/**
 * Up to here head and body are copied into one buffer; above, the body goes out as it is. Bytes;
 * from about there on the two ways cost the same. Measured 2026-11: bench/README.md, delivery.
 */
export const COPIED_MAX_BYTES = 24 * 1024;

/** What of a reply its head does not hold. */
export type ReplyParts = Pick<HotReply, 'part' | 'body' | 'borrowed'>;

export type ReplyWriter = {
  /**
   * Writes a whole reply. `isAtOnce`: what `writesAtOnce` says of the socket. False: the socket has
   * enough for now, as its `write` says, and something waits in it. Null: nothing was sent, for the
   * bytes that the reply is about can't be read.
   */
  write(
    socket: Duplex,
    isAtOnce: boolean,
    head: Head,
    requestId: string,
    reply: ReplyParts,
  ): boolean | null;
};

/**
 * Whether a stream is a plain socket of the system, which has done with bytes when nothing waits in
 * it.
 */
export function writesAtOnce(stream: Duplex): boolean {
  return stream instanceof Socket && !(stream instanceof TLSSocket);
}

/**
 * Whether a buffer that is shared may be written, or bytes past the socket's stream: to a plain
 * socket of the system in which nothing waits. Behind bytes that wait such a buffer would wait too,
 * however small what is sent of it.
 */
export function maySend(socket: Duplex, isAtOnce: boolean): boolean {
  return isAtOnce && socket.writableLength === 0;
}

export type ReplyWriterOptions = {
  /** Told of an answer that was begun and whose rest can't be read: its connection is closed. */
  readonly counts: Pick<AnswerCounts, 'cutShort'>;
  readonly log: Log;
};

/** One per server: it keeps a buffer that all its plain connections use in turn. */
export function createReplyWriter(options: ReplyWriterOptions): ReplyWriter {
  let scratch = Buffer.allocUnsafeSlow(COPIED_MAX_BYTES);
  const viewOfScratch = createKeptViews(SCRATCH_VIEWS);
  const writeBorrowed = createBorrowedWriter(options);
  return {
    write(socket, isAtOnce, head, requestId, reply) {
      const mayShare = maySend(socket, isAtOnce);
      if (mayShare && reply.borrowed !== null)
        return writeBorrowed(socket, head, requestId, reply.part, reply.borrowed);
      const { part, body } = kept(reply);
      if (mayShare && body === null && part === null) return writeHead(socket, head, requestId);
      const length = headLength(head, part) + (body?.length ?? 0);
      if (length > COPIED_MAX_BYTES)
        return writeTwo(socket, headOf(head, requestId, part), body ?? NOTHING);
      const bytes = mayShare ? scratch : Buffer.allocUnsafe(length);
      const headEnd = fillHead(bytes, head, requestId, part);
      if (body !== null) bytes.set(body, headEnd);
      const hasRoom = socket.write(mayShare ? viewOfScratch(scratch, 0, length) : bytes);
      // What the kernel did not take at once it takes from this buffer later: the next reply needs
      // another.
      if (mayShare && socket.writableLength > 0) scratch = Buffer.allocUnsafeSlow(COPIED_MAX_BYTES);
      return hasRoom;
    },
  };
}

/** Hot answers of so many lengths. */
const SCRATCH_VIEWS = 256;
/**
 * Ranges are mostly as long as each other, and the buffer that was given back last is lent first.
 */
const LENT_VIEWS = 8;

const NOTHING = Buffer.alloc(0);

/** The same reply, which was finished without `maySend`, of bytes that stay. */
function kept<Reply extends ReplyParts>(reply: Reply): Reply {
  const { borrowed } = reply;
  if (borrowed === null) return reply;
  const { buffer, at, lengthBytes, release } = borrowed;
  const body = Buffer.from(buffer.subarray(at, at + lengthBytes));
  release();
  return { ...reply, body, borrowed: null };
}

type WriteBorrowed = (
  socket: Duplex,
  head: Head,
  requestId: string,
  part: HotPart | null,
  borrowed: BorrowedBuffer,
) => boolean | null;

/**
 * To a socket of the system: in one piece where there is room for the head in front of the bytes.
 */
function createBorrowedWriter({ counts, log }: ReplyWriterOptions): WriteBorrowed {
  const viewOf = createKeptViews(LENT_VIEWS);
  const onCutShort = () => {
    counts.cutShort();
    log.error('body-failed', { cause: new Error('The rest of a range could not be read.') });
  };
  return (socket, head, requestId, part, borrowed) => {
    const { buffer, at, lengthBytes, release, sender } = borrowed;
    const headBytes = headLength(head, part);
    if (sender !== null)
      return sendRange(socket, sender, {
        head,
        headBytes,
        requestId,
        part,
        lengthBytes,
        onCutShort,
      });
    let hasRoom: boolean;
    if (headBytes <= at) {
      const bytes = viewOf(buffer, at - headBytes, at + lengthBytes);
      fillHead(bytes, head, requestId, part);
      hasRoom = socket.write(bytes);
    } else {
      hasRoom = writeTwo(
        socket,
        headOf(head, requestId, part),
        buffer.subarray(at, at + lengthBytes),
      );
    }
    if (socket.writableLength === 0) {
      // The system has them, or nobody wants them. A callback for each write would cost another
      // turn.
      release();
      return true;
    }
    // Called when what is in front of it was taken, or never will be.
    socket.write(NOTHING, release);
    return hasRoom;
  };
}

type SentRange = {
  readonly head: Head;
  readonly headBytes: number;
  readonly requestId: string;
  readonly part: HotPart | null;
  readonly lengthBytes: number;
  readonly onCutShort: () => void;
};

/**
 * A range from where it is, past the stream of the socket; through it goes what the system does not
 * take at once.
 */
function sendRange(
  socket: Duplex,
  sender: RangeSender,
  { head, headBytes, requestId, part, lengthBytes, onCutShort }: SentRange,
): boolean | null {
  let takenBytes = 0;
  if (headBytes <= sender.head.length) {
    fillHead(sender.head, head, requestId, part);
    takenBytes = sender.send(descriptorOf(socket), headBytes);
    if (takenBytes === headBytes + lengthBytes) return true;
  }
  const body = sender.readBehind(Math.max(0, takenBytes - headBytes));
  if (body === null) {
    if (takenBytes === 0) return null;
    // Of half an answer the client sees by its length that it is none.
    socket.destroy();
    onCutShort();
    return true;
  }
  if (takenBytes >= headBytes) return socket.write(body) || socket.writableLength === 0;
  return writeTwo(socket, headOf(head, requestId, part).subarray(takenBytes), body);
}

/**
 * Of a socket of the system; -1 where there is none any more. Public nowhere, and in every Node
 * since 0.x.
 */
function descriptorOf(socket: Duplex): number {
  return (socket as { _handle?: { fd?: number } | null })._handle?.fd ?? -1;
}

/** A head that is all of its answer, from its own buffer. */
function writeHead(socket: Duplex, head: Head, requestId: string): boolean {
  writeIds(head.bytes, 0, head, requestId);
  const hasRoom = socket.write(head.bytes);
  // What the kernel did not take at once it takes from this buffer later: the next answer needs
  // another.
  if (socket.writableLength > 0) head.bytes = Buffer.from(head.bytes);
  return hasRoom;
}

/**
 * Head and body in one system call, uncopied. False: the socket has enough for now, and something
 * waits in it.
 */
export function writeTwo(socket: Duplex, head: Uint8Array, body: Uint8Array): boolean {
  socket.cork();
  socket.write(head);
  const hasRoom = socket.write(body);
  socket.uncork();
  // While it was corked it had more than it likes; what counts is what the system has not taken.
  return hasRoom || socket.writableLength === 0;
}

function headOf(head: Head, requestId: string, part: HotPart | null): Buffer {
  const bytes = Buffer.allocUnsafe(headLength(head, part));
  fillHead(bytes, head, requestId, part);
  return bytes;
}

export function headLength({ bytes, gaps }: Head, part: HotPart | null): number {
  let length = bytes.length;
  if (part !== null) for (const { name } of gaps) length += partValueLength(name, part);
  return length;
}

/** Puts head and id at the beginning of a buffer that is large enough; gives where they end. */
export function fillHead(
  bytes: Uint8Array,
  head: Head,
  requestId: string,
  part: HotPart | null,
): number {
  let at = 0;
  let from = 0;
  if (part !== null) {
    for (const { at: gapAt, name } of head.gaps) {
      at = writePartValue(bytes, copyPiece(head.bytes, bytes, at, from, gapAt), name, part);
      from = gapAt;
    }
  }
  // The ids stand behind the gaps: they are the last headers of ours.
  const moved = at - from;
  const end = copyPiece(head.bytes, bytes, at, from, head.bytes.length);
  writeIds(bytes, moved, head, requestId);
  return end;
}

/** `moved`: so much further behind than in the head itself. */
function writeIds(
  bytes: Uint8Array,
  moved: number,
  { requestIdAt, extendedIdAt }: Head,
  requestId: string,
): void {
  writeText(bytes, moved + requestIdAt, requestId);
  if (extendedIdAt !== -1) writeText(bytes, moved + extendedIdAt, requestId);
}

/** Up to here a loop is faster than a call out of JavaScript. Bytes. */
const LOOPED_MAX_BYTES = 64;

/** Copies `from` up to `end` of a head to `at`; gives where it ends there. */
function copyPiece(head: Buffer, bytes: Uint8Array, at: number, from: number, end: number): number {
  if (end - from > LOOPED_MAX_BYTES) return at + head.copy(bytes, at, from, end);
  for (let i = from; i < end; i++) bytes[at + i - from] = head[i] ?? 0;
  return at + end - from;
}
