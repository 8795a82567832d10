// Puts head and body of a reply on a socket with as few copies and system calls as its size allows. Two buffers in one
// writev cost more here than a copy of 10 KiB; see bench/README.md, delivery.
import type { Duplex } from 'node:stream';
import type { HotPart, HotReply } from '../../../http/request.ts';
import type { Head } from './prebuilt-heads.ts';

/**
 * Up to here head and body are copied into one buffer; above, the body goes out as it is. Bytes; from about there on the
 * two ways cost the same. Measured 2026-11: bench/README.md, delivery.
 */
export const COPIED_MAX_BYTES = 24 * 1024;

/** What of a reply its head does not hold. */
export type ReplyParts = Pick<HotReply, 'part' | 'body' | 'lent'>;

export type ReplyWriter = {
  /**
   * Writes a whole reply. `writesAtOnce`: a plain socket of the system, which has done with the bytes when nothing waits
   * in it. False: the socket has enough for now, as its `write` says, and something waits in it.
   */
  write(socket: Duplex, writesAtOnce: boolean, head: Head, requestId: string, reply: ReplyParts): boolean;
};

/** One per server: it keeps a buffer that all its plain connections use in turn. */
export function createReplyWriter(): ReplyWriter {
  let scratch = Buffer.allocUnsafeSlow(COPIED_MAX_BYTES);
  return {
    write(socket, writesAtOnce, head, requestId, reply) {
      const length = headLength(head, reply.part) + (reply.body?.length ?? 0);
      if (length > COPIED_MAX_BYTES) {
        // Only a socket of the system is done with bytes when it says so; any other stream may pass them on.
        return writeLarge(socket, head, requestId, writesAtOnce ? reply : kept(reply));
      }
      const bytes = writesAtOnce ? scratch : Buffer.allocUnsafe(length);
      fillReply(bytes, head, requestId, reply);
      reply.lent?.release();
      const hasRoom = socket.write(bytes.subarray(0, length));
      // What the kernel did not take at once it takes from this buffer later: the next reply needs another.
      if (writesAtOnce && socket.writableLength > 0) scratch = Buffer.allocUnsafeSlow(COPIED_MAX_BYTES);
      return hasRoom;
    },
  };
}

/** The same, of bytes that stay. */
export function kept<Reply extends ReplyParts>(reply: Reply): Reply {
  const { body, lent } = reply;
  if (body === null || lent === null) return reply;
  const own = Buffer.from(body);
  lent.release();
  return { ...reply, body: own, lent: null };
}

export function headLength({ bytes, gaps }: Head, part: HotPart | null): number {
  let length = bytes.length;
  if (part !== null) for (const { value } of gaps) length += part[value].length;
  return length;
}

/** Puts head, id and body at the beginning of a buffer that is large enough. */
export function fillReply(
  bytes: Buffer,
  head: Head,
  requestId: string,
  { part, body }: Pick<ReplyParts, 'part' | 'body'>,
): void {
  let at = 0;
  if (part === null) {
    bytes.set(head.bytes, 0);
    writeText(bytes, head.requestIdAt, requestId);
    if (head.extendedIdAt !== -1) writeText(bytes, head.extendedIdAt, requestId);
    at = head.bytes.length;
  } else {
    let from = 0;
    for (const { at: gapAt, value } of head.gaps) {
      at = copyPiece(head.bytes, bytes, at, from, gapAt);
      const text = part[value];
      writeText(bytes, at, text);
      at += text.length;
      from = gapAt;
    }
    const restAt = at;
    at = copyPiece(head.bytes, bytes, at, from, head.bytes.length);
    // The ids stand behind the gaps: they are the last headers of ours.
    writeText(bytes, restAt + head.requestIdAt - from, requestId);
    if (head.extendedIdAt !== -1) writeText(bytes, restAt + head.extendedIdAt - from, requestId);
  }
  if (body !== null) bytes.set(body, at);
}

function writeLarge(socket: Duplex, head: Head, requestId: string, { part, body, lent }: ReplyParts): boolean {
  const headBytes = headLength(head, part);
  if (lent !== null && lent.headroomBytes >= headBytes) {
    const { buffer, byteOffset, length } = lent.bytes;
    const bytes = Buffer.from(buffer as ArrayBuffer, byteOffset - headBytes, headBytes + length);
    fillReply(bytes, head, requestId, { part, body: null });
    // Called in any case, also when the socket was destroyed.
    return socket.write(bytes, lent.release) || socket.writableLength === 0;
  }
  const bytes = Buffer.allocUnsafe(headBytes);
  fillReply(bytes, head, requestId, { part, body: null });
  if (body === null) return socket.write(bytes);
  socket.cork();
  socket.write(bytes);
  const hasRoom = lent === null ? socket.write(body) : socket.write(body, lent.release);
  socket.uncork();
  // While it was corked it had more than it likes; what counts is what the system has not taken.
  return hasRoom || socket.writableLength === 0;
}

/** Up to here a loop is faster than a call out of JavaScript. Bytes. */
const LOOPED_MAX_BYTES = 64;

/** Copies `from` up to `end` of a head to `at`; gives where it ends there. */
function copyPiece(head: Buffer, bytes: Buffer, at: number, from: number, end: number): number {
  if (end - from > LOOPED_MAX_BYTES) return at + head.copy(bytes, at, from, end);
  for (let i = from; i < end; i++) bytes[at + i - from] = head[i] ?? 0;
  return at + end - from;
}

/** ASCII text of a few characters: faster than a call out of JavaScript. */
function writeText(bytes: Buffer, at: number, text: string): void {
  for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
}
