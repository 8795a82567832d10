// Invitations: links by which somebody becomes a member, once, without a password
// that anybody else typed.
import { Mail, UserPlus } from 'lucide';
import { useState } from 'preact/hooks';
import type { Answer } from 'quayside/client';
import { client } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { invalidate, useQuery } from '../../api/query.ts';
import { withProof } from '../../api/with-proof.ts';
import { may } from '../../app/session.ts';
import { endTime, time } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { CopyField } from '../../ui/copy-field.tsx';
import { ActDialog, Dialog } from '../../ui/dialog.tsx';
import { RadioField, SelectField, TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { Note, PlainWords } from '../../ui/small.tsx';
import { showToast } from '../../ui/toast.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { type Invitation, isLogin, ROLES, type Role } from './member-words.ts';
import { Section } from './section.tsx';

/** Invitations that are read at once. */
const PAGE = 100;
const HOUR_MS = 3_600_000;
const LASTS = ['24', '72', '168'] as const;
type Lasts = (typeof LASTS)[number];

export function Invitations() {
  const texts = t().settings;
  const invitations = useQuery('invitations', (signal) =>
    client.request('GET /invitations', { query: { limit: PAGE }, signal }),
  );
  return (
    <Section
      title={texts.invitations}
      lead={texts.invitationsLead}
      action={
        may('members:write') && (
          <Button
            kind="primary"
            icon={UserPlus}
            label={texts.invite}
            onClick={() => openDialog((close) => <Invite onClose={close} />)}
          />
        )
      }
    >
      <Waiting of={invitations} />
      {invitations.data.value?.items.length === 0 && <p class="faint">{texts.noInvitations}</p>}
      <ul class="rows">
        {invitations.data.value?.items.map((invitation) => (
          <InvitationRow key={invitation.id} invitation={invitation} />
        ))}
      </ul>
    </Section>
  );
}

function stateOf({ acceptedAt, expiresAt }: Invitation): string {
  const texts = t().settings;
  if (acceptedAt !== null) return texts.accepted(time(acceptedAt, t().units));
  return Date.parse(expiresAt) <= Date.now() ? texts.expired : texts.open(endTime(expiresAt));
}

async function takeBack({ id }: Invitation): Promise<void> {
  try {
    await client.request('DELETE /invitations/{invitationId}', { path: { invitationId: id } });
    showToast({ text: t().settings.takenBack });
  } catch (error) {
    showToast({ text: errorLine(error) });
  }
  invalidate('invitations');
}

function InvitationRow({ invitation }: { readonly invitation: Invitation }) {
  const texts = t().settings;
  const { displayName, login, role, acceptedAt } = invitation;
  return (
    <li>
      <Icon of={Mail} />
      <span class="two-lines grow">
        <span class="cut">
          <bdi>{displayName}</bdi> {login !== null && <span class="faint mono">{login}</span>}
        </span>
        <span class="faint">
          {texts.roles[role]} · {stateOf(invitation)}
        </span>
      </span>
      {acceptedAt === null && may('members:write') && (
        <button
          type="button"
          class="button secondary"
          aria-label={texts.takeBackFor(displayName)}
          onClick={() => void takeBack(invitation)}
        >
          {texts.takeBack}
        </button>
      )}
    </li>
  );
}

function Invite({ onClose }: { readonly onClose: () => void }) {
  const texts = t().settings;
  const [name, setName] = useState('');
  const [login, setLogin] = useState('');
  const [role, setRole] = useState<Role>('member');
  const [lasts, setLasts] = useState<Lasts>('72');
  const [made, setMade] = useState<Answer<'POST /invitations'> | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const hours = Number(lasts);
  const isBadLogin = login !== '' && !isLogin(login);

  async function invite(): Promise<void> {
    if (isBusy || isBadLogin || name.trim() === '') return;
    setBusy(true);
    setError(null);
    try {
      const who = { displayName: name.trim(), role, ...(login === '' ? {} : { login }) };
      const body = { ...who, expiresInHours: hours };
      setMade(await withProof(() => client.request('POST /invitations', { body })));
      invalidate('invitations');
    } catch (cause) {
      setError(errorLine(cause));
    } finally {
      setBusy(false);
    }
  }

  if (made !== null) return <LinkMade made={made} onClose={onClose} />;
  return (
    <ActDialog
      title={texts.inviteTitle}
      isDirty={name !== '' || login !== ''}
      onClose={onClose}
      onSubmit={() => void invite()}
      width={560}
      icon={UserPlus}
      label={texts.makeLink}
      act={{ isBusy, error }}
    >
      <div class="two-fields">
        <TextField
          label={texts.displayName}
          value={name}
          onInput={setName}
          maxLength={128}
          required
          autofocus
        />
        <TextField
          label={texts.login}
          aside={t().units.optional}
          value={login}
          onInput={setLogin}
          hint={texts.chooseLogin}
          error={isBadLogin ? texts.badLogin : null}
          mono
        />
      </div>
      <RadioField<Role>
        legend={texts.role}
        name="role"
        value={role}
        onChange={setRole}
        options={ROLES.map((value) => ({
          value,
          label: texts.roles[value],
          hint: texts.roleWords[value],
        }))}
      />
      <SelectField<Lasts>
        label={texts.linkLasts}
        value={lasts}
        options={LASTS.map((value) => ({ value, label: texts.lasts[value] }))}
        onChange={setLasts}
      />
      <PlainWords tone="open">
        {texts.inviteWords(
          name.trim() || '…',
          texts.roles[role],
          endTime(Date.now() + hours * HOUR_MS),
        )}{' '}
        {texts.roleWords[role]}
      </PlainWords>
    </ActDialog>
  );
}

type MadeProps = { readonly made: Answer<'POST /invitations'>; readonly onClose: () => void };

function LinkMade({ made, onClose }: MadeProps) {
  const texts = t().settings;
  return (
    <Dialog
      title={texts.linkMade(made.displayName)}
      isDirty
      onClose={onClose}
      actions={<Button kind="primary" label={texts.understood} onClick={onClose} />}
    >
      <Note>{texts.linkOnce}</Note>
      <CopyField label={texts.link} value={made.url} />
    </Dialog>
  );
}
