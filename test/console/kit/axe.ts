// What axe finds on a page: WCAG 2.0 to 2.2, A and AA.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** Each violation with the elements that it concerns; none is an empty list. */
export async function axeViolations(page: Page): Promise<string[]> {
  // Half a fade has half a contrast.
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().map((each) => each.finished)).then(() => {})',
  );
  await page.evaluate(source);
  return page.evaluate(async (tags) => {
    type Result = { violations: { id: string; nodes: { target: unknown[] }[] }[] };
    const { axe } = globalThis as unknown as { axe: { run(options: object): Promise<Result> } };
    const { violations } = await axe.run({ runOnly: { type: 'tag', values: tags } });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((one) => one.target.join(' '))}`);
  }, TAGS);
}
