import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { successRedirect } from '../../../../src/http/s3/post/success-redirect.ts';

const STORED = { bucket: 'b', key: 'a b/ü', etag: 'e' };
const TOLD = 'bucket=b&key=a%20b%2F%C3%BC&etag=%22e%22';

describe('the page that a form upload leads to', () => {
  it.each([
    ['https://example.com/done', `https://example.com/done?${TOLD}`],
    ['https://example.com/done?x=1#part', `https://example.com/done?x=1&${TOLD}#part`],
    ['https://example.com/größe', `https://example.com/gr%C3%B6%C3%9Fe?${TOLD}`],
    ['https://example.com/a\u0001b\u007f', `https://example.com/a%01b%7F?${TOLD}`],
    ['javascript:alert(1)', null],
    ['//example.com/', null],
    ['https://example.com/a b', null],
    [undefined, null],
  ])('%j', (wanted, address) => expect(successRedirect(wanted, STORED)).toBe(address));

  it('can stand in a header, whatever the form says', () => {
    const page = fc.string({ unit: 'binary' }).map((text) => `https://example.com/${text}`);
    fc.assert(
      fc.property(page, (wanted) => {
        const address = successRedirect(wanted, STORED);
        expect(address ?? '').toMatch(/^[\x21-\x7e]*$/);
      }),
    );
  });
});
