// The real browser for tests and pictures of the console: Chromium from @sparticuz/chromium, driven
// by playwright-core. One browser serves all tests of a file; each test has a context of its own.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import chromium, { inflate, setupLambdaEnvironment } from '@sparticuz/chromium';
import {
  type Browser,
  type BrowserContext,
  type Page,
  chromium as playwright,
} from 'playwright-core';
import { IS_WORKERS } from './server.ts';

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

/**
 * Starts the browser. `QUAYSIDE_CHROMIUM` names another one than the package's, which is for Linux.
 * Rejects with the reason where none starts.
 */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = await browserPath();
  return playwright.launch({ executablePath, args: launchArgs(), headless: true });
}

/**
 * Starts a browser that another program drives by its port, with its data in the folder. What is
 * signed in in the context is signed in there.
 */
export async function launchAtPort(
  folder: string,
): Promise<{ readonly context: BrowserContext; readonly port: number }> {
  const args = [...launchArgs(), '--remote-debugging-port=0'];
  const options = { executablePath: await browserPath(), args, headless: true };
  const context = await playwright.launchPersistentContext(folder, options);
  const [port] = readFileSync(join(folder, 'DevToolsActivePort'), 'utf8').split('\n');
  return { context, port: Number(port) };
}

const launchArgs = () => chromium.args.filter((flag) => !LOOSE.test(flag));

/**
 * Finds a browser that runs here. The package brings the libraries that a machine without a desktop
 * lacks (NSS and its kin), and unpacks them only where it knows the machine: here it is tried.
 */
export async function browserPath(): Promise<string> {
  const own = process.env.QUAYSIDE_CHROMIUM;
  if (own !== undefined && own !== '') return own;
  const path = await chromium.executablePath();
  if (missingLibrary(path) !== null) {
    await inflate(fileURLToPath(new URL('../bin/al2023.tar.br', PACKAGE)));
    setupLambdaEnvironment(join(tmpdir(), 'al2023', 'lib'));
  }
  const missing = missingLibrary(path);
  if (missing !== null) throw new Error(`Chromium does not start here: ${missing}`);
  return path;
}

const PACKAGE = import.meta.resolve('@sparticuz/chromium');

/** What the browser says that it lacks; null: it starts. */
function missingLibrary(path: string): string | null {
  const { status, error, stderr } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  if (status === 0) return null;
  return error?.message ?? stderr.trim().slice(0, 500);
}

/** How long something may take to be seen on a busy machine, milliseconds. */
const WAIT_MS = IS_WORKERS ? 30_000 : 20_000;

/** A context with nothing in it, as a new visitor's browser. */
export async function newContext(browser: Browser, look: Look = {}): Promise<BrowserContext> {
  const { width = 1280, height = 720, isDark = false, language = 'en', isTouch = false } = look;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: isDark ? 'dark' : 'light',
    locale: language === 'zh' ? 'zh-CN' : 'en-US',
    hasTouch: isTouch,
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(WAIT_MS);
  return context;
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

/** Signs in as a person does, by the form that the page shows. */
export async function signInByForm(
  page: Page,
  { accessKey, secretKey }: { readonly accessKey: string; readonly secretKey: string },
): Promise<void> {
  await page.getByLabel('Access key ID').fill(accessKey);
  await page.getByLabel('Secret access key').fill(secretKey);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
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
