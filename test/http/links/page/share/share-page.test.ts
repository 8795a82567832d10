// Share pages rendered from their views: every state in both languages, what each offers, and that
// nothing of a stranger becomes HTML.
import { describe, expect, it } from 'vitest';
import { renderPage } from '../../../../../src/http/links/page/frame.ts';
import { type PageVisit, pageVisit } from '../../../../../src/http/links/page/page-visit.ts';
import { sharePage } from '../../../../../src/http/links/page/share/share-page.ts';
import type { ShareView } from '../../../../../src/http/links/share/share-view.ts';
import {
  fileOf,
  SHARE_SAMPLES,
  sampleFile,
  sampleFolder,
  sampleView,
} from '../../../../console/links/kit/share-samples.ts';
import { makeRequest } from '../../../s3/kit/make-request.ts';
import { FILES } from '../page-sample.ts';

const visitOf = (query = '', language = 'en'): PageVisit => {
  const headers = { 'accept-language': language };
  return pageVisit(makeRequest({ target: `/-/s/x?${query}`, headers }), FILES, 'request-1');
};

function render(view: ShareView, visit = visitOf()) {
  const sent = sharePage(view, visit);
  return { ...sent, html: renderPage(sent.page) };
}

const sample = (name: string): ShareView => {
  const view = SHARE_SAMPLES[name];
  if (view === undefined) throw new Error(`No sample ${name}`);
  return view;
};
const h1Of = (html: string) => /<h1[^>]*>(.*?)<\/h1>/.exec(html)?.[1];

