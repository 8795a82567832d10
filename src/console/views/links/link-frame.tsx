// What the pages of both kinds of links have in common: the frame with the address,
// the conditions, the history.
import { Ellipsis, Unlink } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import type { DropLink, ShareHistoryEntry, ShareLink } from 'quayside/client';
import type { Query } from '../../api/query.ts';
import { href, navigate } from '../../app/router.ts';
import { Title, TopBar } from '../../app/top-bar.tsx';
import { time } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { Failure } from '../../ui/failure.tsx';
import type { MenuItem } from '../../ui/menu.tsx';
import { openMenu } from '../../ui/open-menu.tsx';
import { Empty, Skeleton } from '../../ui/small.tsx';
import { Section } from '../settings/section.tsx';
import { StateTag } from './link-words.tsx';

type FrameProps = {
  readonly query: Query<ShareLink | DropLink>;
  readonly name: string;
  /** What can be done with it; `toList` leads away when it is gone. */
  readonly menu: (toList: () => void) => readonly MenuItem[];
  /** Buttons beside the menu. */
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
};

/** The page of one link; a link that is not there says so. */
export function LinkFrame({ query, name, menu, actions, children }: FrameProps) {
  const texts = t().links;
  const link = query.data.value;
  const error = query.error.value;
  useEffect(() => {
    document.title = `${name} · ${t().shell.links} · Quayside`;
  }, [name]);
  const toList = () => navigate('/links', { replace: true });
  const isGone = (error as { status?: number } | null)?.status === 404;
  return (
    <>
      <TopBar>
        <a class="wide" href={href('/links')}>
          {t().shell.links}
        </a>
        <Title>{name}</Title>
        {link !== null && <StateTag link={link} />}
      </TopBar>
      <div class="page link-page">
        {link === null && isGone && (
          <Empty
            icon={Unlink}
            title={texts.gone}
            action={<LinkButton to="/links" kind="secondary" label={t().shell.links} />}
          >
            {texts.goneHint}
          </Empty>
        )}
        {link === null && error !== null && !isGone && (
          <Failure error={error} onRetry={query.reload} />
        )}
        {link === null && error === null && <Skeleton width={320} />}
        {link !== null && (
          <>
            <div class="link-address">
              <CopyField label={texts.address} value={link.url} />
              <span class="link-acts">
                {actions}
                <Button
                  icon={Ellipsis}
                  iconOnly
                  kind="secondary"
                  label={texts.menu(name)}
                  onClick={(event) => openMenu(event, texts.menu(name), menu(toList))}
                />
              </span>
            </div>
            {children}
          </>
        )}
      </div>
    </>
  );
}

export type Fact = readonly [name: string, value: ComponentChildren];

/** The conditions of a link, by name. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <Section title={t().links.facts}>
      <dl class="facts-form">
        {facts.map(([name, value]) => (
          <div key={name} class="fact">
            <dt>{name}</dt>
            <dd>
              <bdi>{value}</bdi>
            </dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}

/** What was changed, by whom, newest first. */
export function HistoryRows({ items }: { readonly items: readonly ShareHistoryEntry[] }) {
  const texts = t().links;
  const words: Readonly<Record<string, string>> = texts.actions;
  return (
    <Section title={texts.history}>
      <ul class="rows">
        {items.map(({ at, action, memberId, accessKeyId, changes }) => (
          <li key={`${at} ${action}`}>
            <span class="grow">
              {words[action] ?? action}
              {action === 'changed' && (
                <span class="faint"> {Object.keys(changes).join(', ')}</span>
              )}
            </span>
            <span class="faint mono cut">{memberId ?? accessKeyId}</span>
            <span class="faint">{time(at, t().units)}</span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
