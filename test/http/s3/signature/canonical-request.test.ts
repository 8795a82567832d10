import { describe, expect, it } from 'vitest';
import {
  canonicalHeaderValue,
  canonicalPath,
  canonicalQuery,
  canonicalRequest,
  parseCanonicalQuery,
  unsignedHeaders,
} from '../../../../src/http/s3/signature/canonical-request.ts';
import { makeRequest } from '../kit/make-request.ts';

describe('canonicalPath', () => {
  it.each([
    ['', '/'],
    ['/', '/'],
    ['/bucket/photos/2024/cat.jpg', '/bucket/photos/2024/cat.jpg'],
    ['/b/a//b', '/b/a//b'],
    ['/b/../x/./y', '/b/../x/./y'],
    ['/b/%2e%2E/x', '/b/../x'],
    ['/b/a%2Fb', '/b/a/b'],
    ['/b/a%252Fb', '/b/a%252Fb'],
    ['/b/a+b', '/b/a%2Bb'],
    ['/b/a%2bb', '/b/a%2Bb'],
    ['/b/a%20b', '/b/a%20b'],
    ['/b/%c3%a9', '/b/%C3%A9'],
    ['/b/\u00c3\u00a9', '/b/%C3%A9'],
    ['/b/\u{1F600}', '/b/%F0%9F%98%80'],
    ['/b/~%7E', '/b/~~'],
    ["/b/'()*!", '/b/%27%28%29%2A%21'],
    ['/b/$&,:;=@', '/b/%24%26%2C%3A%3B%3D%40'],
    ['/b/100%', '/b/100%25'],
    ['/b/%zz%4', '/b/%25zz%254'],
    ['/b/%00%0a', '/b/%00%0A'],
  ])('%j is %j', (raw, canonical) => {
    expect(canonicalPath(raw)).toBe(canonical);
  });
});

describe('canonical text', () => {
  it('is the same for every spelling of every byte, and a fixed point', () => {
    for (let byte = 0; byte < 256; byte += 1) {
      const hex = byte.toString(16).padStart(2, '0');
      const character = String.fromCharCode(byte);
      const isUnreserved = /[A-Za-z0-9._~-]/.test(character);
      const escaped = isUnreserved ? character : `%${hex.toUpperCase()}`;
      for (const spelling of [`%${hex}`, `%${hex.toUpperCase()}`]) {
        expect(canonicalQuery(parseCanonicalQuery(`a=${spelling}`))).toBe(`a=${escaped}`);
        expect(canonicalPath(`/${spelling}`)).toBe(character === '/' ? '//' : `/${escaped}`);
      }
      if (!'%&=+'.includes(character))
        expect(canonicalQuery(parseCanonicalQuery(`a=${character}`))).toBe(`a=${escaped}`);
    }
  });
});

describe('canonicalQuery', () => {
  it.each([
    ['', ''],
    ['lifecycle', 'lifecycle='],
    ['b=2&a=1', 'a=1&b=2'],
    ['a=2&a=10&a=', 'a=&a=10&a=2'],
    ['prefix=J&max-keys=2', 'max-keys=2&prefix=J'],
    ['&&a=1&', 'a=1'],
    ['a=1&=x&=', '=&=x&a=1'],
    ['prefix=a+b', 'prefix=a%20b'],
    ['prefix=a%2bb', 'prefix=a%2Bb'],
    ['prefix=a/b=c', 'prefix=a%2Fb%3Dc'],
    ['a-=1&a=1', 'a=1&a-=1'],
    ['B=1&a=2&A=3', 'A=3&B=1&a=2'],
    ['%E1%88%B4=bar', '%E1%88%B4=bar'],
    ['a=1&X-Amz-Signature=f00&X-Amz-Date=2', 'X-Amz-Date=2&a=1'],
    ['marker=%', 'marker=%25'],
  ])('%j is %j', (raw, canonical) => {
    expect(canonicalQuery(parseCanonicalQuery(raw))).toBe(canonical);
  });
});

describe('canonicalHeaderValue', () => {
  it.each([
    ['plain', 'plain'],
    ['  both ends\t', 'both ends'],
    ['a   b \t c', 'a b c'],
    ['one space', 'one space'],
    ['"a  b"', '"a b"'],
    ['\u00a0kept\u00a0', '\u00a0kept\u00a0'],
    ['', ''],
    ['   ', ''],
  ])('%j is %j', (raw, canonical) => {
    expect(canonicalHeaderValue(raw)).toBe(canonical);
  });
});

describe('canonicalRequest', () => {
  const request = makeRequest({
    method: 'PUT',
    target: '/b/k?acl',
    headers: {
      Host: 'h:9000',
      'x-amz-object-attributes': 'ETag, Checksum',
      'x-amz-meta-a': 'x, y',
    },
  });
  const query = parseCanonicalQuery('acl');

  it('takes the host as sent, an absent header as empty, and the order of the list', () => {
    const signedHeaders = ['host', 'range', 'x-amz-meta-a'];
    const text = canonicalRequest(
      request,
      {
        query,
        signedHeaders: new Set(signedHeaders),
        signedHeadersText: signedHeaders.join(';'),
        payloadHash: 'UNSIGNED-PAYLOAD',
      },
      false,
    );
    expect(text).toBe(
      'PUT\n/b/k\nacl=\nhost:h:9000\nrange:\nx-amz-meta-a:x, y\n\nhost;range;' +
        'x-amz-meta-a\nUNSIGNED-PAYLOAD',
    );
  });

  it('joins the lines of list headers without a space on demand, of no others', () => {
    const signedHeaders = ['host', 'x-amz-meta-a', 'x-amz-object-attributes'];
    const text = canonicalRequest(
      request,
      {
        query,
        signedHeaders: new Set(signedHeaders),
        signedHeadersText: signedHeaders.join(';'),
        payloadHash: 'UNSIGNED-PAYLOAD',
      },
      true,
    );
    expect(text).toContain('x-amz-meta-a:x, y\nx-amz-object-attributes:ETag,Checksum\n');
  });
});

describe('unsignedHeaders', () => {
  it('names host and the x-amz headers that are sent and not signed', () => {
    const request = makeRequest({
      target: '/',
      headers: {
        Host: 'h',
        'X-Amz-Date': 'd',
        'X-Amz-Acl': 'private',
        'x-amzn-trace-id': 't',
        Range: 'bytes=0-1',
      },
    });
    expect(unsignedHeaders(request, new Set(['x-amz-date']))).toEqual(['host', 'x-amz-acl']);
    expect(unsignedHeaders(request, new Set(['host', 'x-amz-acl', 'x-amz-date']))).toEqual([]);
  });
});
