// Viewers of text, logs, Markdown and pages in a real browser, and what is fetched for them.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  BUCKET,
  MEGABYTE,
  type ObjectPages,
  startObjectPages,
  valueIn,
} from '../kit/object-page.ts';

let pages: ObjectPages = undefined as never;
beforeAll(async () => {
  pages = await startObjectPages();
});
afterAll(() => pages?.stop());

/** Pixels of the first picture of a viewer. */
const WIDTH = "document.querySelector('.stage img, .markdown img')?.naturalWidth";

const picture = (background: string) =>
  sharp({ create: { width: 320, height: 200, channels: 3, background } });

const MORE = "document.querySelector('.viewer-more')?.innerText";
const STATUS = "document.querySelector('.status-line')?.innerText";
const LAST_LINE = "document.querySelector('.code-view')?.textContent.split('\\n').at(-1)";
const MARKED_TOP = "document.querySelector('.is-marked').getBoundingClientRect().top";

/** A page that asks another server for whatever a browser loads. */
const curiousPage = (url: string) => `<!doctype html>
<link rel="stylesheet" href="${url}/a.css"><link rel="icon" href="${url}/icon">
<link rel="preload" as="image" href="${url}/preload"><link rel="prefetch" href="${url}/prefetch">
<style>@import "${url}/import.css"; h1 { background: url(${url}/background) }</style>
<h1>Curious</h1><img src="${url}/a.png"><iframe src="${url}/frame"></iframe>
<video src="${url}/film" poster="${url}/poster"></video><object data="${url}/object"></object>
<svg width="9" height="9"><image href="${url}/svg.png"/></svg>
<a href="${url}/link">More</a>`;

