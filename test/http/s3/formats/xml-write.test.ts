import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readXml } from '../../../../src/http/s3/formats/xml-read.ts';
import {
  element,
  escapeXml,
  etagElement,
  plainDocument,
  S3_NAMESPACE,
  s3Document,
  textElement,
  timeElement,
} from '../../../../src/http/s3/formats/xml-write.ts';

describe('escapeXml', () => {
  it.each([
    ['plain', 'plain'],
    ['<a href="x">&amp;</a>', '&lt;a href=&quot;x&quot;&gt;&amp;amp;&lt;/a&gt;'],
    ["'", "'"],
    [']]>', ']]&gt;'],
    ['a\tb\nc', 'a\tb\nc'],
    ['a\rb\r\nc', 'a&#xD;b&#xD;\nc'],
    ['\u0000\u0001\u000b\u001f', '&#x0;&#x1;&#xB;&#x1F;'],
    ['\u007f\u0085\u009f\u2028', '\u007f\u0085\u009f\u2028'],
    ['\ufffe\uffff', '&#xFFFE;&#xFFFF;'],
    ['é日\u{1F600}', 'é日\u{1F600}'],
    ['\ud800x\udc00', '\ufffdx\ufffd'],
  ])('%j', (text, escaped) => {
    expect(escapeXml(text)).toBe(escaped);
  });

  it('is read back as it was, whatever the key', () => {
    // Any text but NUL, which no reference can name, and lone surrogates, which no key has.
    const codePoint = fc.oneof(
      fc.integer({ min: 1, max: 0xff }),
      fc.integer({ min: 1, max: 0xd7ff }),
      fc.integer({ min: 0xe000, max: 0x10ffff }),
    );
    const key = fc.array(codePoint).map((codes) => String.fromCodePoint(...codes));
    fc.assert(
      fc.property(key, (text) => {
        const bytes = new TextEncoder().encode(s3Document('Root', textElement('Key', text)));
        expect(readXml(bytes, 'Root').children[0]?.text).toBe(text);
      }),
    );
  });
});

describe('elements', () => {
  it('hold text, numbers, truth, nothing', () => {
    expect(textElement('A', 'x<y')).toBe('<A>x&lt;y</A>');
    expect(textElement('A', '')).toBe('<A></A>');
    expect(textElement('A', 0)).toBe('<A>0</A>');
    expect(textElement('A', false)).toBe('<A>false</A>');
    expect(textElement('A', null)).toBe('');
    expect(element('A', '<B></B>')).toBe('<A><B></B></A>');
  });

  it('quote entity tags and cut times to the second', () => {
    expect(etagElement('abc-2')).toBe('<ETag>&quot;abc-2&quot;</ETag>');
    expect(timeElement('T', Date.UTC(2026, 10, 20, 1, 2, 3, 999))).toBe(
      '<T>2026-11-20T01:02:03.000Z</T>',
    );
    expect(timeElement('T', 0)).toBe('<T>1970-01-01T00:00:00.000Z</T>');
  });
});

it('documents begin with a declaration, and only S3 documents have the namespace', () => {
  expect(s3Document('R', 'x')).toBe(
    `<?xml version="1.0" encoding="UTF-8"?>\n<R xmlns="${S3_NAMESPACE}">x</R>`,
  );
  expect(plainDocument('Error', '')).toBe(
    '<?xml version="1.0" encoding="UTF-8"?>\n<Error></Error>',
  );
});
