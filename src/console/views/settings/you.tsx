// Oneself: name, password, passkeys, looks.
import { UserPlus } from 'lucide';
import { useState } from 'preact/hooks';
import { client } from '../../api/client.ts';
import { invalidate, useQuery } from '../../api/query.ts';
import { withProof } from '../../api/with-proof.ts';
import { density, language, letterKeys, theme } from '../../app/preferences.ts';
import { navigate } from '../../app/router.ts';
import { may, me } from '../../app/session.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { InlineError } from '../../ui/small.tsx';
import { showToast } from '../../ui/toast.tsx';
import { type Member, PASSWORD_LENGTH_MIN } from './member-words.ts';
import { Passkeys } from './passkeys.tsx';
import { Section } from './section.tsx';
import { useSaving } from './use-saving.ts';

export function You() {
  const memberId = me.value?.memberId ?? null;
  // Who may not see members knows of itself what the session says.
  const isKnown = memberId !== null && may('members:read');
  const own = useQuery(isKnown ? `member ${memberId}` : null, (signal) =>
    client.members.get(memberId ?? '', { signal }),
  );
  const member = own.data.value;
  return (
    <>
      {memberId === null ? <AsKey /> : <Profile key={member?.id} member={member} />}
      {memberId !== null && (!isKnown || member !== null) && <Password member={member} />}
      {memberId !== null && <Passkeys hasPassword={member?.hasPassword ?? null} />}
      <Looks />
    </>
  );
}

function AsKey() {
  const texts = t().settings;
  const canBecome = me.value?.role === 'owner' && may('members:write');
  return (
    <Section
      title={texts.profile}
      lead={texts.asKey(me.value?.accessKeyId ?? '')}
      action={
        canBecome && (
          <Button
            kind="primary"
            icon={UserPlus}
            label={texts.becomeMember}
            onClick={() => navigate('/settings#dialog=member')}
          />
        )
      }
    />
  );
}

function Profile({ member }: { readonly member: Member | null }) {
  const texts = t().settings;
  const role = me.value?.role ?? 'reader';
  const [name, setName] = useState(member?.displayName ?? '');
  const saving = useSaving();
  const canRename = member !== null && may('members:write');
  const save = () =>
    saving.run(async () => {
      if (member === null) return;
      const body = { displayName: name.trim() };
      await client.members.update(member.id, { body, ifMatch: member });
      invalidate('member');
      showToast({ text: texts.saved });
    });
  return (
    <Section title={texts.profile} lead={`${texts.roles[role]}: ${texts.roleWords[role]}`}>
      {member !== null && (
        <form
          class="settings-form"
          onSubmit={(event) => {
            event.preventDefault();
            save();
          }}
        >
          <TextField
            label={texts.displayName}
            value={name}
            onInput={setName}
            readonly={!canRename}
            hint={canRename ? null : texts.nameByOwner}
            maxLength={128}
            required
          />
          <TextField label={texts.login} value={member.login} onInput={() => {}} readonly mono />
          {saving.error !== null && <InlineError text={saving.error} />}
          {canRename && (
            <Button type="submit" kind="secondary" label={t().shell.save} isBusy={saving.isBusy} />
          )}
        </form>
      )}
    </Section>
  );
}

/** Null: whether there is a password is not known, so it is offered. */
function Password({ member }: { readonly member: Member | null }) {
  const texts = t().settings;
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [endTokens, setEndTokens] = useState(true);
  const saving = useSaving();
  const hasPassword = member?.hasPassword ?? true;
  const canSet = hasPassword || may('members:write');
  const isShort = next !== '' && next.length < PASSWORD_LENGTH_MIN;
  const save = () =>
    saving.run(async () => {
      const ended = await withProof(() => setPassword(member, { current, next, endTokens }));
      showToast({ text: texts.changed(ended.sessions, ended.tokens) });
      setCurrent('');
      setNext('');
      invalidate('member');
      invalidate('sessions');
    });

  return (
    <Section title={texts.password} lead={canSet ? texts.passwordLead : texts.noPassword}>
      {canSet && (
        <form
          class="settings-form"
          onSubmit={(event) => {
            event.preventDefault();
            if (next.length >= PASSWORD_LENGTH_MIN) save();
          }}
        >
          {hasPassword && (
            <TextField
              label={texts.current}
              type="password"
              autocomplete="current-password"
              value={current}
              onInput={setCurrent}
              required
            />
          )}
          <TextField
            label={texts.new}
            type="password"
            autocomplete="new-password"
            value={next}
            onInput={setNext}
            hint={texts.newHint}
            error={saving.error ?? (isShort ? texts.tooShort : null)}
            required
          />
          <CheckField label={texts.endTokens} checked={endTokens} onChange={setEndTokens} />
          <Button
            type="submit"
            kind="secondary"
            label={hasPassword ? texts.change : texts.set}
            isBusy={saving.isBusy}
          />
        </form>
      )}
    </Section>
  );
}

type PasswordChange = {
  readonly current: string;
  readonly next: string;
  readonly endTokens: boolean;
};

async function setPassword(member: Member | null, { current, next, endTokens }: PasswordChange) {
  if (member?.hasPassword !== false) {
    const body = { currentPassword: current, newPassword: next, endTokens };
    return client.request('PUT /me/password', { body });
  }
  const body = { password: next, endTokens };
  return (await client.members.update(member.id, { body, ifMatch: '*' })).ended;
}

function Looks() {
  const texts = t().settings;
  const { themes, densities, ...shell } = t().shell;
  return (
    <Section title={texts.looks} lead={texts.looksLead}>
      <div class="settings-form">
        <SelectField
          label={shell.language}
          value={language.value}
          options={[
            { value: 'en', label: 'English' },
            { value: 'zh', label: '简体中文' },
          ]}
          onChange={(value) => {
            language.value = value;
          }}
        />
        <SelectField
          label={shell.theme}
          value={theme.value}
          options={(['system', 'light', 'dark'] as const).map((value) => ({
            value,
            label: themes[value],
          }))}
          onChange={(value) => {
            theme.value = value;
          }}
        />
        <SelectField
          label={shell.density}
          value={density.value}
          options={(['comfortable', 'dense'] as const).map((value) => ({
            value,
            label: densities[value],
          }))}
          onChange={(value) => {
            density.value = value;
          }}
        />
        <CheckField
          label={texts.letterKeys}
          checked={letterKeys.value}
          onChange={(isOn) => {
            letterKeys.value = isOn;
          }}
        />
      </div>
    </Section>
  );
}