describe('text', () => {
  it('63: the viewer has colours, and a line that the address names', async () => {
    const lines = Array.from({ length: 300 }, (_, at) => `const value${at} = 'text';`);
    await pages.put('text/code.ts', lines.join('\n'), { contentType: 'text/plain' });
    const { page, errors } = await pages.open('text/code.ts#L250');
    await page.locator('.code-line.is-marked').getByText('value249').waitFor();
    await expect.poll(() => valueIn(page, MARKED_TOP)).toBeLessThan(720);
    expect(await page.locator('.code-line').first().locator('.sh-keyword').textContent()).toBe(
      'const',
    );
    await page.locator('.line-number').getByText('251', { exact: true }).click();
    expect(new URL(page.url()).hash).toBe('#L251');
    expect(errors()).toEqual([]);
  });

  it('63: the viewer loads 2 MB of a long text, then more', async () => {
    await pages.put('text/long.txt', 'a line of a long text\n'.repeat(300_000), {
      contentType: 'text/plain',
    });
    const { page, fetched } = await pages.open('text/long.txt');
    await expect.poll(() => valueIn(page, MORE)).toContain('2.10 MB of 6.60 MB loaded');
    expect(fetched()).toBeLessThan(2.2 * MEGABYTE);
    // By its place: a search by words would read megabytes of text.
    await page.locator('.viewer-more button').click();
    await expect.poll(() => valueIn(page, MORE)).toContain('4.19 MB of 6.60 MB loaded');
    expect(fetched()).toBeLessThan(4.4 * MEGABYTE);
  });

  it('67: the viewer indents JSON and keeps its digits', async () => {
    await pages.put('text/a.json', '{"id":12345678901234567890}', {
      contentType: 'application/json',
    });
    const { page } = await pages.open('text/a.json');
    await page.getByRole('button', { name: 'Indent' }).click();
    const second = page.locator('.code-line').nth(1);
    await expect.poll(() => second.textContent()).toContain('12345678901234567890');
  });

  it('67: the viewer shows the end of a log, and follows it', async () => {
    const log = (count: number) =>
      Array.from({ length: count }, (_, at) => `request ${at} took ${at % 97} ms\n`).join('');
    await pages.put('text/app.log', log(200_000), { contentType: 'text/plain' });
    const { page, fetched } = await pages.open('text/app.log');
    await page.getByText('request 199999 took').waitFor();
    await page.getByText('The last 1,000 lines').waitFor();
    // Nobody counted the lines before them.
    expect(await page.locator('.line-number').count()).toBe(0);
    expect(fetched()).toBeLessThan(0.2 * MEGABYTE);
    await page.getByRole('button', { name: 'Follow' }).click();
    await pages.put('text/app.log', log(200_001), { contentType: 'text/plain' });
    await page.getByText('request 200000 took').waitFor();
  });

  it('67: the viewer reads a gzip file from its front, and its end on demand', async () => {
    const lines = Array.from({ length: 1_200_000 }, (_, at) => `${(at * 7919) % 1_000_003}`);
    await pages.put('text/a.log.gz', new Uint8Array(gzipSync(lines.join('\n'))));
    const { page, fetched } = await pages.open('text/a.log.gz');
    await page.locator('.status-line button').waitFor();
    const { size } = await pages.client.objects.get(BUCKET, { query: { key: 'text/a.log.gz' } });
    expect(fetched()).toBeLessThan(Number(size));
    await page.locator('.status-line button').click();
    await expect.poll(() => valueIn(page, STATUS)).toContain('The last 1,000 lines');
    await expect.poll(() => valueIn(page, LAST_LINE)).toBe(lines.at(-1));
  });

  it('62: the viewer renders Markdown, its links and pictures, and runs none of it', async () => {
    await pages.put('md/dawn.png', new Uint8Array(await picture('teal').png().toBuffer()));
    const text = [
      '# Guide\n\n[other](sub/other.md) [below](#two-words) [out](https://example.org/)\n',
      '![dawn](./dawn.png) ![far](https://example.org/x.png)\n',
      '<img src="./dawn.png" onerror="window.hit=1"><script>window.hit=1</script>\n',
      '<a href="javascript:window.hit=1">bad</a>\n\n## Two words',
    ];
    await pages.put('md/guide.md', text.join('\n'), { contentType: 'text/plain' });
    const { page, errors } = await pages.open('md/guide.md');
    await page.getByRole('heading', { name: 'Guide', exact: true }).waitFor();
    await expect.poll(() => valueIn(page, WIDTH)).toBe(320);
    const hrefOf = (name: string) =>
      page.locator('.markdown a', { hasText: name }).getAttribute('href');
    expect(await hrefOf('other')).toBe(`/-/console/b/${BUCKET}/md/sub/other.md`);
    expect(await hrefOf('far')).toBe('https://example.org/x.png');
    expect(await hrefOf('bad')).toBeNull();
    expect(await valueIn(page, 'window.hit')).toBeUndefined();
    // A second one in the same page: the browser allows one policy of a name.
    await pages.put('md/sub/other.md', '# Other\n\n[back](../guide.md)');
    await page.locator('.markdown a', { hasText: 'other' }).click();
    await page.getByRole('heading', { name: 'Other', exact: true }).waitFor();
    expect(errors()).toEqual([]);
  });

  it('62: the viewer makes known elements alone of HTML in Markdown, hidden or not', async () => {
    const hidden = [
      '<svg><style><img src=x onerror="window.hit=1"></style></svg>',
      '<math><mtext><mglyph><style><img src=x onerror="window.hit=1"></style></mtext></math>',
      '<noscript><p title="</noscript><img src=x onerror=window.hit=1>"></noscript>',
      '<form><input name="localName"><input name="childNodes"><b>in a form</b></form>',
      '<form><input name="firstChild"><input name="attributes"><i onclick="hit=1">i</i></form>',
      '<iframe srcdoc="<script>parent.hit=1</script>"></iframe><object data="x"></object>',
      '<template><img src=x onerror="window.hit=1"></template><my-element>mine</my-element>',
      '<p id="main" class="button" style="color:red" slot="x">plain</p><title>no title</title>',
      '<a href="java\nscript:window.hit=1" target="_top">split</a><base href="//evil.example/">',
      '<img srcset="//evil.example/x 1x" alt="no picture">',
      '<kbd>Ctrl</kbd> &Ouml;l &lt;b&gt; <details open><summary>more</summary>less</details>',
      `${'<div>'.repeat(3000)}deep`,
    ];
    await pages.put('md/hidden.md', hidden.join('\n\n'), { contentType: 'text/markdown' });
    const { page, errors } = await pages.open('md/hidden.md');
    const shown = page.locator('.markdown');
    await shown.getByText('in a form').waitFor();

    const made = `[...document.querySelectorAll('.markdown *')]`;
    const names = await valueIn(page, `[...new Set(${made}.map((one) => one.localName))].sort()`);
    const known = ['a', 'b', 'details', 'div', 'i', 'img', 'kbd', 'p', 'summary'];
    expect(names).toEqual(known);
    const attributes = `${made}.flatMap((one) => [...one.attributes].map(({ name }) => name))`;
    expect(await valueIn(page, `[...new Set(${attributes})].sort()`)).toEqual([
      ...['alt', 'data-href', 'data-src', 'href', 'loading', 'open', 'src', 'title'],
    ]);
    const foreign = `${made}.map(({ href, src }) => href ?? src)
      .filter((url) => url && new URL(url).origin !== location.origin)`;
    expect(await valueIn(page, foreign)).toEqual([]);
    const text = await shown.innerText();
    for (const words of ['Ctrl Öl <b>', 'mine', 'plain', 'less', 'deep']) {
      expect(text).toContain(words);
    }
    expect(text).not.toContain('no title');
    expect(await valueIn(page, 'window.hit')).toBeUndefined();
    // The document that is never shown is under the policy of the page, which says what it stops.
    expect(errors().filter((line) => !line.endsWith('The action has been blocked.'))).toEqual([]);
  });

  it('62: the viewer shows Markdown that takes too long as text, and stays awake', async () => {
    const begun = '# Begun\n\n';
    await pages.put('slow/stars.md', begun + '*a_'.repeat(20_000));
    await pages.put('slow/deep.md', begun + '>'.repeat(30_000));
    await pages.put('slow/many.md', begun + '- a\n'.repeat(30_000));
    for (const name of ['stars', 'deep', 'many']) {
      const { page, errors } = await pages.open(`slow/${name}.md`);
      await page.evaluate(`{
        window.longestMs = 0;
        const watch = (list) => {
          for (const { duration } of list.getEntries()) {
            window.longestMs = Math.max(window.longestMs, duration);
          }
        };
        new PerformanceObserver(watch).observe({ type: 'longtask', buffered: true });
      }`);
      await page.locator('.code-line', { hasText: '# Begun' }).waitFor();
      expect(await valueIn(page, 'window.longestMs')).toBeLessThan(1000);
      expect(errors().filter((text) => !text.includes('Maximum call stack'))).toEqual([]);
    }
  });

  it.each([
    ['as a page', 'text/html; charset=utf-8'],
    ['as a plain text', 'text/plain'],
  ])('70: the viewer loads nothing foreign for HTML that is stored %s', async (_, contentType) => {
    const visits: string[] = [];
    const foreign = createServer((request, response) => {
      visits.push(request.url ?? '');
      response.end();
    }).listen(0, '127.0.0.1');
    await once(foreign, 'listening');
    const { port } = foreign.address() as AddressInfo;
    const curious = curiousPage(`http://127.0.0.1:${port}`);
    await pages.put('curious/a.html', curious, { contentType });

    const { page } = await pages.open('curious/a.html');
    const frame = page.frameLocator('iframe');
    await frame.getByRole('heading', { name: 'Curious' }).waitFor();
    await frame.getByRole('link', { name: 'More' }).click();
    await page.waitForTimeout(1000);
    expect(visits).toEqual([]);

    // Without a policy all of it is asked for: what is counted is what would tell.
    const open = await pages.newPage();
    await open.setContent(curious);
    await expect.poll(() => visits.length).toBeGreaterThan(5);
    await open.close();
    foreign.close();
  });

  it('70: the viewer shows HTML and SVG without script, and says so', async () => {
    const html = '<!doctype html><h1>Stored</h1><script>document.body.innerHTML="run"</script>';
    await pages.put('page/a.html', html, { contentType: 'text/html' });
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><script>x</script></svg>';
    await pages.put('page/a.svg', svg, { contentType: 'image/svg+xml' });
    const { page, errors } = await pages.open('page/a.html');
    await page.getByText('Shown without script').waitFor();
    await page.frameLocator('iframe').getByRole('heading', { name: 'Stored' }).waitFor();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => valueIn(page, WIDTH)).toBe(90);
    await page.getByRole('button', { name: 'Source' }).click();
    await page.locator('.code-line').getByText('script').first().waitFor();
    expect(errors()).toEqual([]);
  });
});
