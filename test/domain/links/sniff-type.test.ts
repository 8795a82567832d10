// Types that first bytes show, and senders who declare another one.
import { expect, it } from 'vitest';
import { isTypeListed } from '../../../src/domain/links/media-types.ts';
import { isTypeLie, sniffType } from '../../../src/domain/links/sniff-type.ts';

const bytes = (text: string) => Uint8Array.from(text, (sign) => sign.charCodeAt(0));

it.each([
  ['\x89PNG\r\n\x1a\n', 'image/png'],
  ['\xff\xd8\xff\xe0', 'image/jpeg'],
  ['RIFF....WEBPVP8 ', 'image/webp'],
  ['....ftypavif', 'image/avif'],
  ['%PDF-1.7', 'application/pdf'],
  ['PK\x03\x04', 'application/zip'],
  ['MZ\x90', 'application/x-msdownload'],
  [' \n<!DOCTYPE HTML>', 'text/html'],
  ['<svg xmlns=', 'image/svg+xml'],
  ['hello', null],
  ['', null],
] as const)('%j is %s', (text, type) => expect(sniffType(bytes(text))).toBe(type));

it.each([
  ['image/png', '\x89PNG\r\n\x1a\n', false],
  ['image/png', 'hello', true],
  ['image/png', '', true],
  ['image/jpeg', '\x89PNG\r\n\x1a\n', true],
  ['image/x-unknown', '<html>', true],
  ['image/svg+xml', '<svg>', false],
  ['image/svg+xml', '<?xml?><svg>', false],
  ['text/plain', 'MZ', true],
  ['text/plain', 'BM is two letters', false],
  ['application/vnd.oasis.opendocument.text', 'PK\x03\x04', false],
  // What the link takes anyway may be called otherwise.
  ['text/plain', '\x89PNG\r\n\x1a\n', false],
] as const)('%s with the bytes %j: a lie is %s', (declared, text, isLie) => {
  const isAllowed = (type: string) => isTypeListed(type, ['image/png', 'text/plain']);
  expect(isTypeLie(declared, bytes(text), isAllowed)).toBe(isLie);
});
