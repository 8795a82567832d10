import { describe, expect, it } from 'vitest';
import { createRecogniser } from '../../../src/adapters/node/fast-path/recognise.ts';
import { DECIDING_HEADERS, SIGNING_HEADERS } from '../../../src/http/delivery/deciding-headers.ts';

const recognise = createRecogniser({ deciding: DECIDING_HEADERS, signing: SIGNING_HEADERS });
const read = (text: string) => recognise(Buffer.from(text, 'latin1'));
const linesOf = (headers: readonly string[]) => headers.map((line) => `${line}\r\n`).join('');
const get = (target: string, ...headers: string[]) =>
  read(`GET ${target} HTTP/1.1\r\n${linesOf(['Host: h', ...headers])}\r\n`);

const plain = {
  kind: 'plain',
  method: 'GET',
  isHead: false,
  rawPath: '/b/k',
  rawQuery: '',
  host: 'h',
  ifNoneMatch: null,
  range: null,
  header: expect.any(Function),
  headerNames: expect.any(Function),
};

describe('a chunk that is a plain request', () => {
  it.each([
    ['the least', 'GET /b/k HTTP/1.1\r\nHost: h\r\n\r\n', plain],
    ['HEAD', 'HEAD /b/k HTTP/1.1\r\nHost: h\r\n\r\n', { ...plain, method: 'HEAD', isHead: true }],
    [
      'a host with a port',
      'GET /b/k HTTP/1.1\r\nHost: a.b-c_d:9000\r\n\r\n',
      { ...plain, host: 'a.b-c_d:9000' },
    ],
    ['blanks around values', 'GET /b/k HTTP/1.1\r\nHOST:\t h \t\r\n\r\n', plain],
    ['no blank', 'GET /b/k HTTP/1.1\r\nhost:h\r\n\r\n', plain],
    [
      'a condition',
      'GET /b/k HTTP/1.1\r\nHost: h\r\nif-NONE-match: "x", W/"y" \r\n\r\n',
      { ...plain, ifNoneMatch: '"x", W/"y"' },
    ],
    [
      'a range',
      'GET /b/k HTTP/1.1\r\nHost: h\r\nRANGE:bytes=0-1 \r\n\r\n',
      { ...plain, range: 'bytes=0-1' },
    ],
    [
      'an empty condition',
      'GET /b/k HTTP/1.1\r\nHost: h\r\nIf-None-Match: \r\n\r\n',
      { ...plain, ifNoneMatch: '' },
    ],
  ])('is taken: %s', (_name, text, expected) => {
    expect(read(text)).toEqual(expected);
  });

  it.each([
    'Accept: */*',
    'Accept-Encoding: gzip, br',
    'Cookie: a=b; c="d"',
    'Connection: keep-alive',
    'CONNECTION:Keep-Alive',
    'Referer: http://h/?a=b',
    'X-Anything: at all',
    'X-Empty:',
    "x!#$%&'*+.^_`|~: y",
  ])('a header that nobody reads: %s', (line) => {
    expect(get('/b/k', line)).toEqual(plain);
  });

  it('a header that chooses between answers, and gives it when it is asked for', () => {
    const found = get(
      '/b/k',
      'referer: \thttp://h/?a=b ',
      'ACCEPT:text/html',
      'Sec-Fetch-Mode:',
      'X-Accept: x',
    );
    expect(
      ['referer', 'accept', 'sec-fetch-mode'].map((name) => found?.header(name as 'accept')),
    ).toEqual(['http://h/?a=b', 'text/html', '']);
    expect(get('/b/k')?.header('referer')).toBe(null);
  });

  it.each([
    '/',
    '/b',
    '/b/',
    '/b//k',
    '/b/k.js',
    '/b/a@b:c;d=e&f!g$h,i+j[k]~_-',
    '/b/%41%20',
    '/b/a..b',
    '/b/./k',
    '/b/../k',
    '/b/%2e%2e',
  ])('the target %s as it is', (target) => {
    expect(get(target)).toEqual({ ...plain, rawPath: target });
  });
});

