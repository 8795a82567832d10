// Sign-in: the passkey by one tap, else a name with its password, or an access key.
// What is wrong is said at the field that it concerns.
import { Fingerprint } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { RequestOptions } from 'quayside/client';
import { client, QuaysideError } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { forgetQueries } from '../../api/query.ts';
import { readSession } from '../../app/session.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Segments } from '../../ui/segments.tsx';
import { InlineError } from '../../ui/small.tsx';
import { EntryFrame, ServerFacts } from './entry-frame.tsx';
import { askForPasskey, canAutofill, hasPasskeys } from './passkey.ts';

type Way = 'password' | 'key';
type SignInBody = RequestOptions<'POST /sessions'>['body'];

/** The way that worked last in this browser. */
const WAY_STORED_AS = 'quayside-sign-in';

const storedWay = (): Way =>
  localStorage.getItem(WAY_STORED_AS) === 'password' ? 'password' : 'key';

async function enter(body: SignInBody): Promise<void> {
  await client.request('POST /sessions', { body });
  forgetQueries();
  await readSession();
}

export default function SignIn() {
  const texts = t().signIn;
  const [way, setWay] = useState<Way>(storedWay);
  const [name, setName] = useState('');
  const [secret, setSecret] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const autofill = useRef(new AbortController());
  useEffect(() => {
    document.title = `${texts.title} · Quayside`;
    void offerAutofill(autofill.current.signal, submit);
    return () => autofill.current.abort();
  }, []);

  async function submit(body: SignInBody): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      await enter(body);
      localStorage.setItem(WAY_STORED_AS, 'login' in body ? 'password' : way);
    } catch (cause) {
      setError(reasonOf(cause));
    } finally {
      setBusy(false);
    }
  }

  async function usePasskey(): Promise<void> {
    autofill.current.abort();
    autofill.current = new AbortController();
    setError(null);
    try {
      const passkey = await askForPasskey(autofill.current.signal, 'dialog');
      await submit({ passkey });
    } catch (cause) {
      // Giving the browser's dialog up is no failure.
      const isGivenUp = cause instanceof DOMException && cause.name === 'NotAllowedError';
      setError(isGivenUp ? null : reasonOf(cause));
    }
  }

  const isKey = way === 'key';
  const body: SignInBody = isKey
    ? { accessKeyId: name.trim(), secretAccessKey: secret.trim() }
    : { login: name.trim(), password: secret };
  return (
    <EntryFrame
      title={texts.title}
      lead={
        <>
          {texts.to} <b class="medium">{location.host}</b>
        </>
      }
      side={<ServerFacts />}
    >
      {hasPasskeys() && (
        <>
          <Button
            kind="primary"
            big
            icon={Fingerprint}
            label={texts.usePasskey}
            onClick={() => void usePasskey()}
          />
          <div class="or">{texts.or}</div>
        </>
      )}
      <Segments
        label={texts.way}
        value={way}
        options={[
          { value: 'password', label: texts.byPassword },
          { value: 'key', label: texts.byKey },
        ]}
        onChange={setWay}
      />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void submit(body);
        }}
      >
        <TextField
          label={isKey ? texts.keyId : texts.login}
          value={name}
          onInput={setName}
          name="username"
          autocomplete="username webauthn"
          mono={isKey}
          required
          autofocus
        />
        <TextField
          label={isKey ? texts.secret : texts.password}
          value={secret}
          onInput={setSecret}
          type="password"
          name="password"
          autocomplete="current-password"
          mono={isKey}
          required
          error={error}
          hint={isKey ? texts.keyHint : null}
        />
        <Button
          type="submit"
          kind={hasPasskeys() ? 'secondary' : 'primary'}
          big
          label={texts.title}
          isBusy={isBusy}
        />
      </form>
      {!isSecureContext && <InlineError text={texts.notSecure} />}
    </EntryFrame>
  );
}

/** Lets the browser offer passkeys in the list of the name field. */
async function offerAutofill(
  signal: AbortSignal,
  submit: (body: SignInBody) => Promise<void>,
): Promise<void> {
  try {
    if (await canAutofill()) await submit({ passkey: await askForPasskey(signal, 'autofill') });
  } catch {
    // Nobody chose one: the fields are there.
  }
}

function reasonOf(cause: unknown): string {
  const { reasons, rejectedCookie } = t().signIn;
  if (cause instanceof QuaysideError) {
    const known: Readonly<Record<string, string>> = reasons;
    return known[cause.code] ?? errorLine(cause);
  }
  return cause instanceof DOMException ? rejectedCookie(cause.message) : errorLine(cause);
}
