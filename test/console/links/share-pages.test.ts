// Share pages in a real browser: without a script, with it, by keyboard alone; what they ask for,
// what their policy refuses, and that they leave nothing behind.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Look, launchBrowser, newContext, watchErrors } from '../kit/browser.ts';
import { type SampleServer, startSampleServer } from './kit/sample-server.ts';
import { SHARE_SAMPLES } from './kit/share-samples.ts';

let [browser, server]: [Browser, SampleServer] = [] as never;

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startSampleServer()]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

async function open(path: string, look: Look = {}) {
  const context = await newContext(browser, look);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  const errors = watchErrors(page);
  await page.goto(`${server.url}/${path}`);
  return { context, page, errors };
}

async function openWithoutScript(path: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ ...options, javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${server.url}/${path}`);
  return { context, page };
}

/** What was asked for of links since then. */
const askedSince = (count: number) => server.asked.slice(count);
const visibleRows = (page: Page) => page.locator('.files > li:visible').count();

describe('without a script', () => {
  it('a folder is searched, sorted and taken in part, and a file opens', async () => {
    const { context, page } = await openWithoutScript('folder-files');
    const before = server.asked.length;
    await page.getByRole('link', { name: 'Sort by size' }).click();
    expect(await page.locator('.files .name').first().textContent()).toBe('raw-files.zip');
    await page.getByLabel('Select crew-list.csv').check();
    await page.getByLabel('Select press-release.pdf').check();
    expect(await page.getByLabel('Select all').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Download selected as ZIP' }).click();
    expect(askedSince(before).at(-1)).toMatch(
      /^POST \/-\/s\/\S+\?zip=1 pick=press-release.pdf&pick=crew-list.csv$/,
    );
    await page.goto(`${server.url}/folder?lang=zh`);
    await page.getByRole('searchbox').fill('港');
    await page.getByRole('searchbox').press('Enter');
    expect(askedSince(before).at(-1)).toMatch(/^GET \/-\/s\/[\w-]{22}\?lang=zh&q=%E6%B8%AF$/);
    await context.close();
  });

  it('the QR code and the command open and close', async () => {
    const { context, page } = await openWithoutScript('file');
    await page.getByRole('button', { name: 'QR code' }).click();
    expect(await page.getByRole('img', { name: 'QR code of this link' }).isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'In a terminal' }).click();
    expect(await page.getByText("curl -OJ 'https://files.").isVisible()).toBe(true);
    expect(await page.getByRole('button', { name: 'Copy link' }).isVisible()).toBe(false);
    await context.close();
  });

  it('a password is sent by POST, in the language of the page', async () => {
    const { context, page } = await openWithoutScript('password-wrong', { locale: 'zh-CN' });
    expect(await page.locator('h1').textContent()).toBe('此链接需要密码');
    await page.getByRole('link', { name: 'English' }).click();
    const before = server.asked.length;
    await page.getByLabel('Password').fill('a b&c');
    await page.getByRole('button', { name: 'Open' }).click();
    expect(askedSince(before)).toEqual([
      expect.stringMatching(/^POST \/password-wrong\?lang=en password=a\+b%26c$/),
    ]);
    await context.close();
  });
});

describe('with the script', () => {
  it('a password in the fragment leaves the address and is sent', async () => {
    const { context, page } = await open('password');
    const before = server.asked.length;
    await page.goto(`${server.url}/expired#password=other`);
    await page.waitForFunction('location.hash === ""');
    // The page leaves before it is whole.
    const leaving = { waitUntil: 'commit' } as const;
    await page.goto(`${server.url}/password#password=s%C3%A9sam%20e`, leaving);
    await page.getByText('Received').waitFor();
    expect(askedSince(before)).toEqual([
      expect.stringMatching(/^POST \/password\? password=s%C3%A9sam\+e$/),
    ]);
    expect(page.url()).not.toContain('#');
    // A try that must wait is not made.
    await page.goto(`${server.url}/password-wait#password=x`);
    await page.waitForFunction('location.hash === ""');
    expect(askedSince(before)).toHaveLength(1);
    await context.close();
  });

  it('the link is copied without what lets this visitor in', async () => {
    const { context, page } = await open('file?t=abc.def');
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('button', { name: 'Link copied.' }).waitFor();
    expect(await page.locator('#status').textContent()).toBe('Link copied.');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
      SHARE_SAMPLES.file?.link.url,
    );
    await context.close();
  });

  it('a link that the browser does not let be copied says where it is', async () => {
    const { context, page } = await open('file');
    await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("no"))');
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('button', { name: 'Not copied: see the QR code' }).waitFor();
    expect(await page.locator('#status').textContent()).toBe('Not copied: see the QR code');
    await context.close();
  });

  it('times are those of the reader', async () => {
    const context = await browser.newContext({ timezoneId: 'Asia/Tokyo', locale: 'en' });
    const page = await context.newPage();
    await page.goto(`${server.url}/file`);
    await page.getByText(/29 Nov 2026, 21:00$/).waitFor();
    expect(await page.locator('time').last().getAttribute('title')).toContain('UTC');
    await context.close();
  });

  it('the page says how much is selected, all of it or a range', async () => {
    const { context, page } = await open('folder-files');
    const button = page.getByRole('button', { name: 'Download selected as ZIP' });
    expect(await button.isDisabled()).toBe(true);
    await page.getByLabel('Select all').check();
    await page.getByText('8 selected, 2.34 GB').waitFor();
    await page.getByLabel('Select all').uncheck();
    await page.getByLabel('Select 2-start-line.jpg').click();
    await page.getByLabel('Select committee-boat.jpg').click({ modifiers: ['Shift'] });
    await page.getByText('3 selected, 26.0 MB').waitFor();
    expect(await button.isEnabled()).toBe(true);
    await context.close();
  });

  it('the page keeps the download in sight on a phone once something is selected', async () => {
    const { context, page } = await open('folder-files', { width: 360, height: 640 });
    const button = page.getByRole('button', { name: 'Download selected as ZIP' });
    const bottom = () => button.evaluate((element) => element.getBoundingClientRect().bottom);
    expect(await bottom()).toBeGreaterThan(640);
    await page.locator('.files .pick input').first().check();
    expect(await bottom()).toBeLessThanOrEqual(640);
    await context.close();
  });

  it('the page filters the rows while somebody types, and selects no hidden one', async () => {
    const { context, page } = await open('folder-files');
    const field = page.getByRole('searchbox');
    await field.fill('BOAT');
    expect(await visibleRows(page)).toBe(1);
    await page.getByLabel('Select all').check();
    await page.getByText('1 selected, 7.96 MB').waitFor();
    await field.fill('nothing like that');
    expect(await page.getByText('No name of this page has that.').isVisible()).toBe(true);
    await field.fill('');
    expect(await visibleRows(page)).toBe(8);
    await context.close();
  });

  it('the page shows pictures and films one by one, and asks for no more', async () => {
    const { context, page } = await open('folder-files');
    const before = server.asked.length;
    await page.getByRole('link', { name: '10-harbour-dawn.jpg', exact: true }).click();
    const viewer = page.getByRole('dialog', { name: '10-harbour-dawn.jpg' });
    await viewer.locator('img').waitFor();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('dialog', { name: 'committee-boat.jpg' }).waitFor();
    await page.getByRole('button', { name: 'Next' }).click();
    await page.locator('.viewer video').waitFor();
    expect(await page.getByRole('button', { name: 'Next' }).getAttribute('aria-disabled')).toBe(
      'true',
    );
    await page.getByRole('button', { name: 'Close' }).click();
    await expect.poll(() => page.locator('a:focus').textContent()).toBe('race-film.mp4');
    const shown = askedSince(before).map((line) => line.replace(/^GET \/-\/s\/[\w-]+\//, ''));
    expect([...new Set(shown)]).toEqual([
      '10-harbour-dawn.jpg?show=1',
      'committee-boat.jpg?show=1',
      'race-film.mp4?show=1',
    ]);
    await context.close();
  });
});

