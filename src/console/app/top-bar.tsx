// The top bar of a view: where one is at the left, search and help at the right.
import { ChevronLeft, CircleQuestionMark, Search } from 'lucide';
import type { ComponentChildren } from 'preact';
import { t } from '../i18n/i18n.ts';
import { Button } from '../ui/button.tsx';
import { Icon } from '../ui/icon.tsx';
import { openMenuOf } from '../ui/open-menu.tsx';
import { keyLabel } from './commands.ts';
import { loadPart, withPart } from './lazy.tsx';
import { href } from './router.ts';
import { me } from './session.ts';

const commands = () => import('./global-commands.tsx');
// They are wanted soon; what fails is said then.
loadPart(commands).catch(() => {});

type TopBarProps = {
  /** What stands at the left: a title, or a path. */
  readonly children: ComponentChildren;
};

export function TopBar({ children }: TopBarProps) {
  const texts = t().shell;
  return (
    <header class="top-bar">
      {children}
      <button
        type="button"
        class="search-box"
        aria-label={`${texts.search} ${keyLabel('Mod+K')}`}
        onClick={() => withPart(commands, ({ openPalette }) => openPalette())}
      >
        <Icon of={Search} />
        <span>{texts.search}</span> <kbd>{keyLabel('Mod+K')}</kbd>
      </button>
      <Button
        icon={CircleQuestionMark}
        iconOnly
        label={texts.help}
        onClick={(event) => openMenuOf(event, texts.help, commands, (part) => part.helpMenu())}
      />
      <button
        type="button"
        class="button icon-only"
        aria-label={texts.account}
        aria-haspopup="menu"
        onClick={(event) =>
          openMenuOf(event, texts.account, commands, (part) => part.accountMenu())
        }
      >
        <span class="initials" data-text={initialsOf(me.value?.account.displayName ?? '')} />
      </button>
    </header>
  );
}

/** The way back on phones, where the path has no room for links. */
export const PathUp = ({ to, label }: { readonly to: string; readonly label: string }) => (
  <a class="path-up" href={href(to)} aria-label={label}>
    <Icon of={ChevronLeft} />
  </a>
);

/** A title of a page that is no folder. */
export function Title({ children }: { readonly children: ComponentChildren }) {
  return <h1 class="title-bar cut">{children}</h1>;
}

const initialsOf = (name: string): string => {
  const words = name.split(/[\s-]+/, 3).filter((word) => word !== '');
  const letters = words.slice(0, 2).map((word) => [...word][0] ?? '');
  return letters.join('').toUpperCase() || 'Q';
};
