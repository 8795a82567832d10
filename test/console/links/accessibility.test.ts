// Every state of a share page for everybody: axe in both languages and themes, and a phone of
// 360 px that a finger can use.
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { axeViolations } from '../kit/axe.ts';
import { launchBrowser, newContext } from '../kit/browser.ts';
import { overflowOf, smallTargets } from '../kit/pages.ts';
import { type SampleServer, startSampleServer } from './kit/sample-server.ts';
import { SHARE_SAMPLES } from './kit/share-samples.ts';

let [browser, server]: [Browser, SampleServer] = [] as never;
const pages = new Map<string, Page>();

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startSampleServer()]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/** One page for all visits on a kind of screen. */
async function pageOf(isPhone: boolean): Promise<Page> {
  const name = `${isPhone}`;
  const look = isPhone ? { width: 360, height: 740, isTouch: true } : {};
  const page = pages.get(name) ?? (await (await newContext(browser, look)).newPage());
  pages.set(name, page);
  return page;
}

/** What is opened above a page is examined as well. */
const OPENED: Readonly<Record<string, string>> = {
  qr: '[popovertarget=qr]',
  terminal: '[popovertarget=terminal]',
  viewer: '.files a[data-preview=image]',
};

async function problemsOf(name: string, language: string, open?: string) {
  const problems: string[] = [];
  const wide = await pageOf(false);
  await wide.goto(`${server.url}/${name}?lang=${language}`);
  if (open !== undefined) await wide.locator(open).first().click();
  for (const colorScheme of ['light', 'dark'] as const) {
    await wide.emulateMedia({ colorScheme });
    for (const line of await axeViolations(wide)) problems.push(`${colorScheme}: ${line}`);
  }
  const phone = await pageOf(true);
  await phone.goto(`${server.url}/${name}?lang=${language}`);
  if (open !== undefined && (await phone.locator(open).first().isVisible()))
    await phone.locator(open).first().click();
  const overflow = await overflowOf(phone);
  if (overflow > 0) problems.push(`${overflow} px too wide`);
  problems.push(...(await smallTargets(phone)), ...(await axeViolations(phone)));
  return problems.map((line) => `${language}, ${line}`);
}

it.each(Object.keys(SHARE_SAMPLES))(
  'axe finds nothing, and a finger misses nothing: %s',
  async (name) => {
    const english = await problemsOf(name, 'en');
    expect([...english, ...(await problemsOf(name, 'zh'))]).toEqual([]);
  },
  120_000,
);

it.each(Object.entries(OPENED))(
  'axe finds nothing, and a finger misses nothing: %s, opened',
  async (_, selector) => {
    const english = await problemsOf('folder', 'en', selector);
    expect([...english, ...(await problemsOf('folder', 'zh', selector))]).toEqual([]);
  },
  120_000,
);
