import { describe, expect, it } from 'vitest';
import {
  type AccessEntry,
  createCombinedFormat,
  createJsonFormat,
} from '../../../src/http/observe/access-line.ts';
import { redactTarget, redactUrl } from '../../../src/http/observe/redact.ts';

const ENTRY: AccessEntry = {
  timeMs: Date.UTC(2026, 10, 1, 2, 3, 4, 567),
  requestId: 'abc123',
  remoteAddress: '192.0.2.7',
  accessKeyId: 'AKIAEXAMPLE',
  method: 'GET',
  host: 'h.example:9000',
  rawPath: '/b/k%20x',
  rawQuery: '',
  protocol: 'HTTP/1.1',
  status: 200,
  bodyBytes: 1234,
  isWhole: true,
  durationMs: 12.3456789,
  surface: 's3',
  operation: 'GetObject',
  bucket: 'b',
  metadataTier: 'index',
  bodyTier: 'bucket',
  referer: 'https://a.example/p',
  userAgent: 'curl/8.0',
};

const NOTHING: Partial<AccessEntry> = {
  remoteAddress: null,
  accessKeyId: null,
  bucket: null,
  metadataTier: null,
  bodyTier: null,
  referer: null,
  userAgent: null,
  isWhole: null,
};

/** Apache's own expression for the combined format, with nothing said of what follows. */
const QUOTED = String.raw`"((?:[^"\\]|\\.)*)"`;
const COMBINED = new RegExp(
  String.raw`^(\S+) (\S+) (\S+) \[([^\]]+)\] ${QUOTED} (\d{3}) (\d+) ${QUOTED} ${QUOTED}(.*)$`,
);

const formatCombined = createCombinedFormat();
const formatJson = createJsonFormat();
const combined = (changes: Partial<AccessEntry>) => formatCombined({ ...ENTRY, ...changes });
const json = (changes: Partial<AccessEntry>) => JSON.parse(formatJson({ ...ENTRY, ...changes }));

describe('the combined format', () => {
  it('is the common one, with more behind it', () => {
    expect(combined({})).toBe(
      '192.0.2.7 - AKIAEXAMPLE [01/Nov/2026:02:03:04 +0000] ' +
        '"GET /b/k%20x HTTP/1.1" 200 1234 "https://a.example/p" ' +
        '"curl/8.0" abc123 0.012346 index/bucket b h.example:9000',
    );
    expect(combined(NOTHING)).toBe(
      '- - - [01/Nov/2026:02:03:04 +0000] "GET /b/k%20x HTTP/1.1" 200 1234 "-" "-" ' +
        'abc123 0.012346 -/- - h.example:9000',
    );
  });

  it.each([
    ['userAgent', 'a" 200 1 "x" "y'],
    ['userAgent', 'line\r\n192.0.2.1 - - [forged]'],
    ['userAgent', 'back\\'],
    ['userAgent', '\x1b[31mred\x1b]0;title\x07'],
    ['referer', '"'],
    ['rawPath', '/b/"k"\\\x01\xff'],
    ['method', 'G"T'],
    ['host', 'a b" c'],
    ['accessKeyId', 'a b'],
    ['remoteAddress', '1.2.3.4 - root'],
  ] as const)('lets no %s break out of its field: %s', (field, text) => {
    const line = combined({ [field]: text });
    expect(line).toMatch(/^[\x20-\x7e]+$/);
    const fields = COMBINED.exec(line);
    expect(fields).not.toBeNull();
    expect(fields?.[4]).toBe('01/Nov/2026:02:03:04 +0000');
    expect([fields?.[6], fields?.[7]]).toEqual(['200', '1234']);
    expect(fields?.[10]?.trim().split(' ')).toHaveLength(5);
  });

  it.each([
    [0, '0.000000'],
    [0.0004, '0.000000'],
    [0.0012, '0.000001'],
    [999.9996, '1.000000'],
    [61_234.5678, '61.234568'],
    [-1, '0.000000'],
  ])('writes %s ms as seconds', (durationMs, seconds) => {
    expect(combined({ durationMs })).toContain(` abc123 ${seconds} index/bucket `);
  });

  it('tells the time of each line', () => {
    const times = [0, 999, 1000, 59_999, 0].map((ms) => Date.UTC(2026, 0, 31, 23, 59) + ms);
    const clocks = times.map((timeMs) => /\[(.*)\]/.exec(combined({ timeMs }))?.[1]);
    const seconds = ['00', '00', '01', '59', '00'].map(
      (second) => `31/Jan/2026:23:59:${second} +0000`,
    );
    expect(clocks).toEqual(seconds);
    expect(times.map((timeMs) => Date.parse(json({ timeMs }).time))).toEqual(times);
  });

  it('bounds what strangers can make long', () => {
    const long = 'x'.repeat(30_000);
    const line = combined({ rawPath: `/${long}`, referer: long, userAgent: long, host: long });
    expect(line.length).toBeLessThan(4096 + 3 * 1024 + 400);
  });
});

