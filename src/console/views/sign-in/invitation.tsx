// The page of an invitation: `/invitation#secret`. Whoever has the link becomes the
// member by a password or a passkey, and is signed in.
import { Fingerprint } from 'lucide';
import { useEffect, useState } from 'preact/hooks';
import type { Answer } from 'quayside/client';
import { client, QuaysideError } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { useQuery } from '../../api/query.ts';
import { hash, navigate } from '../../app/router.ts';
import { endTime } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { InlineError } from '../../ui/small.tsx';
import { isLogin, PASSWORD_LENGTH_MIN } from '../settings/member-words.ts';
import { deviceName } from '../settings/passkeys.tsx';
import { acceptInvitation } from './accept.ts';
import { reasonOf } from './credentials.tsx';
import { takeSession } from './enter.ts';
import { EntryFrame, ServerFacts } from './entry-frame.tsx';
import { hasPasskeys } from './passkey.ts';
import { useSignInOptions } from './sign-in.tsx';

type Found = Answer<'POST /invitations/lookup'>;

export default function Invitation() {
  const texts = t().signIn.invitation;
  const secret = hash.value.slice(1);
  const options = useSignInOptions().data.value;
  const found = useQuery(secret === '' ? null : `invitation ${secret}`, (signal) =>
    client.request('POST /invitations/lookup', { body: { secret }, signal }),
  );
  const invitation = found.data.value;
  const error = secret === '' ? texts.noSecret : wordsOf(found.error.value);
  useEffect(() => {
    document.title = `${texts.title} · Quayside`;
  }, []);
  const lead =
    invitation === null
      ? (error ?? t().shell.loading)
      : texts.lead(invitation.account, endTime(invitation.expiresAt));
  return (
    <EntryFrame title={texts.title} lead={lead} side={<ServerFacts options={options} />}>
      {invitation !== null && (
        <Accept
          key={secret}
          secret={secret}
          invitation={invitation}
          withPasskey={hasPasskeys() && options?.ways.includes('passkey') !== false}
        />
      )}
      {error !== null && <LinkButton kind="secondary" to="/" label={t().signIn.title} />}
    </EntryFrame>
  );
}

/** What became of a link, in words; null: nothing failed. */
function wordsOf(error: unknown): string | null {
  if (error === null) return null;
  const { reasons } = t().signIn.invitation;
  const known: Readonly<Record<string, string>> = reasons;
  const code = error instanceof QuaysideError ? error.code : '';
  return known[code] ?? errorLine(error);
}

type AcceptProps = {
  readonly secret: string;
  readonly invitation: Found;
  readonly withPasskey: boolean;
};

function Accept({ secret, invitation, withPasskey }: AcceptProps) {
  const texts = t().signIn.invitation;
  const { roles, roleWords, ...settings } = t().settings;
  const [login, setLogin] = useState(invitation.login ?? '');
  const [password, setPassword] = useState('');
  const [isTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const isShort = password.length < PASSWORD_LENGTH_MIN;

  async function accept(chosen: string | null): Promise<void> {
    setTried(true);
    if (isBusy || !isLogin(login) || (chosen !== null && isShort)) return;
    setBusy(true);
    setError(null);
    try {
      const own = invitation.login === null ? { login } : {};
      await acceptInvitation({ secret, ...own, password: chosen, deviceName: deviceName() });
      await takeSession();
      navigate('/', { replace: true });
    } catch (cause) {
      setError(wordsOf(cause) ?? reasonOf(cause));
    } finally {
      setBusy(false);
    }
  }

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void accept(password);
      }}
    >
      <p>
        <b class="medium">{invitation.displayName}</b> · {roles[invitation.role]}
        <br />
        <span class="hint">{roleWords[invitation.role]}</span>
      </p>
      <TextField
        label={settings.login}
        value={login}
        onInput={setLogin}
        autocomplete="username"
        readonly={invitation.login !== null}
        error={isTried && !isLogin(login) ? settings.badLogin : null}
        mono
        autofocus={invitation.login === null}
      />
      {withPasskey && (
        <>
          <Button
            kind="primary"
            big
            icon={Fingerprint}
            label={texts.byPasskey}
            isBusy={isBusy}
            onClick={() => void accept(null)}
          />
          <div class="or">{t().signIn.or}</div>
        </>
      )}
      <TextField
        label={settings.new}
        type="password"
        value={password}
        onInput={setPassword}
        autocomplete="new-password"
        hint={settings.newHint}
        error={isTried && password !== '' && isShort ? settings.tooShort : null}
      />
      {error !== null && <InlineError text={error} />}
      <Button
        type="submit"
        kind={withPasskey ? 'secondary' : 'primary'}
        big
        label={texts.byPassword}
        isBusy={isBusy}
      />
    </form>
  );
}
