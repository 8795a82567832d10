// Bills and caps are by months of UTC. What a test reads of one month must have been done in that
// month, also when the test happens to run while a month turns.

/** The month of now, as the API writes it: `2026-11`. */
export const thisMonth = (): string => new Date().toISOString().slice(0, 7);

/**
 * Does `work` and says in which month; once more when the month turned meanwhile, whether it failed
 * by that or not. So `work` makes accounts and buckets of its own. `now` is another calendar, for
 * its own test.
 */
export async function inOneMonth<T>(
  work: () => Promise<T>,
  now: () => string = thisMonth,
): Promise<{ readonly month: string; readonly done: T }> {
  const month = now();
  const outcome = await work().then(
    (done) => ({ done }),
    (error: unknown) => ({ error }),
  );
  if (month !== now()) return { month: now(), done: await work() };
  if ('error' in outcome) throw outcome.error;
  return { month, done: outcome.done };
}
