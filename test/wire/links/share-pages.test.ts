// The pages of share links as browsers, chats and people without a script get them from a server:
// what the owner set, what a mode offers and refuses, and that looking leaves no trace.
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { useBucket } from '../kit/bucket.ts';
import { sampleBytes } from '../kit/clients/client.ts';
import { client, describeCore, itUnless, virtualHostReason } from '../kit/clients/suite.ts';
import { curlTrust } from '../kit/clients/transport.ts';
import { eventually } from '../kit/eventually.ts';
import { BROWSER, open, openPage, PREVIEWS, untilStatus, useShares } from '../kit/share-kit.ts';

const run = promisify(execFile);
const PHOTO = sampleBytes(2000, 81);
const LOGO = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>');
const { send, target } = client;

/** Addresses in the markup, as the browser reads them. */
const hrefsOf = (html: string) =>
  [...html.matchAll(/ (?:href|src|action)="([^"]*)"/g)].map(([, href = '']) =>
    href.replaceAll('&amp;', '&'),
  );

describeCore('the page of a share link', () => {
  const bucket = useBucket(client);
  const shares = useShares(bucket);
  const ofPhoto = (more: object = {}) => shares.ofObject('d/Zürich 1.jpg', more);
  const ofFolder = (more: object = {}) =>
    shares.make({ target: { kind: 'folder', prefix: 'd/' }, ...more });

  beforeAll(async () => {
    const put = async (key: string, body: Uint8Array, type: string) => {
      const headers = { 'content-type': type };
      expect((await send({ method: 'PUT', bucket, key, body, headers })).status).toBe(200);
    };
    await put('d/Zürich 1.jpg', PHOTO, 'image/jpeg');
    await put('d/page.html', Buffer.from('<script>1</script>'), 'text/html');
    await put('brand/logo.svg', LOGO, 'image/svg+xml');
  });

  it('has title, text, logo and colour of its owner, and runs nothing of theirs', async () => {
    const page = {
      ...{ title: 'Our <b>photos</b>', text: '*new* <script>', colour: '#aa3311' },
      logoKey: 'brand/logo.svg',
    };
    const { url } = await ofPhoto({ page });
    const { status, html, headers } = await openPage(url);
    expect(status).toBe(200);
    expect(html).toContain('<h1 dir="auto">Our &lt;b&gt;photos&lt;/b&gt;</h1>');
    expect(html).toContain('<em>new</em> &lt;script&gt;');
    expect(html).toContain('#aa3311');
    const [logo = ''] = hrefsOf(html).filter((href) => href.includes('logo'));
    const picture = await open(new URL(logo, url).href);
    expect([picture.status, picture.bytes.equals(LOGO)]).toEqual([200, true]);
    expect(picture.headers.get('content-type')).toBe('image/svg+xml');
    expect(picture.headers.get('content-security-policy')).toMatch(/^sandbox;/);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toMatch(/unsafe-(?:inline|eval)|\*/);
    expect(headers.get('x-robots-tag') ?? html).toContain('noindex');
  });

  it('sets no cookie, with a password and a form too', async () => {
    const { id, url } = await ofPhoto({ password: 'open sesame' });
    const form = {
      method: 'POST',
      body: new URLSearchParams({ password: 'open sesame' }).toString(),
    };
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const first = await openPage(url);
    expect([first.status, first.html.includes('type="password"')]).toEqual([200, true]);
    expect(first.html).not.toContain('Zürich');
    const entered = await open(url, { ...BROWSER, ...type }, form);
    expect(entered.status).toBe(303);
    const inside = new URL(entered.headers.get('location') ?? '', url).href;
    const shown = await openPage(inside);
    expect(shown.html).toContain('Zürich 1.jpg');
    expect(shown.headers.get('cache-control')).toBe('private, no-store');
    const file = await open(inside);
    expect(file.bytes.equals(PHOTO)).toBe(true);
    for (const { headers } of [first, entered, shown, file])
      expect(headers.get('set-cookie')).toBeNull();
    // A changed password ends what the old one opened.
    expect((await shares.change(id, { password: 'new one' })).status).toBe(200);
    expect((await untilStatus(inside, 401)).status).toBe(401);
  });

  it('is in the language of its reader, and leads to the other one', async () => {
    const { url } = await ofPhoto();
    const english = await openPage(url, { 'accept-language': 'fr, en;q=0.5' });
    const chinese = await openPage(url, { 'accept-language': 'zh-TW,zh;q=0.9,en;q=0.1' });
    expect(
      [english.html, chinese.html].map((html) => /<html lang="([^"]*)"/.exec(html)?.[1]),
    ).toEqual(['en', 'zh-CN']);
    const links = hrefsOf(english.html).filter((href) => href.includes('lang='));
    const other = await openPage(new URL(links[0] ?? '', url).href, { 'accept-language': 'en' });
    expect(other.html).toContain('<html lang="zh-CN">');
    expect(english.headers.get('vary')?.toLowerCase()).toContain('accept-language');
  });

  it('shows chats a title, a text and a picture, and counts nothing for them', async () => {
    const page = { title: 'Harbour', logoKey: 'brand/logo.svg' };
    const { id, url } = await ofPhoto({ page, limits: { downloads: 1 } });
    for (const agent of PREVIEWS) {
      const { status, bytes } = await open(url, { 'user-agent': agent });
      const html = bytes.toString();
      const tagOf = (name: string) =>
        new RegExp(`property="og:${name}" content="([^"]*)"`).exec(html)?.[1];
      expect([agent, status, tagOf('title')]).toEqual([agent, 200, 'Harbour']);
      expect(tagOf('description')).toContain('2,000 B');
      const picture = await open((tagOf('image') ?? '').replaceAll('&amp;', '&'), {
        'user-agent': agent,
      });
      expect(picture.bytes.equals(LOGO)).toBe(true);
    }
    expect(await shares.usage(id)).toEqual({ downloads: 0, bytes: '0' });
    expect((await open(url)).bytes.equals(PHOTO)).toBe(true);
  });

  it('offers no download for viewing alone, refuses the ZIP, and says what it cannot', async () => {
    const page = { mode: 'view' };
    const one = await openPage((await ofPhoto({ page })).url);
    expect(one.html).toContain('this page only leaves out the button for downloads');
    expect(one.html).not.toMatch(/ download=|curl -/);
    const { url } = await ofFolder({ page });
    const folder = await openPage(url);
    expect(folder.html).toContain('this page only leaves out the button for downloads');
    // Else the whole page would be printed.
    expect(hrefsOf(folder.html).filter((href) => /[?&]zip/.test(href))).toEqual([]);
    expect(/ download=|data-viewer="download"/.test(folder.html)).toBe(false);
    for (const path of ['?zip', '?zip&pick=page.html'])
      expect([path, (await open(url + path)).status]).toEqual([path, 403]);
    const picked = new URLSearchParams({ pick: 'page.html' }).toString();
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await open(`${url}?zip`, type, { method: 'POST', body: picked })).status).toBe(403);
    // Programs get no ZIP of a folder either; what is shown is shown in place, and runs nothing.
    expect((await open(url)).status).toBe(403);
    const shown = await open(`${url}/page.html`);
    expect(shown.headers.get('content-disposition')).toMatch(/^inline/);
    expect(shown.headers.get('content-security-policy')).toMatch(/^sandbox;/);
  });

  it('shows nothing in place where it is for downloads alone', async () => {
    const { url } = await ofPhoto({ page: { mode: 'download' } });
    const { html } = await openPage(url);
    const [, href] = /<a class="button primary" href="([^"]+)"/.exec(html) ?? [];
    expect(html).not.toMatch(/<img class="preview"|show=1/);
    for (const address of [`${url}?show=1`, new URL(`${href}`, url).href]) {
      const { status, headers } = await open(address);
      expect([status, headers.get('content-disposition')]).toEqual([
        200,
        expect.stringMatching(/^attachment/),
      ]);
    }
  });

  it('gives curl -OJ the file under its name, and of a folder the ZIP', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'quayside-curl-'));
    try {
      const file = await shares.ofObject('d/Zürich 1.jpg', { page: { fileName: 'harbour.jpg' } });
      const zip = await ofFolder({ page: { title: 'photos' } });
      for (const { url } of [file, zip]) {
        expect((await untilStatus(url, 200)).status).toBe(200);
        await run('curl', [...curlTrust(url), '-fsOJ', url], { cwd: folder });
      }
      expect((await readdir(folder)).toSorted()).toEqual(['harbour.jpg', 'photos.zip']);
      expect((await readFile(join(folder, 'harbour.jpg'))).equals(PHOTO)).toBe(true);
      const { stdout } = await run('curl', [...curlTrust(file.url), '-sI', file.url]);
      expect(stdout).toMatch(/^HTTP\/(?:1.1|2) 200[\s\S]*content-length: 2000\r/i);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  itUnless(virtualHostReason)('is at a host of its bucket, and at none of another', async () => {
    const other = `${bucket.slice(0, 50)}-other`;
    expect((await send({ method: 'PUT', bucket: other })).status).toBe(200);
    const hosts = { [bucket]: `files.${bucket}.example`, [other]: `files.${other}.example` };
    for (const [name, host] of Object.entries(hosts)) {
      const body = JSON.stringify({ domains: [{ host }] });
      const set = await send({ method: 'PUT', bucket: name, query: { hosting: '' }, body });
      expect(set.status).toBe(200);
    }
    const { url } = await ofFolder();
    const path = `${new URL(url).pathname}/page.html`;
    const visit = (host = '', at = path, headers: Record<string, string> = {}) =>
      client.anonymous({ method: 'GET', path: at, host, headers });
    const file = await eventually(
      () => visit(hosts[bucket]),
      ({ status }) => status === 200,
    );
    expect(file.text).toBe('<script>1</script>');
    // Not even at a host of its own may a file of a link act for the page.
    expect(file.headers['content-security-policy']).toMatch(/^sandbox;/);
    const page = await visit(hosts[bucket], new URL(url).pathname, BROWSER);
    expect(page.text).toContain(`${hosts[bucket]}${new URL(url).pathname}`);
    expect((await visit(hosts[other])).status).toBe(404);
    expect(target.platform === 'other' || (await open(`${url}/page.html`)).status === 200).toBe(
      true,
    );
  });
});
