// How the sending of an answer ended, for the access log. Nothing of this runs without one.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SentAnswer } from '../../../http/request.ts';

/**
 * Calls `report` once: when node:http has done with the response, or at once when the client left
 * before.
 */
export function onSent(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  report: (sent: SentAnswer) => void,
): void {
  const { socket } = incoming;
  const writtenBefore = socket.bytesWritten;
  const tell = () => {
    // The head is text of one byte a character; node:http keeps it here, and nothing public tells
    // its length.
    const head =
      '_header' in outgoing && typeof outgoing._header === 'string' ? outgoing._header : '';
    const announcedBytes = announced(incoming, outgoing, head);
    // Of a pipelined request the connection may have taken bytes of the answer before, too.
    const takenBytes = Math.max(0, socket.bytesWritten - writtenBefore - head.length);
    const isWhole = outgoing.writableFinished;
    const bodyBytes =
      isWhole && announcedBytes !== null
        ? announcedBytes
        : Math.min(takenBytes, announcedBytes ?? takenBytes);
    report({ protocol: `HTTP/${incoming.httpVersion}`, bodyBytes, isWhole });
  };
  if (outgoing.closed || outgoing.destroyed) tell();
  else outgoing.on('close', tell);
}

/** Bytes of the body that the head speaks of; null when it does not say. */
function announced(
  { method }: IncomingMessage,
  { statusCode }: ServerResponse,
  head: string,
): number | null {
  if (method === 'HEAD' || statusCode === 204 || statusCode === 304) return 0;
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  return length === undefined ? null : Number(length);
}
