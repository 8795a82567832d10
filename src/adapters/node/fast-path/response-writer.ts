// Puts head and body of a fast-path response on a socket with as few copies and
// system calls as its size allows. Called by connection.ts and behind-node-http.ts.
// Two buffers in one writev cost more here than a copy of 10 KiB; see
// bench/README.md, delivery.
import { Buffer } from 'node:buffer';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { RangeFacts, WholeBody } from '../../../http/delivery/fast-path/fast-response.ts';
import type { BorrowedBuffer, RangeSender } from '../../../ports/blob-store.ts';
import type { Log } from '../../../ports/system.ts';
import type { ResponseCounts } from '../server/response-counts.ts';
import { createBufferViews } from './buffer-views.ts';
import { createPooledWrites } from './pooled-writes.ts';
import type { Head } from './prebuilt-heads.ts';
import { digitsOf, partValueLength, writeNumber, writePartValue, writeText } from './range-head.ts';

/**
 * Up to here head and body are copied into one buffer; above, the body goes out as
 * it is. Bytes; from about there on the two ways cost the same. Measured 2026-11:
 * bench/README.md, delivery.
 */
export const COPIED_MAX_BYTES = 24 * 1024;

export type ResponseWriter = {
  /**
   * Writes a whole response. `isPlainSocket`: see `isPlainSocket`. False: the
   * socket has enough for now, as its `write` says, and something waits in it.
   * Null: nothing was sent, for the bytes that the response is about can't be read.
   */
  write(
    socket: Duplex,
    isPlainSocket: boolean,
    head: Head,
    requestId: string,
    body: WholeBody,
  ): boolean | null;
};

/**
 * Whether a stream is a plain socket of the system: it has taken bytes when none
 * wait in it.
 */
export function isPlainSocket(stream: Duplex): boolean {
  return stream instanceof Socket && !(stream instanceof TLSSocket);
}

/**
 * Whether a shared buffer may be written, or bytes past the socket's stream: to a
 * plain socket of the system in which nothing waits. Behind bytes that wait such a
 * buffer would wait too, however little of it is sent.
 */
export function canSendDirectly(socket: Duplex, isPlain: boolean): boolean {
  return isPlain && socket.writableLength === 0;
}

export type ResponseWriterOptions = {
  /**
   * Counts a response that was begun and whose rest can't be read: its connection
   * is closed.
   */
  readonly counts: Pick<ResponseCounts, 'cutShort'>;
  readonly log: Log;
};

/**
 * Makes the writer of a server: it keeps a buffer that all its plain connections
 * use in turn.
 */
export function createResponseWriter(options: ResponseWriterOptions): ResponseWriter {
  let scratch = Buffer.allocUnsafeSlow(COPIED_MAX_BYTES);
  const viewOfScratch = createBufferViews(SCRATCH_VIEWS);
  const writeBorrowed = createBorrowedWriter(options);
  const pool = createPooledWrites(COPIED_MAX_BYTES);

  return {
    write(socket, isPlain, head, requestId, { kind, body, range }) {
      const isDirect = canSendDirectly(socket, isPlain);
      if (isDirect && kind === 'borrowed')
        return writeBorrowed(socket, head, requestId, range, body);
      if (isDirect && kind === 'none') return writeHead(socket, head, requestId);
      if (kind === 'document') {
        const length = documentLength(head, body.bytes);
        const isShared = isDirect && length <= COPIED_MAX_BYTES;
        const target = isShared ? scratch : pool.take(socket, length);
        fillDocument(target, head, requestId, body.bytes);
        return writeFilled(socket, target, length);
      }
      const bytes = kind === 'borrowed' ? takeCopy(body) : body;

      const length = headLength(head, range) + (bytes?.length ?? 0);
      if (length > COPIED_MAX_BYTES)
        return writeTwo(socket, headOf(head, requestId, range), bytes ?? NOTHING);

      const target = isDirect ? scratch : pool.take(socket, length);
      const headEnd = fillHead(target, head, requestId, range);
      if (bytes !== null) target.set(bytes, headEnd);
      return writeFilled(socket, target, length);
    },
  };

  function writeFilled(socket: Duplex, target: Buffer, length: number): boolean {
    if (target !== scratch) return pool.write(socket, target, length);
    const hasRoom = socket.write(viewOfScratch(scratch, 0, length));
    // What the kernel did not take at once it takes from this buffer later: the
    // next response needs another.
    if (socket.writableLength > 0) scratch = Buffer.allocUnsafeSlow(COPIED_MAX_BYTES);
    return hasRoom;
  }
}

