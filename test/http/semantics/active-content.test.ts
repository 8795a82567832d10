import { describe, expect, it } from 'vitest';
import { isActiveContent } from '../../../src/http/semantics/active-content.ts';

describe('content that a browser may run', () => {
  it.each([
    'text/html',
    'TEXT/HTML; charset=utf-8',
    ' text/html ;charset=utf-8',
    'application/xhtml+xml',
    'image/svg+xml',
    'text/xml',
    'application/xml',
    'text/xsl',
    'application/atom+xml',
    'multipart/x-mixed-replace; boundary=a',
    'image/png, text/html',
    'image/png;a=b, text/html',
    'unknown/unknown',
    'application/unknown',
    '*/*',
    'html',
    '',
    'text/ html',
    'image/pn g',
  ])('is "%s"', (type) => {
    expect(isActiveContent(type)).toBe(true);
  });

  it.each([
    'text/plain',
    'text/plain; charset="utf-8"',
    'image/png',
    'application/pdf',
    'application/json',
    'text/css',
    'text/javascript',
    'application/octet-stream',
    'binary/octet-stream',
    'video/mp4; codecs="avc1"',
    'application/vnd.oasis.opendocument.text',
    'application/xml-dtd',
  ])('is not "%s"', (type) => {
    expect(isActiveContent(type)).toBe(false);
  });
});
