// What Lighthouse gives a page on a phone with a slow line: performance, accessibility, best
// practices and search. One audit is left out: neither the console nor a link may be found by
// search engines, so they say `noindex`, which the audit `is-crawlable` counts as a fault.
import lighthouse from 'lighthouse';

/** Least score of each category, out of 100. */
const LEAST_SCORE = 95;
const CATEGORIES = ['performance', 'accessibility', 'best-practices', 'seo'] as const;

type Scores = Readonly<Record<(typeof CATEGORIES)[number], number>>;

/** One examination; what cost points is printed. */
async function scoresOf(port: number, url: string, skipped: readonly string[]): Promise<Scores> {
  const result = await lighthouse(url, {
    port,
    output: 'json',
    logLevel: 'silent',
    onlyCategories: [...CATEGORIES],
    skipAudits: ['is-crawlable', ...skipped],
    disableStorageReset: true,
  });
  if (result === undefined) throw new Error('Lighthouse gave no result');
  const { categories, audits } = result.lhr;
  const scores = CATEGORIES.map((name) => {
    const { score = null, auditRefs = [] } = categories[name] ?? {};
    if (score === null) throw new Error(`Lighthouse gave no score for ${name}`);
    const lost = auditRefs
      .filter(({ id, weight }) => weight > 0 && (audits[id]?.score ?? 1) < 1)
      .map(({ id }) => `${id} ${audits[id]?.displayValue ?? ''}`);
    process.stdout.write(
      `${new URL(url).pathname} ${name} ${Math.round(score * 100)} ${lost.join(', ')}\n`,
    );
    return [name, Math.round(score * 100)];
  });
  return Object.fromEntries(scores);
}

const lowOf = (scores: Scores) => CATEGORIES.filter((name) => scores[name] < LEAST_SCORE);

/**
 * The categories below 95. What else runs on the machine can only make a page slower: the best of
 * three counts. `skipped`: audits beside `is-crawlable`.
 */
export async function lowCategories(
  port: number,
  url: string,
  skipped: readonly string[] = [],
): Promise<readonly string[]> {
  let low: readonly string[] = CATEGORIES;
  for (let run = 0; run < 3 && low.length > 0; run++) {
    const again = lowOf(await scoresOf(port, url, skipped));
    low = low.filter((name) => (again as readonly string[]).includes(name));
  }
  return low;
}
