// The frame of the link pages: what stands in its head, whose page it says it is, both languages,
// and that nothing a stranger chose becomes HTML.
import { describe, expect, it } from 'vitest';
import { h } from '../../../../src/http/links/page/element.ts';
import { renderPage } from '../../../../src/http/links/page/frame.ts';
import { FILES, samplePage } from './page-sample.ts';

const EVIL = '"><script>alert(1)</script><img src=x onerror=alert(1)>';

describe('the frame of a link page', () => {
  it('has the title, the sentence and the picture that chats show', () => {
    const html = renderPage(samplePage());
    expect(html).toMatch(/^<!doctype html>\n<html lang="en"><head>/);
    for (const part of [
      '<title>Regatta</title>',
      '<meta property="og:title" content="Regatta"/>',
      '<meta property="og:description" content="Three pictures"/>',
      `<meta property="og:image" content="https://files.example${FILES.picture}"/>`,
      '<meta name="robots" content="noindex"/>',
    ])
      expect(html).toContain(part);
    const own = renderPage(samplePage({ pictureHref: '/-/s/x?w=1' }));
    expect(own).toContain('content="https://files.example/-/s/x?w=1"');
  });

  it('loads its own files and nothing else', () => {
    const html = renderPage(samplePage());
    const loaded = [...html.matchAll(/<(?:link|script)[^>]*(?:href|src)="([^"]*)"/g)];
    expect(loaded.map(([, address]) => address)).toEqual([FILES.icon, FILES.style, FILES.script]);
    const none = { style: null, script: null, icon: null, picture: null };
    const plain = renderPage(samplePage({ files: none }));
    expect(plain).not.toMatch(/<script|stylesheet|og:image/);
    expect(plain).toContain('<link rel="icon" href="data:,"/>');
  });

  it('says in the footer that nobody reads the files, and leads to the other language', () => {
    const english = renderPage(samplePage({ footer: ['Ends tomorrow'] }));
    expect(english).toContain('<p>Ends tomorrow</p><p>Nobody here reads your files.</p>');
    expect(english).toMatch(/<a [^>]*href="\?lang=zh" lang="zh-CN"[^>]*>中文<\/a>/);
    const chinese = renderPage(samplePage({ language: 'zh', otherLanguageHref: '?lang=en' }));
    expect(chinese).toContain('<html lang="zh-CN">');
    expect(chinese).toContain('这里没有人会查看你的文件。');
    expect(chinese).toMatch(/<a [^>]*href="\?lang=en" lang="en"[^>]*>English<\/a>/);
  });

  it('names the owner with a logo or with letters, and the product without an owner', () => {
    const brandOf = (name: string | null, logoHref: string | null) => {
      const html = renderPage(samplePage({ brand: { name, logoHref, colour: null } }));
      return /<div class="brand">(.*?)<\/div>/.exec(html)?.[1] ?? '';
    };
    expect(brandOf('Harbour Light Studio', null)).toContain('>HL</span>');
    expect(brandOf('港口工作室', null)).toContain('>港</span>');
    expect(brandOf('Harbour', '/-/s/x?logo')).toContain('<img class="logo" src="/-/s/x?logo"');
    expect(renderPage(samplePage())).toContain('<span class="product">Quayside</span>');
  });

  it('lets nothing of a stranger become HTML', () => {
    const html = renderPage(
      samplePage({
        title: EVIL,
        description: EVIL,
        brand: { name: EVIL, logoHref: `/x${EVIL}`, colour: EVIL },
        otherLanguageHref: `?q=${EVIL}`,
        footer: [EVIL],
        content: h('p', { title: EVIL }, EVIL),
      }),
    );
    expect(html).not.toContain('<script>');
    expect(html).not.toMatch(/<img src=x|<style/);
    expect(html.match(/&lt;script&gt;/g)?.length).toBeGreaterThan(6);
  });
});
