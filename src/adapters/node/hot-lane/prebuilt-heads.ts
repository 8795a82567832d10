// The bytes of answer heads, built once per set of headers and kept with it in a WeakMap: a pointer that the memory tier
// drops takes its heads along, so nothing is cached twice and nothing old can be sent. Status line, order and case are
// those of node:http behind @hono/node-server; the differential test compares them byte for byte.
import type { HotReply } from '../../../http/request.ts';

const STATUS_LINE = { 200: 'HTTP/1.1 200 OK\r\n', 304: 'HTTP/1.1 304 Not Modified\r\n' } as const;
/** Length of `Sun, 06 Nov 1994 08:49:37 GMT`. */
const DATE_LENGTH = 29;
const REQUEST_ID = 'x-amz-request-id';

/** A head with a place for the request id, and with the date of the last second in which it was sent. */
export type Head = {
  readonly bytes: Buffer;
  readonly requestIdAt: number;
  readonly requestIdLength: number;
  readonly dateAt: number;
  /** Second since 1970 that stands at `dateAt`. */
  dateSecond: number;
};

export type PrebuiltHeads = {
  /** The head of a reply with the date of `nowMs`; the place of the id holds anything. Cost: 50 ns for a known one. */
  of(reply: HotReply, isHead: boolean, requestIdLength: number, nowMs: number): Head;
};

/** `keepAliveMs`: what node:http tells in Keep-Alive; Infinity for nothing. */
export function createPrebuiltHeads(keepAliveMs: number): PrebuiltHeads {
  const forGet = new WeakMap<HotReply['headers'], Head>();
  const forHead = new WeakMap<HotReply['headers'], Head>();
  let dateSecond = Number.NaN;
  let dateText = '';

  function build(reply: HotReply, isHead: boolean, requestIdLength: number): Head {
    const lines = Object.entries(reply.headers);
    lines.push([REQUEST_ID, '-'.repeat(requestIdLength)]);
    let text: string = STATUS_LINE[reply.status];
    let requestIdAt = 0;
    for (const [name, value] of isHead ? asHono(lines) : lines) {
      if (name === REQUEST_ID) requestIdAt = text.length + `${name}: `.length;
      text += `${name}: ${value}\r\n`;
    }
    text += 'Date: ';
    const dateAt = text.length;
    text += `${'-'.repeat(DATE_LENGTH)}\r\nConnection: keep-alive\r\n`;
    if (Number.isFinite(keepAliveMs)) text += `Keep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n`;
    text += '\r\n';
    // Slow: from Node's pool, one head of a few hundred bytes would keep 8 KiB alive.
    const bytes = Buffer.allocUnsafeSlow(text.length);
    bytes.write(text, 'latin1');
    return { bytes, requestIdAt, requestIdLength, dateAt, dateSecond: Number.NaN };
  }

  return {
    of(reply, isHead, requestIdLength, nowMs) {
      const heads = isHead ? forHead : forGet;
      let head = heads.get(reply.headers);
      if (head === undefined || head.requestIdLength !== requestIdLength) {
        head = build(reply, isHead, requestIdLength);
        heads.set(reply.headers, head);
      }
      const second = Math.floor(nowMs / 1000);
      if (head.dateSecond !== second) {
        if (dateSecond !== second) {
          dateText = new Date(nowMs).toUTCString();
          dateSecond = second;
        }
        head.bytes.write(dateText, head.dateAt, 'latin1');
        head.dateSecond = second;
      }
      return head;
    },
  };
}

/** Hono answers HEAD through a Headers object, which sorts names and trims values. Seen with hono 4.13. */
function asHono(lines: readonly [string, string][]): [string, string][] {
  const trimmed = lines.map(([name, value]): [string, string] => [name, value.replace(/^[\t ]+|[\t ]+$/g, '')]);
  return trimmed.sort(([a], [b]) => (a < b ? -1 : 1));
}
