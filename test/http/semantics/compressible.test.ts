import { describe, expect, it } from 'vitest';
import { isCompressible } from '../../../src/http/semantics/compressible.ts';

const is = (contentType: string, more: Record<string, string> = {}, sizeBytes = 5000) =>
  isCompressible({ 'content-type': contentType, ...more }, sizeBytes, 10_000);

describe('what goes out compressed', () => {
  it.each([
    'text/html',
    'TEXT/Plain; charset=utf-8',
    'application/javascript',
    'text/javascript',
    'application/json',
    'application/ld+json',
    'application/xml',
    'image/svg+xml',
    'application/wasm',
    'font/ttf',
    'application/vnd.ms-fontobject',
    'image/x-icon',
  ])('is %s', (type) => expect(is(type)).toBe(true));

  it.each([
    'image/jpeg',
    'image/png',
    'video/mp4',
    'application/zip',
    'application/gzip',
    'application/pdf',
    'font/woff2',
    'application/octet-stream',
    'application/jsonx',
    'x/text/html',
    'text/',
    '',
  ])('is not %j', (type) => expect(is(type)).toBe(false));

  it('has a size, no coding of its own, and may be transformed', () => {
    expect(is('text/css', {}, 1023)).toBe(false);
    expect(is('text/css', {}, 1024)).toBe(true);
    expect(is('text/css', {}, 10_001)).toBe(false);
    expect(is('text/css', { 'content-encoding': 'gzip' })).toBe(false);
    expect(is('text/css', { 'cache-control': 'public, No-Transform' })).toBe(false);
    expect(is('text/css', { 'cache-control': 'public, max-age=1' })).toBe(true);
    expect(isCompressible({}, 5000, 10_000)).toBe(false);
  });
});
