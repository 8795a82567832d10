// The real browser for tests and pictures of the console: Chromium from @sparticuz/chromium, driven
// by playwright-core. One browser serves all tests of a file; each test has a context of its own.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import chromium from '@sparticuz/chromium';
import {
  type Browser,
  type BrowserContext,
  type Page,
  chromium as playwright,
} from 'playwright-core';

export type Look = {
  readonly width?: number;
  readonly height?: number;
  readonly isDark?: boolean;
  readonly language?: 'en' | 'zh';
  /** A finger in place of a mouse. */
  readonly isTouch?: boolean;
};

/** Flags of the package that would make the browser unlike its users' are left out. */
const LOOSE = /--(?:disable-web-security|allow-running-insecure-content|single-process|no-zygote)/;

export async function launchBrowser(): Promise<Browser> {
  const args = chromium.args.filter((flag) => !LOOSE.test(flag));
  return playwright.launch({
    executablePath: await chromium.executablePath(),
    args,
    headless: true,
  });
}

/** A context with nothing in it, as a new visitor's browser. */
export function newContext(browser: Browser, look: Look = {}): Promise<BrowserContext> {
  const { width = 1280, height = 720, isDark = false, language = 'en', isTouch = false } = look;
  return browser.newContext({
    viewport: { width, height },
    colorScheme: isDark ? 'dark' : 'light',
    locale: language === 'zh' ? 'zh-CN' : 'en-US',
    hasTouch: isTouch,
    reducedMotion: 'reduce',
  });
}

/** Signs the context's browser in with an access key, as the form of the console does. */
export async function signIn(
  context: BrowserContext,
  url: string,
  keys: { readonly accessKey: string; readonly secretKey: string },
): Promise<void> {
  const response = await context.request.post(`${url}/-/api/v1/sessions`, {
    data: { accessKeyId: keys.accessKey, secretAccessKey: keys.secretKey },
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  if (!response.ok()) throw new Error(`sign-in: ${response.status()} ${await response.text()}`);
}

/** What the page said that it should not have: errors, refused scripts and styles. */
export function watchErrors(page: Page): string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of (?:401|404|412|415)/.test(message.text())) {
      errors.push(message.text());
    }
  });
  return errors;
}

const BUILD = fileURLToPath(new URL('../../../build/console/', import.meta.url));

/** Whether the server serves the console by itself. */
export async function isConsoleServed(url: string): Promise<boolean> {
  const response = await fetch(`${url}/-/console/`, { headers: { accept: 'text/html' } });
  await response.body?.cancel();
  return response.ok;
}

/** Serves the built files to the browser where the server itself does not. */
export async function serveBuild(context: BrowserContext, url: string): Promise<void> {
  const { files } = JSON.parse(readFileSync(`${BUILD}files.json`, 'utf8'));
  await context.route(`${url}/-/console/**`, (route) => {
    const name = new URL(route.request().url()).pathname.slice('/-/console/'.length);
    const found = name in files ? name : 'index.html';
    return route.fulfill({ body: readFileSync(BUILD + found), contentType: files[found].type });
  });
}