/**
 * Views of the scratch buffer that are kept: hot responses have about so many
 * lengths.
 */
const SCRATCH_VIEWS = 256;
/**
 * Views of a borrowed buffer that are kept. Ranges are mostly as long as each
 * other, and the buffer that was released last is borrowed first.
 */
const BORROWED_VIEWS = 8;

const NOTHING = Buffer.alloc(0);
const END_OF_HEAD = '\r\n\r\n';

/** Copies borrowed bytes into a buffer that stays, and releases them. */
export function takeCopy({ buffer, at, lengthBytes, release }: BorrowedBuffer): Uint8Array {
  const copy = Buffer.from(buffer.subarray(at, at + lengthBytes));
  release();
  return copy;
}

type WriteBorrowed = (
  socket: Duplex,
  head: Head,
  requestId: string,
  range: RangeFacts,
  borrowed: BorrowedBuffer,
) => boolean | null;

/**
 * Makes the writer of borrowed bytes to a plain socket: in one piece where there is
 * room for the head in front of them.
 */
function createBorrowedWriter({ counts, log }: ResponseWriterOptions): WriteBorrowed {
  const viewOf = createBufferViews(BORROWED_VIEWS);
  const onCutShort = () => {
    counts.cutShort();
    log.error('body-failed', { cause: new Error('The rest of a range could not be read.') });
  };

  return (socket, head, requestId, range, borrowed) => {
    const { buffer, at, lengthBytes, release, sender } = borrowed;
    const headBytes = headLength(head, range);
    if (sender !== null) {
      const sent = { head, headBytes, requestId, range, lengthBytes, onCutShort };
      return sendRange(socket, sender, sent);
    }

    let hasRoom: boolean;
    if (headBytes <= at) {
      const bytes = viewOf(buffer, at - headBytes, at + lengthBytes);
      fillHead(bytes, head, requestId, range);
      hasRoom = socket.write(bytes);
    } else {
      const bytes = buffer.subarray(at, at + lengthBytes);
      hasRoom = writeTwo(socket, headOf(head, requestId, range), bytes);
    }

    const isTaken = socket.writableLength === 0;
    releaseWhenTaken(socket, release);
    return isTaken || hasRoom;
  };
}

type SentRange = {
  readonly head: Head;
  readonly headBytes: number;
  readonly requestId: string;
  readonly range: RangeFacts;
  readonly lengthBytes: number;
  readonly onCutShort: () => void;
};

/**
 * Sends a range from where it is, past the stream of the socket; through the stream
 * goes what the system does not take at once.
 */
function sendRange(
  socket: Duplex,
  sender: RangeSender,
  { head, headBytes, requestId, range, lengthBytes, onCutShort }: SentRange,
): boolean | null {
  let takenBytes = 0;
  if (headBytes <= sender.head.length) {
    fillHead(sender.head, head, requestId, range);
    takenBytes = sender.send(descriptorOf(socket), headBytes);
    if (takenBytes === headBytes + lengthBytes) return true;
  }

  const rest = sender.readBehind(Math.max(0, takenBytes - headBytes));
  if (rest === null) {
    if (takenBytes === 0) return null;
    // By its length the client sees that half a response is none.
    socket.destroy();
    onCutShort();
    return true;
  }

  const { bytes, release } = rest;
  const hasRoom =
    takenBytes >= headBytes
      ? socket.write(bytes) || socket.writableLength === 0
      : writeTwo(socket, headOf(head, requestId, range).subarray(takenBytes), bytes);
  releaseWhenTaken(socket, release);
  return hasRoom;
}

/**
 * Releases a buffer once the system has what was written of it, or nobody wants it. A
 * callback for each write would cost another tick.
 */
