// Banners above every view: no connection, a connection that is not encrypted.

import { ShieldAlert, WifiOff } from 'lucide';
import { useState } from 'preact/hooks';
import { isReachable } from '../api/client.ts';
import { time } from '../i18n/format.ts';
import { t } from '../i18n/i18n.ts';
import { Icon } from '../ui/icon.tsx';
import { isPrivateHttp, readSession, sessionState } from './session.ts';
import { useEvery } from './visible.ts';

/** How often a server that is away is tried again, milliseconds. */
const ASK_EVERY_MS = 3000;

export function ConnectionBanner() {
  return (
    <>
      {isReachable.value === false && <Offline />}
      {isPrivateHttp.value && (
        <div class="banner">
          <Icon of={ShieldAlert} />
          <span class="grow">{t().shell.privateHttp}</span>
          <a href="/-/docs#InsecureTransport" target="_blank" rel="noreferrer">
            {t().shell.privateHttpFix}
          </a>
        </div>
      )}
    </>
  );
}

function Offline() {
  const [since] = useState(() => Date.now());
  const ask = () => {
    if (sessionState.value !== 'signed-out') void readSession();
  };
  useEvery(ASK_EVERY_MS, ask, []);
  return (
    <div class="banner off" role="status">
      <Icon of={WifiOff} />
      <span class="grow">{t().shell.offline(time(since, t().units))}</span>
    </div>
  );
}