describe('a share link that gives nothing', () => {
  it.each([
    ['expired', 410, 'This link has ended', '此链接已过期'],
    ['revoked', 410, 'This link no longer works', '此链接已失效'],
    ['used-up', 410, 'This link is used up', '此链接已用完'],
    ['not-yet', 404, 'This link does not work yet', '此链接尚未生效'],
    ['not-for-you', 403, 'This link is not open from here', '此处无法打开此链接'],
    ['password', 200, 'This link has a password', '此链接需要密码'],
  ])('because it is %s: %i, "%s"', (name, status, english, chinese) => {
    const view = sample(name);
    const en = render(view);
    const zh = render(view, visitOf('', 'zh-CN,zh;q=0.9'));
    expect([en.status, h1Of(en.html), h1Of(zh.html)]).toEqual([status, english, chinese]);
    expect(zh.html).toContain('<html lang="zh-CN">');
    expect(en.html).not.toMatch(/href="\/-\/s| download=/);
  });

  it('says when it ended or begins, and a reference', () => {
    const { html } = render(sample('expired'));
    expect(html).toContain('<dt>Ended</dt><dd><time datetime="2026-11-20T12:00:00.000Z"');
    expect(html).toContain('<code>request-1</code>');
    expect(render(sample('not-yet')).html).toContain('<dt>Begins</dt><dd><time datetime="2026-12');
    expect(render(sample('revoked')).html).not.toContain('<time');
  });

  it('asks for the password by POST, and says when it was wrong or must wait', () => {
    const first = render(sample('password'));
    expect(first.html).toMatch(
      /<form class="password" method="post" action="\?" data-password-form="true">/,
    );
    const chinese = render(sample('password'), visitOf('lang=zh'));
    expect(chinese.html).toContain('action="?lang=zh"');
    expect(first.html).not.toMatch(/aria-invalid|role="alert"/);
    expect(first.isSecret).toBe(true);
    const wrong = render(sample('password-wrong'));
    expect(wrong.html).toContain('aria-invalid="true" aria-describedby="password-error"');
    expect(wrong.html).toContain('That is not the password.');
    const wait = render(sample('password-wait'));
    expect(wait.html).toContain('The next one is taken in 9 minutes.');
    expect(wait.html).toContain('data-password-form="false"');
    expect([wait.status, wait.retryAfterSeconds]).toEqual([429, 540]);
  });
});

describe('a share link to one file', () => {
  it('has its name, size, kind and day, and a button with the size', () => {
    const { html, page } = render(sampleView());
    expect(h1Of(html)).toBe('10-harbour-dawn.jpg');
    expect(html).toContain('<span>8.41 MB</span><span>Picture</span><span><time');
    expect(html).toMatch(/<a class="button primary" href="[^"]*">.*?Download, 8.41 MB</);
    expect(html).toContain('<img class="preview"');
    expect(page.description).toBe('A file is shared with you. 8.41 MB');
  });

  it("has the owner's title, text, logo and recipient, and what is left", () => {
    const { html, needs } = render(sample('file'));
    for (const part of [
      '<h1 dir="auto">Harbour at dawn</h1>',
      '<em>first race day</em>',
      'rel="nofollow noopener noreferrer ugc"',
      '<img class="logo" src="/logo.svg"',
      'For Press desk',
      'Open until <time datetime="2026-11-29T12:00:00.000Z"',
      '3 downloads left',
      '<bdi class="name">10-harbour-dawn.jpg</bdi>',
    ])
      expect(html).toContain(part);
    expect(needs).toEqual(['images']);
    expect(html).toMatch(/og:image" content="https:\/\/[\w.]+\/logo.svg"/);
    expect(render(sampleView()).html).toMatch(/og:image" content="https:[^"]*\/preview-d4.png"/);
  });

  it('loads nothing that counts, and no film before somebody plays it', () => {
    const counted = render(sample('file-counted'));
    expect(counted.html).not.toMatch(/<img|<video|src="\/-\/s/);
    expect(counted.html).toContain('Open; this counts as a download');
    expect(render(sample('file-video')).html).toMatch(/<video [^>]*preload="none"/);
    expect(render(sample('file-video')).needs).toEqual(['media']);
    const large = sampleFile('a.jpg', 10_000_001, 'image');
    expect(render(sampleView({ content: fileOf(large) })).html).not.toContain('<img');
  });

  it('shows the beginning of a text as text', () => {
    const excerpt = { text: '<b>1</b>', isCut: true };
    const file = sampleFile('a.txt', 9, 'text');
    const { html } = render(sampleView({ content: fileOf(file, excerpt) }));
    expect(html).toContain('dir="auto">&lt;b&gt;1&lt;/b&gt;</pre>');
    expect(html).toContain('This is the beginning of the text.');
    const whole = render(sampleView({ content: fileOf(file, { ...excerpt, isCut: false }) }));
    expect(whole.html).not.toMatch(/beginning of the text|show=1/);
    expect(render(sampleView({ content: fileOf(file) })).html).toContain('show=1');
  });

  it('without a download has no button, and says what it cannot prevent', () => {
    const { html } = render(sample('view-only'));
    expect(html).not.toMatch(/Download,|curl/);
    expect(html).toContain('this page only leaves out the button for downloads');
    expect(render(sample('view-only-nothing')).html).toContain('can be shown here');
  });

  it('lets browsers show the page of a refusal in place of the file', () => {
    for (const name of Object.keys(SHARE_SAMPLES))
      expect(render(sample(name)).html).not.toContain(' download=');
  });

  it('gives the command of a terminal, which asks for a password where there is one', () => {
    expect(render(sampleView()).html).toContain('curl -OJ &#39;https://files.');
    const ticket = sampleView({ link: { ticket: 'abc.def' } });
    const { html, isSecret, page } = render(ticket);
    expect(html).toContain('curl -OJ -u link &#39;https://files.');
    expect(isSecret).toBe(true);
    // The address for others never lets in; that of the other language does.
    expect(html).toMatch(/data-copy="https:\/\/[^"?]*"/);
    expect(page.otherLanguageHref).toBe('?lang=zh&t=abc.def');
  });

  it.each([
    ['a.docx', null, 'DOCX file'],
    ['a.tar.gz', null, 'Archive'],
    ['README', null, 'File'],
    ['a.tiff', 'image/tiff', 'Picture'],
    ['a.toolongending', 'application/x', 'File'],
  ])('%s of type %s is a "%s"', (name, contentType, word) => {
    const file = sampleFile(name, 1, null, { contentType });
    const { html } = render(sampleView({ content: fileOf(file) }));
    expect(html).toContain(`<span>${word}</span>`);
  });
});

describe('a share link to a folder', () => {
  const rowsOf = (html: string) =>
    [...html.matchAll(/<bdi class="name"[^>]*>([^<]*)<\/bdi>/g)].map(([, name]) => name);
  const names = (query: string) => rowsOf(render(sample('folder-files'), visitOf(query)).html);

  it('has a way back, a search, its ZIP, and its files in an order', () => {
    const { html } = render(sample('subfolder'));
    expect(html).toMatch(/<nav class="crumbs".*?2026-regatta.*?aria-current="page">captions</);
    expect(html).toMatch(/<form class="search" method="get" action="\/-\/s\/[\w-]{22}"/);
    expect(html).toContain('Download all as ZIP');
    expect(names('').slice(0, 2)).toEqual(['2-start-line.jpg', '10-harbour-dawn.jpg']);
    expect(names('sort=-size')[0]).toBe('raw-files.zip');
    expect(names('sort=modified').at(-2)).toBe('10-harbour-dawn.jpg');
    expect(names('sort=nonsense')).toEqual(names(''));
  });

  it('says how large its ZIP is only where the page knows it', () => {
    expect(render(sample('folder-files')).html).toContain('Download all as ZIP, 2.34 GB');
    expect(render(sample('folder')).html).toContain('>Download all as ZIP<');
  });

  it('is not sorted where it is longer than its page', () => {
    const { html } = render(sample('folder-page'), visitOf('sort=-size&after=IMG_3999.jpg'));
    expect(rowsOf(html)[2]).toBe('IMG_4000.jpg');
    expect(html).not.toContain('sort=-modified');
    expect(html).toMatch(/rel="next">Next page</);
    expect(html).toContain('<a class="button secondary" href="?sort=-size">First page</a>');
    expect(html).toContain('200 files on this page');
  });

  it('takes some of its files by a form', () => {
    const { html } = render(sample('folder'));
    expect(html).toMatch(/<form class="picks" method="post" action="[^"]*" data-picks-max="1000">/);
    expect(html).toContain('type="checkbox" name="pick" value="crew-list.csv"');
    expect(html).toContain('type="checkbox" name="pick" value="captions/"');
    expect(render(sample('folder-view-only')).html).not.toMatch(/name="pick"|method="post"/);
  });

  it('keeps the language and the access in what a GET form sends', () => {
    const folder = sampleFolder({ searchHref: '/-/s/x/a?t=abc.def', search: 'q"' });
    const view = sampleView({ content: folder, link: { ticket: 'abc.def' } });
    const { html } = render(view, visitOf('lang=zh&q=q%22&t=abc.def'));
    expect(html).toContain('action="/-/s/x/a"');
    expect(html).toContain('<input type="hidden" name="t" value="abc.def"/>');
    expect(html).toContain('<input type="hidden" name="lang" value="zh"/>');
    expect(html).toContain('name="q" maxlength="200" autocomplete="off" value="q&quot;"');
    expect(html).toContain('?show=1');
    expect(html).toMatch(/href="\/-\/s\/[\w-]{22}\/captions\/\?lang=zh"/);
  });

  it('says what is empty and why', () => {
    expect(render(sample('folder-empty')).html).toContain('Nothing is in this folder yet.');
    expect(render(sample('folder-no-hits')).html).toContain('No name with “sail” in this folder.');
    expect(h1Of(render(sample('keys')).html)).toBe('Shared files');
  });
});

describe('every page of a share link', () => {
  const all = Object.entries(SHARE_SAMPLES);

  it.each(all)('has one h1 and its own words alone, in both languages: %s', (_, view) => {
    for (const language of ['en', 'zh']) {
      const { html } = render(view, visitOf('', language));
      expect(html.match(/<h1/g)).toHaveLength(1);
      expect(html).not.toMatch(/undefined|\[object|NaN| style=| on\w+="/);
      const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
      expect(new Set(ids).size).toBe(ids.length);
    }
  });

  it('lets nothing of a stranger become HTML, hides nothing, and stays small', () => {
    const { html } = render(sample('hostile'), visitOf(`q=${encodeURIComponent('"><script>')}`));
    expect(html).not.toMatch(/<img src=x|<script>/);
    const shown = html.replace(/<[^>]*>/g, '').replaceAll('\n', '');
    expect(shown).not.toMatch(/[\p{Cc}\u202e]/u);
    // Forms would send such a name changed.
    expect(html).not.toMatch(/name="pick" value="[^"]*\p{Cc}/u);
    expect(html).toContain('invoice⟨U+202E⟩fdp.exe');
    expect(html.length).toBeLessThan(60_000);
  });
});
