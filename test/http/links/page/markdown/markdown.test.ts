// The owner's text: what becomes which element, that nothing else can, and that no text takes long.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LINK_TEXT_MAX_LENGTH } from '../../../../../src/domain/links/link-limits.ts';
import { h, toHtml } from '../../../../../src/http/links/page/element.ts';
import { inlineElements } from '../../../../../src/http/links/page/markdown/inline.ts';
import { markdown } from '../../../../../src/http/links/page/markdown/markdown.ts';

const render = (text: string) => {
  const element = markdown(text);
  const html = element === null ? '' : toHtml(element);
  return html.replace(/^<div class="prose lead" dir="auto">|<\/div>$/g, '');
};
const REL = 'rel="nofollow noopener noreferrer ugc"';

describe('Markdown of an owner', () => {
  it.each([
    ['', ''],
    [' \n ', ''],
    ['One\ntwo\n\nthree', '<p>One<br/>two</p><p>three</p>'],
    [
      '*a* _b_ **c** __d__ ~~e~~',
      '<p><em>a</em> <em>b</em> <strong>c</strong> <strong>d</strong> <s>e</s></p>',
    ],
    ['**bold *and* more**', '<p><strong>bold <em>and</em> more</strong></p>'],
    ['snake_case_name 2 * 3 * 4 **', '<p>snake_case_name 2 * 3 * 4 **</p>'],
    ['*never closed', '<p>*never closed</p>'],
    ['**a *b** c', '<p><strong>a *b</strong> c</p>'],
    ['\\*a\\* `*b*` ``c`d``', '<p>*a* <code>*b*</code> <code>c`d</code></p>'],
    ['# One\n## Two\ntext', '<h2>One</h2><h3>Two</h3><p>text</p>'],
    [
      '- a\n- *b*\n  more\n\n3. c\n4. d',
      '<ul><li>a</li><li><em>b</em><br/>more</li></ul><ol start="3"><li>c</li><li>d</li></ol>',
    ],
    [
      '```js\nif (a < b) {\n  *c*\n```\nd',
      '<pre tabindex="0"><code>if (a &lt; b) {\n  *c*</code></pre><p>d</p>',
    ],
    ['~~~\nopen to the end', '<pre tabindex="0"><code>open to the end</code></pre>'],
    ['Text:\n- a', '<p>Text:</p><ul><li>a</li></ul>'],
    ['#no heading', '<p>#no heading</p>'],
  ])('%j', (text, html) => {
    expect(render(text)).toBe(html);
  });

  it.each([
    [
      '[Site](https://a.example/x?y=1&z)',
      `<a href="https://a.example/x?y=1&amp;z" ${REL}>Site</a>`,
    ],
    [
      'see https://a.example/x.',
      `see <a href="https://a.example/x" ${REL}>https://a.example/x</a>.`,
    ],
    ['（http://a.example/）', `（<a href="http://a.example/" ${REL}>http://a.example/</a>）`],
    ['[a](javascript:alert(1))', '[a](javascript:alert(1))'],
    ['[a](data:text/html,x)', '[a](data:text/html,x)'],
    ['[a](//a.example)', '[a](//a.example)'],
    ['[a](https://bank.example@evil.example/)', null],
    ['[a](https://a.example "title")', null],
    ['xhttps://a.example', 'xhttps://a.example'],
  ])('leads to the web alone: %j', (text, html) => {
    if (html === null) expect(render(text)).not.toMatch(/>a<\/a>/);
    else expect(render(text)).toBe(`<p>${html}</p>`);
  });

  it('shows what would hide or turn, and knows no HTML', () => {
    expect(render('a\u202eb <img src=x onerror=alert(1)> &lt;')).toBe(
      '<p>a⟨U+202E⟩b &lt;img src=x onerror=alert(1)&gt; &amp;lt;</p>',
    );
    expect(render('![x](https://a.example/pixel.png)')).not.toContain('<img');
  });

  it('makes no elements but its own, whatever the text is', () => {
    const signs = '*_~`[]()<>#-+1. \n\\h&"\'=!:/a';
    const texts = fc.oneof(
      fc.string(),
      fc
        .array(fc.constantFrom(...signs, 'https://a.example', 'javascript:', '<script>'))
        .map((parts) => parts.join('')),
    );
    const known = /^(?:p|br|em|strong|s|code|pre|ul|ol|li|h2|h3|a|div)$/;
    fc.assert(
      fc.property(texts, (text) => {
        const html = render(text);
        for (const [, tag = ''] of html.matchAll(/<\/?([a-z0-9]*)/g)) expect(tag).toMatch(known);
        for (const [, attributes = ''] of html.matchAll(/<[a-z0-9]+ ([^>]*?)\/?>/g))
          expect(attributes).toMatch(
            /^(?:tabindex="0"|start="\d+"|href="https?:\/\/[^"]*" rel="[a-z ]+")$/,
          );
      }),
      { numRuns: 2000 },
    );
  });

  it('keeps each letter of a text without marks', () => {
    const words = fc
      .array(fc.constantFrom('a', 'é', '字', '😀', ' ', ','))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(words, (text) => {
        expect(toHtml(h('p', null, ...inlineElements(text)))).toBe(`<p>${text}</p>`);
      }),
    );
  });

  it.each([
    '*',
    '**a ',
    '*a **b ',
    '[',
    '[a](',
    '`',
    '``',
    '_a*',
    '~~',
    '- ',
    '# ',
    'https://',
    '> ',
    '1. ',
    '\\',
  ])('takes no longer for %j over and over, and no more than its limit', (part) => {
    const text = part.repeat(Math.ceil(LINK_TEXT_MAX_LENGTH / part.length));
    // Milliseconds of processor; the least of five, for the machine has other work.
    const timeOf = (each: string) => {
      const start = process.cpuUsage();
      render(each);
      return process.cpuUsage(start).user / 1000;
    };
    expect(Math.min(...Array.from({ length: 5 }, () => timeOf(text)))).toBeLessThan(100);
    expect(render(`${text}X`.padEnd(LINK_TEXT_MAX_LENGTH + 9, 'Z'))).not.toContain('ZZZZZZZZZ');
  });
});