describe('by keyboard alone', () => {
  it('a folder is searched, picked from, looked at and left', async () => {
    const { context, page } = await open('folder-files');
    const tabTo = async (name: string) => {
      for (let press = 0; press < 40; press++) {
        await page.keyboard.press('Tab');
        const label = await page.evaluate<string>(
          '(({ ariaLabel, textContent }) => ariaLabel ?? textContent)(document.activeElement)',
        );
        if (label.startsWith(name)) return;
      }
      throw new Error(`No way to ${name}`);
    };
    await tabTo('QR code');
    await page.keyboard.press('Enter');
    expect(await page.locator('#qr').isVisible()).toBe(true);
    await page.keyboard.press('Escape');
    await tabTo('Search in this folder');
    await page.keyboard.type('harbour');
    expect(await visibleRows(page)).toBe(1);
    await tabTo('Select 10-harbour-dawn.jpg');
    await page.keyboard.press('Space');
    await page.getByText('1 selected, 8.41 MB').waitFor();
    await tabTo('10-harbour-dawn.jpg');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await expect.poll(() => page.locator('a:focus').textContent()).toBe('10-harbour-dawn.jpg');
    await context.close();
  });
});

describe('every page', () => {
  it('keeps to its policy, sets no cookie, and asks nobody else', async () => {
    const { context, page, errors } = await open('file');
    const foreign: string[] = [];
    page.on('request', (request) => {
      if (!request.url().startsWith(server.url)) foreign.push(request.url());
    });
    const refused: string[] = [];
    await page.exposeFunction('report', (text: string) => refused.push(text));
    await page.addInitScript(
      `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
        report(violatedDirective + ' ' + blockedURI))`,
    );
    for (const name of Object.keys(SHARE_SAMPLES)) {
      await page.goto(`${server.url}/${name}`, { waitUntil: 'networkidle' });
      const opener = page.locator('[popovertarget=qr]');
      if ((await opener.count()) > 0) await opener.first().click();
    }
    expect(errors.filter((text) => !/status of (?:403|410|429)/.test(text))).toEqual([]);
    expect([refused, foreign, await context.cookies()]).toEqual([[], [], []]);
    await context.close();
  }, 120_000);

  it('that nobody but its owner wrote runs nothing of a stranger', async () => {
    const { context, page } = await open('hostile');
    const alerts: string[] = [];
    page.on('dialog', (dialog) => {
      alerts.push(dialog.message());
      void dialog.dismiss();
    });
    await page.getByRole('searchbox').fill('<img src=x onerror=alert(1)>');
    await page.getByRole('searchbox').fill('');
    await page.locator('.files a[data-preview]').first().click();
    await page.getByRole('dialog').waitFor();
    expect(await page.locator('img[src=x], main script').count()).toBe(0);
    expect(alerts).toEqual([]);
    await context.close();
  });

  it('without a preview asks for nothing of the link by itself', async () => {
    const before = server.asked.length;
    for (const name of ['folder', 'folder-page', 'file-counted', 'file-video', 'file-plain']) {
      const { context, page } = await open(name);
      await page.waitForLoadState('networkidle');
      await context.close();
    }
    expect(askedSince(before)).toEqual([]);
  });
});
