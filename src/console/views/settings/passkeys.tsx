// Passkeys of who is signed in: list, add, remove. What helps when the device is
// lost is said when one is made.
import { Fingerprint, KeyRound } from 'lucide';
import { useState } from 'preact/hooks';
import type { Answer } from 'quayside/client';
import { client } from '../../api/client.ts';
import { errorLine } from '../../api/describe-error.ts';
import { invalidate, useQuery } from '../../api/query.ts';
import { withProof } from '../../api/with-proof.ts';
import { time } from '../../i18n/format.ts';
import { t } from '../../i18n/i18n.ts';
import { Button } from '../../ui/button.tsx';
import { ActDialog, Dialog } from '../../ui/dialog.tsx';
import { TextField } from '../../ui/field.tsx';
import { Icon } from '../../ui/icon.tsx';
import { openDialog } from '../../ui/open-dialog.tsx';
import { PlainWords } from '../../ui/small.tsx';
import { Waiting } from '../../ui/waiting.tsx';
import { useAct } from '../change/use-act.ts';
import { hasPasskeys, makePasskey } from '../sign-in/passkey.ts';
import { Section } from './section.tsx';

type Passkey = Answer<'GET /passkeys'>['items'][number];

/** How a browser calls the device that it runs on. */
export function deviceName(): string {
  const systems = ['Android', 'iPhone', 'iPad', 'Windows', 'Mac', 'CrOS', 'Linux'];
  return systems.find((name) => navigator.userAgent.includes(name)) ?? '';
}

export function Passkeys({ hasPassword }: { readonly hasPassword: boolean | null }) {
  const texts = t().settings;
  const passkeys = useQuery('passkeys', (signal) => client.request('GET /passkeys', { signal }));
  const items = passkeys.data.value?.items ?? null;
  const add = () =>
    openDialog((close) => <AddPasskey hasPassword={hasPassword === true} onClose={close} />);
  return (
    <Section
      title={texts.passkeys}
      lead={hasPasskeys() ? texts.passkeysLead : texts.noPasskeysHere}
      action={
        hasPasskeys() && (
          <Button kind="secondary" icon={Fingerprint} label={texts.addPasskey} onClick={add} />
        )
      }
    >
      <Waiting of={passkeys} />
      {items?.length === 0 && <p class="faint">{texts.noPasskeys}</p>}
      <ul class="rows">
        {items?.map((passkey) => (
          <PasskeyRow key={passkey.id} passkey={passkey} />
        ))}
      </ul>
    </Section>
  );
}

function PasskeyRow({ passkey }: { readonly passkey: Passkey }) {
  const texts = t().settings;
  const { name, lastUsedAt } = passkey;
  const used = lastUsedAt === null ? texts.neverUsed : texts.usedAt(time(lastUsedAt, t().units));
  return (
    <li>
      <Icon of={KeyRound} />
      <span class="two-lines grow">
        <bdi class="cut">{name}</bdi>
        <span class="faint">{used}</span>
      </span>
      <Button
        kind="secondary"
        label={texts.remove}
        onClick={() => openDialog((close) => <RemovePasskey passkey={passkey} onClose={close} />)}
      />
    </li>
  );
}

function RemovePasskey(props: { readonly passkey: Passkey; readonly onClose: () => void }) {
  const { passkey, onClose } = props;
  const texts = t().settings;
  const act = useAct(onClose);
  const remove = () =>
    act.run(async () => {
      const path = { passkeyId: passkey.id };
      await withProof(() => client.request('DELETE /passkeys/{passkeyId}', { path }));
      invalidate('passkeys');
      invalidate('sessions');
    });
  return (
    <ActDialog
      title={texts.removePasskey(passkey.name)}
      onClose={onClose}
      kind="danger"
      label={texts.remove}
      act={act}
      onSubmit={remove}
    >
      <PlainWords tone="lose">{texts.removeWords}</PlainWords>
    </ActDialog>
  );
}

/** What helps when the device of a passkey is lost. */
export function Recovery({ hasPassword }: { readonly hasPassword: boolean }) {
  const texts = t().settings;
  return (
    <>
      <h3 class="medium">{texts.recovery}</h3>
      <ul class="bullets">
        {hasPassword && <li>{texts.recoverPassword}</li>}
        <li>{texts.recoverPasskey}</li>
        <li>{texts.recoverOwner}</li>
        <li>{texts.recoverRoot}</li>
      </ul>
    </>
  );
}

function AddPasskey(props: { readonly hasPassword: boolean; readonly onClose: () => void }) {
  const { hasPassword, onClose } = props;
  const texts = t().settings;
  const [name, setName] = useState(deviceName);
  const [isMade, setMade] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);

  async function add(): Promise<void> {
    setBusy(true);
    setError(null);
    try {
      const passkey = await withProof(() => makePasskey());
      const body = { name: name.trim(), passkey };
      await withProof(() => client.request('POST /passkeys', { body }));
      invalidate('passkeys');
      setMade(true);
    } catch (cause) {
      setError(errorLine(cause));
    } finally {
      setBusy(false);
    }
  }

  if (isMade) {
    return (
      <Dialog
        title={texts.passkeyMade}
        width={500}
        onClose={onClose}
        actions={<Button kind="primary" label={texts.understood} onClick={onClose} autofocus />}
      >
        <Recovery hasPassword={hasPassword} />
      </Dialog>
    );
  }
  return (
    <ActDialog
      title={texts.addPasskey}
      onClose={onClose}
      onSubmit={() => {
        if (!isBusy) void add();
      }}
      icon={Fingerprint}
      label={texts.addPasskey}
      act={{ isBusy }}
    >
      <TextField
        label={texts.passkeyName}
        value={name}
        onInput={setName}
        hint={texts.passkeyHint}
        error={error}
        maxLength={128}
        required
        autofocus
      />
    </ActDialog>
  );
}