describe('recognise tells', () => {
  it.each(['If-Range: "x"', 'x-amz-expected-bucket-owner: x', 'Origin: http://h'])(
    'that a header decides which PlainRead has not: %j',
    (line) => {
      expect(get('/b/k', line)).toEqual({ ...plain, kind: 'other' });
    },
  );

  it.each(['AUTHORIZATION: x', 'x-amz-checksum-mode: ENABLED'])(
    'that a signature may decide: %j',
    (line) => {
      expect(get('/b/k', line)).toEqual({ ...plain, kind: 'signed' });
      expect(get('/b/k', line, 'Origin: http://h')).toEqual({ ...plain, kind: 'other' });
      expect(get('/b/k', 'Origin: http://h', line)).toEqual({ ...plain, kind: 'other' });
    },
  );

  it.each([
    ['If-Match', '*'],
    ['If-Modified-Since', 'x'],
    ['if-unmodified-since', 'y'],
  ])('the condition %s, which decides nothing by itself', (name, value) => {
    const recognised = get('/b/k', `${name}: ${value}`);
    expect(recognised).toEqual(plain);
    expect(recognised?.header(name.toLowerCase())).toBe(value);
    expect(get('/b/k', `${name}: ${value}`, `${name}: ${value}`)).toBeNull();
  });

  it('that a query may sign, and which it is', () => {
    expect(get('/b/k?X-Amz-Date=1&x=/%zz')).toEqual({
      ...plain,
      kind: 'signed',
      rawQuery: 'X-Amz-Date=1&x=/%zz',
    });
    const ranged = get('/b/k?x=y', 'If-Range: "x"');
    expect(ranged).toEqual({ ...plain, kind: 'other', rawQuery: 'x=y' });
  });

  it('any header, by its name in lower case, and which begin with x-amz-', () => {
    const taken = get('/b/k', 'X-Amz-Date: \t1 2\t ', 'x-Amz-meta-A:b', 'y:', 'Range: bytes=0-1');
    expect(taken?.header('x-amz-date')).toBe('1 2');
    expect(taken?.header('x-amz-meta-a')).toBe('b');
    expect(taken?.header('y')).toBe('');
    expect(taken?.header('range')).toBe('bytes=0-1');
    expect(taken?.header('x-amz')).toBeNull();
    expect([...(taken?.headerNames() ?? [])]).toEqual(['x-amz-date', 'x-amz-meta-a']);
  });

  it('none that comes twice', () => {
    const taken = get('/b/k', 'X-Amz-Date: 1', 'Z: 1', 'x-amz-date: 1');
    expect(() => taken?.header('x-amz-date')).toThrow('x-amz-date comes twice');
    expect(taken?.header('z')).toBe('1');
  });
});

