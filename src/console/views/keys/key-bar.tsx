// The top bar of what is below the list of keys: a new key, and one that was just made.
import { href } from '../../app/router.ts';
import { PathUp, TopBar } from '../../app/top-bar.tsx';
import { t } from '../../i18n/i18n.ts';

export function KeyBar({ title }: { readonly title: string }) {
  const { keys } = t().shell;
  return (
    <TopBar>
      <nav class="path" aria-label={keys}>
        <PathUp to="/keys" label={keys} />
        <a href={href('/keys')}>{keys}</a>
        <span class="sep">/</span>
        <b aria-current="page">
          <bdi>{title}</bdi>
        </b>
      </nav>
    </TopBar>
  );
}
