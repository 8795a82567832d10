// "Make yourself a member": whoever holds the root key gets a name and a password or
// passkey. It is an invitation that one sends to oneself, and accepts at once.
import { Fingerprint, UserPlus } from 'lucide';
import { useRef, useState } from 'preact/hooks';
import { client } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { withProof } from '../../api/with-proof.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { ActDialog, Dialog } from '../../ui/dialog.tsx';
import { RadioField, TextField } from '../../ui/field.tsx';
import { acceptInvitation } from '../sign-in/accept.ts';
import { takeSession } from '../sign-in/enter.ts';
import { hasPasskeys } from '../sign-in/passkey.ts';
import { isLogin, PASSWORD_LENGTH_MIN } from './member-words.ts';
import { deviceName, Recovery } from './passkeys.tsx';

type Way = 'password' | 'passkey';
type Invited = { readonly id: string; readonly secret: string; readonly of: string };

/** Hours that the invitation to oneself is open. */
const OPEN_HOURS = 1;

/** One invitation for what is typed; another login or name makes another. */
function useOwnInvitation() {
  const invited = useRef<Invited | null>(null);
  async function withdraw(): Promise<void> {
    const { current } = invited;
    invited.current = null;
    // One that stays ends by itself within the hour.
    if (current !== null)
      await client
        .request('DELETE /invitations/{invitationId}', { path: { invitationId: current.id } })
        .catch(() => {});
  }
  async function invite(login: string, displayName: string): Promise<string> {
    const of = JSON.stringify([login, displayName]);
    if (invited.current?.of === of) return invited.current.secret;
    await withdraw();
    const body = { login, displayName, role: 'owner', expiresInHours: OPEN_HOURS } as const;
    const { id, url } = await withProof(() => client.request('POST /invitations', { body }));
    const secret = new URL(url).hash.slice(1);
    invited.current = { id, secret, of };
    return secret;
  }
  function forget(): void {
    invited.current = null;
  }
  return { invite, withdraw, forget };
}

export function BecomeMember({ onClose }: { readonly onClose: () => void }) {
  const texts = t().settings;
  const [login, setLogin] = useState('');
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [way, setWay] = useState<Way>(hasPasskeys() ? 'passkey' : 'password');
  const [isTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [isDone, setDone] = useState(false);
  const own = useOwnInvitation();
  const isShort = way === 'password' && password.length < PASSWORD_LENGTH_MIN;

  async function become(): Promise<void> {
    setTried(true);
    if (!isLogin(login) || isShort || isBusy) return;
    setBusy(true);
    setError(null);
    try {
      const secret = await own.invite(login, name.trim() || login);
      const chosen = way === 'password' ? password : null;
      await acceptInvitation({ secret, password: chosen, deviceName: deviceName() });
      own.forget();
      setDone(true);
    } catch (cause) {
      setError(errorLine(cause));
    } finally {
      setBusy(false);
    }
  }

  function close(): void {
    void own.withdraw();
    onClose();
  }

  if (isDone) return <Done name={name.trim() || login} way={way} onClose={onClose} />;
  return (
    <ActDialog
      title={texts.becomeMember}
      isDirty={login !== '' || password !== ''}
      onClose={close}
      onSubmit={() => void become()}
      icon={way === 'passkey' ? Fingerprint : UserPlus}
      label={texts.becomeMember}
      act={{ isBusy, error }}
    >
      <p class="dim">{texts.becomeLead}</p>
      <TextField
        label={texts.login}
        value={login}
        onInput={setLogin}
        autocomplete="username"
        error={isTried && !isLogin(login) ? texts.badLogin : null}
        autofocus
        mono
      />
      <TextField
        label={texts.displayName}
        aside={t().units.optional}
        value={name}
        onInput={setName}
        autocomplete="name"
        maxLength={128}
      />
      {hasPasskeys() && <WayField way={way} onWay={setWay} />}
      {way === 'password' && (
        <TextField
          label={texts.new}
          type="password"
          value={password}
          onInput={setPassword}
          autocomplete="new-password"
          hint={texts.newHint}
          error={isTried && isShort ? texts.tooShort : null}
        />
      )}
    </ActDialog>
  );
}

type WayProps = { readonly way: Way; readonly onWay: (way: Way) => void };

function WayField({ way, onWay }: WayProps) {
  const texts = t().settings;
  return (
    <RadioField<Way>
      legend={texts.way}
      name="way"
      value={way}
      onChange={onWay}
      options={[
        { value: 'passkey', label: texts.byPasskey, hint: texts.passkeysLead },
        { value: 'password', label: texts.byPassword, hint: texts.newHint },
      ]}
    />
  );
}

type DoneProps = { readonly name: string; readonly way: Way; readonly onClose: () => void };

function Done({ name, way, onClose }: DoneProps) {
  const texts = t().settings;
  const finish = () => {
    onClose();
    void takeSession();
  };
  return (
    <Dialog
      title={texts.becomeDone(name)}
      width={500}
      onClose={finish}
      actions={<Button kind="primary" label={texts.understood} onClick={finish} autofocus />}
    >
      {way === 'passkey' && <Recovery hasPassword={false} />}
    </Dialog>
  );
}
