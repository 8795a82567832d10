// Visits every place of the console as whoever it is for, and says what is wrong with it: what axe
// finds in each theme, and on a phone what a finger misses and what is too wide.
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import { axeViolations } from './axe.ts';
import { newContext, signIn } from './browser.ts';
import type { ConsoleInstance } from './console-instance.ts';
import { overflowOf, settled, smallTargets } from './pages.ts';
import { addDevice } from './passkey-device.ts';
import { MEMBER, type Place, type Visitor } from './places.ts';
import { chinese, english } from './texts.ts';

export type Language = 'en' | 'zh';
type Visit = { readonly page: Page; readonly cdp: CDPSession };
type Instances = { readonly demo: ConsoleInstance; readonly fresh: ConsoleInstance };

/** On a machine that does much else, a page that takes a second may take ten. */
const WAIT_MS = 15_000;
const PHONE = { width: 360, height: 740 };
const DESKTOP = { width: 1280, height: 720 };

/** Returns what visits a place in a language and lists its problems. */
export function visitor(browser: Browser, instances: Instances) {
  const visits = new Map<string, Promise<Visit>>();

  /** Passkeys want a name, not an address. */
  const urlOf = (who: Visitor): string =>
    who === 'member'
      ? instances.demo.url.replace('127.0.0.1', 'localhost')
      : instances[who === 'fresh' ? 'fresh' : 'demo'].url;

  async function start(who: Visitor, language: Language): Promise<Visit> {
    const context = await newContext(browser, { ...DESKTOP, language });
    context.setDefaultTimeout(WAIT_MS);
    const page = await context.newPage();
    const isKnown = who !== 'stranger' && who !== 'fresh';
    if (who === 'member') {
      await addDevice(page, context);
      await signInMember(context, urlOf(who));
    } else if (isKnown) await signIn(context, urlOf(who), instances.demo.keys);
    return { page, cdp: await context.newCDPSession(page) };
  }

  /** Gives one browser for all that somebody looks at in a language. */
  function visitOf(who: Visitor, language: Language): Promise<Visit> {
    const name = `${who} ${language}`;
    const visit = visits.get(name) ?? start(who, language);
    visits.set(name, visit);
    return visit;
  }

  return async (place: Place, language: Language): Promise<readonly string[]> => {
    const who = place.visitor ?? 'root';
    const { page, cdp } = await visitOf(who, language);
    await page.goto('about:blank');
    await page.goto(`${urlOf(who)}/-/console${place.path}`);
    await page.locator('h1, .empty, form').first().waitFor();
    await settled(page);
    await place.open?.(page, language === 'en' ? english : chinese);
    if (place.hasDialog === true) await page.getByRole('dialog').waitFor();
    await settled(page);
    const problems = [...(await inBothThemes(page)), ...(await onPhone(page, cdp))];
    await page.unrouteAll();
    return problems.map((line) => `${language}, ${line}`);
  };
}

async function signInMember(context: BrowserContext, url: string): Promise<void> {
  const response = await context.request.post(`${url}/-/api/v1/sessions`, {
    data: MEMBER,
    headers: { 'sec-fetch-site': 'same-origin' },
  });
  if (!response.ok()) throw new Error(`sign-in: ${response.status()} ${await response.text()}`);
}

async function inBothThemes(page: Page): Promise<readonly string[]> {
  const problems: string[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    problems.push(...(await axeViolations(page)).map((line) => `${colorScheme}: ${line}`));
  }
  return problems;
}

async function onPhone(page: Page, cdp: CDPSession): Promise<readonly string[]> {
  await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 1 });
  await page.setViewportSize(PHONE);
  await settled(page);
  const problems = (await smallTargets(page)).map((line) => `too small: ${line}`);
  const overflow = await overflowOf(page);
  if (overflow > 0) problems.push(`${overflow} px too wide`);
  await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: false });
  await page.setViewportSize(DESKTOP);
  return problems;
}
