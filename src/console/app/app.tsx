// The frame of everything: side bar, top bar, the view of the address, and the one
// dialog, menu and toast.
import { SearchX } from 'lucide';
import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { signedOut } from '../api/client.ts';
import { isReadingFirst } from '../api/query.ts';
import { askedProof } from '../api/with-proof.ts';
import { t } from '../i18n/i18n.ts';
import { LinkButton } from '../ui/button.tsx';
import { Failure } from '../ui/failure.tsx';
import { DialogHost } from '../ui/open-dialog.tsx';
import { Menu, MenuHost } from '../ui/open-menu.tsx';
import { Empty } from '../ui/small.tsx';
import { ToastHost } from '../ui/toast.tsx';
import { queue } from '../views/viewers/media/queue.ts';
import { ConnectionBanner } from './banners.tsx';
import { lazy } from './lazy.tsx';
import { loadRest } from './load-rest.ts';
import { path } from './router.ts';
import { isOperator, me, readSession, sessionError, sessionState } from './session.ts';
import { PhoneTabs, SideBar } from './side-bar.tsx';
import { viewOf } from './views.ts';
import { whenIdle } from './when-idle.ts';

const GlobalCommands = lazy(
  async () => ({ default: (await import('./global-commands.tsx')).GlobalCommands }),
  { isOfFolder: true, takesKeys: true },
);
const SignIn = lazy(() => import('../views/sign-in/sign-in.tsx'));
const Again = lazy(() => import('../views/sign-in/again.tsx'));
const Dock = lazy(() => import('../views/upload/dock.tsx'), { isOfFolder: true });
const AccountBanner = lazy(() => import('../views/operator/account-banner.tsx'));
const PlayerHost = lazy(() => import('../views/viewers/media/player.tsx'));
// They come beside the view and not after it.
GlobalCommands.preload();
Menu.preload();

const loaded = new Map<unknown, ComponentType>();

export function App() {
  useEffect(() => {
    if (signedOut.value > 0 && sessionState.value === 'signed-in') void readSession();
  }, [signedOut.value]);

  return (
    <>
      <Content />
      <DialogHost />
      <MenuHost />
      <ToastHost />
      {(askedProof.value !== null || hasEnded()) && <Again />}
    </>
  );
}

/** Whether the session ended in mid-work: what is open stays, a dialog asks again. */
const hasEnded = () => sessionState.value === 'signed-out' && me.value !== null;

function Content() {
  const view = viewOf(path.value);
  const state = sessionState.value;
  if (view?.isOpen === true) return <ViewOf view={view} />;
  if (state === 'failed') {
    return <Failure error={sessionError.value} onRetry={() => void readSession()} />;
  }
  if (state === 'signed-out' && !hasEnded()) return <SignIn />;
  const isIn = me.value !== null;
  return <Frame view={view} isIn={isIn} />;
}

type FrameProps = { readonly view: ReturnType<typeof viewOf>; readonly isIn: boolean };

function Frame({ view, isIn }: FrameProps) {
  const main = useRef<HTMLElement>(null);
  const { value: address } = path;
  // The first view takes no focus: Tab begins at the top of the page.
  const shown = useRef(address);
  // The focus went with the view that was left: the next Tab begins in the new one.
  useEffect(() => {
    if (isIn && document.activeElement === document.body && shown.current !== address) {
      main.current?.focus({ preventScroll: true });
    }
    shown.current = address;
  }, [address, isIn]);
  return (
    <div class="app">
      <a class="skip" href="#main">
        {t().shell.skipToContent}
      </a>
      <SideBar place={view?.place ?? null} />
      <main ref={main} class="main" id="main" tabIndex={-1}>
        <ConnectionBanner />
        {isIn && isOperator.value && <AccountBanner />}
        {isIn && <GlobalCommands />}
        {isIn && (view === null ? <NoSuchPage /> : <ViewOf view={view} />)}
        {isIn && queue.value !== null && <PlayerHost />}
        {isIn && <LateDock />}
      </main>
      <PhoneTabs place={view?.place ?? null} />
    </div>
  );
}

/** The dock asks what earlier pages left: that waits until the view stands. */
function LateDock() {
  const [isDue, setDue] = useState(false);
  useEffect(() => {
    return whenIdle(() => {
      setDue(true);
      // Likely next: a dialog, another view, the palette, into which one types at once.
      // What fails here is said where it is needed.
      loadRest().catch(() => {});
      import('../views/palette/palette.tsx').catch(() => {});
    }, isReadingFirst);
  }, []);
  return isDue ? <Dock /> : null;
}

function ViewOf({ view }: { readonly view: NonNullable<ReturnType<typeof viewOf>> }) {
  const Component = loaded.get(view.load) ?? lazy(view.load, view);
  loaded.set(view.load, Component);
  return <Component />;
}

function NoSuchPage() {
  const { noSuchPage, noSuchPageHint, toHome } = t().shell;
  return (
    <Empty
      icon={SearchX}
      title={noSuchPage}
      action={<LinkButton to="/" kind="secondary" label={toHome} />}
    >
      {noSuchPageHint}
    </Empty>
  );
}
