// How the sending of a response ended, for the access log. Without one, nothing of
// this runs. http-request.ts offers it as HttpRequest.onSent.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SentAnswer } from '../../../http/request.ts';

/**
 * Calls `report` once, when node:http has closed the response, or at once when it
 * already has.
 */
export function onSent(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  report: (sent: SentAnswer) => void,
): void {
  const { socket } = incoming;
  const writtenBefore = socket.bytesWritten;
  const reportEnd = () => {
    // The head is text of one byte a character; nothing public of node:http has its
    // length.
    const head =
      '_header' in outgoing && typeof outgoing._header === 'string' ? outgoing._header : '';
    const announcedBytes = announced(incoming, outgoing, head);
    // With pipelining, the connection may have taken bytes of the response before,
    // too.
    const takenBytes = Math.max(0, socket.bytesWritten - writtenBefore - head.length);
    const isWhole = outgoing.writableFinished;
    const bodyBytes =
      isWhole && announcedBytes !== null
        ? announcedBytes
        : Math.min(takenBytes, announcedBytes ?? takenBytes);
    report({ protocol: `HTTP/${incoming.httpVersion}`, bodyBytes, isWhole });
  };
  if (outgoing.closed || outgoing.destroyed) reportEnd();
  else outgoing.on('close', reportEnd);
}

/** Bytes of the body by the response's head; null when it does not say. */
function announced(
  { method }: IncomingMessage,
  { statusCode }: ServerResponse,
  head: string,
): number | null {
  if (method === 'HEAD' || statusCode === 204 || statusCode === 304) return 0;
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  return length === undefined ? null : Number(length);
}
