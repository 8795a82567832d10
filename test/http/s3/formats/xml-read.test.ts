import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { XML_MAX_BYTES, XML_MAX_ELEMENTS } from '../../../../src/core/limits.ts';
import { StorageError } from '../../../../src/domain/errors.ts';
import { readXml } from '../../../../src/http/s3/formats/xml-read.ts';
import { cpuMsOf, QUICK_MS } from '../../../cpu-time.ts';
import { fuzzRuns } from '../../../fuzz-seed.ts';

const encoder = new TextEncoder();
const read = (text: string) => readXml(encoder.encode(text), 'a');
const refused = expect.objectContaining({ code: 'MalformedXML' });

function codeOf(bytes: Uint8Array, root = 'a'): string {
  try {
    readXml(bytes, root);
    return 'accepted';
  } catch (error) {
    return error instanceof StorageError ? error.code : `threw ${error}`;
  }
}

describe('readXml', () => {
  it('gives names, text and order', () => {
    expect(read('<a><b>1</b><c/><b>2</b></a>')).toEqual({
      name: 'a',
      text: '',
      children: [
        { name: 'b', text: '1', children: [] },
        { name: 'c', text: '', children: [] },
        { name: 'b', text: '2', children: [] },
      ],
    });
  });

  it.each([
    ['spaces as they are', '<a>  x </a>', '  x '],
    ['numbers as text', '<a>007</a>', '007'],
    ['named references', '<a>&lt;&gt;&amp;&quot;&apos;</a>', `<>&"'`],
    ['numeric references', '<a>&#65;&#x42;&#x1F600;&#13;</a>', 'AB\u{1F600}\r'],
    ['references once', '<a>&amp;lt;</a>', '&lt;'],
    ['references to controls, which keys hold', '<a>&#1;&#x1f;</a>', '\u0001\u001f'],
    ['CDATA without references', '<a>x<![CDATA[<&amp;>]]>y</a>', 'x<&amp;>y'],
    ['line ends as one', '<a>1\r\n2\r3\n</a>', '1\n2\n3\n'],
    ['text around comments', '<a>x<!-- <b> -->y</a>', 'xy'],
    [
      'a byte order mark and a declaration',
      '\ufeff<?xml version="1.0" encoding="utf-8"?>\n<a>x</a>\n',
      'x',
    ],
    ['a namespace', '<a xmlns="http://s3.amazonaws.com/doc/2006-03-01/">x</a>', 'x'],
    ['a prefix', '<s3:a xmlns:s3="http://s3.amazonaws.com/doc/2006-03-01/">x</s3:a>', 'x'],
  ])('takes %s', (_, xml, text) => {
    expect(read(xml).text).toBe(text);
  });

  it.each([
    ['nothing', ''],
    ['white space', ' \n '],
    ['text', 'hello'],
    ['another root', '<b/>'],
    ['two roots', '<a/><a/>'],
    ['two roots with content', '<a>1</a><a>2</a>'],
    ['something behind the root', '<a>1</a>x'],
    ['an unclosed element', '<a><b></a>'],
    ['a crossing', '<a><b><c></b></c></a>'],
    ['an unclosed root', '<a>'],
    ['an unclosed comment', '<a><!-- </a>'],
    ['an unclosed CDATA section', '<a><![CDATA[ </a>'],
    ['an attribute without quotes', '<a b=c></a>'],
    ['an attribute twice', '<a b="1" b="2"></a>'],
    ['a document type', '<!DOCTYPE a><a/>'],
    ['an internal entity', '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>'],
    ['an external entity', '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'],
    ['an entity of nobody', '<a>&nbsp;</a>'],
    ['an ampersand alone', '<a>a & b</a>'],
    ['an ampersand at the end', '<a>&</a>'],
    ['an unfinished reference', '<a>&#x41</a>'],
    ['a reference to NUL', '<a>&#0;</a>'],
    ['a reference to a surrogate', '<a>&#xD800;</a>'],
    ['a reference beyond Unicode', '<a>&#x110000;</a>'],
    ['a name of Object.prototype as entity', '<a>&constructor;</a>'],
    ['a raw control character', '<a>\u0001</a>'],
    ['a non-character', '<a>\uffff</a>'],
    ['text between elements', '<a>x<b/></a>'],
    ['the end of a CDATA section in text', '<a>]]></a>'],
    ['a reserved JavaScript name', '<a><__proto__>x</__proto__></a>'],
    ['another encoding', '<?xml version="1.0" encoding="ISO-8859-1"?><a>x</a>'],
    ['nine levels', `${'<a>'.repeat(10)}${'</a>'.repeat(10)}`],
  ])('refuses %s', (_, xml) => {
    expect(() => read(xml)).toThrow(refused);
  });

  it('refuses bytes that are no UTF-8', () => {
    const utf16 = new Uint8Array([
      0xff,
      0xfe,
      ...[...'<a/>'].flatMap((sign) => [sign.charCodeAt(0), 0]),
    ]);
    expect(codeOf(utf16)).toBe('MalformedXML');
    expect(codeOf(new Uint8Array([0x3c, 0x61, 0x3e, 0xe9, 0x3c, 0x2f, 0x61, 0x3e]))).toBe(
      'MalformedXML',
    );
    expect(
      codeOf(new Uint8Array([0x3c, 0x61, 0x3e, 0xed, 0xa0, 0x80, 0x3c, 0x2f, 0x61, 0x3e])),
    ).toBe('MalformedXML');
  });

  it('refuses a document beyond the limit without parsing it', () => {
    const bytes = encoder.encode(`<a>${' '.repeat(XML_MAX_BYTES)}</a>`);
    expect(codeOf(bytes)).toBe('MalformedXML');
  });

  it('refuses a flood of elements without parsing it', async () => {
    const flood = encoder.encode(`<a>${'<b/>'.repeat(XML_MAX_ELEMENTS)}</a>`);
    expect(await cpuMsOf(() => codeOf(flood))).toBeLessThan(QUICK_MS);
    expect(() => readXml(flood, 'a')).toThrow(/too many elements/);
    expect(() => readXml(encoder.encode('<a><b></b><!----></a>'), 'a', 2)).toThrow(
      /too many elements/,
    );
    expect(readXml(encoder.encode('<a><b></b><!----></a>'), 'a', 3).children).toHaveLength(1);
  });

  it('says why', () => {
    expect(() => read('<a><b></a>')).toThrow(
      /did not validate against our published schema: Expected closing tag/,
    );
  });

  it('throws nothing but MalformedXML, whatever comes', () => {
    const pieces = [
      '<a>',
      '</a>',
      '<b',
      '/>',
      '<',
      '>',
      '&amp;',
      '&',
      ';',
      '<![CDATA[',
      ']]>',
      '<!--',
      '-->',
      '<?',
      '?>',
      '"',
      '=',
      'x',
      ' ',
    ];
    const soup = fc
      .array(fc.constantFrom(...pieces), { maxLength: 30 })
      .map((parts) => encoder.encode(parts.join('')));
    fc.assert(
      fc.property(fc.oneof(soup, fc.uint8Array()), (bytes) => {
        expect(['accepted', 'MalformedXML']).toContain(codeOf(bytes));
      }),
      { numRuns: fuzzRuns(2000) },
    );
  });
});

