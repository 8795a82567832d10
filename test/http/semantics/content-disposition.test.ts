import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  attachment,
  downloadDisposition,
} from '../../../src/http/semantics/content-disposition.ts';
import { isHeaderText } from '../../../src/http/semantics/header-text.ts';

const ATTACHMENT =
  /^attachment; filename="([\x20-\x7e]*)"(?:; filename\*=UTF-8''([A-Za-z0-9!#$&+\-.^_`|~%]+))?$/;

describe('a download’s name', () => {
  it.each([
    ['a.txt', 'attachment; filename="a.txt"'],
    ['folder/deep/a b.txt', 'attachment; filename="a b.txt"'],
    ['Übersicht.pdf', `attachment; filename="_bersicht.pdf"; filename*=UTF-8''%C3%9Cbersicht.pdf`],
    ['日本.zip', `attachment; filename="__.zip"; filename*=UTF-8''%E6%97%A5%E6%9C%AC.zip`],
    ['😀', `attachment; filename="_"; filename*=UTF-8''%F0%9F%98%80`],
    ['100%25.txt', `attachment; filename="100_25.txt"; filename*=UTF-8''100%2525.txt`],
    ['say "hi".txt', `attachment; filename="say _hi_.txt"; filename*=UTF-8''say%20%22hi%22.txt`],
    [`it's (1)*.txt`, `attachment; filename="it's (1)*.txt"`],
    [
      `é's (1)*.txt`,
      `attachment; filename="_'s (1)*.txt"; filename*=UTF-8''%C3%A9%27s%20%281%29%2A.txt`,
    ],
    ['a\\b\r\nc\u202ed', 'attachment; filename="a_b__c_d"'],
    ['\ud800x', `attachment; filename="_x"; filename*=UTF-8''%EF%BF%BDx`],
    ['folder/', 'attachment; filename="download"'],
    ['', 'attachment; filename="download"'],
  ])('%j', (path, header) => {
    expect(attachment(path)).toBe(header);
  });

  it('can stand in a header and come back from it, whatever it is', () => {
    // Building fast-check's own alphabet of all of Unicode takes seconds.
    const code = fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit));
    const sign = fc.oneof(code, fc.constantFrom('/', '\\', '"', '%', ' ', '.', '\r\n', 'é', '😀'));
    fc.assert(
      fc.property(
        fc.array(sign).map((signs) => signs.join('')),
        (path) => {
          const header = attachment(path);
          expect(isHeaderText(header)).toBe(true);
          const [, plain, extended] = ATTACHMENT.exec(header) ?? [];
          expect(plain).toMatch(/^[^"\\/%]+$/);
          if (extended !== undefined)
            expect(decodeURIComponent(extended)).toMatch(/^[^\p{Cc}/\\]+$/u);
        },
      ),
    );
  });
});

describe('?download', () => {
  it.each([
    ['', undefined, 'f/a.txt', 'attachment; filename="a.txt"'],
    ['b.txt', undefined, 'f/a.txt', 'attachment; filename="b.txt"'],
    ['x/y.txt', undefined, 'a', 'attachment; filename="x_y.txt"'],
    ['', 'inline', 'a.txt', 'attachment; filename="a.txt"'],
    ['', 'inline; filename="kept.pdf"', 'a', 'attachment; filename="kept.pdf"'],
    ['given', 'inline; filename="kept.pdf"', 'a', 'attachment; filename="given"'],
  ])('%j of a stored %j', (asked, stored, key, header) => {
    expect(downloadDisposition(asked, stored, key)).toBe(header);
  });

  it('refuses names that no disk takes', () => {
    expect(() => downloadDisposition('x'.repeat(256), undefined, 'k')).toThrow('255 characters');
  });
});
