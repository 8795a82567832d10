// What tests of the console look at in a page: words that are shown, targets, who the page is. The
// scripts run in the browser, whose types this project does not have, so they are texts.
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { type Look, newContext, signIn, watchErrors } from './browser.ts';
import type { ConsoleInstance } from './console-instance.ts';

export type Opened = {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What the page complained of. */
  readonly errors: readonly string[];
};

/** Opens an address below the console as who is signed in. */
export async function openAt(
  browser: Browser,
  instance: Pick<ConsoleInstance, 'url' | 'keys'>,
  path: string,
  { isSignedIn = true, ...look }: Look & { readonly isSignedIn?: boolean } = {},
): Promise<Opened> {
  const context = await newContext(browser, look);
  if (isSignedIn) await signIn(context, instance.url, instance.keys);
  const page = await context.newPage();
  const errors = watchErrors(page);
  await page.goto(`${instance.url}/-/console${path}`);
  await page.locator('h1, .empty').first().waitFor();
  await settled(page);
  return { page, context, errors };
}

/** Waits until nothing is being loaded and nothing is a skeleton. */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState('networkidle');
  await page.locator('.skeleton').first().waitFor({ state: 'hidden' });
}

/** Every text that somebody can see or hear: nodes, labels, titles, placeholders. */
export const textsOf = (page: Page): Promise<readonly string[]> =>
  page.evaluate<readonly string[]>(`{
    const texts = [document.title];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      if (node.closest('script, style, noscript') || !node.checkVisibility()) continue;
      for (const name of ['aria-label', 'title', 'placeholder', 'alt']) {
        texts.push(node.getAttribute(name));
      }
      for (const child of node.childNodes) if (child.nodeType === 3) texts.push(child.data);
    }
    texts.map((text) => text?.trim() ?? '').filter((text) => text !== '');
  }`);

/**
 * Targets that a finger misses: less than 44 px in a direction, with the space around that belongs
 * to them. Links within a sentence are as high as the sentence. Source: WCAG 2.2, 2.5.5
 */
export const smallTargets = (page: Page): Promise<readonly string[]> =>
  page.evaluate<readonly string[]>(`{
    const SELECTOR = 'a[href], button, input, select, textarea, [role=button], [role=menuitem]';
    const small = [];
    // What is behind a dialog can't be touched.
    const shown = document.querySelector('dialog:modal') ?? document;
    for (const element of shown.querySelectorAll(SELECTOR)) {
      const isInSentence =
        getComputedStyle(element).display === 'inline' &&
        element.closest('p, dd, li, .drop, .hint');
      // The number of a line is as high as the line.
      const isLine = element.matches('.line-number');
      const isHidden = element.closest('.skip') || !element.checkVisibility();
      if (isInSentence || isLine || isHidden) continue;
      // A label is part of the target of its field; a row opens what its name opens.
      const row = element.matches('a[tabindex="-1"]') ? element.closest('[role=row]') : null;
      const target = row ?? element.closest('label') ?? element;
      if (target.getBoundingClientRect().width === 0) continue;
      target.scrollIntoView({ block: 'center', inline: 'center' });
      const { x, y, width, height } = target.getBoundingClientRect();
      const isHit = (dx, dy) => {
        const [left, top] = [x + width / 2 + dx, y + height / 2 + dy];
        const isOutside = left < 0 || top < 0 || left >= innerWidth || top >= innerHeight;
        return isOutside || target.contains(document.elementFromPoint(left, top));
      };
      const isWide = width >= 44 || (isHit(-21, 0) && isHit(21, 0));
      const isHigh = height >= 44 || (isHit(0, -21) && isHit(0, 21));
      if (isWide && isHigh) continue;
      const name = element.getAttribute('aria-label') ?? element.textContent.trim();
      small.push(element.className + ' ' + name + ': ' + width + ' × ' + height);
    }
    small;
  }`);

/** How much wider than the window the page is, pixels. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