function releaseWhenTaken(socket: Duplex, release: () => void): void {
  if (socket.writableLength === 0) release();
  // Called when what is in front of it was taken, or never will be.
  else socket.write(NOTHING, release);
}

/**
 * The descriptor of a plain socket; -1 where there is none any more. It is public
 * nowhere, and in every Node since 0.x: docs/internals/fast-path.md.
 */
function descriptorOf(socket: Duplex): number {
  return (socket as { _handle?: { fd?: number } | null })._handle?.fd ?? -1;
}

/** Writes a head that is all of its response, from its own buffer. */
function writeHead(socket: Duplex, head: Head, requestId: string): boolean {
  writeIds(head.bytes, 0, head, requestId);
  const hasRoom = socket.write(head.bytes);
  // What the kernel did not take at once it takes from this buffer later: the next
  // response needs another.
  if (socket.writableLength > 0) head.bytes = Buffer.from(head.bytes);
  return hasRoom;
}

/**
 * Writes head and body in one system call, uncopied. False: the socket has enough
 * for now, and something waits in it.
 */
export function writeTwo(socket: Duplex, head: Uint8Array, body: Uint8Array): boolean {
  socket.cork();
  socket.write(head);
  const hasRoom = socket.write(body);
  socket.uncork();
  // While it was corked it had more than it likes; what counts is what the system
  // has not taken.
  return hasRoom || socket.writableLength === 0;
}

function headOf(head: Head, requestId: string, range: RangeFacts | null): Buffer {
  const bytes = Buffer.allocUnsafe(headLength(head, range));
  fillHead(bytes, head, requestId, range);
  return bytes;
}

export function headLength({ bytes, gaps }: Head, range: RangeFacts | null): number {
  let length = bytes.length;
  if (range !== null) for (const { name } of gaps) length += partValueLength(name, range);
  return length;
}

/**
 * Puts head and id at the beginning of a buffer that is large enough; gives where
 * they end.
 */
export function fillHead(
  bytes: Uint8Array,
  head: Head,
  requestId: string,
  range: RangeFacts | null,
): number {
  let at = 0;
  let from = 0;
  if (range !== null) {
    for (const { at: gapAt, name } of head.gaps) {
      at = writePartValue(bytes, copyPiece(head.bytes, bytes, at, from, gapAt), name, range);
      from = gapAt;
    }
  }
  // The ids stand behind the gaps: they are the last headers of ours.
  const movedBytes = at - from;
  const end = copyPiece(head.bytes, bytes, at, from, head.bytes.length);
  writeIds(bytes, movedBytes, head, requestId);
  return end;
}

function documentLength({ bytes }: Head, document: Uint8Array): number {
  return bytes.length + digitsOf(document.length) + END_OF_HEAD.length + document.length;
}

/** Puts an error document behind its head, whose last header is the length. */
function fillDocument(bytes: Uint8Array, head: Head, requestId: string, document: Uint8Array) {
  const lengthAt = fillHead(bytes, head, requestId, null);
  const lengthEnd = writeNumber(bytes, lengthAt, document.length);
  bytes.set(document, writeText(bytes, lengthEnd, END_OF_HEAD));
}

/**
 * Writes the id into a copied head, where it stands `movedBytes` further behind.
 */
function writeIds(
  bytes: Uint8Array,
  movedBytes: number,
  { requestIdAt, extendedIdAt }: Head,
  requestId: string,
): void {
  writeText(bytes, movedBytes + requestIdAt, requestId);
  if (extendedIdAt !== -1) writeText(bytes, movedBytes + extendedIdAt, requestId);
}

/** Up to here a loop is faster than a call out of JavaScript. Bytes. */
const LOOPED_MAX_BYTES = 64;

/** Copies `from` up to `end` of a head to `at`; gives where it ends there. */
function copyPiece(head: Buffer, bytes: Uint8Array, at: number, from: number, end: number): number {
  if (end - from > LOOPED_MAX_BYTES) return at + head.copy(bytes, at, from, end);
  for (let i = from; i < end; i++) bytes[at + i - from] = head[i] ?? 0;
  return at + end - from;
}
