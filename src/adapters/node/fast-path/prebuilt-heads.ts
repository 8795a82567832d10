// The bytes of response heads, built once per record of headers and kept with it in
// a WeakMap: a pointer that the memory tier drops takes its heads along, so nothing
// is cached twice and nothing old can be sent. Status line, order and case are
// those of node:http behind @hono/node-server; the differential test compares them
// byte for byte.
import { STATUS_CODES } from 'node:http';
import {
  type FastResponse,
  PART_HEADERS,
  type PartHeader,
} from '../../../http/delivery/fast-path/fast-response.ts';
import type { OutgoingAnswer } from '../../../http/request.ts';
import { trimBlanks } from './trim-blanks.ts';

/** Length of `Sun, 06 Nov 1994 08:49:37 GMT`. */
const DATE_LENGTH = 29;
const REQUEST_ID = 'x-amz-request-id';
/** Repeats the request id, in the responses that have it. */
const EXTENDED_ID = 'x-amz-id-2';

/**
 * A head with a place for the request id, and with the date of the last second in
 * which it was sent.
 */
export type Head = {
  bytes: Buffer;
  readonly requestIdAt: number;
  /** Where the id stands once more; -1: nowhere. */
  readonly extendedIdAt: number;
  readonly requestIdLength: number;
  /** Where the values of the headers of a RangeFacts belong, in order. */
  readonly gaps: readonly { readonly at: number; readonly name: PartHeader }[];
  readonly dateAt: number;
  /** Second since 1970 that stands at `dateAt`. */
  dateSecond: number;
};

export type PrebuiltHeads = {
  /**
   * The head of a response with the date of `nowMs`; the place of the id holds
   * anything. Cost: 50 ns for a known one.
   */
  of(response: FastResponse, isHead: boolean, requestIdLength: number, nowMs: number): Head;
  /**
   * Makes the head of any other response, and adds the part of its body that is sent
   * with it. Such a head is seldom sent twice. Null: node:http must send the response,
   * since its length is unknown or it has a header that no head may have. Cost: about
   * 2 µs.
   */
  text(
    answer: OutgoingAnswer,
    body: Uint8Array | ReadableStream | null,
    isHead: boolean,
    nowMs: number,
  ): Buffer | null;
};

/** `keepAliveMs`: what node:http tells in Keep-Alive; Infinity for nothing. */
export function createPrebuiltHeads(keepAliveMs: number): PrebuiltHeads {
  const forGet = new WeakMap<FastResponse['headers'], Head>();
  const forHead = new WeakMap<FastResponse['headers'], Head>();
  let dateSecond = Number.NaN;
  let dateText = '';
  const keepAlive = Number.isFinite(keepAliveMs)
    ? `Keep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n`
    : '';
  const ending = `\r\nConnection: keep-alive\r\n${keepAlive}`;

  function build(response: FastResponse, isHead: boolean, requestIdLength: number): Head {
    const lines = Object.entries(response.headers);
    const anyId = '-'.repeat(requestIdLength);
    if (response.headers[REQUEST_ID] === undefined) lines.push([REQUEST_ID, anyId]);
    let text = statusLine(response.status);
    let requestIdAt = 0;
    let extendedIdAt = -1;
    const gaps: { at: number; name: PartHeader }[] = [];
    for (const [name, value] of isHead ? asHono(lines) : lines) {
      text += `${name}: `;
      if (name === REQUEST_ID) requestIdAt = text.length;
      if (name === EXTENDED_ID) extendedIdAt = text.length;
      const ofPart = value === '' ? PART_HEADERS.find((known) => known === name) : undefined;
      if (ofPart !== undefined) gaps.push({ at: text.length, name: ofPart });
      text += `${name === EXTENDED_ID || name === REQUEST_ID ? anyId : value}\r\n`;
    }
    text += 'Date: ';
    const dateAt = text.length;
    const last = response.kind === 'document' ? LENGTH : '\r\n';
    text += `${'-'.repeat(DATE_LENGTH)}${ending}${last}`;
    // Slow: from Node's pool, one head of a few hundred bytes would keep 8 KiB
    // alive.
    const bytes = Buffer.allocUnsafeSlow(text.length);
    bytes.write(text, 'latin1');
    return {
      bytes,
      requestIdAt,
      extendedIdAt,
      requestIdLength,
      gaps,
      dateAt,
      dateSecond: Number.NaN,
    };
  }

  function dateOf(second: number): string {
    if (dateSecond !== second) {
      dateText = new Date(second * 1000).toUTCString();
      dateSecond = second;
    }
    return dateText;
  }

  return {
    of(response, isHead, requestIdLength, nowMs) {
      const heads = isHead ? forHead : forGet;
      let head = heads.get(response.headers);
      if (head === undefined || head.requestIdLength !== requestIdLength) {
        head = build(response, isHead, requestIdLength);
        heads.set(response.headers, head);
      }
      const second = Math.floor(nowMs / 1000);
      if (head.dateSecond !== second) {
        head.bytes.write(dateOf(second), head.dateAt, 'latin1');
        head.dateSecond = second;
      }
      return head;
    },
    text({ status, headers }, body, isHead, nowMs) {
      const framing = framingOf(status, headers, body, isHead);
      if (framing === null) return null;
      let text = statusLine(status);
      const lines = Object.entries(headers);
      for (const [name, value] of isHead ? asHono(lines) : lines) {
        if (!VALUE.test(value)) return null;
        text += `${name}: ${value}\r\n`;
      }
      text += `Date: ${dateOf(Math.floor(nowMs / 1000))}${ending}${framing}\r\n`;
      return Buffer.from(framing === CHUNKED ? text + END_OF_CHUNKS : text, 'latin1');
    },
  };
}

/** Ends the head of a document: its length, and what ends a head, come behind it. */
const LENGTH = 'Content-Length: ';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const END_OF_CHUNKS = '0\r\n\r\n';

/**
 * What node:http adds at the end of a head whose response says nothing of its length;
 * null where it is not known.
 */
function framingOf(
  status: number,
  headers: OutgoingAnswer['headers'],
  body: Uint8Array | ReadableStream | null,
  isHead: boolean,
): string | null {
  if (headers['content-length'] !== undefined || isHead || status === 204 || status === 304)
    return '';
  if (body === null) return CHUNKED;
  return body instanceof Uint8Array ? `${LENGTH}${body.length}\r\n` : null;
}

/**
 * What node:http lets a value hold. Source: checkInvalidHeaderChar of
 * lib/_http_common.js
 */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

function statusLine(status: number): string {
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
}

/**
 * Hono answers HEAD through a Headers object, which sorts names and trims values.
 * Seen with hono 4.13.
 */
function asHono(lines: readonly [string, string][]): [string, string][] {
  const trimmed = lines.map(([name, value]): [string, string] => [name, trimBlanks(value)]);
  return trimmed.sort(([a], [b]) => (a < b ? -1 : 1));
}
