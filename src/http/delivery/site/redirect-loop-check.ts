// The steps of a rule that sends the visitor to another path of the same site.
// Pages have one address each, so that path may send the visitor straight back:
// `/about /about.html` would go round for ever. Then the visitor is there already.
// Called by plan-hosting.ts. Pure.
import type { Step } from './plan.ts';
import type { Redirect } from './redirects.ts';

/**
 * What a visit of the target would try (`there`, its redirects made for this visit)
 * decides: what would show anything there sends the visitor, what would lead to
 * `here`, the Location of this visit, is shown at once. Else the redirect.
 */
export function stepsToTarget(redirect: Redirect, there: readonly Step[], here: string): Step[] {
  const away: Step = { kind: 'redirect', redirect, ifFailure: null };
  const isBack = (step: Step) => step.kind === 'redirect-if' && step.redirect.location === here;
  const steps: Step[] = [];
  for (const step of there.slice(0, there.findLastIndex(isBack) + 1)) {
    if (step.kind !== 'page' && step.kind !== 'redirect-if') continue;
    const { key } = step;
    steps.push(
      isBack(step)
        ? { kind: 'page', key, isForNavigation: false }
        : { kind: 'redirect-if', key, redirect },
    );
  }
  return [...steps, away];
}
