// Sessions: which browsers are signed in, from where, when last; ending one or all.
// Below them the bearer tokens of scripts.
import { LogOut, Monitor } from 'lucide';
import type { Item } from 'quayside/client';
import { client } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { forgetQueries, invalidate, useQuery } from '../../api/query.ts';
import { may, me, readSession, signOut } from '../../app/session.ts';
import { time } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { ActDialog } from '../../ui/dialog.tsx';
import { Icon } from '../../ui/icon.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { PlainWords, Time } from '../../ui/small.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { useAct } from '../change/use-act.ts';
import { Section } from './section.tsx';
import { Tokens } from './tokens.tsx';

type Session = Item<'GET /sessions'>;

/** Sessions that are read at once. */
const PAGE = 100;

export function Sessions() {
  const texts = t().settings;
  const sessions = useQuery('sessions', (signal) =>
    client.request('GET /sessions', { query: { limit: PAGE }, signal }),
  );
  return (
    <>
      <Section
        title={texts.sessions}
        lead={texts.sessionsLead}
        action={
          <Button
            kind="secondary"
            icon={LogOut}
            label={texts.endAll}
            onClick={() => openDialog((close) => <EndAll onClose={close} />)}
          />
        }
      >
        <Waiting of={sessions} />
        <ul class="rows">
          {sessions.data.value?.items.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      </Section>
      {may('tokens:read') && <Tokens />}
    </>
  );
}

async function end({ id, isCurrent }: Session): Promise<void> {
  try {
    if (isCurrent) return await signOut();
    await client.request('DELETE /sessions/{sessionId}', { path: { sessionId: id } });
    showToast({ text: t().settings.sessionEnded });
  } catch (error) {
    showToast({ text: errorLine(error) });
  }
  invalidate('sessions');
}

function SessionRow({ session }: { readonly session: Session }) {
  const texts = t().settings;
  const { label, network, lastUsedAt, createdAt, isCurrent, memberId, accessKeyId } = session;
  const isOwn = memberId === me.value?.memberId && accessKeyId === me.value?.accessKeyId;
  const used = lastUsedAt ?? createdAt;
  return (
    <li>
      <Icon of={Monitor} />
      <span class="two-lines grow">
        <span class="cut">
          <bdi>{label}</bdi>
          {isCurrent && <span class="tag ok">{texts.thisOne}</span>}
          {!isOwn && <span class="tag mono">{memberId ?? accessKeyId}</span>}
        </span>
        <span class="faint cut">
          {network} · {texts.usedAt(time(used, t().units))}
        </span>
      </span>
      <span class="faint wide">
        {texts.ends} <Time at={session.expiresAt} />
      </span>
      <button
        type="button"
        class="button secondary"
        aria-label={texts.endSession(label)}
        onClick={() => void end(session)}
      >
        {texts.end}
      </button>
    </li>
  );
}

function EndAll({ onClose }: { readonly onClose: () => void }) {
  const texts = t().settings;
  const act = useAct(onClose);
  const endAll = () =>
    act.run(async () => {
      await client.request('DELETE /sessions');
      me.value = null;
      forgetQueries();
      await readSession();
    });
  return (
    <ActDialog
      title={texts.endAllTitle}
      onClose={onClose}
      kind="danger"
      label={texts.endAll}
      act={act}
      onSubmit={endAll}
    >
      <PlainWords tone="lose">{texts.endAllWords}</PlainWords>
    </ActDialog>
  );
}
