// The form that asks who is there: the passkey by one tap, else a name with its
// password, or an access key. Used to sign in, to go on after a session ended, and
// to prove oneself again. What is wrong is said at the field that it concerns.
import { Fingerprint } from 'lucide';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Answer, RequestOptions } from 'quayside/client';
import { QuaysideError } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Segments } from '../../ui/segments.tsx';
import { InlineError } from '../../ui/small.tsx';
import { askForPasskey, canAutofill, hasPasskeys } from './passkey.ts';

export type SignInBody = RequestOptions<'POST /sessions'>['body'];
export type SignInOptions = Answer<'GET /sign-in-options'>;
type Way = 'password' | 'key';

/** The way that worked last in this browser, and the name that it worked with. */
const WAY_STORED_AS = 'quayside-sign-in';
const NAME_STORED_AS = 'quayside-login';

const stored = (name: string): string => {
  try {
    return localStorage.getItem(name) ?? '';
  } catch {
    return '';
  }
};

/** Keeps how it went for the next time; a secret is never kept. */
function keepWay(body: SignInBody): void {
  if ('passkey' in body) return;
  try {
    localStorage.setItem(WAY_STORED_AS, 'login' in body ? 'password' : 'key');
    if ('login' in body) localStorage.setItem(NAME_STORED_AS, body.login);
  } catch {
    // Without storage it is typed anew.
  }
}

type CredentialsProps = {
  /** What works at this address; null: not read yet, all is offered. */
  readonly options: SignInOptions | null;
  /** Who is meant to come back; absent: anybody. */
  readonly who?: 'member' | { readonly accessKeyId: string };
  readonly label: string;
  /** Rejects with the reason, which is said here. */
  readonly onEnter: (body: SignInBody) => Promise<void>;
};

export function Credentials({ options, who, label, onEnter }: CredentialsProps) {
  const texts = t().signIn;
  const keyId = typeof who === 'object' ? who.accessKeyId : null;
  const storedWay: Way = stored(WAY_STORED_AS) === 'password' ? 'password' : 'key';
  const [way, setWay] = useState<Way>(
    keyId !== null ? 'key' : who === 'member' ? 'password' : storedWay,
  );
  const [names, setNames] = useState({ key: keyId ?? '', password: stored(NAME_STORED_AS) });
  const [secret, setSecret] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const withPasskey =
    hasPasskeys() && keyId === null && (options?.ways.includes('passkey') ?? true);
  const isKey = way === 'key';
  const name = names[way].trim();
  const { submit, usePasskey } = useEntering({ onEnter, setBusy, setError });

  return (
    <div class="credentials">
      {withPasskey && (
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
      {who === undefined && (
        <Segments
          label={texts.way}
          value={way}
          options={[
            { value: 'password', label: texts.byPassword },
            { value: 'key', label: texts.byKey },
          ]}
          onChange={setWay}
        />
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          event.stopPropagation();
          const body = isKey
            ? { accessKeyId: name, secretAccessKey: secret.trim() }
            : { login: name, password: secret };
          if (!isBusy) void submit(body);
        }}
      >
        <TextField
          label={isKey ? texts.keyId : texts.login}
          value={names[way]}
          onInput={(typed) => setNames({ ...names, [way]: typed })}
          name="username"
          autocomplete="username webauthn"
          mono={isKey}
          readonly={keyId !== null}
          required
          autofocus={names[way] === ''}
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
          autofocus={names[way] !== ''}
          error={error}
          hint={isKey && who === undefined ? texts.keyHint : null}
        />
        <Button
          type="submit"
          kind={withPasskey ? 'secondary' : 'primary'}
          big
          label={label}
          isBusy={isBusy}
        />
      </form>
      {!isSecureContext && <InlineError text={texts.notSecure} />}
    </div>
  );
}

type Entering = Pick<CredentialsProps, 'onEnter'> & {
  readonly setBusy: (isBusy: boolean) => void;
  readonly setError: (error: string | null) => void;
};

/** Sends what was shown; a passkey waits behind the name field until one is chosen. */
function useEntering({ onEnter, setBusy, setError }: Entering) {
  const autofill = useRef(new AbortController());

  async function submit(body: SignInBody): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      await onEnter(body);
      keepWay(body);
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
      await submit({ passkey: await askForPasskey(autofill.current.signal, 'dialog') });
    } catch (cause) {
      setError(reasonOf(cause));
    }
  }

  useEffect(() => {
    void offerAutofill(autofill.current.signal, submit);
    return () => autofill.current.abort();
  }, []);
  return { submit, usePasskey };
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

/** Why somebody was not let in, in words. */
export function reasonOf(cause: unknown): string {
  const known: Readonly<Record<string, string>> = t().signIn.reasons;
  const words = cause instanceof QuaysideError ? known[cause.code] : undefined;
  return words ?? errorLine(cause);
}
