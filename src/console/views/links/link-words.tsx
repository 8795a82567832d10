// What a list and a page say alike of a link: where it stands, what was used of it.
import type { ShareLink } from 'quayside/client';
import { count } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { stateOf } from './link-state.ts';

type Props = { readonly link: ShareLink };

/** `Open`, or why it lets nobody in. */
export function StateTag({ link }: Props) {
  const state = stateOf(link);
  return <span class={state === 'open' ? 'tag ok' : 'tag bad'}>{t().links.states[state]}</span>;
}

/** Downloads of how many; only those of a limit are counted at once. */
export function Used({ link: { usage, limits } }: Props) {
  const most = limits.downloads ?? null;
  if (most === null) return <span class="faint">–</span>;
  return <>{t().links.ofMost(count(usage.downloads), count(most))}</>;
}
