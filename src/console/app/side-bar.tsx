// The places, at the left; on phones five tabs below. Its foot is the month: so far,
// what it comes to, and the cap.
import {
  Box,
  Folder,
  House,
  type IconNode,
  KeyRound,
  Link2,
  ListChecks,
  Menu as MenuIcon,
  Receipt,
  Settings2,
  Trash2,
} from 'lucide';
import { count, money, monthName } from '../i18n/format.ts';
import { t } from '../i18n/i18n.ts';
import { Icon } from '../ui/icon.tsx';
import { openMenu } from '../ui/open-menu.tsx';
import { LoadLine } from '../ui/small.tsx';
import { moneyCapOf, useOverview } from './overview.ts';
import { pinnedPlaces } from './pinned.ts';
import { href, navigate } from './router.ts';
import { may, me, seesUsage } from './session.ts';

type PlaceLink = {
  readonly to: string;
  readonly icon: IconNode;
  readonly label: string;
  readonly count?: number | undefined;
};

export function SideBar({ place }: { readonly place: string | null }) {
  const texts = t().shell;
  const overview = useOverview().data.value;
  const places: readonly PlaceLink[] = [
    { to: '/', icon: House, label: texts.home },
    { to: '/buckets', icon: Box, label: texts.buckets, count: overview?.buckets.count },
    ...(may('links:read') ? [{ to: '/links', icon: Link2, label: texts.links }] : []),
    { to: '/jobs', icon: ListChecks, label: texts.jobs },
    { to: '/trash', icon: Trash2, label: texts.trash },
  ];
  const account: readonly PlaceLink[] = [
    ...(seesUsage() ? [{ to: '/usage', icon: Receipt, label: texts.usage }] : []),
    ...(may('keys:read') ? [{ to: '/keys', icon: KeyRound, label: texts.keys }] : []),
    { to: '/settings', icon: Settings2, label: texts.settings },
  ];
  // Until it is known who is there, they may be another's.
  const pinned = me.value === null ? [] : pinnedPlaces.value;
  return (
    <aside class="side-bar">
      <a class="brand" href={href('/')}>
        <Mark />
        Quayside
      </a>
      <nav class="nav" aria-label={texts.main}>
        <PlaceLinks links={places} place={place} />
        {pinned.length > 0 && <div class="nav-title">{texts.pinned}</div>}
        <PlaceLinks
          links={pinned.map(({ to, name }) => ({
            to,
            icon: to.split('/').length > 4 ? Folder : Box,
            label: name,
          }))}
          place={null}
        />
        <div class="nav-title">{texts.account}</div>
        <PlaceLinks links={account} place={place} />
      </nav>
      <Month />
    </aside>
  );
}

function PlaceLinks(props: {
  readonly links: readonly PlaceLink[];
  readonly place: string | null;
}) {
  return (
    <>
      {props.links.map(({ to, icon, label, count: number }) => (
        <a key={to} href={href(to)} aria-current={to === props.place ? 'page' : undefined}>
          <Icon of={icon} />
          <span class="cut">{label}</span>
          {number !== undefined && number > 0 && <span class="count">{count(number)}</span>}
        </a>
      ))}
    </>
  );
}

/** The mark: flag Q with a mooring ring on the quay's edge. */
export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 20 20" aria-hidden="true">
      <rect width="20" height="20" rx="3" class="mark-flag" />
      <circle cx="9.6" cy="8.9" r="4.4" class="mark-line" />
      <path d="M3 15.9h14" class="mark-line" />
    </svg>
  );
}

function Month() {
  const overview = useOverview().data.value;
  const month = overview?.month ?? null;
  if (month === null) return null;
  const { soFarMicro, atEndMicro, currency, period } = month;
  const cap = moneyCapOf(overview);
  const limit = cap === null ? null : Number(cap.limit);
  const whole = limit ?? Math.max(Number(atEndMicro), 1);
  const texts = t().shell;
  const forecast = money(atEndMicro, currency);
  return (
    <div class="account">
      <div class="spread">
        <span>{texts.monthSoFar(monthName(period))}</span>
        <b>{money(soFarMicro, currency)}</b>
      </div>
      <LoadLine
        isThin
        label={texts.monthSoFar(monthName(period))}
        now={Number(soFarMicro) / whole}
        forecast={Number(atEndMicro) / whole}
        hasLimit={limit !== null}
      />
      <div class="faint">
        {limit === null
          ? texts.headingFor(forecast)
          : texts.headingForCap(forecast, money(limit, currency))}
      </div>
    </div>
  );
}

/** The five tabs of a phone. */
export function PhoneTabs({ place }: { readonly place: string | null }) {
  const texts = t().shell;
  const tabs: readonly PlaceLink[] = [
    { to: '/', icon: House, label: texts.home },
    { to: '/buckets', icon: Box, label: texts.buckets },
    { to: '/jobs', icon: ListChecks, label: texts.jobs },
    { to: '/trash', icon: Trash2, label: texts.trash },
  ];
  const more = [
    ...(may('links:read') ? [{ to: '/links', icon: Link2, label: texts.links }] : []),
    ...(seesUsage() ? [{ to: '/usage', icon: Receipt, label: texts.usage }] : []),
    ...(may('keys:read') ? [{ to: '/keys', icon: KeyRound, label: texts.keys }] : []),
    { to: '/settings', icon: Settings2, label: texts.settings },
  ];
  return (
    <nav class="phone-tabs" aria-label={texts.main}>
      {tabs.map(({ to, icon, label }) => (
        <a key={to} href={href(to)} aria-current={to === place ? 'page' : undefined}>
          <Icon of={icon} />
          {label}
        </a>
      ))}
      <button
        type="button"
        aria-haspopup="menu"
        onClick={(event) =>
          openMenu(
            event,
            texts.more,
            more.map(({ to, ...item }) => ({ ...item, run: () => navigate(to) })),
          )
        }
      >
        <Icon of={MenuIcon} />
        {texts.more}
      </button>
    </nav>
  );
}
