// Heads of responses: which bytes they have, where the values of one response belong, and when one
// is built anew. That node:http sends the same bytes is shown by differential.test.ts.
import { describe, expect, it } from 'vitest';
import { createPrebuiltHeads } from '../../../src/adapters/node/fast-path/prebuilt-heads.ts';
import type { FastResponse } from '../../../src/http/delivery/fast-path/fast-response.ts';
import { FAST_RESPONSE } from '../../http/delivery/fast-path/fast-response-sample.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 12);
const DATE = 'Date: Sat, 21 Nov 2026 12:00:00 GMT\r\n';
const ENDING = 'Connection: keep-alive\r\nKeep-Alive: timeout=5\r\n';

const CHUNKED = 'Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n';

const withHeaders = (headers: Record<string, string>): FastResponse => ({
  ...FAST_RESPONSE,
  headers,
});

describe('a head that is kept', () => {
  it('has the id once, behind all else, and the date of its second', () => {
    const heads = createPrebuiltHeads(5999);
    const { bytes, requestIdAt, extendedIdAt } = heads.of(
      withHeaders({ 'content-length': '10', etag: '"a"' }),
      false,
      4,
      NOW_MS + 999,
    );
    expect(bytes.toString('latin1')).toBe(
      `HTTP/1.1 200 OK\r\ncontent-length: 10\r\netag: "a"\r\nx-amz-request-id: ----\r\n` +
        `${DATE}${ENDING}\r\n`,
    );
    expect(bytes.toString('latin1', 0, requestIdAt)).toMatch(/\nx-amz-request-id: $/);
    expect(extendedIdAt).toBe(-1);
  });

  it('has both ids where the headers have them, and says where', () => {
    const headers = { 'x-amz-request-id': '', 'x-amz-id-2': '', 'content-type': 'text/xml' };
    const { bytes, requestIdAt, extendedIdAt, requestIdLength } = createPrebuiltHeads(5000).of(
      withHeaders(headers),
      false,
      4,
      NOW_MS,
    );
    const text = bytes.toString('latin1');
    expect(text.match(/x-amz-request-id/g)).toHaveLength(1);
    for (const [at, name] of [
      [requestIdAt, 'x-amz-request-id'],
      [extendedIdAt, 'x-amz-id-2'],
    ] as const)
      expect(text.slice(0, at + requestIdLength)).toMatch(new RegExp(`\\n${name}: ----$`));
  });

  it('has a place for each value of a part that is empty, and for no other', () => {
    const headers = { 'content-length': '', 'content-range': '', 'cache-control': '' };
    const { bytes, gaps } = createPrebuiltHeads(5000).of(withHeaders(headers), false, 4, NOW_MS);
    const text = bytes.toString('latin1');
    expect(gaps.map(({ name }) => name)).toEqual(['content-length', 'content-range']);
    for (const { at, name } of gaps)
      expect(text.slice(0, at + 2)).toMatch(new RegExp(`\\n${name}: \r\n$`));
    const known = createPrebuiltHeads(5000).of(
      withHeaders({ 'content-length': '10' }),
      false,
      4,
      NOW_MS,
    );
    expect(known.gaps).toEqual([]);
  });

  it('leaves the length of a document to whoever sends it', () => {
    const document = { ...FAST_RESPONSE, kind: 'document' as const, status: 404, body: null };
    const { bytes } = createPrebuiltHeads(5000).of(document as never, false, 4, NOW_MS);
    expect(bytes.toString('latin1')).toBe(
      `HTTP/1.1 404 Not Found\r\nx-amz-request-id: ----\r\n${DATE}${ENDING}Content-Length: `,
    );
  });

  it('is sorted and trimmed with HEAD, and stands beside that of GET', () => {
    const heads = createPrebuiltHeads(Number.POSITIVE_INFINITY);
    const response = withHeaders({ vary: ' a\t', etag: '"a"' });
    const get = heads.of(response, false, 4, NOW_MS);
    const head = heads.of(response, true, 4, NOW_MS);
    const end = `${DATE}Connection: keep-alive\r\n\r\n`;
    expect(head.bytes.toString('latin1')).toBe(
      `HTTP/1.1 200 OK\r\netag: "a"\r\nvary: a\r\nx-amz-request-id: ----\r\n${end}`,
    );
    expect(get.bytes.toString('latin1')).toBe(
      `HTTP/1.1 200 OK\r\nvary:  a\t\r\netag: "a"\r\nx-amz-request-id: ----\r\n${end}`,
    );
    expect(heads.of(response, false, 4, NOW_MS)).toBe(get);
    expect(heads.of(response, true, 4, NOW_MS)).toBe(head);
  });

  it('is built anew for an id of another length', () => {
    const heads = createPrebuiltHeads(5000);
    const response = withHeaders({});
    const short = heads.of(response, false, 4, NOW_MS);
    const long = heads.of(response, false, 6, NOW_MS);
    expect([short.requestIdLength, long.requestIdLength]).toEqual([4, 6]);
    expect(long.bytes.length).toBe(short.bytes.length + 2);
    expect(heads.of(response, false, 6, NOW_MS)).toBe(long);
  });

  it('has another date with each second, also when others were sent meanwhile', () => {
    const heads = createPrebuiltHeads(5000);
    const [one, other] = [withHeaders({}), withHeaders({})];
    const dateOf = (response: FastResponse, nowMs: number) => {
      const { bytes, dateAt } = heads.of(response, false, 4, nowMs);
      return bytes.toString('latin1', dateAt, dateAt + 29);
    };
    const seconds = [0, 0, 1, 1, 59, 60].map((second) => NOW_MS + 1000 * second);
    for (const nowMs of seconds)
      for (const response of [one, other])
        expect(dateOf(response, nowMs)).toBe(new Date(nowMs).toUTCString());
  });
});

