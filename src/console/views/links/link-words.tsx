// What a list and a page say alike of a link: where it stands, what was used of it.
import type { DropLink, Item, ShareLink } from 'quayside/client';
import { count } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { stateOf } from './link-state.ts';

/** `Open`, or why it lets nobody in. */
export function StateTag({ link }: { readonly link: ShareLink | DropLink }) {
  const state = 'state' in link ? DROP_STATES[link.state] : stateOf(link);
  return <span class={state === 'open' ? 'tag ok' : 'tag bad'}>{t().links.states[state]}</span>;
}

const DROP_STATES = { open: 'open', revoked: 'off', expired: 'ended', full: 'full' } as const;

/** Downloads of how many; without a limit, as many as there were. */
export function Used({ link }: { readonly link: Item<'GET /buckets/{bucket}/share-links'> }) {
  const { usage, limits, sums } = link;
  const most = limits.downloads ?? null;
  if (most === null) return <>{count(sums.completed)}</>;
  return <>{t().links.ofMost(count(usage.downloads), count(most))}</>;
}