describe('a chunk that is anything else', () => {
  it.each([
    ['nothing', ''],
    ['a part', 'GET /b/k HTTP/1.1\r\nHost: h\r\n'],
    ['a part without its last byte', 'GET /b/k HTTP/1.1\r\nHost: h\r\n\r'],
    ['two requests', 'GET /b/k HTTP/1.1\r\nHost: h\r\n\r\nGET /b/k HTTP/1.1\r\nHost: h\r\n\r\n'],
    ['a byte more', 'GET /b/k HTTP/1.1\r\nHost: h\r\n\r\nx'],
    ['a blank line in front', '\r\nGET /b/k HTTP/1.1\r\nHost: h\r\n\r\n'],
    ['another method', 'POST /b/k HTTP/1.1\r\nHost: h\r\n\r\n'],
    ['a method in lower case', 'get /b/k HTTP/1.1\r\nHost: h\r\n\r\n'],
    ['HTTP/1.0', 'GET /b/k HTTP/1.0\r\nHost: h\r\n\r\n'],
    ['HTTP/1.1 in lower case', 'GET /b/k http/1.1\r\nHost: h\r\n\r\n'],
    ['no version', 'GET /b/k\r\nHost: h\r\n\r\n'],
    ['two blanks', 'GET  /b/k HTTP/1.1\r\nHost: h\r\n\r\n'],
    ['a blank before the line end', 'GET /b/k HTTP/1.1 \r\nHost: h\r\n\r\n'],
    ['a tab', 'GET\t/b/k HTTP/1.1\r\nHost: h\r\n\r\n'],
    ['bare LF', 'GET /b/k HTTP/1.1\nHost: h\n\n'],
    ['bare LF behind a header', 'GET /b/k HTTP/1.1\r\nHost: h\nX: y\r\n\r\n'],
    ['bare CR in a value', 'GET /b/k HTTP/1.1\r\nHost: h\rX: y\r\n\r\n'],
    ['two CR', 'GET /b/k HTTP/1.1\r\nHost: h\r\r\n\r\n'],
    ['no host', 'GET /b/k HTTP/1.1\r\nX: y\r\n\r\n'],
    ['no header', 'GET /b/k HTTP/1.1\r\n\r\n'],
    ['an empty host', 'GET /b/k HTTP/1.1\r\nHost:\r\n\r\n'],
    [
      'two of a header that chooses',
      'GET /b/k HTTP/1.1\r\nHost: h\r\nReferer: a\r\nreferer: a\r\n\r\n',
    ],
    ['two hosts', 'GET /b/k HTTP/1.1\r\nHost: h\r\nhost: h\r\n\r\n'],
    ['a host in upper case', 'GET /b/k HTTP/1.1\r\nHost: H\r\n\r\n'],
    ['a port that a URL drops', 'GET /b/k HTTP/1.1\r\nHost: h:80\r\n\r\n'],
    ['a literal IPv6 address', 'GET /b/k HTTP/1.1\r\nHost: [::1]\r\n\r\n'],
    ['two hosts in one', 'GET /b/k HTTP/1.1\r\nHost: h, i\r\n\r\n'],
    ['a host that is no URL where one is parsed', 'GET /b/%20 HTTP/1.1\r\nHost: 1.2.3.4.5\r\n\r\n'],
    [
      'such a host with dots in the query',
      'GET /b/k?x=/.. HTTP/1.1\r\nHost: 256.256.256.256\r\n\r\n',
    ],
    ['such a host with dots in the path', 'GET /b/../k HTTP/1.1\r\nHost: 256.256.256.256\r\n\r\n'],
  ])('is left alone: %s', (_name, text) => {
    expect(read(text)).toBeNull();
  });

  it.each([
    'b/k',
    '*',
    'http://h/b/k',
    '/b/k?',
    '/b/k?x=?',
    '/b/k?x=ü',
    '/b/k?"',
    '/b/k#x',
    '/b\\k',
    '/b/ü',
    '/b/"',
    '/b/<',
    '/b/{',
    '/b/|',
    '/b/^',
    '/b/`',
    '/b/\0',
    '/b/\x7f',
    '/b/\t',
  ])('the target %j', (target) => {
    expect(get(target)).toBeNull();
  });

  it.each([
    'Connection: close',
    'Connection: keep-alive, close',
    'Connection: upgrade',
    'Connection:',
    'Connection: keep-alivE ',
    'Content-Length: 0',
    'content-length:0',
    'Transfer-Encoding: chunked',
    'TE: trailers',
    'Trailer: x',
    'Expect: 100-continue',
    'Upgrade: h2c',
    'HTTP2-Settings: x',
    'Keep-Alive: timeout=5',
    'Proxy-Connection: close',
    'X : y',
    ' X: y',
    '\tfolded',
    'no colon',
    ': y',
    'X(: y',
    'X\0: y',
    'X: \0',
    'X: \x7f',
    'X: \x80',
    'X\xe9: y',
  ])('a request with %j', (line) => {
    expect(get('/b/k', line)).toBeNull();
  });

  it('the second of a header that may come once', () => {
    expect(get('/b/k', 'If-None-Match: "x"', 'If-None-Match: "y"')).toBeNull();
    expect(get('/b/k', 'Range: bytes=0-1', 'range: bytes=0-1')).toBeNull();
    expect(get('/b/k', 'Connection: keep-alive', 'Connection: keep-alive')).toBeNull();
  });

  it('what is very long, or has very many headers', () => {
    expect(get(`/b/${'k'.repeat(8000)}`)).not.toBeNull();
    expect(get(`/b/${'k'.repeat(8200)}`)).toBeNull();
    expect(get('/b/k', ...Array.from({ length: 99 }, () => 'X: y'))).toEqual(plain);
    expect(get('/b/k', ...Array.from({ length: 100 }, () => 'X: y'))).toBeNull();
  });
});

describe('recognise', () => {
  it('takes nothing that lacks a byte or has one more in front of unread headers', () => {
    const text = 'GET /b/k HTTP/1.1\r\nHost: h\r\n\r\n';
    for (let at = 0; at < text.length; at++)
      expect(read(text.slice(0, at)), `cut at ${at}`).toBeNull();
  });

  it('never takes a control, a high byte or a line end for part of anything', () => {
    const text = 'GET /b/k HTTP/1.1\r\nHost: h\r\nX: y\r\n\r\n';
    for (const byte of [0, 1, 10, 11, 12, 13, 31, 127, 128, 255]) {
      for (let at = 0; at < text.length; at++) {
        const changed = text.slice(0, at) + String.fromCharCode(byte) + text.slice(at + 1);
        if (changed !== text) expect(read(changed), `${byte} at ${at}`).toBeNull();
        expect(
          read(text.slice(0, at) + String.fromCharCode(byte) + text.slice(at)),
          `${byte} before ${at}`,
        ).toBeNull();
      }
    }
  });
});