describe('the head of a response that is seldom sent', () => {
  const heads = createPrebuiltHeads(5000);
  const text = (
    status: number,
    headers: Record<string, string>,
    body: Uint8Array | ReadableStream | null,
    isHead = false,
  ) => heads.text({ status, headers, body: null }, body, isHead, NOW_MS)?.toString('latin1');

  it.each<[string, number, Record<string, string>, Uint8Array | null, boolean, string]>([
    ['says its length', 200, {}, new Uint8Array(12), false, 'Content-Length: 12\r\n\r\n'],
    ['says no length twice', 200, { 'content-length': '12' }, new Uint8Array(12), false, '\r\n'],
    ['has chunks for want of a body', 200, {}, null, false, CHUNKED],
    ['says nothing with 204', 204, {}, null, false, '\r\n'],
    ['says nothing with 304', 304, {}, null, false, '\r\n'],
    ['says nothing with HEAD', 200, {}, null, true, '\r\n'],
  ])('%s', (_, status, headers, body, isHead, end) => {
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const reason = { 200: 'OK', 204: 'No Content', 304: 'Not Modified' }[status];
    expect(text(status, headers, body, isHead)).toBe(
      `HTTP/1.1 ${status} ${reason}\r\n${lines.join('')}${DATE}${ENDING}${end}`,
    );
  });

  it('is left to node:http where the length is unknown, unless no body is sent', () => {
    const stream = new ReadableStream<Uint8Array>();
    expect(text(200, {}, stream)).toBeUndefined();
    expect(text(200, { 'content-length': '3' }, stream)).toContain('content-length: 3\r\n');
    expect(text(200, {}, stream, true)).toMatch(/timeout=5\r\n\r\n$/);
  });

  it.each(['a\n', 'a\r\nb: c', '\0', '\x7f', '\u0100'])(
    'is left to node:http with a value that it refuses: %j',
    (value) => {
      expect(text(200, { a: value }, null)).toBeUndefined();
    },
  );

  it('has every value that node:http sends, and a status without a name', () => {
    expect(text(299, { a: '\t ~\x80\xff' }, null)).toContain('299 unknown\r\na: \t ~\x80\xff\r\n');
    expect(text(200, { b: ' 1 ', a: '2' }, null, true)).toContain('OK\r\na: 2\r\nb: 1\r\nDate');
  });
});