describe('the JSON format', () => {
  it('has every field', () => {
    expect(json({ rawQuery: 'list-type=2' })).toEqual({
      time: '2026-11-01T02:03:04.567Z',
      level: 'info',
      event: 'access',
      requestId: 'abc123',
      remoteAddress: '192.0.2.7',
      accessKeyId: 'AKIAEXAMPLE',
      protocol: 'HTTP/1.1',
      status: 200,
      bodyBytes: 1234,
      isWhole: true,
      durationMs: 12.346,
      surface: 's3',
      operation: 'GetObject',
      bucket: 'b',
      metadataTier: 'index',
      bodyTier: 'bucket',
      method: 'GET',
      host: 'h.example:9000',
      target: '/b/k%20x?list-type=2',
      referer: 'https://a.example/p',
      userAgent: 'curl/8.0',
    });
    expect(json(NOTHING)).toMatchObject(NOTHING);
  });

  it('is one line of harmless characters, with UTF-8 readable', () => {
    const userAgent = 'B\xc3\xa4r "x"\r\n\x1b\x7f\u0085 \xe2\x80\xa8';
    const line = formatJson({ ...ENTRY, userAgent, referer: '\xff' });
    expect(line).toMatch(/^[ -~äÿ\ufffd]+$/);
    expect(JSON.parse(line).userAgent).toContain('Bär "x"\r\n');
    expect(JSON.parse(formatJson({ ...ENTRY, userAgent: '\x9b31m' })).userAgent).toBe('\ufffd31m');
  });
});

describe('secrets', () => {
  it.each([
    ['X-Amz-Signature=abc&X-Amz-Date=1', 'X-Amz-Signature=[redacted]&X-Amz-Date=1'],
    ['x-amz-security-token=a&a=b', 'x-amz-security-token=[redacted]&a=b'],
    [
      'X-Amz-Credential=AK%2F2026&X-Amz-SignedHeaders=host',
      'X-Amz-Credential=[redacted]&X-Amz-SignedHeaders=host',
    ],
    [
      'AWSAccessKeyId=AK&Signature=s&Expires=1',
      'AWSAccessKeyId=[redacted]&Signature=[redacted]&Expires=1',
    ],
    [
      'X-Amz-Server-Side-Encryption-Customer-Key=abc',
      'X-Amz-Server-Side-Encryption-Customer-Key=[redacted]',
    ],
    ['X-Amz-Signatur%65=abc', 'X-Amz-Signatur%65=[redacted]'],
    [
      'access_token=1&password=2&api-key=3&sig=4',
      'access_token=[redacted]&password=[redacted]&api-key=[redacted]&sig=[redacted]',
    ],
    ['list-type=2&continuation-token=abc&prefix=a', 'list-type=2&continuation-token=abc&prefix=a'],
    ['a=b%zz&token', 'a=b%zz&token'],
    ['%zz=1&token=', '%zz=1&token=[redacted]'],
    ['key=photos%2Fa&uploadId=1', 'key=photos%2Fa&uploadId=1'],
  ])('of a query go: %s', (query, shown) => {
    expect(redactTarget('/b/k', query)).toBe(`/b/k?${shown}`);
    expect(redactUrl(`https://h/b/k?${query}`)).toBe(`https://h/b/k?${shown}`);
    expect(json({ rawQuery: query, referer: `http://h/?${query}` })).toMatchObject({
      target: `/b/k%20x?${shown}`,
      referer: `http://h/?${shown}`,
    });
    expect(combined({ rawQuery: query })).toContain(`"GET /b/k%20x?${shown} HTTP/1.1"`);
  });

  it('of a referer go with its user', () => {
    expect(redactUrl('https://user:pass@h/a')).toBe('https://[redacted]@h/a');
    expect(redactUrl('//user@h')).toBe('//[redacted]@h');
    expect(redactUrl('https://h/a@b')).toBe('https://h/a@b');
  });
});

it('the log redacts the access ticket of a share link, and `t` nowhere else', () => {
  const path = '/-/s/wEGbL7Yz0dJc1uQn5x2kRA/a.jpg';
  expect(redactTarget(path, 'show=1&t=mq0.ab')).toBe(`${path}?show=1&t=[redacted]`);
  expect(redactTarget(path, '%74=mq0.ab')).toBe(`${path}?%74=[redacted]`);
  expect(redactUrl(`https://files.test${path}?t=mq0.ab`)).toBe(
    `https://files.test${path}?t=[redacted]`,
  );
  expect(redactTarget('/b/k', 't=10')).toBe('/b/k?t=10');
});