describe('abuse', () => {
  const lol = Array.from(
    { length: 9 },
    (_, i) => `<!ENTITY l${i + 1} "${`&l${i};`.repeat(10)}">`,
  ).join('');
  const almost = XML_MAX_BYTES - 100;
  it.each([
    ['billion laughs', `<!DOCTYPE a [<!ENTITY l0 "lol">${lol}]><a>&l9;</a>`],
    ['deep nesting', `${'<a>'.repeat(almost / 8)}${'</a>'.repeat(almost / 8)}`],
    ['nothing but opening brackets', '<'.repeat(almost)],
    ['one endless tag', `<a ${' '.repeat(almost)}`],
    [
      'a thousand thousand attributes',
      `<a ${Array.from({ length: almost / 12 }, (_, i) => `n${i}="" `).join('')}/>`,
    ],
    ['ampersands', `<a>${'&'.repeat(almost)}</a>`],
    ['comments that never end', `<a>${'<!--'.repeat(almost / 4)}</a>`],
    ['declarations', `<a>${'<?x'.repeat(almost / 3)}</a>`],
    ['a quote that never ends', `<a b="${'x'.repeat(almost)}</a>`],
  ])('%s costs no more than an honest document', (_, xml) => {
    const startedAt = performance.now();
    expect(codeOf(encoder.encode(xml))).toMatch(/accepted|MalformedXML/);
    // Most take milliseconds; the limit leaves room for a machine that does ten other things.
    expect(performance.now() - startedAt).toBeLessThan(3000);
  });
});
